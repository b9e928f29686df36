/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and prints the periodic part of a bench's noise. */
#include "bench/noise/host/view_noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/present/view.h"
#include "tools/trace/idle_bench.h"

static const char *of_samples(struct spectrum *spectrum, const struct run_bench *bench,
                              const char *name)
{
    const struct run_series *series = run_find_whole(bench, name);
    const char *why = NULL;
    int64_t floor;

    if (series == NULL || series->n == 0) {
        return "samples are missing";
    }
    if (!idle_bench_floor(bench, &floor, &why)) {
        return why;
    }
    if (!idle_check(series->samples, series->n)) {
        return "its samples contradict each other";
    }
    struct spectrum_stretch *stretches = alloc_zeroed(series->n * sizeof(*stretches));
    int64_t now = 0;

    for (size_t i = 0; i < series->n; i++) {
        const int64_t length = series->samples[i];

        stretches[i] = (struct spectrum_stretch){
            .begin = (double)now,
            .end = (double)(now + length),
            .stolen = length > floor ? (double)length - (double)floor : 0,
        };
        now += length;
    }
    why = spectrum_of(spectrum, stretches, series->n, (double)now, true);
    free(stretches);
    return why;
}

static const char *of_gaps(struct spectrum *spectrum, const struct run_bench *bench)
{
    const struct run_fact *elapsed = run_find_fact(bench, FACT_GAP_ELAPSED);
    struct gap_series gaps;

    if (!gap_series_of(bench, GAP_FIRST, &gaps) || elapsed == NULL) {
        return "samples are missing";
    }
    if (gap_unkept_of(bench) > 0) {
        return "not all gaps were kept";
    }
    const size_t n = gaps.length->n;

    if (n < SPECTRUM_COLUMNS_MIN) {
        return "there are too few gaps";
    }
    struct spectrum_stretch *stretches = alloc_zeroed(n * sizeof(*stretches));

    for (size_t i = 0; i < n; i++) {
        const double begin = (double)gaps.time->samples[i];
        const double stolen = (double)gaps.length->samples[i];

        stretches[i] = (struct spectrum_stretch){begin, begin + stolen, stolen};
    }
    const char *why = spectrum_of(spectrum, stretches, n, (double)elapsed->value, false);

    free(stretches);
    return why;
}

size_t noise_spectra_of(const struct run_bench *bench,
                        struct noise_spectrum spectra[NOISE_SPECTRA_MAX])
{
    memset(spectra, 0, NOISE_SPECTRA_MAX * sizeof(*spectra));
    if (strcmp(bench->name, BENCH_GAP) == 0) {
        spectra[0].series = "gaps";
        spectra[0].why = of_gaps(&spectra[0].spectrum, bench);
        return 1;
    }
    if (strcmp(bench->name, BENCH_IDLE) != 0) {
        return 0;
    }
    spectra[0].series = SERIES_FLOOR;
    spectra[1].series = SERIES_TICKING;
    for (size_t i = 0; i < 2; i++) {
        spectra[i].why = of_samples(&spectra[i].spectrum, bench, spectra[i].series);
    }
    return 2;
}

void noise_spectra_free(struct noise_spectrum *spectra, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (spectra[i].why == NULL) {
            spectrum_free(&spectra[i].spectrum);
        }
    }
}

size_t noise_peaks(const struct noise_spectrum *spectra, size_t count, size_t *looked_at)
{
    size_t peaks = 0;

    *looked_at = 0;
    for (size_t i = 0; i < count; i++) {
        *looked_at += spectra[i].why == NULL;
        peaks += spectra[i].why == NULL ? spectra[i].spectrum.peak_count : 0;
    }
    return peaks;
}

const char *noise_rate_text(const struct view *view, const struct spectrum_peak *peak,
                            char text[NOISE_RATE_MAX])
{
    const double hertz = 1e9 / (peak->period * view->ns_per_tick);
    if (view->ns_per_tick <= 0) {
        return NULL;
    }
    return number_si(hertz, "Hz", text);
}

void peak_cells(struct table *table, const struct view *view, const struct spectrum_peak *peak)
{
    char rate[NOISE_RATE_MAX];

    cell_amount(table, view, true, llround(peak->period));
    table_text(table, noise_rate_text(view, peak, rate));
    table_share(table, peak->share);
    cell_span(table, view, true, peak->stolen);
}

static void print_peaks(const struct view *view, const struct noise_spectrum *spectra, size_t count)
{
    struct table table;

    table_open(&table, "lrrrr", "noise in\tcomes every\trate\tshare of noise\tlost each time%s",
               span_note(view));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; spectra[i].why == NULL && k < spectra[i].spectrum.peak_count; k++) {
            table_line(&table, "%s", k == 0 ? spectra[i].series : "");
            peak_cells(&table, view, &spectra[i].spectrum.peaks[k]);
        }
    }
    view_table(view, &table);
}

void view_periods(const struct view *view, const struct run_bench *bench)
{
    struct noise_spectrum spectra[NOISE_SPECTRA_MAX];
    const size_t count = noise_spectra_of(bench, spectra);
    size_t looked_at;

    if (noise_peaks(spectra, count, &looked_at) > 0) {
        print_peaks(view, spectra, count);
    } else if (looked_at > 0) {
        fputs("\n  no part of the noise is periodic\n", view->out);
    }
    noise_spectra_free(spectra, count);
}
