/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of benches fwq and ftq: what was stolen in time, and its spectrum, by processor. */
#include <math.h>
#include <stdio.h>

#include "bench/noise/host/quanta.h"
#include "bench/noise/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"

#define SECTION         "Noise"
#define SERIES_NAME_MAX 32
#define POWER_MIN       1e-6 /* of the whole: what is lower is the arithmetic's */

static struct figure_series *add_lane(struct figure *figure, const struct quanta_lane *lane)
{
    char name[SERIES_NAME_MAX];

    snprintf(name, sizeof(name), "processor %lu", (unsigned long)lane->number);
    return figure_add_series(figure, name);
}

static double longest(const struct quanta *quanta)
{
    double elapsed = 1;

    for (size_t i = 0; i < quanta->count; i++) {
        elapsed = fmax(elapsed, quanta->lane[i].elapsed);
    }
    return elapsed;
}

static double greatest(const struct quanta *quanta)
{
    double stolen = 0;

    for (size_t i = 0; i < quanta->count; i++) {
        const struct quanta_lane *lane = &quanta->lane[i];

        for (size_t k = 0; lane->series != NULL && k < lane->series->n; k++) {
            stolen = fmax(stolen, lane->stretch[k].stolen);
        }
    }
    return stolen;
}

static void add_in_time(struct figures *figures, const struct run *run,
                        const struct run_bench *bench, const struct quanta *quanta)
{
    const struct figure_scale x = figure_time_scale(run, longest(quanta));
    const struct figure_scale y = figure_length_scale(run, greatest(quanta));
    struct figure *figure =
        figure_add(figures, FIGURE_LINES, SECTION,
                   quanta->is_ftq ? "ftq: stolen from each quantum" : "fwq: stolen from each piece",
                   "%s-stolen", bench->name);

    figure_axes(figure, figure_time_label(run), x.unit,
                quanta->is_ftq ? "stolen from the quantum" : "longer than the shortest piece",
                y.unit);
    figure_how(figure, quanta->is_ftq
                           ? "Quanta of equal length on all processors at once: the time in which "
                             "no unit was worked on, less the shortest such time"
                           : "Equal pieces of work on all processors at once, each less the "
                             "shortest of its processor");
    for (size_t i = 0; i < quanta->count; i++) {
        const struct quanta_lane *lane = &quanta->lane[i];
        struct figure_series *series = add_lane(figure, lane);

        for (size_t k = 0; lane->series != NULL && k < lane->series->n; k++) {
            figure_add_point(series, lane->stretch[k].begin * x.per_tick,
                             lane->stretch[k].stolen * y.per_tick);
        }
    }
}

static void add_power(struct figure_series *series, const struct spectrum *spectrum, double hz)
{
    for (size_t k = 0; k < spectrum->count; k++) {
        figure_add_point(series, (double)(k + 1) / spectrum->elapsed * hz,
                         fmax(spectrum->power[k], POWER_MIN));
    }
}

/* Only processors of which there is one. */
static void add_spectra(struct figures *figures, const struct run *run,
                        const struct run_bench *bench, const struct quanta *quanta)
{
    const double ns_per_tick = run_ns_per_tick(run);
    const double hz = ns_per_tick > 0 ? 1e9 / ns_per_tick : 1;
    struct figure *figure = NULL;

    for (size_t i = 0; i < quanta->count; i++) {
        struct spectrum spectrum;

        if (quanta_spectrum(&quanta->lane[i], &spectrum) != NULL) {
            continue;
        }
        if (figure == NULL) {
            figure = figure_add(figures, FIGURE_LINES, SECTION,
                                quanta->is_ftq ? "ftq: spectrum" : "fwq: spectrum", "%s-spectrum",
                                bench->name);
            figure_axes(figure, "frequency", ns_per_tick > 0 ? "Hz" : "1/tick", "power", NULL);
            figure->y.logarithmic = true;
            figure_how(figure, "Of what was stolen, as a part of the whole power (Hann's window): "
                               "a line is what comes at equal distances");
        }
        add_power(add_lane(figure, &quanta->lane[i]), &spectrum, hz);
        spectrum_free(&spectrum);
    }
}

static void quanta_figures(struct figures *figures, const struct run *run,
                           const struct run_bench *bench)
{
    struct quanta quanta;

    if (quanta_of(bench, &quanta)) {
        if (greatest(&quanta) > 0) {
            add_in_time(figures, run, bench, &quanta);
        } else {
            figure_add_absent(
                figures, SECTION,
                quanta.is_ftq ? "ftq: stolen from each quantum" : "fwq: stolen from each piece",
                quanta.is_ftq ? "ftq-stolen" : "fwq-stolen", "all are equal: nothing was stolen");
        }
        add_spectra(figures, run, bench, &quanta);
    }
    quanta_free(&quanta);
}

READING_REGISTER(fwq_figures) = {.bench = BENCH_FWQ, .order = 241, .bench_figures = quanta_figures};
READING_REGISTER(ftq_figures) = {.bench = BENCH_FTQ, .order = 242, .bench_figures = quanta_figures};
