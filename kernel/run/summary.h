/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run as the screen shows it, on one page: how far it is and the worst so far, between benches;
 * at its end the findings and a line a bench. Nothing happens where there is no framebuffer.
 * What a line of a bench shows: summary_rows.h. Where things stand: kernel/screen/page.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/screen/page.h"

/* Texts must stay; empty: unknown. */
struct summary_head {
    const char *date;
    const char *kind;    /* TIME_EXACT, TIME_EMULATED or TIME_REAL */
    const char *machine; /* MACHINE_OWN or MACHINE_BORROW */
    const char *processor;
    size_t processors; /* 0: unknown */
    uint64_t memory;   /* bytes that are free */
    const char *firmware;
    const char *hypervisor;
};

/* Before the first bench, and for each that will run. */
void summary_open(const struct summary_head *head);
void summary_expect(const struct bench *bench);

/* Called between benches only; `number` of `total` begins. */
void summary_begin(const struct bench *bench, size_t number, size_t total);
/* The name is copied; the samples must stay as they are until the run is over. */
void summary_series(const struct bench *bench, const char *name, const char *unit,
                    const int64_t *samples, size_t count);
/* Of a bench that is run several times, the worst state is kept. The reason is copied. */
void summary_end(const struct bench *bench, enum bench_state state, const char *reason);

/* The last that is drawn: the run is over. `foot` stands below the benches, and below it the last
 * lines that were printed, on `words` rows at least. */
void summary_show(const struct page_line *foot, size_t count, int words);
/* The same where an exception ended the run: with the findings that were there before. */
void summary_show_crash(const struct page_line *foot, size_t count, int words);
