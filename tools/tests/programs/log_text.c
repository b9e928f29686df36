/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the text of all META frames of the log on standard input, in order, and nothing else: what
 * a seal's hash of the text is over. Of a log of one run that lost nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/text_codec.h"

int main(void)
{
    static struct frame_reader reader;
    static struct text_codec codec;
    static char text[TEXT_CODEC_RAW_MAX];
    static struct frame frame;
    uint32_t next = 0;

    frame_reader_init(&reader);
    for (int byte = getchar(); byte != EOF; byte = getchar()) {
        if (frame_reader_push(&reader, (uint8_t)byte, &frame) != FRAME_READER_FRAME ||
            frame.type != FRAME_META || frame.seq != next) {
            continue;
        }
        const ptrdiff_t length = text_decode(&codec, frame.payload + CODED_TAG_BYTES,
                                             frame.length - CODED_TAG_BYTES, text, sizeof(text));

        if (length < 0 || fwrite(text, 1, (size_t)length, stdout) != (size_t)length) {
            return EXIT_FAILURE;
        }
        next++;
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
