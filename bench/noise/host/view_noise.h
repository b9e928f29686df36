/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Noise in `tare show` and in figures: idle time, injected work, gaps, and what of them is
 * periodic.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* Utilisation profile, what each clock interrupt cost beyond its handler, and in a counted run what
 * went with interrupts. */
void view_idle(const struct view *view, const struct run_bench *bench);
/* Injected work against recovered, event by event. */
void view_load(const struct view *view, const struct run_bench *bench);
/* Histogram, largest gaps, duty cycle, SMIs. */
void view_gap(const struct view *view, const struct run_bench *bench);
/* Of several processors: a row of each, and which gaps stopped all at once; of one, nothing. */
void view_team(const struct view *view, const struct run_bench *bench);
/* What stole how much, by what was counted around each gap; nothing where no cause was counted or
 * no gap seen. */
void view_causes(const struct view *view, const struct run_bench *bench);
/* What ended the bench, where noise.stop_us did, and what was recorded before. */
void view_flight(const struct view *view, const struct run_bench *bench);
/* Of either: what of the noise comes at equal distances; nothing where there is no noise. */
void view_periods(const struct view *view, const struct run_bench *bench);

void figures_idle(struct figures *figures, const struct run *run);
void figures_noise(struct figures *figures, const struct run *run);
