/* SPDX-License-Identifier: BSD-2-Clause */
/* What a model gives against one of its numbers: a line for the mean and for each quantile. */
#include <math.h>

#include "tools/bench/model/sweep_rows.h"
#include "tools/bench/model/view_model.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"

static const char section[] = "Sweep of a model";
static const char title[] = "A model at several settings";

static bool has_measure(const struct sweep_rows *rows, size_t at)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].why == NULL && !isnan(rows->rows[i].amount[at].value)) {
            return true;
        }
    }
    return false;
}

static void add_measure(struct figure *figure, const struct sweep_rows *rows, size_t subject,
                        size_t measure)
{
    const size_t at = subject * SWEEP_MEASURES + measure;

    if (!has_measure(rows, at)) {
        return;
    }
    struct figure_series *series = figure_add_series(figure, sweep_measures[measure]);

    for (size_t i = 0; i < rows->count; i++) {
        const struct sweep_row *row = &rows->rows[i];

        if (row->why != NULL || isnan(row->amount[at].value)) {
            continue;
        }
        const double value = row->amount[at].value;
        const double half = isnan(row->amount[at].half) ? 0 : row->amount[at].half;

        figure_add_range(series, row->setting, value, value - half, value + half);
    }
}

static size_t count_refused(const struct sweep_rows *rows)
{
    size_t count = 0;

    for (size_t i = 0; i < rows->count; i++) {
        count += rows->rows[i].why != NULL;
    }
    return count;
}

static void put_method(struct figure *figure, const struct sweep_rows *rows)
{
    const size_t refused = count_refused(rows);
    char missing[96] = "";

    if (refused > 0) {
        snprintf(missing, sizeof(missing), " %zu point%s refused: `tare show` gives the reason.",
                 refused, refused == 1 ? " was" : "s were");
    }
    figure_how(figure,
               "Simulated, not measured: %s, all points with the same random numbers; whiskers: "
               "95 %% intervals over the replications.%s",
               rows->spec, missing);
}

static void add_subject(struct figures *figures, const struct sweep_rows *rows, size_t subject)
{
    char name[SWEEP_NAME_MAX];
    char head[160];

    snprintf(head, sizeof(head), "%s against %s, simulated", rows->subjects[subject],
             sweep_rows_name(rows, name));
    struct figure *figure =
        figure_add(figures, FIGURE_LINES, section, head, "sweep-%s", rows->subjects[subject]);

    figure_axes(figure, name, NULL, rows->subjects[subject], "units");
    for (size_t m = 0; m < SWEEP_MEASURES; m++) {
        add_measure(figure, rows, subject, m);
    }
    figure_choose_scale(figure);
    put_method(figure, rows);
}

void figures_sweep(struct figures *figures, const struct run *run)
{
    const struct run_bench *bench = figures_find_bench(figures, run, section, title, SWEEP_BENCH);
    struct sweep_rows rows;

    if (bench == NULL) {
        return;
    }
    if (!sweep_rows_read(bench, &rows)) {
        figure_add_torn(figures, section, title, SWEEP_BENCH);
        return;
    }
    for (size_t s = 0; s < rows.subject_count; s++) {
        add_subject(figures, &rows, s);
    }
    sweep_rows_free(&rows);
}

READING_REGISTER(figures_sweep) = {.order = 410, .figures = figures_sweep};
