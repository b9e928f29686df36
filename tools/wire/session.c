/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/link/frame.h"
#include "kernel/link/names.h"
#include "tools/base/interrupt.h"
#include "tools/base/monotonic.h"
#include "tools/wire/repair.h"

/* longest wait before time-out, Ctrl-C and the other end are checked again */
#define SLICE_MS       50
#define SILENCE_MAX_MS 4000
/* Even with 2e-3 of the bytes damaged, a frame arrives with probability 0.1; 200 requests in vain
 * are not just bad luck. */
#define REQUESTS_IN_VAIN 200
#define SILENCES_MAX     7
/* Silences after which the session returns to the old speed; the machine eventually gives up an
 * agreed speed too. */
#define SILENCES_OF_RATE 3
/* After END was requested in vain, it is requested as text. */
#define PROBE_AS_TEXT_MS 1000
#define BYE_REPEATS      3
/* Time for the machine to power off and so to close the line. */
#define BYE_WAIT_MS 2000
/* Time between two attempts to reopen a line. */
#define REOPEN_MS 200
/* A faster line is worth the change if transferring what is missing takes longer than this. */
#define RATE_WORTH_MS  2000
#define RATE_TRIES     3
#define RATE_STEPS     3  /* number of lower speeds that are tried */
#define RATE_SETTLE_MS 30 /* time until both ends have changed their speed */
#define RATE_ANSWER_MS 200
#define RATE_RETURN_MS 2500 /* the machine has returned to the old speed by then */
#define BITS_PER_BYTE  10   /* with start and stop bit */

/* The machine's last answer. */
struct answer {
    bool came;
    bool ok;
    char to[16];
    char reason[120];
};

struct session {
    struct line *line;
    struct decoder *decoder;
    struct progress *progress;
    const struct session_options *options;
    uint64_t start_ms;
    uint64_t received_ms; /* time of the last byte, initially the start */
    uint64_t bytes;
    /* value of `bytes` when the line last came back; UINT64_MAX: it never did */
    uint64_t returned_bytes;
    int log;
    unsigned run_baud;  /* speed of the line when it was opened */
    bool received_zero; /* a 00h was received: a line that never carries 00h passes only text */
    bool repaired;      /* something other than a bye was sent, such as a request for frames */
    bool over;
    bool leaving; /* nothing more is expected of the line */
    bool away;    /* the line was closed, and the session waits for it */
    bool reported_away;
    enum session_end end; /* valid if `over` */
    int cause;            /* errno if the log failed */
    uint32_t requests;
    struct repair *repair; /* exists while repair is in progress */
    struct answer answer;
};

static void on_text(void *context, const char *text, size_t length)
{
    const struct session *session = context;

    progress_text(session->progress, text, length);
}

static void on_record(void *context, const struct record *record)
{
    const struct session *session = context;
    const struct session_options *options = session->options;

    progress_image(session->progress);
    if (options->on_record != NULL) {
        options->on_record(options->context, record);
    }
}

static void on_piece(void *context, const struct decoder_piece *piece)
{
    const struct session *session = context;

    if (session->repair != NULL) {
        repair_piece(session->repair, piece);
    }
}

static void finish(struct session *session, enum session_end end)
{
    if (!session->over) {
        session->over = true;
        session->end = end;
        session->cause = errno;
    }
}

/* Sends a record as a request, always as text, because text passes lines that drop or translate
 * control characters. The 00h in front ends whatever noise the machine has read before; it is
 * omitted on a line that passes only text. */
static void send_request(struct session *session, struct record_writer *writer)
{
    struct frame frame = {.type = FRAME_REQUEST, .seq = session->requests++};
    uint8_t wire[1 + FRAME_WIRE_MAX] = {0};
    const size_t skipped = session->bytes > 0 && !session->received_zero ? 1 : 0;

    frame.length = (uint16_t)record_finish(writer);
    memcpy(frame.payload, writer->line, frame.length);
    const size_t length = 1 + frame_encode(&frame, FRAME_TEXT, wire + 1);

    if (!session->away && !line_write(session->line, wire + skipped, length - skipped) &&
        session->options->reopen == NULL) {
        finish(session, SESSION_CLOSED);
    }
}

/* Answers the machine's question whether a host takes its log. Answers at once, because the machine
 * waits only briefly. */
static void answer_hello(struct session *session)
{
    struct record_writer writer;

    if (!session->options->one_way && session->line->out >= 0) {
        record_begin(&writer, REQUEST_NAME_HELLO);
        send_request(session, &writer);
    }
}

static void on_answer(void *context, const struct record *record)
{
    struct session *session = context;

    if (strcmp(record->name, REQUEST_NAME_HELLO) == 0) {
        answer_hello(session);
        return;
    }
    const char *to = record_value(record, FIELD_TO);
    const char *reason = record_value(record, FIELD_REASON);
    uint64_t ok;

    if (strcmp(record->name, RECORD_ANSWER) != 0 || to == NULL ||
        !record_value_unsigned(record, FIELD_OK, &ok)) {
        return;
    }
    session->answer = (struct answer){.came = true, .ok = ok != 0};
    snprintf(session->answer.to, sizeof(session->answer.to), "%s", to);
    snprintf(session->answer.reason, sizeof(session->answer.reason), "%s",
             reason != NULL ? reason : "it gives no reason");
}

/* Makes this the decoder from here on. */
static void listen_with(struct session *session, struct decoder *decoder)
{
    const struct decoder_listener listener = {.context = session,
                                              .on_text = on_text,
                                              .on_record = on_record,
                                              .on_piece = on_piece,
                                              .on_answer = on_answer};

    session->decoder = decoder;
    decoder_listen(decoder, &listener);
}

static bool log_bytes(int log, const uint8_t *bytes, size_t length)
{
    while (log >= 0 && length > 0) {
        const ssize_t written = write(log, bytes, length);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static void take(struct session *session, const uint8_t *bytes, size_t length)
{
    session->received_ms = monotonic_ms();
    session->bytes += length;
    session->received_zero = session->received_zero || memchr(bytes, 0, length) != NULL;
    if (!log_bytes(session->log, bytes, length)) {
        finish(session, SESSION_LOG_FAILED);
    }
    decoder_push(session->decoder, bytes, length);
}

/* Handles the loss of the line. If it can come back, the session waits for it and reports that
 * once. */
static void lose_line(struct session *session)
{
    if (session->options->reopen == NULL || session->leaving) {
        finish(session, SESSION_CLOSED);
        return;
    }
    session->away = true;
    if (!session->reported_away) {
        session->reported_away = true;
        progress_note(session->progress,
                      "the line is gone: waiting for it to come back (Ctrl-C ends)");
    }
}

/* Tries to reopen the line. What was being received when the line went is cut; a 00h ends it, in
 * the log too. A line that comes back and goes again at once, without a byte, counts like one that
 * stays away. */
static void look_for_line(struct session *session)
{
    static const uint8_t cut = 0;
    const bool in_vain = session->bytes == session->returned_bytes;

    progress_live(session->progress, "waiting for the line...");
    if (in_vain) {
        sleep_ms(REOPEN_MS);
    }
    if (!session->options->reopen(session->options->context, session->line)) {
        sleep_ms(REOPEN_MS);
        return;
    }
    session->away = false;
    session->received_ms = monotonic_ms();
    session->returned_bytes = session->bytes;
    if (!in_vain) {
        progress_note(session->progress, "the line is back");
    }
    decoder_break(session->decoder);
    if (!log_bytes(session->log, &cut, sizeof(cut))) {
        finish(session, SESSION_LOG_FAILED);
    }
}

/* Returns whether there is a reason to stop. */
static void look_around(struct session *session)
{
    const struct session_options *options = session->options;

    if (interrupt_seen()) {
        finish(session, SESSION_INTERRUPTED);
    } else if (options->timeout_ms > 0 &&
               monotonic_ms() - session->start_ms >= options->timeout_ms) {
        finish(session, SESSION_TIMED_OUT);
    }
}

static unsigned attend(const struct session *session)
{
    const struct session_options *options = session->options;
    const unsigned ms = options->attend != NULL ? options->attend(options->context) : SLICE_MS;

    return ms < SLICE_MS ? ms : SLICE_MS;
}

/* Reads once, for at most `wait_ms`. Bytes that a dead peer left on the line are read first. */
static void pump(struct session *session, unsigned wait_ms)
{
    const struct session_options *options = session->options;
    const unsigned slice_ms = attend(session);
    const bool alive = options->alive == NULL || options->alive(options->context);
    uint8_t bytes[4096];

    look_around(session);
    if (session->away) {
        look_for_line(session);
        return;
    }
    const ssize_t count =
        line_read(session->line, bytes, sizeof(bytes), wait_ms < slice_ms ? wait_ms : slice_ms);

    if (count > 0) {
        take(session, bytes, (size_t)count);
    } else if (count < 0) {
        lose_line(session);
    } else if (!alive) {
        finish(session, SESSION_CLOSED);
    }
}

static uint64_t silence_ms(const struct session *session)
{
    return monotonic_ms() - session->received_ms;
}

static uint64_t frames_held(const struct session *session)
{
    struct decoder_counts counts;

    decoder_get_counts(session->decoder, &counts);
    return counts.frames;
}

/* Requests END, every other time as text. */
static void send_status_request(struct session *session)
{
    struct record_writer writer;

    session->repaired = true;
    record_begin(&writer, REQUEST_NAME_STATUS);
    if (session->requests % 2 == 1) {
        record_text(&writer, FIELD_FORMAT, FORMAT_TEXT);
    }
    send_request(session, &writer);
}

/* Returns whether the session may ask for END on a silent line. It may only if tare can be at the
 * other end: after a frame or what may have been one, or if nothing was ever received. Otherwise
 * the request might be typed at a firmware prompt. */
static bool may_probe(const struct session *session)
{
    struct decoder_counts counts;

    decoder_get_counts(session->decoder, &counts);
    return !session->away && (counts.frames > 0 || counts.damaged > 0 || counts.bytes == 0);
}

/* Returns whether the other end is alive but has stopped between its last line and END. */
static bool is_stuck(const struct session *session)
{
    return session->options->end_ms > 0 && session->progress->image_done &&
           silence_ms(session) >= session->options->end_ms;
}

/* Lets the caller decide where the bytes so far belong, because the run on the line may be known
 * only now. */
static void settle(struct session *session)
{
    const struct session_options *options = session->options;

    if (options->settle == NULL) {
        return;
    }
    struct decoder *decoder = options->settle(options->context, session->decoder, &session->log);

    if (decoder == NULL) {
        finish(session, SESSION_LOG_FAILED);
    } else if (decoder != session->decoder) {
        listen_with(session, decoder);
    }
}

static void wait_for_end(struct session *session)
{
    const struct session_options *options = session->options;
    const bool probes = !options->one_way && options->probe_ms > 0;
    uint64_t probed_ms = session->start_ms;
    unsigned wait_ms = options->probe_ms;

    while (!session->over && !decoder_ended(session->decoder)) {
        pump(session, SLICE_MS);
        if (decoder_other_ended(session->decoder)) {
            settle(session); /* the caller may go on with the run that ended */
            if (!decoder_ended(session->decoder)) {
                finish(session, SESSION_OTHER_RUN);
            }
        } else if (!decoder_ended(session->decoder) && is_stuck(session)) {
            finish(session, SESSION_NO_END);
        }
        if (session->away) {
            continue;
        }
        if (!session->progress->image_speaks) {
            const bool is_on = options->alive != NULL || session->bytes > 0;

            progress_live(session->progress, "%s", is_on ? "firmware..." : "waiting...");
        } else {
            progress_received(session->progress, session->bytes);
        }
        if (probes && !session->over && silence_ms(session) >= wait_ms &&
            monotonic_ms() - probed_ms >= wait_ms && may_probe(session)) {
            wait_ms = session->requests % 2 == 0 ? PROBE_AS_TEXT_MS : options->probe_ms;
            send_status_request(session);
            probed_ms = monotonic_ms();
        }
    }
}

/* Waits for an answer to `to`. */
static bool await_answer(struct session *session, const char *to, unsigned wait_ms)
{
    const uint64_t sent_ms = monotonic_ms();

    while (!session->over && !session->away && monotonic_ms() - sent_ms < wait_ms) {
        if (session->answer.came && strcmp(session->answer.to, to) == 0) {
            return true;
        }
        pump(session, wait_ms);
    }
    return session->answer.came && strcmp(session->answer.to, to) == 0;
}

static bool ask_and_await(struct session *session, struct record_writer *writer, const char *to,
                          unsigned wait_ms)
{
    session->answer.came = false;
    session->repaired = true;
    send_request(session, writer);
    return await_answer(session, to, wait_ms);
}

/* Checks whether frames get through, after the machine has agreed and changed to the new speed. */
static bool check_rate(struct session *session)
{
    for (unsigned i = 0; i < RATE_TRIES && !session->over; i++) {
        struct record_writer writer;

        sleep_ms(RATE_SETTLE_MS);
        record_begin(&writer, REQUEST_NAME_RATE_CHECK);
        if (ask_and_await(session, &writer, REQUEST_NAME_RATE_CHECK, RATE_ANSWER_MS)) {
            return true;
        }
    }
    return false;
}

/* Waits until the machine has given up a new speed at which it received nothing. */
static void wait_for_return(struct session *session)
{
    const uint64_t start_ms = monotonic_ms();

    while (!session->over && monotonic_ms() - start_ms < RATE_RETURN_MS) {
        pump(session, SLICE_MS);
    }
}

enum rate_outcome {
    RATE_AGREED,
    RATE_REFUSED, /* rejected by the machine, or the line does not carry it */
    RATE_NO_ANSWER,
};

static enum rate_outcome try_rate(struct session *session, unsigned baud)
{
    const unsigned old = session->line->baud;
    struct record_writer writer;

    record_begin(&writer, REQUEST_NAME_RATE);
    record_unsigned(&writer, FIELD_BAUD, baud);
    if (!ask_and_await(session, &writer, REQUEST_NAME_RATE, session->options->answer_ms)) {
        /* the answer may be lost, and the machine already at the new speed */
        wait_for_return(session);
        return RATE_NO_ANSWER;
    }
    if (!session->answer.ok) {
        progress_note(session->progress, "the machine rejects %u baud: %s", baud,
                      session->answer.reason);
        return RATE_REFUSED;
    }
    if (line_set_baud(session->line, baud) && check_rate(session)) {
        decoder_break(session->decoder);
        progress_note(session->progress, "the line is now at %u baud", baud);
        return RATE_AGREED;
    }
    line_set_baud(session->line, old);
    progress_note(session->progress, "nothing gets through at %u baud: back to %u", baud, old);
    wait_for_return(session);
    return RATE_REFUSED;
}

/* Changes to another speed for the missing frames, if both ends support a higher one. */
static void agree_on_rate(struct session *session)
{
    const uint64_t bits =
        decoder_lacking(session->decoder) * (FRAME_PAYLOAD_MAX * (uint64_t)BITS_PER_BYTE);
    const unsigned old = session->line->baud;
    unsigned baud = session->options->baud_max;
    unsigned unanswered = 0;

    if (!session->line->is_tty || baud <= old || bits * 1000 / old < RATE_WORTH_MS) {
        return;
    }
    for (unsigned step = 0; step < RATE_STEPS && baud > old && !session->over;) {
        switch (try_rate(session, baud)) {
        case RATE_AGREED:
            return;
        case RATE_REFUSED:
            baud = line_slower(baud / 2 + 1);
            step++;
            break;
        case RATE_NO_ANSWER:
            if (++unanswered == RATE_TRIES) {
                return;
            }
            break;
        }
    }
}

static void leave_rate(struct session *session)
{
    const unsigned baud = session->line->baud;

    if (session->line->is_tty && baud != session->run_baud &&
        line_set_baud(session->line, session->run_baud)) {
        progress_note(session->progress, "nothing arrives at %u baud any more: back to %u", baud,
                      session->run_baud);
    }
}

static void send_get(struct session *session, const struct repair_request *request)
{
    struct record_writer writer;

    session->repaired = true;
    record_begin(&writer, REQUEST_NAME_GET);
    record_unsigned(&writer, FIELD_STREAM, request->range.stream);
    record_unsigned(&writer, FIELD_FIRST, request->range.first);
    record_unsigned(&writer, FIELD_COUNT, request->range.count);
    if (request->text) {
        record_text(&writer, FIELD_FORMAT, FORMAT_TEXT);
    }
    send_request(session, &writer);
}

/* Keeps the machine busy. Returns false if nothing is missing. */
static bool send_requests(struct session *session)
{
    const bool idle = repair_outstanding(session->repair) == 0;
    struct repair_request request;

    while (!session->over && repair_next(session->repair, &request)) {
        send_get(session, &request);
    }
    if (idle) {
        session->received_ms = monotonic_ms();
    }
    return repair_outstanding(session->repair) > 0;
}

static void repair(struct session *session)
{
    unsigned silences = 0;
    unsigned silence = session->options->answer_ms;

    session->repair = repair_create(session->decoder);
    while (!session->over && (session->away || send_requests(session))) {
        const uint64_t bytes = session->bytes;
        struct repair_counts counts;

        pump(session, silence);
        progress_live(session->progress, "%llu frames, requesting %llu that are missing",
                      (unsigned long long)frames_held(session),
                      (unsigned long long)decoder_lacking(session->decoder));
        if (session->bytes > bytes) {
            silences = 0;
            silence = session->options->answer_ms;
        } else if (session->away || silence_ms(session) >= silence) {
            repair_silence(session->repair);
            silences += session->away ? 0 : 1;
            if (silences == SILENCES_OF_RATE) {
                leave_rate(session);
            }
            silence = silence < SILENCE_MAX_MS ? 2 * silence : silence;
        }
        repair_get_counts(session->repair, &counts);
        if ((counts.in_vain >= REQUESTS_IN_VAIN && session->options->timeout_ms == 0) ||
            silences == SILENCES_MAX) {
            finish(session, SESSION_INCOMPLETE);
        }
    }
    repair_destroy(session->repair);
    session->repair = NULL;
}

/* Writes the log to the disk. After bye, the log is all there is of the run. A log that is not on a
 * disk, such as a pipe, needs no wait. */
static void secure_log(struct session *session)
{
    if (session->log >= 0 && fsync(session->log) != 0 && errno != EINVAL && errno != EROFS) {
        finish(session, SESSION_LOG_FAILED);
    }
}

/* Tells the machine that everything has arrived. On a line that loses bytes, bye may be lost as
 * well, so it is repeated. If the line closes now, does not wait until it is back. */
static void send_bye(struct session *session)
{
    const unsigned repeats = session->repaired ? BYE_REPEATS : 1;
    const unsigned last_ms = session->line->is_tty ? session->options->answer_ms : BYE_WAIT_MS;

    if (!session->over) {
        secure_log(session);
    }
    session->leaving = true;
    for (unsigned i = 0; i < repeats && !session->over && !session->away; i++) {
        struct record_writer writer;

        record_begin(&writer, REQUEST_NAME_BYE);
        send_request(session, &writer);
        const uint64_t sent_ms = monotonic_ms();
        const unsigned wait_ms = i + 1 < repeats ? session->options->answer_ms : last_ms;

        session->received_ms = sent_ms;
        while (!session->over && silence_ms(session) < wait_ms &&
               monotonic_ms() - sent_ms < BYE_WAIT_MS) {
            pump(session, wait_ms);
        }
    }
}

/* Reads the rest of a line that cannot be written to, up to its end or a silence. A silence counts
 * only after a read that found nothing: what waits on the line is read, however late this process
 * runs. */
static void drain(struct session *session)
{
    uint64_t bytes;

    session->leaving = true;
    do {
        bytes = session->bytes;
        pump(session, SLICE_MS);
    } while (!session->over &&
             (session->bytes > bytes || silence_ms(session) < session->options->answer_ms));
}

static enum session_end outcome(struct session *session)
{
    const bool complete = decoder_complete(session->decoder);

    if (complete && !(session->over && session->end == SESSION_LOG_FAILED)) {
        return SESSION_COMPLETE; /* however the line ended: there was nothing more to get */
    }
    return session->over ? session->end : SESSION_INCOMPLETE;
}

enum session_end session_run(struct line *line, struct decoder *decoder, struct progress *progress,
                             const struct session_options *options)
{
    struct session session = {
        .line = line,
        .progress = progress,
        .options = options,
        .start_ms = monotonic_ms(),
        .log = options->log,
        .run_baud = line->baud,
        .returned_bytes = UINT64_MAX,
    };

    session.received_ms = session.start_ms;
    listen_with(&session, decoder);
    wait_for_end(&session);
    settle(&session);
    if (options->one_way || line->out < 0) {
        drain(&session);
    } else {
        agree_on_rate(&session);
        repair(&session);
        send_bye(&session);
    }
    decoder_listen(session.decoder, NULL);
    errno = session.cause;
    return outcome(&session);
}

const char *session_end_text(enum session_end end)
{
    static const char *const texts[] = {
        [SESSION_COMPLETE] = "the run is complete",
        [SESSION_INCOMPLETE] = "frames are missing and could not be received again",
        [SESSION_CLOSED] = "the line was closed before the run was complete",
        [SESSION_TIMED_OUT] = "the time limit was reached before the run was complete",
        [SESSION_INTERRUPTED] = "stopped by a signal",
        [SESSION_OTHER_RUN] = "the machine began another run before this one was complete",
        [SESSION_NO_END] = "the image printed its last line, but the end of its log did not follow",
        [SESSION_LOG_FAILED] = "the log could not be written",
    };

    return texts[end];
}
