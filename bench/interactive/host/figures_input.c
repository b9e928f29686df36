/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/figures_input.h"
#include "bench/interactive/host/view_input.h"
#include "kernel/run/names.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/thresholds.h"
#include "bench/interactive/names.h"
#include "tools/base/alloc.h"
#include "tools/present/view.h"

int64_t input_round_below(int64_t length, const struct figure_scale *scale, unsigned back)
{
    static const double steps[] = {1, 2, 5};
    const double value = (double)length * scale->per_tick * (1 - 1e-9);
    const double decade = floor(log10(value));
    const double first = value / pow(10, decade);
    const int step = (first > steps[2] ? 2 : first > steps[1] ? 1 : 0) - (int)back;
    const double down = floor((double)step / 3);

    return (int64_t)(steps[step - 3 * (int)down] * pow(10, decade + down) / scale->per_tick);
}

/* ---- thresholds ---- */

/* Of all groups. */
struct extremes {
    int64_t top[3]; /* the longest */
    int64_t shortest;
    size_t count;
};

static void extend(struct extremes *extremes, int64_t latency)
{
    extremes->count++;
    extremes->shortest = latency < extremes->shortest ? latency : extremes->shortest;
    for (size_t place = 0; place < 3; place++) {
        const int64_t other = extremes->top[place];

        if (latency > other) {
            extremes->top[place] = latency;
            latency = other;
        }
    }
}

static struct extremes extremes_of(const struct latency_groups *groups, enum measure measure)
{
    struct extremes extremes = {.top = {INT64_MIN, INT64_MIN, INT64_MIN}, .shortest = INT64_MAX};

    for (size_t g = 0; g < groups->count; g++) {
        const struct latency_events *events = &groups->item[g].of[measure];

        for (size_t i = 0; i < events->count; i++) {
            extend(&extremes, events->latencies[i]);
        }
    }
    return extremes;
}

/* The third longest, so that what is longer has intervals and these a deviation; of fewer the
 * longest. */
static int64_t long_latency(const struct extremes *extremes)
{
    return extremes->count >= 3 ? extremes->top[2] : extremes->top[0];
}

static void set_measure(struct input_measure *of, const struct run *run,
                        const struct extremes *extremes)
{
    const double ns_per_tick = run_ns_per_tick(run);
    const int64_t typical = long_latency(extremes);

    *of = (struct input_measure){.count = extremes->count, .longest = extremes->top[0]};
    if (extremes->count == 0 || of->longest <= 0) {
        return;
    }
    const struct figure_scale scale = figure_length_scale(run, (double)of->longest);

    of->threshold = typical > 0 ? input_round_below(typical, &scale, 0) : 0;
    if (of->threshold < extremes->shortest) {
        of->threshold = input_round_below(of->longest, &scale, 0);
    }
    if (ns_per_tick > 0) {
        const int64_t perceptible = latency_threshold(THRESHOLD_DEFAULT_MS, ns_per_tick);

        of->perceptible = of->longest > perceptible;
        of->threshold = of->perceptible ? perceptible : of->threshold;
    }
}

void input_mark_threshold(struct figure *figure, const struct input_measure *of, double per_tick)
{
    figure_threshold(figure, (double)of->threshold * per_tick, of->perceptible ? "0.1 s" : NULL);
}

/* ---- names ---- */

const char *input_group_name(const struct input_bench *input, const struct latency_group *group,
                             char text[INPUT_NAME_MAX])
{
    snprintf(text, INPUT_NAME_MAX, "%.80s%s%s", input->bench->name,
             group->label[0] != '\0' ? ": " : "", group->label);
    return text;
}

const char *input_group_elapsed(const struct view *view, const struct latency_group *group,
                                char text[INPUT_NAME_MAX])
{
    char elapsed[AMOUNT_MAX];

    snprintf(text, INPUT_NAME_MAX, "%s%s[%s]", group->label, group->label[0] != '\0' ? " " : "",
             amount_text(view, (int64_t)group->elapsed, UNIT_TICK, elapsed));
    return text;
}

struct figure *input_add_figure(struct figures *figures, enum figure_kind kind,
                                enum measure measure, const char *section, const char *id,
                                const char *title, ...)
{
    const bool chosen = measure == measure_chosen();
    char text[INPUT_NAME_MAX];
    char whole[INPUT_NAME_MAX + 32];
    va_list values;

    va_start(values, title);
    vsnprintf(text, sizeof(text), title, values);
    va_end(values);
    snprintf(whole, sizeof(whole), "%s: %s", text, measure_label(measure));
    struct figure *figure = figure_add(figures, kind, section, whole, "%s%s%s", id,
                                       chosen ? "" : "-", chosen ? "" : measure_name(measure));

    figure_variant(figure, measure_name(measure), chosen);
    return figure;
}

/* ---- reading ---- */

/* NULL, or why there is nothing to be shown. */
static const char *read_input(struct input_bench *input, const struct run *run)
{
    const struct latency_wish wish = latency_wish_chosen(run_ns_per_tick(run));
    const struct run_bench *bench = input->bench;

    if (bench->trace_count == 0) {
        return bench->reason != NULL ? bench->reason : "its trace is missing";
    }
    if (!interactive_read(&input->interactive, bench)) {
        return "its trace cannot be read";
    }
    if (input->interactive.arrived == 0) {
        return "its trace reports no input event";
    }
    if (!actions_read(&input->actions, &input->interactive, bench)) {
        return "its trace cannot be read";
    }
    latency_groups_of(&input->groups, &input->interactive, &input->actions, &wish);
    for (unsigned m = 0; m < MEASURES; m++) {
        const struct extremes extremes = extremes_of(&input->groups, (enum measure)m);

        set_measure(&input->of[m], run, &extremes);
    }
    if (input->of[MEASURE_RESPONSE].longest <= 0) {
        return wish.has_above ? "no action takes so long" : "its trace reports no event's end";
    }
    input->kinds = interactive_summaries(&input->interactive, &input->kind_count);
    return NULL;
}

/* Of that group the model alone has no input: what arrives there are timers. */
bool input_is_interactive(const struct run_bench *bench)
{
    return bench->group != NULL && strcmp(bench->group, GROUP_INTERACTIVE) == 0 &&
           strncmp(bench->name, BENCH_MODEL, sizeof(BENCH_MODEL) - 1) != 0; /* or model@PROCESSOR */
}

bool input_is_shown(const struct run *run, const struct run_bench *bench)
{
    return run_find_bench(run, bench->name) == bench &&
           (input_is_interactive(bench) || view_has_input(bench));
}

void input_benches_read(struct input_benches *benches, const struct run *run)
{
    *benches = (struct input_benches){0};
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (input_is_shown(run, bench)) {
            benches->item = alloc_append(benches->item, &benches->count, &benches->capacity,
                                         sizeof(*benches->item));
            struct input_bench *input = &benches->item[benches->count - 1];

            *input = (struct input_bench){.bench = bench};
            input->why = read_input(input, run);
        }
    }
}

void input_benches_free(struct input_benches *benches)
{
    for (size_t i = 0; i < benches->count; i++) {
        latency_groups_free(&benches->item[i].groups);
        actions_free(&benches->item[i].actions);
        free(benches->item[i].kinds);
        interactive_free(&benches->item[i].interactive);
    }
    free(benches->item);
}
