/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop that bench_record.c and bench_lttng.c have in common: context switches among 64 threads,
 * recorded one after the other. What records is the only difference.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Records of some 10 bytes: fewer than 64 MiB hold. */
#define LOOP_EVENTS UINT64_C(5000000)

typedef void record_switch(uint16_t old, uint16_t new, uint8_t why);

/* Inlined into its caller, and `record` into it. */
static inline __attribute__((always_inline)) void loop_record(record_switch *record)
{
    for (uint64_t i = 0; i < LOOP_EVENTS; i++) {
        record(i & 63, (i + 1) & 63, i & 7);
    }
}

/* ns of the monotonic clock. */
static inline uint64_t loop_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Once to touch all memory, then, when the buffers are drained, against the clock.
 * Returns ns per event. */
static inline __attribute__((always_inline)) double loop_measure(record_switch *record,
                                                                 void (*rest)(void))
{
    loop_record(record);
    rest();
    const uint64_t start = loop_now();

    loop_record(record);
    return (double)(loop_now() - start) / (double)LOOP_EVENTS;
}
