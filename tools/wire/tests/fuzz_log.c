/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as a serial log, through decoder, assembly and verdict.
 *
 * With an odd first byte the rest is the content of frames (fuzz_frames.h). Memory stays
 * below the bound of decoder.h.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/frame.h"
#include "tools/base/trace_bytes.h"
#include "tools/run/run.h"
#include "tools/tests/support/demand.h"
#include "tools/tests/support/fuzz_frames.h"
#include "tools/tests/support/peak_memory.h"
#include "tools/wire/decoder.h"
#include "tools/wire/line_test.h"
#include "tools/wire/log_form.h"

#define START        (512u << 10)
#define BYTE_BYTES   64
#define SAMPLE_BYTES 32 /* as a list grows it is copied */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whole packets, no more than are claimed, that can all be read. */
static void check_traces(const struct run_bench *bench)
{
    uint8_t packet[8192];

    for (size_t i = 0; i < bench->trace_count; i++) {
        struct trace_bytes *packets = bench->traces[i].packets;

        demand(packets->length % sizeof(packet) == 0);
        demand(packets->length <= bench->traces[i].claimed);
        for (uint64_t at = 0; at < packets->length; at += sizeof(packet)) {
            demand(packets->read(packets, at, packet, sizeof(packet)));
        }
    }
}

/* Bytes that come one by one are the same log: then no frame lies in one piece (quick_frame.h). */
static void check_pieces(const struct decoder_counts *whole, const uint8_t *data, size_t size)
{
    struct decoder *decoder = decoder_create();
    struct decoder_counts counts;

    for (size_t i = 0; i < size; i++) {
        decoder_push(decoder, data + i, 1);
    }
    decoder_break(decoder);
    decoder_get_counts(decoder, &counts);
    demand(memcmp(&counts, whole, sizeof(counts)) == 0);
    decoder_destroy(decoder);
}

/* Undoing changes of a log never makes it longer. */
static void check_form(const uint8_t *data, size_t size)
{
    static struct log_form form;
    static struct line_test test;
    char text[LOG_FORM_TEXT_MAX];
    size_t rest;

    memset(form.undo, 0, sizeof(form.undo));
    for (unsigned pass = 0; pass < 2; pass++) {
        size_t length = size < LOG_FORM_BYTES ? size : LOG_FORM_BYTES;
        const size_t taken = length;

        log_form_again(&form);
        log_form_take(&form, data, &length);
        log_form_rest(&form, &rest);
        demand(length + rest <= taken);
        log_form_text(&form, true, text);
        memset(form.undo, true, sizeof(form.undo));
    }
    line_test_read(&test, data, size);
}

static size_t count_samples(const struct run *run)
{
    size_t samples = 0;

    for (size_t i = 0; i < run->bench_count; i++) {
        for (size_t k = 0; k < run->benches[i].series_count; k++) {
            samples += run->benches[i].series[k].received;
        }
    }
    return samples;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct decoder_counts counts;
    struct decoder_range ranges[16];
    struct run run;
    size_t pushed = size;

    check_form(data, size);
    peak_memory_start();
    struct decoder *decoder = decoder_create();

    run_init(&run);
    if (size > 0 && data[0] % 2 == 1) {
        pushed = fuzz_frames_push(decoder, data + 1, size - 1);
    } else {
        decoder_push(decoder, data, size);
    }
    decoder_missing(decoder, ranges, sizeof(ranges) / sizeof(ranges[0]));
    decoder_finish(decoder, &run);
    for (size_t i = 0; i < run.bench_count; i++) {
        check_traces(&run.benches[i]);
    }
    decoder_get_counts(decoder, &counts);
    const size_t samples = count_samples(&run);

    run_free(&run);
    decoder_destroy(decoder);
    demand(peak_memory() <=
           START + BYTE_BYTES * (pushed + counts.coded_text) + SAMPLE_BYTES * samples);
    if (size > 0 && data[0] % 2 == 0) {
        check_pieces(&counts, data, size);
    }
    return 0;
}
