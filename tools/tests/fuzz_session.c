/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: an image that means ill, at the other end of the line of a session.
 *
 * Each part of the input begins with a byte: what the image does next, when the host looks. It
 * sends frames of its own making (fuzz_frames.h), sends bytes, or waits. Behind the last part the
 * line is closed. The session ends, soon; all that it sends is frames of requests.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/lib/line.h"
#include "tools/lib/monotonic.h"
#include "tools/lib/session.h"
#include "tools/tests/demand.h"
#include "tools/tests/fuzz_bytes.h"
#include "tools/tests/fuzz_frames.h"

#define SESSION_MS_MAX 2000
#define PART_MAX       64
#define WAITS_MAX      4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct image {
    struct bytes bytes;
    int descriptor; /* -1: closed */
    unsigned waits;
    struct frame_reader heard;
};

static void hear(struct image *image)
{
    static struct frame frame;
    uint8_t bytes[4096];
    ssize_t count;

    while ((count = recv(image->descriptor, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
        for (ssize_t i = 0; i < count; i++) {
            if (frame_reader_push(&image->heard, bytes[i], &frame) == FRAME_READER_FRAME) {
                demand(frame.type == FRAME_REQUEST);
            }
        }
    }
}

static void say(const struct image *image, const uint8_t *bytes, size_t length)
{
    /* What the host does not take any more is lost, as on a line. */
    (void)!send(image->descriptor, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void say_frame(struct image *image, enum frame_format format)
{
    static struct frame frame;
    static uint8_t wire[FRAME_WIRE_MAX];
    const size_t taken = fuzz_frame_take(&frame, image->bytes.at, image->bytes.left);

    image->bytes.at += taken;
    image->bytes.left -= taken;
    if (taken > 0) {
        say(image, wire, frame_encode(&frame, format, wire));
    }
}

static void say_bytes(struct image *image)
{
    const size_t wanted = take(&image->bytes) % PART_MAX;
    const size_t length = wanted < image->bytes.left ? wanted : image->bytes.left;

    say(image, image->bytes.at, length);
    image->bytes.at += length;
    image->bytes.left -= length;
}

static unsigned attend(void *context)
{
    struct image *image = context;

    if (image->descriptor < 0) {
        return 0;
    }
    hear(image);
    if (image->bytes.left == 0) {
        close(image->descriptor);
        image->descriptor = -1;
        return 0;
    }
    switch (take(&image->bytes) % 4) {
    case 0:
        say_bytes(image);
        break;
    case 1:
        if (image->waits++ < WAITS_MAX) {
            sleep_ms(1);
        }
        break;
    case 2:
        say_frame(image, FRAME_TEXT);
        break;
    default:
        say_frame(image, FRAME_BINARY);
        break;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct image image;
    struct progress progress = {.quiet = true};
    struct run run;
    struct line line;
    int ends[2];

    image = (struct image){.bytes = {data, size}};
    const uint8_t kind = take(&image.bytes);
    const struct session_options options = {
        .one_way = kind % 8 == 7,
        .probe_ms = kind / 8 % 2,
        .answer_ms = 1,
        .log = -1,
        .attend = attend,
        .context = &image,
    };

    demand(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    image.descriptor = ends[1];
    frame_reader_init(&image.heard);
    line_from_descriptor(&line, ends[0]);
    struct decoder *decoder = decoder_create();
    const uint64_t start = monotonic_ms();
    const enum session_end end = session_run(&line, decoder, &progress, &options);

    demand(session_end_text(end) != NULL && monotonic_ms() - start <= SESSION_MS_MAX);
    line_close(&line);
    if (image.descriptor >= 0) {
        close(image.descriptor);
    }
    run_init(&run);
    decoder_finish(decoder, &run);
    run_free(&run);
    decoder_destroy(decoder);
    return 0;
}
