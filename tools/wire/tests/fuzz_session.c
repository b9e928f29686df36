/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: a hostile image at the other end of the line of a session.
 *
 * The first byte is the kind of session, and how much of the output an earlier capture has. Each
 * further part of the input starts with a byte: the next action of the image when the host looks.
 * The image sends a frame made from the input (fuzz_frames.h), sends bytes, answers, waits or hangs
 * up. The line is closed after the last part. The session must end, and may send only frames of
 * requests.
 *
 * The test replaces the clock (--wrap in the Makefile): each wait ends at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/link/record.h"
#include "tools/base/alloc.h"
#include "tools/base/line.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_bytes.h"
#include "tools/tests/support/fuzz_frames.h"
#include "tools/wire/session.h"

#define SESSION_MS_MAX 300000
#define ANSWER_MS      100
#define PROBE_MS       500
#define TIMEOUT_MS     5000
#define BAUD_MAX       4000000
#define PART_MAX       64
#define RECORD_MAX     1000000 /* of a session, or it does not end */

/* Bits of the first byte. */
#define KIND_PROBES  0x01
#define KIND_ONE_WAY 0x02
#define KIND_TTY     0x04
#define KIND_RETURNS 0x08 /* a line that was closed comes back */
#define KIND_LOG     0x10
#define KIND_TIMEOUT 0x20
#define KIND_HELD    0x40 /* an earlier capture has the first part */
#define KIND_LEAVES  0x80 /* the image is gone after a while */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
uint64_t __wrap_monotonic_ms(void);
void __wrap_sleep_ms(unsigned ms);
int __real_poll(struct pollfd *descriptors, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *descriptors, nfds_t count, int timeout_ms);

struct image {
    struct bytes bytes;
    uint8_t kind;
    int descriptor; /* -1: closed */
    unsigned records;
    unsigned looks;
    struct frame_reader received;
    uint8_t *printed; /* all of it */
    size_t printed_length, printed_capacity;
    size_t held_wanted; /* so much of it an earlier capture has */
    struct decoder *held;
};

static uint64_t now_ms;

uint64_t __wrap_monotonic_ms(void)
{
    return now_ms;
}

void __wrap_sleep_ms(unsigned ms)
{
    now_ms += ms;
}

int __wrap_poll(struct pollfd *descriptors, nfds_t count, int timeout_ms)
{
    const int ready = __real_poll(descriptors, count, 0);

    now_ms += ready == 0 && timeout_ms > 0 ? (uint64_t)timeout_ms : 0;
    return ready;
}

/* ---- the line ---- */

static bool open_tty(struct image *image, struct line *line)
{
    char name[64];
    char error[LINE_ERROR_MAX];
    int end;

    demand(openpty(&image->descriptor, &end, name, NULL, NULL) == 0);
    const bool opened = line_open(line, name, LINE_BAUD_DEFAULT, error);

    close(end);
    return opened;
}

static bool open_socket(struct image *image, struct line *line)
{
    int ends[2];

    demand(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    image->descriptor = ends[1];
    line_from_descriptor(line, ends[0]);
    return true;
}

static void open_ends(struct image *image, struct line *line)
{
    demand((image->kind & KIND_TTY) != 0 ? open_tty(image, line) : open_socket(image, line));
    demand(fcntl(image->descriptor, F_SETFL, O_NONBLOCK) == 0);
}

static void hang_up(struct image *image)
{
    if (image->descriptor >= 0) {
        close(image->descriptor);
        image->descriptor = -1;
    }
}

static bool reopen(void *context, struct line *line)
{
    struct image *image = context;

    if (image->bytes.left == 0 || take(&image->bytes) % 4 == 3) {
        return false;
    }
    hang_up(image);
    line_close(line);
    open_ends(image, line);
    return true;
}

/* ---- the image ---- */

static void receive(struct image *image)
{
    static struct frame frame;
    uint8_t bytes[4096];
    ssize_t count;

    while ((count = read(image->descriptor, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < count; i++) {
            if (frame_reader_push(&image->received, bytes[i], &frame) == FRAME_READER_FRAME) {
                demand(frame.type == FRAME_REQUEST);
            }
        }
    }
}

static void send_text(struct image *image, const uint8_t *bytes, size_t length)
{
    if (length == 0) {
        return;
    }
    /* What the host does not take any more is lost, as on a line. */
    (void)!write(image->descriptor, bytes, length);
    image->printed =
        alloc_grow(image->printed, &image->printed_capacity, image->printed_length + length, 1);
    memcpy(image->printed + image->printed_length, bytes, length);
    image->printed_length += length;
}

static void send_frame(struct image *image, const struct frame *frame, enum frame_format format)
{
    static uint8_t wire[FRAME_WIRE_MAX];

    send_text(image, wire, frame_encode(frame, format, wire));
}

static void send_fuzz_frame(struct image *image, enum frame_format format)
{
    static struct frame frame;
    const size_t taken = fuzz_frame_take(&frame, image->bytes.at, image->bytes.left);

    image->bytes.at += taken;
    image->bytes.left -= taken;
    if (taken > 0) {
        send_frame(image, &frame, format);
    }
}

static void send_answer(struct image *image)
{
    static const char *const names[] = {"rate", "rate_check", "get", "bye"};
    struct frame frame = {.type = FRAME_ANSWER};
    const uint8_t what = take(&image->bytes);
    struct record_writer writer;

    record_begin(&writer, "answer");
    record_text(&writer, "to", names[what % 4]);
    record_unsigned(&writer, "ok", what / 4 % 4 != 0);
    if (what >= 128) {
        record_text(&writer, "reason", "no\n");
    }
    frame.length = (uint16_t)record_finish(&writer);
    memcpy(frame.payload, writer.line, frame.length);
    send_frame(image, &frame, FRAME_BINARY);
}

static void send_bytes(struct image *image)
{
    const size_t wanted = take(&image->bytes) % PART_MAX;
    const size_t length = wanted < image->bytes.left ? wanted : image->bytes.left;

    send_text(image, image->bytes.at, length);
    image->bytes.at += length;
    image->bytes.left -= length;
}

static unsigned attend(void *context)
{
    struct image *image = context;

    image->looks++;
    if (image->descriptor < 0) {
        return 0;
    }
    receive(image);
    if (image->bytes.left == 0) {
        hang_up(image);
        return 0;
    }
    switch (take(&image->bytes) % 8) {
    case 0:
        send_bytes(image);
        break;
    case 1:
        now_ms += take_number(&image->bytes) % PROBE_MS;
        break;
    case 2:
        send_fuzz_frame(image, FRAME_TEXT);
        break;
    case 4:
        send_answer(image);
        break;
    case 5:
        hang_up(image);
        break;
    default:
        send_fuzz_frame(image, FRAME_BINARY);
        break;
    }
    return 0;
}

static bool is_alive(void *context)
{
    const struct image *image = context;

    return image->looks < 1000;
}

static void on_record(void *context, const struct record *record)
{
    struct image *image = context;

    demand(record->name != NULL && image->records++ < RECORD_MAX);
}

/* As `tare capture` goes on with a log. */
static struct decoder *settle(void *context, struct decoder *decoder, int *log)
{
    struct image *image = context;
    const size_t wanted =
        image->held_wanted < image->printed_length ? image->held_wanted : image->printed_length;

    if (image->held == decoder) {
        return decoder; /* called for the second time */
    }
    decoder_destroy(image->held);
    image->held = decoder_create();
    if (wanted > 0) {
        decoder_push(image->held, image->printed, wanted);
    }
    if (decoder_compare(image->held, decoder) != DECODER_SAME_RUN) {
        return decoder;
    }
    decoder_break(image->held);
    decoder_push(image->held, image->printed, image->printed_length);
    *log = -1;
    return image->held;
}

/* ---- the session ---- */

static void end(struct image *image, struct line *line, struct decoder *decoder)
{
    struct run run;

    line_close(line);
    hang_up(image);
    run_init(&run);
    decoder_finish(image->held != NULL ? image->held : decoder, &run);
    run_free(&run);
    decoder_destroy(decoder);
    decoder_destroy(image->held);
    free(image->printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct image image;
    static int nowhere = -1;
    struct progress progress = {.quiet = true};
    struct line line;

    image = (struct image){.bytes = {data, size}};
    image.kind = take(&image.bytes);
    if (nowhere < 0) {
        nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        signal(SIGPIPE, SIG_IGN);
    }
    const struct session_options options = {
        .one_way = (image.kind & KIND_ONE_WAY) != 0,
        .probe_ms = (image.kind & KIND_PROBES) != 0 ? PROBE_MS : 0,
        .answer_ms = ANSWER_MS,
        .timeout_ms = (image.kind & (KIND_TIMEOUT | KIND_RETURNS)) != 0 ? TIMEOUT_MS : 0,
        .baud_max = BAUD_MAX,
        .log = (image.kind & KIND_LOG) != 0 ? nowhere : -1,
        .alive = (image.kind & KIND_LEAVES) != 0 ? is_alive : NULL,
        .reopen = (image.kind & KIND_RETURNS) != 0 ? reopen : NULL,
        .settle = (image.kind & KIND_HELD) != 0 ? settle : NULL,
        .on_record = on_record,
        .attend = attend,
        .context = &image,
    };

    image.held_wanted = (image.kind & KIND_HELD) != 0 ? take_number(&image.bytes) : 0;
    frame_reader_init(&image.received);
    open_ends(&image, &line);
    struct decoder *decoder = decoder_create();
    const uint64_t start_ms = now_ms;
    const enum session_end how = session_run(&line, decoder, &progress, &options);

    demand(session_end_text(how) != NULL && now_ms - start_ms <= SESSION_MS_MAX);
    end(&image, &line, decoder);
    return 0;
}
