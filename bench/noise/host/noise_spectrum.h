/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The periodic components (spectrum.h) of the noise that a bench saw: bench `idle` in its samples,
 * without and with the clock interrupt, as what each is longer than the floor; bench `gap` in the
 * gaps above its threshold.
 */
#pragma once

#include "tools/run/run.h"
#include "tools/stats/spectrum.h"

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

#define NOISE_RATE_MAX 32

/* "100 Hz", "44.2 kHz": as exact as periods are found. */
const char *noise_rate_text(double hertz, char text[NOISE_RATE_MAX]);
