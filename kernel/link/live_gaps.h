/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Progress of a bench that watches for gaps for a long time: what one processor has seen so far.
 * `tare watch` and the machine's screen show it (kernel/run/live_board.h). If the bench does not
 * end, it is the bench's partial result; otherwise it is not part of a run.
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

/* Causes that are counted besides SMIs. Their keys are the names of bench/noise/names.h. */
enum live_cause {
    LIVE_NMI,
    LIVE_MACHINE_CHECK,
    LIVE_THERMAL,
    LIVE_POWER_LIMIT,
    LIVE_INTERRUPT,
    LIVE_STEAL, /* ns, not a count */
    LIVE_CAUSES,
};

struct live_gaps {
    uint32_t processor;
    uint64_t elapsed;    /* ticks watched so far */
    uint64_t total;      /* ticks to watch in all; 0: not known in advance */
    uint64_t away;       /* ticks between rounds, in which nothing was watched */
    uint64_t threshold;  /* in ticks; 0: unknown */
    uint64_t over;       /* number of gaps above the threshold */
    uint64_t stolen;     /* sum of the gaps above the threshold, in ticks */
    uint64_t largest;    /* longest gap above the threshold, in ticks; 0: there was none */
    uint64_t largest_at; /* ticks from the start of the watch to it, those of `away` included */
    /* Longest gap above the threshold since the processor's previous record, at most a few percent
     * too long; 0: there was none. */
    uint64_t recent;
    bool counts_smi;             /* smi and smi_ticks are valid */
    uint64_t smi;                /* number of SMIs */
    uint64_t smi_ticks;          /* sum of the gaps with SMIs */
    uint64_t cause[LIVE_CAUSES]; /* 0 also if the machine cannot count the cause */
};

/* Returns the key of a cause in a record. */
const char *live_cause_key(enum live_cause cause);

/* Writes a record `live`. `pass` 0: there is only one. Returns false if it does not fit into a
 * record; then it must not be sent. */
bool live_gaps_write(struct record_writer *writer, const char *bench, unsigned pass,
                     const struct live_gaps *live);
/* Reads a record `live`, except bench and pass. Returns false if a field is missing or malformed,
 * or if fields contradict each other. */
bool live_gaps_read(const struct record *record, struct live_gaps *live);

/* Returns the shortest length of the next round in ticks, so that renewing all views between rounds
 * takes at most a twentieth of the time, and a day makes at most 17,000 records for a processor: at
 * least 1 s, 20 times what the last renewal took (`cost`), and 1/4096 of the watched time. */
uint64_t live_gaps_round(uint64_t elapsed, uint64_t cost, uint64_t hz);

/* Returns whether a record should be sent of a processor that has no new gap. `elapsed`: ticks
 * watched so far; `last`: its value when a record was last sent, 0 if never; `hz`: ticks in a
 * second. The interval is 1 s up to a watched time of 64 s, then 1/64 of the watched time, at most
 * a minute. That is 1,750 records a day, each at most 300 bytes in practice. */
bool live_gaps_due(uint64_t elapsed, uint64_t last, uint64_t hz);

/* The longest gaps of a processor over time. Cells are equal slices of the watched time; when all
 * are used, their length doubles. */
#define LIVE_CELLS 30
#define LIVE_QUIET 1 /* value of a cell without a gap above the threshold */

struct live_heat {
    uint64_t slice;            /* ticks of a cell; 0: nothing was taken yet */
    uint64_t until;            /* `elapsed` of the last record taken */
    uint64_t cell[LIVE_CELLS]; /* ticks of the longest gap, LIVE_QUIET, or 0: not watched yet */
};

/* A processor that watches. */
struct live_lane {
    struct live_gaps gaps;
    struct live_heat heat;
    /* Only the image uses these: the record says something new, and what the last one that did
     * said. */
    bool is_news;
    uint64_t told_over, told_elapsed;
};

/* Takes the next record of the heat's processor. Ignores one that is not later than the last. */
void live_heat_take(struct live_heat *heat, const struct live_gaps *live);
