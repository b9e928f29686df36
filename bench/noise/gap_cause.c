/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/gap_cause.h"

#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/run/worst.h"

bool gap_causes_take_memory(struct gap_causes *causes, size_t slots, bool in_turns)
{
    *causes = (struct gap_causes){.on = true, .in_turns = in_turns};
    causes->of_slot = bench_memory((slots + 1) * sizeof(*causes->of_slot));
    return causes->of_slot != NULL;
}

/* Reads a new row and adds what was counted since the last one to the totals and to `came`, which
 * may be NULL. */
static void count(struct gap_causes *causes, bool all, int64_t *came)
{
    struct cause_row row = causes->last;

    if (all) {
        cause_read_all(causes->number, &row);
    } else {
        cause_read(causes->number, &row);
    }
    for (enum cause cause = 0; cause < CAUSES; cause++) {
        const int64_t between = cause_between(cause, &causes->last, &row);

        causes->total[cause] += between;
        if (came != NULL) {
            came[cause] = between;
        }
    }
    causes->last = row;
}

/* The first row is only a starting point: its counts precede the watch. */
void gap_causes_begin(struct gap_causes *causes)
{
    if (causes->on) {
        causes->number = cause_join();
        cause_read_all(causes->number, &causes->last);
    }
}

void gap_causes_end(struct gap_causes *causes)
{
    if (causes->on) {
        count(causes, true, causes->since_gap);
        cause_leave(causes->number);
    }
}

void gap_causes_take(struct gap_causes *causes, bool is_long, size_t slot)
{
    if (causes->on && !causes->in_turns) {
        count(causes, is_long, slot != WORST_NONE ? causes->of_slot[slot] : NULL);
    }
}

const char *gap_causes_unit(enum cause cause)
{
    switch (cause) {
    case CAUSE_APERF:
    case CAUSE_MPERF:
        return UNIT_TICK;
    case CAUSE_STEAL:
        return UNIT_NANOSECOND;
    default:
        return UNIT_COUNT;
    }
}
