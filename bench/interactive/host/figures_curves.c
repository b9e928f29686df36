/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws latencies by each measure: profile, histogram and cumulative latency, with a curve for each
 * group. In exact time, all are in virtual time, as the elapsed times are.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/host/figures_input.h"

#define HISTOGRAM_MIN 10 /* fewest actions for a histogram */
/* bins are of unequal width if neighbours differ by more than this factor */
#define SERIES_BINS 1.5
#define TEXT_MAX    512

static const struct latency_events *events_of(const struct curves *curves, size_t group)
{
    return &curves->groups->item[group].of[curves->measure];
}

/* Returns the scale for latencies of the curves or, if `sums`, for the largest sum of a curve. */
static struct figure_scale scale_of(const struct curves *curves, bool sums)
{
    double largest = 0;

    for (size_t g = 0; g < curves->groups->count; g++) {
        const struct latency_events *events = events_of(curves, g);
        double sum = 0;

        for (size_t i = 0; i < events->count; i++) {
            const double latency = fmax((double)events->latencies[i], 0);

            sum = sums ? sum + latency : fmax(sum, latency);
        }
        largest = fmax(largest, sum);
    }
    return input_length_scale(curves->run, curves->measure, largest);
}

/* Adds the number of actions of each curve to what the figure says, and what is left out. */
static void state_numbers(struct figure *figure, const struct curves *curves, const char *how)
{
    size_t endless = 0;
    size_t below = 0;
    char text[TEXT_MAX];
    size_t used = 0;

    for (size_t g = 0; g < curves->groups->count && used < sizeof(text); g++) {
        const char *label = curves->groups->item[g].label;

        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s%zu", g > 0 ? ", " : "",
                                 label, label[0] != '\0' ? " " : "", events_of(curves, g)->count);
        endless += events_of(curves, g)->endless;
        below += events_of(curves, g)->below;
    }
    figure_how(figure, "%s; in %s; actions: %s", how, figure_time_label(curves->run), text);
    if (endless > 0) {
        figure_how(figure, "%s; left out: %zu actions %s", figure->how, endless,
                   curves->measure == MEASURE_IDLE ? "that share samples with others or have none"
                                                   : "whose end is unknown");
    }
    if (below > 0) {
        figure_how(figure, "%s; left out: %zu actions of at most %g ms", figure->how, below,
                   curves->above_ms);
    }
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

/* Adds a series for a group, named with its elapsed time. */
static struct figure_series *add_series(struct figure *figure, const struct curves *curves,
                                        size_t group)
{
    struct view view;
    char name[INPUT_NAME_MAX];

    view_init(&view, NULL, curves->run);
    return figure_add_series(figure,
                             input_group_elapsed(&view, &curves->groups->item[group], name));
}

/* ---- the profile ---- */

double curves_profile(struct figure *figure, const struct curves *curves, uint64_t elapsed)
{
    const struct figure_scale time = figure_time_scale(curves->run, (double)elapsed);
    const struct figure_scale length = scale_of(curves, false);
    char text[TEXT_MAX];

    figure_axes(figure, figure_time_label(curves->run), time.unit, measure_label(curves->measure),
                length.unit);
    snprintf(text, sizeof(text), "%s; down and up of a key are one action",
             how_measured(curves->measure));
    state_numbers(figure, curves, text);
    for (size_t g = 0; g < curves->groups->count; g++) {
        const struct latency_events *events = events_of(curves, g);
        struct figure_series *series = add_series(figure, curves, g);

        for (size_t i = 0; i < events->count; i++) {
            const int64_t since =
                (int64_t)((uint64_t)events->events[i].begin - curves->groups->begin);

            figure_add_point(series, (double)since * time.per_tick,
                             (double)events->latencies[i] * length.per_tick);
        }
    }
    return length.per_tick;
}

/* ---- histogram ---- */

/* Counts how many latencies are in each bin. */
static void count_bins(const struct latency_events *events, double per_tick,
                       struct latency_bin *bins, size_t count)
{
    for (size_t b = 0; b < count; b++) {
        bins[b].n = 0;
    }
    for (size_t i = 0; i < events->count; i++) {
        const double value = (double)events->latencies[i] * per_tick;
        size_t b = 0;

        while (b + 1 < count && value >= bins[b].to) {
            b++;
        }
        bins[b].n++;
    }
}

void curves_histogram(struct figure *figure, const struct curves *curves, unsigned per_decade)
{
    const struct figure_scale length = scale_of(curves, false);
    int64_t ends[] = {INT64_MAX, INT64_MIN};
    struct latency_bin bins[LATENCY_BINS_MAX];

    for (size_t g = 0; g < curves->groups->count; g++) {
        const struct latency_events *events = events_of(curves, g);

        for (size_t i = 0; i < events->count; i++) {
            ends[0] = events->latencies[i] < ends[0] ? events->latencies[i] : ends[0];
            ends[1] = events->latencies[i] > ends[1] ? events->latencies[i] : ends[1];
        }
    }
    /* all groups have the same bins */
    const size_t count = latency_histogram(ends, 2, length.per_tick, per_decade, bins);

    figure_axes(figure, measure_label(curves->measure), length.unit, "actions", NULL);
    state_numbers(figure, curves, "number of actions in each bin");
    figure->y.logarithmic = true;
    figure->x.logarithmic = count > 1 && bins[count - 1].to - bins[count - 1].from >
                                             SERIES_BINS * (bins[0].to - bins[0].from);
    for (size_t g = 0; g < curves->groups->count; g++) {
        struct figure_series *series = add_series(figure, curves, g);

        count_bins(events_of(curves, g), length.per_tick, bins, count);
        for (size_t i = 0; i < count; i++) {
            /* a latency of 0 (done before it was due) has no place on a logarithmic axis */
            const double low =
                figure->x.logarithmic && bins[i].from <= 0 ? bins[i].to / 2 : bins[i].from;

            figure_add_range(series, (low + bins[i].to) / 2, (double)bins[i].n, low, bins[i].to);
        }
    }
}

/* ---- cumulative latency ---- */

static void add_sums(struct figure_series *series, const struct latency_curve *curve,
                     const struct figure_scale *length, const struct figure_scale *sum)
{
    for (size_t i = 0; i < curve->n; i++) {
        const bool last_of_equals = i + 1 == curve->n || curve->sorted[i + 1] > curve->sorted[i];
        const double x =
            length != NULL ? (double)curve->sorted[i] * length->per_tick : (double)(i + 1);

        if (series->n == 0 && x > 0) {
            figure_add_point(series, length != NULL ? x : 0, 0);
        }
        if (length == NULL || (last_of_equals && x > 0)) {
            figure_add_point(series, x, curve->sums[i] * sum->per_tick);
        }
    }
}

void curves_cumulative(struct figure *figure, const struct curves *curves)
{
    const bool by_latency = figure->kind == FIGURE_STEPS;
    const struct figure_scale length = scale_of(curves, false);
    const struct figure_scale sum = scale_of(curves, true);
    const char *label = measure_label(curves->measure);
    char text[TEXT_MAX];

    snprintf(text, sizeof(text), "cumulative %s", label);
    figure_axes(figure, by_latency ? label : "number of actions, the shortest first",
                by_latency ? length.unit : NULL, text, sum.unit);
    state_numbers(figure, curves,
                  by_latency
                      ? "sum of the latencies of all actions that are not longer; in brackets "
                        "the elapsed time"
                      : "sum of the latencies of the shortest actions; a straight line: all "
                        "actions are equally long");
    for (size_t g = 0; g < curves->groups->count; g++) {
        const struct latency_events *events = events_of(curves, g);
        struct latency_curve curve;

        latency_curve_init(&curve, events->latencies, events->count);
        add_sums(add_series(figure, curves, g), &curve, by_latency ? &length : NULL, &sum);
        latency_curve_free(&curve);
    }
}

/* ---- a bench ---- */

/* What is needed to draw one bench by one measure. */
struct sheet {
    struct figures *figures;
    const struct input_bench *input;
    const char *section;
    struct curves curves;
    /* name of the bench; with the elapsed time, if there is only one curve */
    char name[INPUT_NAME_MAX];
};

static struct figure *add(const struct sheet *sheet, enum figure_kind kind, const char *title,
                          const char *id)
{
    char text[TEXT_MAX];

    snprintf(text, sizeof(text), "%s-%s", sheet->input->bench->name, id);
    return input_add_figure(sheet->figures, kind, sheet->curves.measure, sheet->section, text,
                            "%s: %s", sheet->name, title);
}

static void add_measure(const struct sheet *sheet)
{
    const struct input_measure *of = &sheet->input->of[sheet->curves.measure];
    const double per_tick = scale_of(&sheet->curves, false).per_tick;
    struct figure *figure = add(sheet, FIGURE_STICKS, "event latency profile", "profile");

    curves_profile(figure, &sheet->curves, sheet->input->interactive->elapsed);
    input_mark_threshold(figure, of, per_tick);
    if (of->count >= HISTOGRAM_MIN) {
        figure = add(sheet, FIGURE_HISTOGRAM, "histogram", "histogram");
        curves_histogram(figure, &sheet->curves, LATENCY_FINE);
        if (of->perceptible) {
            input_mark_threshold(figure, of, per_tick);
        }
        curves_cumulative(add(sheet, FIGURE_STEPS, "cumulative latency by latency", "by-latency"),
                          &sheet->curves);
        curves_cumulative(
            add(sheet, FIGURE_LINES, "cumulative latency by number of actions", "by-count"),
            &sheet->curves);
    }
}

void figures_curves(struct figures *figures, const struct run *run, const struct input_bench *input,
                    const char *section)
{
    struct sheet sheet = {
        figures, input, section, {run, &input->groups, 0, measure_choice()->above_ms}, ""};
    struct view view;

    view_init(&view, NULL, run);
    snprintf(sheet.name, sizeof(sheet.name), "%.80s", input->bench->name);
    if (input->groups.count == 1) {
        char elapsed[INPUT_NAME_MAX];

        snprintf(sheet.name, sizeof(sheet.name), "%.80s %.100s", input->bench->name,
                 input_group_elapsed(&view, &input->groups.item[0], elapsed));
    }
    for (unsigned m = 0; m < MEASURES; m++) {
        sheet.curves.measure = (enum measure)m;
        if (!measure_is_drawn(sheet.curves.measure)) {
            continue;
        }
        if (input->of[m].longest > 0) {
            add_measure(&sheet);
            continue;
        }
        figure_absent(
            add(&sheet, FIGURE_ABSENT, "event latency profile", "profile"), "%s",
            run_processors(input->bench) > 1 && m == MEASURE_IDLE
                ? "the idle loop runs on processor 0, and the actions on any processor"
            : m == MEASURE_IDLE
                ? "every action shares its samples of the idle loop with another, or has none"
                : "this is known for no action");
    }
}
