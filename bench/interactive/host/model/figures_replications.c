/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a simulated model over its replications (tools/sim/results/sim_run.h), a row
 * each. */
#include <math.h>
#include <string.h>

#include "bench/interactive/host/model/view_model.h"
#include "kernel/run/names.h"
#include "tools/base/table.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"

#define MANY 1000 /* from here on a value is printed whole */

static const char section[] = "Replications of a model";
static const char title[] = "Statistics over the replications";

struct moments {
    size_t n;
    double mean, deviation, error; /* of the mean; both NAN of a single value */
    double least, greatest;
};

static struct moments moments_of(const struct run_series *series)
{
    struct moments moments = {.n = series->received, .least = INFINITY, .greatest = -INFINITY};
    double squares = 0;

    for (size_t i = 0; i < series->received; i++) {
        const double value = (double)series->samples[i];
        const double distance = value - moments.mean;

        moments.mean += distance / (double)(i + 1);
        squares += distance * (value - moments.mean);
        moments.least = fmin(moments.least, value);
        moments.greatest = fmax(moments.greatest, value);
    }
    moments.deviation = moments.n > 1 ? sqrt(squares / (double)(moments.n - 1)) : NAN;
    moments.error = moments.deviation / sqrt((double)moments.n);
    return moments;
}

/* Samples are in ticks of 1 ns, in millionths, or counts. */
static void put(struct figure *figure, const char *unit, double value)
{
    char text[DURATION_MAX];

    if (isnan(value)) {
        figure_cell(figure, "n/a");
    } else if (strcmp(unit, UNIT_TICK) == 0) {
        figure_cell(figure, "%s", duration_text(value, text));
    } else if (strcmp(unit, UNIT_COUNT) == 0) {
        figure_cell(figure, fabs(value) < MANY ? "%.4g" : "%.0f", value);
    } else {
        figure_cell(figure, "%.4g%s", value / 1e6, strstr(unit, "percent") != NULL ? " %" : "");
    }
}

static void add_row(struct figure *figure, const struct run_series *series)
{
    const struct moments moments = moments_of(series);
    const double numbers[] = {moments.mean, moments.error, moments.deviation, moments.least,
                              moments.greatest};

    figure_cell(figure, "%s", series->name);
    figure_cell(figure, "%zu", moments.n);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        put(figure, series->unit, numbers[i]);
    }
}

static void figures_replications(struct figures *figures, const struct run *run)
{
    static const char *const heads[] = {"statistic", "n",   "mean", "standard error",
                                        "deviation", "min", "max"};
    const struct run_bench *bench =
        figures_find_bench(figures, run, section, title, "replications");

    if (bench == NULL) {
        return;
    }
    struct figure *figure = figure_add(figures, FIGURE_TABLE, section, title, "replications");

    figure_table(figure, "lrrrrrr", heads);
    for (size_t i = 0; i < bench->series_count; i++) {
        if (bench->series[i].unit != NULL) {
            add_row(figure, &bench->series[i]);
        }
    }
    figure_how(figure, "Simulated, not measured: each replication has its own random numbers, "
                       "and gives one value of each; deviation: of one replication. `tare sim "
                       "--definitions` defines each");
}

READING_REGISTER(figures_replications) = {.order = 400, .figures = figures_replications};
