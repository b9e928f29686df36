/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare show` prints of a bench beyond the table of its series.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/lib/run.h"
#include "tools/lib/statistics.h"
#include "tools/lib/table.h"

#define AMOUNT_MAX 48

struct view {
    FILE *out;
    double ns_per_tick; /* 0 where the rate of the TSC is not known or not believed */
    /* Of exact time; 0 where the TSC counts time. A length is then a number of instructions, and a
     * duration is of virtual time. */
    double ticks_per_instruction;
};

void view_init(struct view *view, FILE *out, const struct run *run);

/* An amount in a unit as a person reads it: ticks and nanoseconds as a duration ("1.000 ms"), ticks
 * of unknown length and all else as they are ("17 reads"). */
const char *amount_text(const struct view *view, int64_t amount, const char *unit,
                        char text[AMOUNT_MAX]);

/* Rows for a table of series, "lrrrrrr": name and summary, and below it the unit and, for ticks,
 * the same in time or, in exact time, in instructions. */
void statistics_head(struct table *table, const char *first);
void statistics_rows(struct table *table, const struct view *view, const char *name,
                     const char *unit, const struct statistics *statistics);

/* Utilisation profile, and what each clock interrupt cost beyond its handler. */
void view_idle(const struct view *view, const struct run_bench *bench);
/* Injected work against recovered, event by event. */
void view_load(const struct view *view, const struct run_bench *bench);
/* Histogram, largest gaps, duty cycle. */
void view_gap(const struct view *view, const struct run_bench *bench);
