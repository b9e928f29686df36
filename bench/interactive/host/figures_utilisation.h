/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Utilisation of the processor by the idle loop's samples (Endo et al. 1996, section 2.5, figures
 * 1, 3 and 4), for the parts of run_figures.h that show it.
 */
#pragma once

#include "tools/present/figure_kit.h"
#include "tools/trace/idle_bench.h"

/* A whole bench: of each sample, and averaged over 10 and 100 ms. Nothing where the bench has no
 * such samples; absent where they did not arrive. */
void figure_utilisation(struct figures *figures, const struct run *run,
                        const struct run_bench *bench, const char *section);

/* The same of samples that have no place in a trace, from the first one's begin on. */
void figure_utilisation_of(struct figures *figures, const struct run *run,
                           const struct run_bench *bench, const char *section,
                           const struct idle_bench *idle);

/* Around one event, which begins at `begin` (TSC) and takes `length` ticks: of each sample, and by
 * the trace, or over 10 ms where the event is long. `what` it is: "the longest event". Nothing of
 * an event shorter than a sample, nor where it would be most of the bench. */
void figure_close_up(struct figures *figures, const struct run *run, const struct run_bench *bench,
                     const char *section, const char *what, uint64_t begin, int64_t length);
