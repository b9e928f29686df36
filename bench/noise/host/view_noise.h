/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Noise in `tare show` and in figures: idle time, injected work, gaps, and what of them is
 * periodic.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/stats/spectrum.h"

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

/*
 * The periodic components (spectrum.h) of the noise that a bench saw: bench `idle` in its samples,
 * without and with the clock interrupt, as what each is longer than the floor; bench `gap` in the
 * gaps above its threshold.
 */

#define NOISE_SPECTRA_MAX 2

struct noise_spectrum {
    const char *series; /* "floor", "ticking"; of gaps "gaps" */
    const char *why;    /* there is none; NULL: there is */
    struct spectrum spectrum;
};

/* How many a bench should have: 0 of one that is neither. noise_spectra_free() afterwards. */
size_t noise_spectra_of(const struct run_bench *bench,
                        struct noise_spectrum spectra[NOISE_SPECTRA_MAX]);
void noise_spectra_free(struct noise_spectrum *spectra, size_t count);
/* How many peaks they have; *looked_at: in how many spectra. */
size_t noise_peaks(const struct noise_spectrum *spectra, size_t count, size_t *looked_at);

#define NOISE_RATE_MAX 32

/* How often it comes, as exact as periods are found: "100 Hz", "44.2 kHz"; NULL: the rate of the
 * TSC is not known. */
const char *noise_rate_text(const struct view *view, const struct spectrum_peak *peak,
                            char text[NOISE_RATE_MAX]);
/* Four cells: its period, how often it comes, its share, and what it stole each time. */
void peak_cells(struct table *table, const struct view *view, const struct spectrum_peak *peak);
