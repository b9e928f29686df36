/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was counted around each gap of a watch (gap_watch.h): a row of causes (bench/noise/cause.h)
 * is read behind each gap above the threshold, in the dead time. What came since the row before,
 * which is that of the gap before or of the begin of the round, belongs to the gap.
 *
 * Where processors are played in turns, what one reads at length is a gap on all others: there rows
 * are read at the begin and the end of a round only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/noise/cause.h"

struct gap_causes {
    bool on;       /* rows are read */
    bool in_turns; /* not with gaps */
    size_t number;
    int64_t (*of_slot)[CAUSES];
    struct cause_row last;
    int64_t since_gap[CAUSES]; /* what came behind the last gap, to the end of the round */
    int64_t total[CAUSES];     /* in rounds */
};

/* Room for so many gaps. False: none left. */
bool gap_causes_take_memory(struct gap_causes *causes, size_t slots, bool in_turns);

/* A round begins and ends on this processor. */
void gap_causes_begin(struct gap_causes *causes);
void gap_causes_end(struct gap_causes *causes);

/* Of a gap that is so many times the threshold or longer, machine checks and interrupts are read as
 * well, and belong to it: to read them takes as long as a short gap, and blinds the detector. */
#define GAP_CAUSES_LONG 10

/* Behind a gap above the threshold; `slot` of what is kept of it, or WORST_NONE. */
void gap_causes_take(struct gap_causes *causes, bool is_long, size_t slot);

const char *gap_causes_unit(enum cause cause);
