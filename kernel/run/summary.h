/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run on one page of the screen: between benches its progress and the worst findings so far; at
 * its end the findings and one line for each bench. Does nothing if there is no framebuffer.
 * summary_rows.h decides what the line of a bench shows, kernel/screen/page.h where everything is
 * placed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/screen/page.h"

/* Texts must stay unchanged; "" means unknown. */
struct summary_head {
    const char *date;
    const char *kind;    /* time base: TIME_EXACT, TIME_EXACT_SHARED, TIME_EMULATED or TIME_REAL */
    const char *machine; /* owner: MACHINE_OWN or MACHINE_BORROW */
    const char *processor;
    size_t processors; /* number of processors; 0: unknown */
    uint64_t memory;   /* free memory in bytes */
    const char *firmware;
    const char *hypervisor;
};

/* Before the first bench: summary_open() once, then summary_expect() for each that will run. */
void summary_open(const struct summary_head *head);
void summary_expect(const struct bench *bench);

/* Call between benches only, before bench `number` of `total` begins. */
void summary_begin(const struct bench *bench, size_t number, size_t total);
/* Shows the progress of a watch. Call between its rounds. */
struct live_lane;
void summary_live(const struct bench *bench, const struct live_lane *lanes, size_t count);
/* The name is copied; the samples must stay unchanged until the run is over. */
void summary_series(const struct bench *bench, const char *name, const char *unit,
                    const int64_t *samples, size_t count);
/* If a bench is run several times, the worst state is kept. The reason is copied. */
void summary_end(const struct bench *bench, enum bench_state state, const char *reason);

/* Draws the last page: the run is over. `foot` is placed below the benches, and below it the last
 * lines that were printed, on at least `words` rows. */
void summary_show(const struct page_line *foot, size_t count, int words);
/* As summary_show(), after an exception ended the run: with the findings made before it. */
void summary_show_crash(const struct page_line *foot, size_t count, int words);
