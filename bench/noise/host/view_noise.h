/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Noise in `tare show` and in figures: idle time, injected work, gaps, and the periodic part of the
 * noise.
 */
#pragma once

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/gap_join.h"
#include "tools/figure/figure.h"
#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/stats/spectrum.h"

/* Prints the utilisation profile, what each clock interrupt cost beyond its handler, and, in a run
 * that counts events, the counts that go with interrupts. */
void view_idle(const struct view *view, const struct run_bench *bench);
/* Prints injected and recovered work, event by event. */
void view_load(const struct view *view, const struct run_bench *bench);
/* Prints the histogram, the largest gaps, the duty cycle and the SMIs. */
void view_gap(const struct view *view, const struct run_bench *bench);
/* If several processors took part, prints a row for each and which gaps stopped all at once. */
void view_team(const struct view *view, const struct run_bench *bench);
/* Prints how much time each cause took, by the counters read around each gap. Prints nothing if no
 * cause was counted or no gap was seen. */
void view_causes(const struct view *view, const struct run_bench *bench);
/* Returns the name of what took a kept gap of the selected processor, such as "SMI", by the
 * counters read around it; the first of several. Returns NULL if none of them advanced. */
const char *gap_cause_label(const struct gap_names *names, enum gap_list list, uint32_t gap,
                            int64_t length, double ns_per_tick);
/* If noise.stop_us ended the bench, prints the gap that ended it and the readings recorded before
 * it. */
void view_flight(const struct view *view, const struct run_bench *bench);
/* Prints the periodic part of the noise of bench `gap` or `idle`. Prints nothing if there is no
 * noise. */
void view_periods(const struct view *view, const struct run_bench *bench);

void figures_idle(struct figures *figures, const struct run *run);
void figures_noise(struct figures *figures, const struct run *run);

/*
 * The periodic components (spectrum.h) of the noise that a bench saw. For bench `idle` the noise is
 * the excess of each sample over the floor, without and with the clock interrupt; for bench `gap`
 * it is the gaps above the threshold.
 */

#define NOISE_SPECTRA_MAX 2

struct noise_spectrum {
    const char *series; /* "floor" or "ticking"; for gaps "gaps" */
    const char *why;    /* reason why there is no spectrum; NULL: there is one */
    struct spectrum spectrum;
};

/* Finds the spectra of a bench and returns their number, 0 if it is neither `idle` nor `gap`. Call
 * noise_spectra_free() afterwards. */
size_t noise_spectra_of(const struct run_bench *bench,
                        struct noise_spectrum spectra[NOISE_SPECTRA_MAX]);
void noise_spectra_free(struct noise_spectrum *spectra, size_t count);
/* Returns the number of peaks in all spectra and sets *looked_at to the number of spectra that
 * exist. */
size_t noise_peaks(const struct noise_spectrum *spectra, size_t count, size_t *looked_at);

#define NOISE_RATE_MAX 32

/* Writes how often the peak comes, as precisely as periods are found, for example "100 Hz" or "44.2
 * kHz". Returns NULL if the rate of the TSC is unknown. */
const char *noise_rate_text(const struct view *view, const struct spectrum_peak *peak,
                            char text[NOISE_RATE_MAX]);
/* Adds four cells: the peak's period, how often it comes, its share of the noise, and the time it
 * took each time. */
void peak_cells(struct table *table, const struct view *view, const struct spectrum_peak *peak);
