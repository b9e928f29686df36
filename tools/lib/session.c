/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lib/session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel/link/frame.h"
#include "tools/lib/interrupt.h"
#include "tools/lib/monotonic.h"

#define SLICE_MS       50 /* longest wait without a look at time-out, Ctrl-C and the other end */
#define SILENCE_MAX_MS 4000
/* With 2e-3 of the bytes damaged a round still brings its frame with probability 0.1: 100 in vain
 * are no bad luck. */
#define ROUNDS_WITHOUT_GAIN   100
#define ROUNDS_WITHOUT_ANSWER 6
#define BYE_REPEATS           3
/* For the machine to power off and so to close the line. */
#define BYE_WAIT_MS 2000

struct session {
    struct line *line;
    struct decoder *decoder;
    struct progress *progress;
    const struct session_options *options;
    uint64_t start_ms;
    uint64_t heard_ms; /* when the last byte came; at first: the start */
    uint64_t bytes;
    bool heard_zero; /* a line that never carries 00h passes only text */
    bool repaired;   /* more than a bye was sent */
    bool over;
    enum session_end end; /* if over */
    uint32_t requests;
};

static void on_text(void *context, const char *text, size_t length)
{
    progress_text(context, text, length);
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

static void finish(struct session *session, enum session_end end)
{
    if (!session->over) {
        session->over = true;
        session->end = end;
    }
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
    session->heard_ms = monotonic_ms();
    session->bytes += length;
    session->heard_zero = session->heard_zero || memchr(bytes, 0, length) != NULL;
    if (!log_bytes(session->options->log, bytes, length)) {
        finish(session, SESSION_LOG_FAILED);
    }
    decoder_push(session->decoder, bytes, length);
}

/* Nothing came. Is there a reason to stop? What a dead peer left on the line is read first. */
static void look_around(struct session *session, bool peer_alive)
{
    const struct session_options *options = session->options;

    if (interrupt_seen()) {
        finish(session, SESSION_INTERRUPTED);
    } else if (!peer_alive) {
        finish(session, SESSION_CLOSED);
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

/* Reads once, at most `wait_ms` long; returns whether bytes came. */
static bool pump(struct session *session, unsigned wait_ms)
{
    const struct session_options *options = session->options;
    const unsigned slice_ms = attend(session);
    const bool alive = options->alive == NULL || options->alive(options->context);
    uint8_t bytes[4096];
    const ssize_t count =
        line_read(session->line, bytes, sizeof(bytes), wait_ms < slice_ms ? wait_ms : slice_ms);

    if (count > 0) {
        take(session, bytes, (size_t)count);
    }
    look_around(session, count == 0 ? alive : count > 0);
    return count > 0;
}

static uint64_t silence_ms(const struct session *session)
{
    return monotonic_ms() - session->heard_ms;
}

/* Pieces of the stream that were a frame or may have been one. */
static uint64_t pieces_heard(const struct session *session)
{
    struct decoder_counts counts;

    decoder_get_counts(session->decoder, &counts);
    return counts.frames + counts.duplicates + counts.conflicts + counts.damaged;
}

static uint64_t frames_held(const struct session *session)
{
    struct decoder_counts counts;

    decoder_get_counts(session->decoder, &counts);
    return counts.frames;
}

/* As many as the first ranges of them hold. */
static uint64_t frames_missing(const struct session *session)
{
    struct decoder_range ranges[256];
    const size_t count =
        decoder_missing(session->decoder, ranges, sizeof(ranges) / sizeof(ranges[0]));
    uint64_t frames = 0;

    for (size_t i = 0; i < count; i++) {
        frames += ranges[i].count;
    }
    return frames;
}

/* Sends a record as a request. The 00h in front ends whatever noise the image has read before. */
static void send_request(struct session *session, struct record_writer *writer)
{
    struct frame frame = {.type = FRAME_REQUEST, .seq = session->requests++};
    uint8_t wire[1 + FRAME_WIRE_MAX] = {0};
    const bool text = session->bytes > 0 && !session->heard_zero;

    frame.length = (uint16_t)record_finish(writer);
    memcpy(frame.payload, writer->line, frame.length);
    const size_t length = frame_encode(&frame, text ? FRAME_TEXT : FRAME_BINARY, wire + 1);

    if (!line_write(session->line, text ? wire + 1 : wire, text ? length : length + 1)) {
        finish(session, SESSION_CLOSED);
    }
}

static void send_status_request(struct session *session)
{
    struct record_writer writer;

    session->repaired = true;
    record_begin(&writer, "status_request");
    send_request(session, &writer);
}

/* A silent line is asked for END only where tare can be at its other end: after a frame or what may
 * have been one, or if nothing was ever heard. A firmware's prompt is not typed at. */
static bool may_probe(const struct session *session)
{
    struct decoder_counts counts;

    decoder_get_counts(session->decoder, &counts);
    return counts.frames > 0 || counts.damaged > 0 || counts.bytes == 0;
}

static void wait_for_end(struct session *session)
{
    const struct session_options *options = session->options;
    const bool probes = !options->one_way && options->probe_ms > 0;
    uint64_t probed_ms = session->start_ms;

    while (!session->over && !decoder_ended(session->decoder)) {
        pump(session, SLICE_MS);
        if (!session->progress->image_speaks) {
            const bool is_on = options->alive != NULL || session->bytes > 0;

            progress_live(session->progress, "%s", is_on ? "firmware..." : "waiting...");
        } else {
            progress_received(session->progress, session->bytes);
        }
        if (probes && !session->over && silence_ms(session) >= options->probe_ms &&
            monotonic_ms() - probed_ms >= options->probe_ms && may_probe(session)) {
            send_status_request(session);
            probed_ms = monotonic_ms();
        }
    }
}

/* First missing range, cut to what one request may ask for; false if nothing is missing. */
static bool next_missing(const struct session *session, struct decoder_range *range)
{
    if (decoder_missing(session->decoder, range, 1) == 0) {
        return false;
    }
    if (range->count > SESSION_FRAMES_PER_REQUEST) {
        range->count = SESSION_FRAMES_PER_REQUEST;
    }
    return true;
}

/* The answer is over when the last frame asked for is there: the image sends them in order. Those
 * of the range are the first that are missing at all, so a few ranges are enough to look at. */
static bool last_has_come(const struct session *session, const struct decoder_range *asked)
{
    struct decoder_range ranges[SESSION_FRAMES_PER_REQUEST + 1];
    const size_t count =
        decoder_missing(session->decoder, ranges, sizeof(ranges) / sizeof(ranges[0]));
    const uint32_t last = asked->first + asked->count - 1;

    for (size_t i = 0; i < count; i++) {
        if (ranges[i].stream == asked->stream && last >= ranges[i].first &&
            last - ranges[i].first < ranges[i].count) {
            return false;
        }
    }
    return true;
}

/* Asks for a range and takes the answer: it is over when its last frame is there, when as many
 * pieces as frames have come, whole or not, or after a silence. Returns whether any byte came. */
static bool ask(struct session *session, const struct decoder_range *range, unsigned silence)
{
    const uint64_t bytes = session->bytes;
    const uint64_t pieces = pieces_heard(session) + range->count;
    struct record_writer writer;

    session->repaired = true;
    record_begin(&writer, "get");
    record_unsigned(&writer, "stream", range->stream);
    record_unsigned(&writer, "first", range->first);
    record_unsigned(&writer, "count", range->count);
    send_request(session, &writer);
    session->heard_ms = monotonic_ms();
    while (!session->over && silence_ms(session) < silence && pieces_heard(session) < pieces &&
           !last_has_come(session, range)) {
        pump(session, silence);
    }
    return session->bytes > bytes;
}

static void repair(struct session *session)
{
    unsigned in_vain = 0;
    unsigned unanswered = 0;
    unsigned silence = session->options->answer_ms;
    struct decoder_range range;

    while (!session->over && next_missing(session, &range)) {
        const uint64_t held = frames_held(session);
        const bool answered = ask(session, &range, silence);

        progress_live(session->progress, "%llu frames, asking again for %llu that are missing",
                      (unsigned long long)frames_held(session),
                      (unsigned long long)frames_missing(session));
        in_vain = frames_held(session) > held ? 0 : in_vain + 1;
        unanswered = answered ? 0 : unanswered + 1;
        if (answered) {
            silence = session->options->answer_ms;
        } else if (silence < SILENCE_MAX_MS) {
            silence *= 2;
        }
        if (in_vain == ROUNDS_WITHOUT_GAIN || unanswered == ROUNDS_WITHOUT_ANSWER) {
            finish(session, SESSION_INCOMPLETE);
        }
    }
}

/* All is there. On a line that loses bytes, bye may be lost as well. */
static void say_bye(struct session *session)
{
    const unsigned repeats = session->repaired ? BYE_REPEATS : 1;

    for (unsigned i = 0; i < repeats && !session->over; i++) {
        struct record_writer writer;

        record_begin(&writer, "bye");
        send_request(session, &writer);
        const uint64_t sent_ms = monotonic_ms();
        const unsigned wait_ms = i + 1 < repeats ? session->options->answer_ms : BYE_WAIT_MS;

        session->heard_ms = sent_ms;
        while (!session->over && silence_ms(session) < wait_ms &&
               monotonic_ms() - sent_ms < BYE_WAIT_MS) {
            pump(session, wait_ms);
        }
    }
}

/* The rest of a line that cannot be asked: up to its end, or a silence. */
static void drain(struct session *session)
{
    while (!session->over && silence_ms(session) < session->options->answer_ms) {
        pump(session, SLICE_MS);
    }
}

static enum session_end outcome(struct session *session)
{
    struct decoder_range range;
    const bool complete = decoder_ended(session->decoder) && !next_missing(session, &range);

    if (complete && !(session->over && session->end == SESSION_LOG_FAILED)) {
        return SESSION_COMPLETE; /* however it ended: nothing more was to be had */
    }
    return session->over ? session->end : SESSION_INCOMPLETE;
}

enum session_end session_run(struct line *line, struct decoder *decoder, struct progress *progress,
                             const struct session_options *options)
{
    struct session session = {
        .line = line,
        .decoder = decoder,
        .progress = progress,
        .options = options,
        .start_ms = monotonic_ms(),
    };

    session.heard_ms = session.start_ms;
    decoder_on_text(decoder, on_text, progress);
    decoder_on_record(decoder, on_record, &session);
    wait_for_end(&session);
    if (options->one_way || line->out < 0) {
        drain(&session);
    } else {
        repair(&session);
        say_bye(&session);
    }
    decoder_on_record(decoder, NULL, NULL);
    return outcome(&session);
}

const char *session_end_text(enum session_end end)
{
    switch (end) {
    case SESSION_COMPLETE:
        return "the run is complete";
    case SESSION_INCOMPLETE:
        return "frames are missing that could not be had again";
    case SESSION_CLOSED:
        return "the line was closed before the run was complete";
    case SESSION_TIMED_OUT:
        return "time is up and the run is not complete";
    case SESSION_INTERRUPTED:
        return "stopped by a signal";
    case SESSION_LOG_FAILED:
        return "the log could not be written";
    }
    return "?";
}
