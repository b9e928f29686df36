/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of the system in `tare show` and in figures: each less what surrounds it, and beside its
 * estimate.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* Does the bench report costs (tools/run/curves.h), or plain series beside an `empty` one? Of the
 * groups system and memory. */
bool view_has_costs(const struct run_bench *bench);
/* A cost or a plain series in ticks of one repetition, what surrounds it taken off. */
struct system_cost {
    size_t n;
    double median, min, max;
    double quarter, three_quarters; /* nearest rank */
};
bool system_cost_read(const struct run_bench *bench, const struct run_series *series,
                      struct system_cost *derived);
/* In instructions where those are what the TSC counts, else in ticks; false: nothing is expected in
 * these. `expect` may be NULL. */
bool system_cost_expected(const struct view *view, const struct run_expect *expect,
                          double *expected);
/* What view_costs() prints, which the caller prints or frees; and what has been taken off, for its
 * heading: "" or ", less the median of `loop`". */
void costs_table(struct table *table, const struct view *view, const struct run_bench *bench);
const char *costs_taken_off(const struct run_bench *bench);
/* Each of them: of one repetition, less the median of the loop or of `empty` around it, how much it
 * spreads, and what was expected. Curves are left out. */
void view_costs(const struct view *view, const struct run_bench *bench);
/* The curves of footprints, and what of them is filling caches and TLB again. */
void view_contextswitch(const struct view *view, const struct run_bench *bench);
/* Processes as copies, by pages, and what a page more takes. */
void view_fork(const struct view *view, const struct run_bench *bench);
/* Where the time of each kind of fault goes. */
void view_pagefault(const struct view *view, const struct run_bench *bench);

void figures_system(struct figures *figures, const struct run *run);
