/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session on a line that cannot be asked, which comes to this process late.
 */
#include <stdio.h>
#include <unistd.h>

#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/session.h"

#define SAMPLES 200000 /* more bytes than a session reads at once */

static void send_frame(FILE *file, const struct frame *frame)
{
    uint8_t wire[FRAME_WIRE_MAX] = {0};

    fwrite(wire, 1, frame_encode(frame, FRAME_BINARY, wire), file);
}

/* A capture asked for all frames again: they follow END. A process that runs rarely sees a silence
 * before each read, here by answer_ms = 0, and must read the whole log all the same. */
static void test_frames_after_end(void)
{
    struct progress progress = {.quiet = true};
    const struct session_options options = {.one_way = true, .log = -1};
    struct decoder *decoder = decoder_create();
    struct log_builder log;
    struct line line;
    FILE *file = tmpfile();

    log_init(&log, FRAME_BINARY);
    log_plausible(&log, SAMPLES, 1);
    send_frame(file, &log.frames[log.frame_count - 1]);
    for (size_t i = 0; i < log.frame_count; i++) {
        send_frame(file, &log.frames[i]);
    }
    rewind(file);
    line_from_descriptor(&line, dup(fileno(file)));
    CHECK(session_run(&line, decoder, &progress, &options) == SESSION_COMPLETE);
    line_close(&line);
    fclose(file);
    decoder_destroy(decoder);
    log_free(&log);
}

int main(void)
{
    RUN(test_frames_after_end());
    return unit_finish("unit_session");
}
