/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Progress of a bench that watches for long: what one processor has seen so far, for `tare watch`.
 *
 * It travels as record `live` in an ANSWER frame (record.h): no part of a run. The image does not
 * keep it, nothing asks for it again, and where one is lost the next has all that it had: memory
 * does not grow with the length of a watch, and the log by live_gaps_due() little.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/link/record.h"

#define LIVE_OCTAVES 64

struct live_gaps {
    uint32_t processor;
    uint64_t elapsed;    /* ticks watched so far */
    uint64_t total;      /* ticks to watch in all; 0: not known */
    uint64_t over;       /* gaps above the threshold */
    uint64_t stolen;     /* ticks in these */
    uint64_t largest;    /* of these; 0: none */
    uint64_t largest_at; /* ticks behind the begin of the watch */
    /* All readings, by the octave of their length: i counts those of [2^i, 2^(i+1)) ticks, and 0
     * those below as well. */
    uint64_t octaves[LIVE_OCTAVES];
};

/* False: it does not fit into a record, and is not to be sent. `pass` 0: there is only one. */
bool live_gaps_write(struct record_writer *writer, const char *bench, unsigned pass,
                     const struct live_gaps *live);
/* Bench and pass stay with the caller. False: a field is absent or malformed, or they contradict
 * each other. */
bool live_gaps_read(const struct record *record, struct live_gaps *live);

/* Has the time come to send? `last`: `elapsed` when it was done last, 0 before. Each second of a
 * watch of a minute, then each 64th of its length, and at last each minute: 1,750 times in a day,
 * of at most 300 bytes in practice for each processor. `hz`: of the ticks. */
bool live_gaps_due(uint64_t elapsed, uint64_t last, uint64_t hz);
