/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Progress of a bench that watches for gaps for a long time: what one processor has seen so far.
 * `tare watch` shows it. If the bench does not end, it is the bench's partial result; otherwise it
 * is not part of a run.
 *
 * It travels as record `live` in an ANSWER frame (record.h). The image does not keep it and the
 * host never asks for it again: if one is lost, the next contains everything it had. So memory does
 * not grow with the length of a watch, and live_gaps_due() keeps the log small.
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
    uint64_t total;      /* ticks to watch in all; 0: not known in advance */
    uint64_t over;       /* number of gaps above the threshold */
    uint64_t stolen;     /* sum of the gaps above the threshold, in ticks */
    uint64_t largest;    /* longest gap above the threshold, in ticks; 0: there was none */
    uint64_t largest_at; /* time of the longest gap, in ticks after the start of the watch */
    /* Log2 histogram of all gaps between readings: element i counts those of 2^i to 2^(i+1) - 1
     * ticks; element 0 also counts those of 0 ticks. */
    uint64_t octaves[LIVE_OCTAVES];
};

/* Writes a record `live`. `pass` 0: there is only one. Returns false if it does not fit into a
 * record; then it must not be sent. */
bool live_gaps_write(struct record_writer *writer, const char *bench, unsigned pass,
                     const struct live_gaps *live);
/* Reads a record `live`, except bench and pass. Returns false if a field is missing or malformed,
 * or if fields contradict each other. */
bool live_gaps_read(const struct record *record, struct live_gaps *live);

/* Returns whether progress should be sent now. `elapsed`: ticks watched so far; `last`: its value
 * when progress was last sent, 0 if never; `hz`: ticks in a second. The interval is 1 s up to a
 * watched time of 64 s, then 1/64 of the watched time, at most a minute. That is 1,750 records a
 * day for each processor, each at most 300 bytes in practice. */
bool live_gaps_due(uint64_t elapsed, uint64_t last, uint64_t hz);
