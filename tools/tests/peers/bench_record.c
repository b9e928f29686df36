/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a record of the image's recorder costs on this machine: prints ns per event, and fails
 * where one of them was not kept.
 */
#include <inttypes.h>
#include <string.h>

#include "kernel/trace/recorder.h"
#include "kernel/trace/trace.h"
#include "tools/tests/peers/bench_loop.h"

#define PACKETS (64 * 1024 * 1024 / TRACE_PACKET_BYTES)

static uint8_t *memory;

static void start_again(void)
{
    recorder_stop();
    recorder_start(memory, PACKETS, RECORDER_STOP, 0);
}

int main(void)
{
    struct recorder_result result;

    memory = aligned_alloc(4096, (size_t)PACKETS * TRACE_PACKET_BYTES);
    if (memory == NULL) {
        fputs("bench_record: no memory\n", stderr);
        return 1;
    }
    memset(memory, 0, (size_t)PACKETS * TRACE_PACKET_BYTES);
    recorder_start(memory, PACKETS, RECORDER_STOP, 0);
    const double ns = loop_measure(trace_thread_switch, start_again);

    recorder_stop();
    recorder_result(&result);
    free(memory);
    if (result.kept != LOOP_EVENTS) {
        fprintf(stderr, "bench_record: %" PRIu64 " of %" PRIu64 " events were kept\n", result.kept,
                LOOP_EVENTS);
        return 1;
    }
    printf("%.2f\n", ns);
    return 0;
}
