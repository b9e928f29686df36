/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Causes counted around each gap of a watch (gap_watch.h). A row of causes (bench/noise/cause.h) is
 * read in the dead time after each gap above the threshold. Whatever was counted since the previous
 * row, which was read after the previous gap or at the start of the round, is attributed to the
 * gap.
 *
 * If one host thread emulates the processors in turn, a long read on one processor is a gap on all
 * others. Rows are then read only at the start and the end of a round.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/noise/cause.h"

struct gap_causes {
    bool on;       /* rows of causes are read */
    bool in_turns; /* no row is read after a gap, only at the start and the end of a round */
    size_t number;
    int64_t (*of_slot)[CAUSES];
    struct cause_row last;
    int64_t since_gap[CAUSES]; /* counted after the last gap, up to the end of the round */
    int64_t total[CAUSES];     /* counted in all rounds */
};

/* Takes memory for `slots` gaps. Returns false if there is not enough. */
bool gap_causes_take_memory(struct gap_causes *causes, size_t slots, bool in_turns);

/* Call on the watching processor when a round begins and when it ends. */
void gap_causes_begin(struct gap_causes *causes);
void gap_causes_end(struct gap_causes *causes);

/* For a gap of at least this many times the threshold, machine checks and interrupts are read as
 * well and attributed to the gap. Reading them takes as long as a short gap, during which the
 * detector sees nothing. */
#define GAP_CAUSES_LONG 10

/* Call after a gap above the threshold. `slot` is where the gap is kept, or WORST_NONE. */
void gap_causes_take(struct gap_causes *causes, bool is_long, size_t slot);

const char *gap_causes_unit(enum cause cause);
