/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the latencies of one bench, by each measure: the paper's figures 5 and 7 (Endo et al.
 * 1996). There is a curve for each phase, as the paper's figures have one for each system.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/host/figures_input.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"

#define PERCENT       100.0
#define HISTOGRAM_MIN 10 /* fewest actions for a histogram */
/* bins are of unequal width if neighbours differ by more than this factor */
#define SERIES_BINS 1.5
#define TEXT_MAX    192

/* What is needed to draw one bench by one measure. */
struct sheet {
    struct figures *figures;
    const struct run *run;
    const struct input_bench *input;
    const char *section;
    struct view view;
    enum measure measure;
    const struct input_measure *of;
    struct figure_scale length, time;
    /* name of the bench; with the elapsed time, if there is only one curve */
    char name[INPUT_NAME_MAX];
};

static struct figure *add(const struct sheet *sheet, enum figure_kind kind, const char *title,
                          const char *id)
{
    char text[TEXT_MAX];

    snprintf(text, sizeof(text), "%s-%s", sheet->input->bench->name, id);
    return input_add_figure(sheet->figures, kind, sheet->measure, sheet->section, text, "%s: %s",
                            sheet->name, title);
}

/* Writes for example "; left out: 3 whose end is unknown". Returns `text`. */
static const char *left_out(const struct sheet *sheet, char text[TEXT_MAX])
{
    size_t endless = 0;
    size_t below = 0;
    size_t used = 0;

    for (size_t g = 0; g < sheet->input->groups.count; g++) {
        endless += sheet->input->groups.item[g].of[sheet->measure].endless;
        below += sheet->input->groups.item[g].of[sheet->measure].below;
    }
    text[0] = '\0';
    if (endless > 0) {
        used = (size_t)snprintf(text, TEXT_MAX, "; left out: %zu actions %s", endless,
                                sheet->measure == MEASURE_IDLE
                                    ? "that share samples with others or have none"
                                    : "whose end is unknown");
    }
    if (below > 0) {
        snprintf(text + used, TEXT_MAX - used, "; left out: %zu actions of at most %g ms", below,
                 measure_choice()->above_ms);
    }
    return text;
}

static const char *how_measured(enum measure measure)
{
    static const char *const texts[MEASURES] = {
        [MEASURE_IDLE] = "by the idle loop alone: how much longer the samples that contain the "
                         "action are than idle samples; includes interrupts and the tracer",
        [MEASURE_SERVICE] = "by the trace: from the arrival of an input until the application was "
                            "done with it; includes the tracer's own records",
        [MEASURE_RESPONSE] = "by the trace: from when the input was due (from its arrival, if "
                             "nothing was planned) until the application was done with it; "
                             "includes the tracer's own records",
        [MEASURE_CALL] = "by the trace: from the arrival of an input to the next call for a "
                         "message by the thread that took it",
        [MEASURE_WEIGHTED] = "a model: service time plus penalties for TLB misses, segment loads "
                             "and misaligned accesses; never compare it with exact times",
    };

    return texts[measure];
}

/* ---- the profile: figure 5 ---- */

static void add_profile(const struct sheet *sheet)
{
    const struct latency_groups *groups = &sheet->input->groups;
    struct figure *figure = add(sheet, FIGURE_STICKS, "event latency profile", "profile");
    char text[TEXT_MAX];

    figure_axes(figure, figure_time_label(sheet->run), sheet->time.unit,
                measure_label(sheet->measure), sheet->length.unit);
    figure_how(figure, "%s; down and up of a key are one action%s", how_measured(sheet->measure),
               left_out(sheet, text));
    input_mark_threshold(figure, sheet->of, sheet->length.per_tick);
    for (size_t g = 0; g < groups->count; g++) {
        const struct latency_events *events = &groups->item[g].of[sheet->measure];
        char name[INPUT_NAME_MAX];
        struct figure_series *series =
            figure_add_series(figure, input_group_elapsed(&sheet->view, &groups->item[g], name));

        for (size_t i = 0; i < events->count; i++) {
            const int64_t since = (int64_t)((uint64_t)events->events[i].begin - groups->begin);

            figure_add_point(series, (double)since * sheet->time.per_tick,
                             (double)events->latencies[i] * sheet->length.per_tick);
        }
    }
}

/* ---- histogram: figure 7, first graph ---- */

/* Returns the latencies of all groups, because all groups have the same bins. The caller must free
 * them. */
static int64_t *all_latencies(const struct sheet *sheet)
{
    const struct latency_groups *groups = &sheet->input->groups;
    int64_t *all = alloc_zeroed(sheet->of->count * sizeof(*all));
    size_t n = 0;

    for (size_t g = 0; g < groups->count; g++) {
        const struct latency_events *events = &groups->item[g].of[sheet->measure];

        for (size_t i = 0; i < events->count; i++) {
            all[n++] = events->latencies[i];
        }
    }
    return all;
}

/* Counts how many latencies of a group are in each bin. */
static void count_bins(const struct sheet *sheet, const struct latency_events *events,
                       struct latency_bin *bins, size_t count)
{
    for (size_t b = 0; b < count; b++) {
        bins[b].n = 0;
    }
    for (size_t i = 0; i < events->count; i++) {
        const double value = (double)events->latencies[i] * sheet->length.per_tick;
        size_t b = 0;

        while (b + 1 < count && value >= bins[b].to) {
            b++;
        }
        bins[b].n++;
    }
}

static void add_histogram(const struct sheet *sheet)
{
    const struct latency_groups *groups = &sheet->input->groups;
    struct latency_bin bins[LATENCY_BINS_MAX];
    int64_t *all = all_latencies(sheet);
    const size_t count = latency_histogram(all, sheet->of->count, sheet->length.per_tick, bins);
    struct figure *figure = add(sheet, FIGURE_HISTOGRAM, "histogram", "histogram");
    char text[TEXT_MAX];

    free(all);
    figure_axes(figure, measure_label(sheet->measure), sheet->length.unit, "actions", NULL);
    figure_how(figure, "%zu actions%s", sheet->of->count, left_out(sheet, text));
    figure->y.logarithmic = true;
    figure->x.logarithmic =
        count > 1 && bins[1].to - bins[1].from > SERIES_BINS * (bins[0].to - bins[0].from);
    if (sheet->of->perceptible) {
        input_mark_threshold(figure, sheet->of, sheet->length.per_tick);
    }
    for (size_t g = 0; g < groups->count; g++) {
        char name[INPUT_NAME_MAX];
        struct figure_series *series =
            figure_add_series(figure, input_group_elapsed(&sheet->view, &groups->item[g], name));

        count_bins(sheet, &groups->item[g].of[sheet->measure], bins, count);
        for (size_t i = 0; i < count; i++) {
            /* a latency of 0 (done before it was due) has no place on a logarithmic axis */
            const double low =
                figure->x.logarithmic && bins[i].from <= 0 ? bins[i].to / 2 : bins[i].from;

            figure_add_range(series, (low + bins[i].to) / 2, (double)bins[i].n, low, bins[i].to);
        }
    }
}

/* ---- cumulative latency: figure 7, second and third graph, and figure 8 ---- */

static void add_steps(struct figure_series *series, const struct latency_curve *curve,
                      const struct figure_scale *scale)
{
    const double all = curve->sums[curve->n - 1];

    for (size_t i = 0; i < curve->n; i++) {
        const bool last_of_equals = i + 1 == curve->n || curve->sorted[i + 1] > curve->sorted[i];

        if (last_of_equals && curve->sorted[i] > 0) {
            if (series->n == 0) {
                figure_add_point(series, (double)curve->sorted[i] * scale->per_tick, 0);
            }
            figure_add_point(series, (double)curve->sorted[i] * scale->per_tick,
                             PERCENT * curve->sums[i] / all);
        }
    }
}

static void add_shares(struct figure_series *series, const struct latency_curve *curve)
{
    const double all = curve->sums[curve->n - 1];

    figure_add_point(series, 0, 0);
    for (size_t i = 0; i < curve->n; i++) {
        figure_add_point(series, PERCENT * (double)(i + 1) / (double)curve->n,
                         PERCENT * curve->sums[i] / all);
    }
}

void input_add_cumulative(struct figure *figure, const struct view *view, const char *bench,
                          const struct latency_group *group, enum measure measure,
                          const struct figure_scale *scale)
{
    const struct latency_events *events = &group->of[measure];
    struct latency_curve curve;
    char elapsed[INPUT_NAME_MAX];
    char total[AMOUNT_MAX];
    char name[2 * INPUT_NAME_MAX + AMOUNT_MAX];

    latency_curve_init(&curve, events->latencies, events->count);
    if (curve.n > 0 && curve.sums[curve.n - 1] > 0) {
        input_group_elapsed(view, group, elapsed);
        if (scale != NULL) {
            snprintf(name, sizeof(name), "%.100s%s%s, total %s", bench, bench[0] != '\0' ? " " : "",
                     elapsed,
                     amount_text(view, llround(curve.sums[curve.n - 1]), UNIT_TICK, total));
        } else {
            snprintf(name, sizeof(name), "%.100s%s%s, %zu actions", bench,
                     bench[0] != '\0' ? " " : "", elapsed, events->count);
        }
        struct figure_series *series = figure_add_series(figure, name);

        if (scale != NULL) {
            add_steps(series, &curve, scale);
        } else {
            add_shares(series, &curve);
        }
    }
    latency_curve_free(&curve);
}

static void add_curves(const struct sheet *sheet, struct figure *figure,
                       const struct figure_scale *scale)
{
    for (size_t g = 0; g < sheet->input->groups.count; g++) {
        input_add_cumulative(figure, &sheet->view, "", &sheet->input->groups.item[g],
                             sheet->measure, scale);
    }
}

static void add_cumulatives(const struct sheet *sheet)
{
    const char *label = measure_label(sheet->measure);
    char share[TEXT_MAX];
    struct figure *figure = add(sheet, FIGURE_STEPS, "cumulative latency by latency", "by-latency");

    snprintf(share, sizeof(share), "share of all %s", label);
    figure_axes(figure, label, sheet->length.unit, share, "%");
    figure_how(figure, "cumulative share of all %s, by the length of an action", label);
    figure->x.logarithmic = true;
    add_curves(sheet, figure, &sheet->length);
    figure = add(sheet, FIGURE_LINES, "cumulative latency by number of actions", "by-count");
    figure_axes(figure, "share of all actions, the shortest first", "%", share, "%");
    figure_how(figure,
               "cumulative share of all %s against the share of all actions, the shortest actions "
               "first; if all actions were equally long, the curve would be a straight line",
               label);
    add_curves(sheet, figure, NULL);
}

void figures_curves(struct figures *figures, const struct run *run, const struct input_bench *input,
                    const char *section)
{
    struct sheet sheet = {.figures = figures, .run = run, .input = input, .section = section};

    view_init(&sheet.view, NULL, run);
    sheet.time = figure_time_scale(run, (double)input->interactive.elapsed);
    snprintf(sheet.name, sizeof(sheet.name), "%.80s", input->bench->name);
    if (input->groups.count == 1) {
        char elapsed[INPUT_NAME_MAX];

        snprintf(sheet.name, sizeof(sheet.name), "%.80s %.100s", input->bench->name,
                 input_group_elapsed(&sheet.view, &input->groups.item[0], elapsed));
    }
    for (unsigned m = 0; m < MEASURES; m++) {
        if (!measure_is_drawn((enum measure)m)) {
            continue;
        }
        sheet.measure = (enum measure)m;
        sheet.of = &input->of[m];
        if (sheet.of->longest <= 0) {
            figure_absent(
                add(&sheet, FIGURE_ABSENT, "event latency profile", "profile"), "%s",
                run_processors(input->bench) > 1 && sheet.measure == MEASURE_IDLE
                    ? "the idle loop runs on processor 0, and the actions on any processor"
                : sheet.measure == MEASURE_IDLE
                    ? "every action shares its samples of the idle loop with another, or has none"
                    : "this is known for no action");
            continue;
        }
        sheet.length = input_length_scale(run, sheet.measure, (double)sheet.of->longest);
        add_profile(&sheet);
        if (sheet.of->count >= HISTOGRAM_MIN) {
            add_histogram(&sheet);
        }
        if (input->groups.count > 1) {
            add_cumulatives(&sheet);
        }
    }
}
