/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes at equal distances in the noise of a bench. */
#include <math.h>

#include "bench/noise/host/noise_spectrum.h"
#include "bench/noise/host/view_noise.h"
#include "kernel/run/names.h"
#include "tools/present/view.h"

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
