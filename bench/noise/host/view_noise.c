/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes at equal distances in the noise of a bench. */
#include "bench/noise/host/view_noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/view.h"
#include "tools/trace/idle_bench.h"

static const char *of_samples(struct spectrum *spectrum, const struct run_bench *bench,
                              const char *name)
{
    const struct run_series *series = run_find_series(bench, name);
    const char *why = NULL;
    int64_t floor;

    if (series == NULL || series->n == 0 || !run_series_whole(series)) {
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
    const struct run_series *time = run_find_series(bench, SERIES_GAP_TIME);
    const struct run_series *length = run_find_series(bench, SERIES_GAP_LENGTH);
    const struct run_fact *elapsed = run_find_fact(bench, FACT_GAP_ELAPSED);

    if (time == NULL || length == NULL || elapsed == NULL || time->n != length->n ||
        !run_series_whole(time) || !run_series_whole(length)) {
        return "samples are missing";
    }
    if (gap_unkept_of(bench) > 0) {
        return "there were more gaps than room";
    }
    if (length->n < SPECTRUM_COLUMNS_MIN) {
        return "there are too few gaps";
    }
    struct spectrum_stretch *stretches = alloc_zeroed(length->n * sizeof(*stretches));

    for (size_t i = 0; i < length->n; i++) {
        const double begin = (double)time->samples[i];
        const double stolen = (double)length->samples[i];

        stretches[i] = (struct spectrum_stretch){begin, begin + stolen, stolen};
    }
    const char *why = spectrum_of(spectrum, stretches, length->n, (double)elapsed->value, false);

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

const char *noise_rate_text(double hertz, char text[NOISE_RATE_MAX])
{
    const bool kilo = hertz >= 9995;

    snprintf(text, NOISE_RATE_MAX, "%.3g %s", kilo ? hertz / 1000 : hertz, kilo ? "kHz" : "Hz");
    return text;
}

static void add_peak(struct table *table, const struct view *view, const char *series,
                     const struct spectrum_peak *peak)
{
    char text[AMOUNT_MAX];
    char rate[NOISE_RATE_MAX];

    table_row(table);
    table_text(table, series);
    table_text(table, amount_text(view, llround(peak->period), UNIT_TICK, text));
    if (view->ns_per_tick > 0) {
        table_text(table, noise_rate_text(1e9 / (peak->period * view->ns_per_tick), rate));
    } else {
        table_text(table, NULL);
    }
    table_format(table, "%.1f %%", 100 * peak->share);
    table_text(table, mean_text(view, peak->stolen, text));
}

static void print_peaks(const struct view *view, const struct noise_spectrum *spectra, size_t count)
{
    char each[AMOUNT_MAX];
    struct table table;

    snprintf(each, sizeof(each), "each time%s", span_note(view));
    const char *const heads[] = {"noise of", "comes every", "at", "share of it", each};

    table_init(&table, "lrrrr");
    table_row(&table);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        table_text(&table, heads[i]);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; spectra[i].why == NULL && k < spectra[i].spectrum.peak_count; k++) {
            add_peak(&table, view, k == 0 ? spectra[i].series : "", &spectra[i].spectrum.peaks[k]);
        }
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

void view_periods(const struct view *view, const struct run_bench *bench)
{
    struct noise_spectrum spectra[NOISE_SPECTRA_MAX];
    const size_t count = noise_spectra_of(bench, spectra);
    size_t peaks = 0;
    size_t looked_at = 0;

    for (size_t i = 0; i < count; i++) {
        looked_at += spectra[i].why == NULL;
        peaks += spectra[i].why == NULL ? spectra[i].spectrum.peak_count : 0;
    }
    if (peaks > 0) {
        print_peaks(view, spectra, count);
    } else if (looked_at > 0) {
        fputs("\n  no part of the noise comes at equal distances\n", view->out);
    }
    noise_spectra_free(spectra, count);
}
