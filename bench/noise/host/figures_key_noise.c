/* SPDX-License-Identifier: BSD-2-Clause */
/* Key figures of noise: what part of its time each processor lost, by bench gap, else by selfish.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/noise/host/team_rows.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"

#define ROWS_SHOWN  6
#define PPM         1e6
#define TURNS_PPM   1e5 /* what else takes so much of an emulated processor? */
#define PERCENT     100.0
#define PERCENT_MIN 1e-2 /* what is less reads better in ppm */
#define NAME_SIZE   48

static const char title[] = "Noise by processor";

static int by_stolen(const void *left, const void *right)
{
    const struct team_row *a = *(const struct team_row *const *)left;
    const struct team_row *b = *(const struct team_row *const *)right;

    if (a->stolen_ppm != b->stolen_ppm) {
        return a->stolen_ppm > b->stolen_ppm ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool is_measured(const struct team_row *row)
{
    return row->known && !isnan(row->stolen_ppm) && row->watched > 0;
}

static void draw_noise(struct figures *figures, const struct view *view,
                       const struct run_bench *bench, const struct team_row *const *rows,
                       size_t count)
{
    const size_t shown = count < ROWS_SHOWN ? count : ROWS_SHOWN;
    const bool percent = rows[0]->stolen_ppm / PPM * PERCENT >= PERCENT_MIN;
    char threshold[AMOUNT_MAX];
    char watched[AMOUNT_MAX];
    char more[NAME_SIZE] = "";
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, FIGURE_SECTION_KEY, title, "key-noise");
    struct figure_series *series = figure_add_series(figure, "taken");

    figure_axes(figure, NULL, NULL, "of the time taken", percent ? "%" : "ppm");
    for (size_t i = 0; i < shown; i++) {
        char name[NAME_SIZE];

        snprintf(name, sizeof(name), "processor %lu", (unsigned long)rows[i]->number);
        figure_add_group(figure, name);
        figure_add_point(series, (double)i, rows[i]->stolen_ppm * (percent ? PERCENT / PPM : 1));
    }
    if (shown < count) {
        snprintf(more, sizeof(more), "; the worst %zu of %zu", shown, count);
    }
    figure_how(figure, "Bench %s: gaps above %s, in %s%s%s", bench->name,
               amount_text(view, rows[0]->threshold, UNIT_TICK, threshold),
               amount_text(view, llround(rows[0]->watched), UNIT_TICK, watched), more,
               rows[0]->stolen_ppm > TURNS_PPM && run_is_exact(view->run)
                   ? "; in exact time processors take turns"
                   : "");
}

/* Where nothing was traced: the loop of the detector is all that the machine had to do. */
static void draw_time(struct figures *figures, const struct view *view,
                      const struct run_bench *bench, const struct team_row *const *rows,
                      size_t count)
{
    char text[AMOUNT_MAX];
    char name[NAME_SIZE];
    double watched = 0;
    double stolen = 0;

    for (size_t i = 0; i < count; i++) {
        watched += rows[i]->watched;
        stolen += (double)rows[i]->stolen;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_TIMELINE, FIGURE_SECTION_KEY, "Where the time went", "key-time");
    const double taken = fmin(stolen / watched, 1) * PERCENT;

    snprintf(name, sizeof(name), "%zu processor%s", count, count == 1 ? "" : "s");
    const uint32_t lane = figure_add_lane(figure, name);

    figure_axes(figure, "share", "%", NULL, NULL);
    figure_how(figure, "Bench %s, whose loop is the program, for %s", bench->name,
               amount_text(view, llround(watched), UNIT_TICK, text));
    snprintf(name, sizeof(name), "left to the program %.6g %%", PERCENT - taken);
    figure_add_span(figure, lane, figure_add_state(figure, name), 0, PERCENT - taken);
    if (taken > 0) {
        snprintf(name, sizeof(name), "taken %.3g %%", taken);
        figure_add_span(figure, lane, figure_add_state(figure, name), PERCENT - taken, PERCENT);
    }
}

static bool has_trace(const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        if (run->benches[i].trace_count > 0) {
            return true;
        }
    }
    return false;
}

static void key_noise(struct figures *figures, const struct run *run)
{
    const struct run_bench *gap = run_find_bench(run, BENCH_GAP);
    const struct run_bench *bench =
        gap != NULL && gap->series_count > 0 ? gap : run_find_bench(run, BENCH_SELFISH);
    struct team_rows rows;
    struct view view;
    size_t count = 0;
    size_t known = 0;

    if (bench == NULL || bench->series_count == 0) {
        return;
    }
    team_rows_of(bench, &rows);
    const struct team_row **measured =
        alloc_zeroed((rows.count + 1) * sizeof(const struct team_row *));

    for (size_t i = 0; i < rows.count; i++) {
        known += rows.row[i].known;
        if (is_measured(&rows.row[i])) {
            measured[count++] = &rows.row[i];
        }
    }
    view_init(&view, NULL, run);
    if (count > 0) {
        sort_stable(measured, count, sizeof(const struct team_row *), by_stolen);
        draw_noise(figures, &view, bench, measured, count);
        if (!has_trace(run)) {
            draw_time(figures, &view, bench, measured, count);
        }
    } else if (known > 0) {
        figure_add_absent(
            figures, FIGURE_SECTION_KEY, title, "key-noise",
            "gaps above the threshold of bench %s hold its own loop; a higher %s.threshold_ns "
            "avoids it",
            bench->name, bench->name);
    }
    free(measured);
    team_rows_free(&rows);
}

READING_REGISTER(key_noise) = {.order = 230, .figures = key_noise};
