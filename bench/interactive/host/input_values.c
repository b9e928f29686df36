/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the JSON of input events: the events themselves, their latencies, think and wait.
 */
#include <stdio.h>
#include <string.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/host/measure/measure_json.h"
#include "bench/interactive/host/measure/weights.h"
#include "bench/interactive/host/view_input.h"
#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/report_plugin.h"

/* Reads the traces once for all three members. */
static void put_input(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct input_reading *input = input_explained(bench);
    const struct interactive *interactive = &input->interactive;

    if (!input->explained) {
        json_null(json, "interactive");
        json_null(json, "latency");
    } else if (interactive->present) {
        interactive_json(json, run, bench, interactive, &input->actions);
        latency_json(json, run, bench, interactive, &input->actions);
        longest_json(json, &input->actions);
    }
}

PLUGIN_REGISTER(input_json) = {.order = 30, .json = put_input};
PLUGIN_REGISTER(think_wait_json) = {.order = 40, .json = think_wait_json};

/*
 * Metrics of input events: service and response times by kind of event, and latencies of actions by
 * class in all measures, each by phase if the bench has phases: "burst.service.key_down[fast]",
 * "editor.idle.printable[server.hand]".
 */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct span {
    enum measure measure;
    const char *name;
    bool (*of)(const struct interactive_event *event, uint64_t *ticks);
};

static const struct span spans[] = {
    {MEASURE_SERVICE, "service", interactive_service},
    {MEASURE_RESPONSE, "response", interactive_response},
};

/* Returns whether the measure gets metrics. If the user chose a measure, only that one does,
 * otherwise all except the one that the others only correct. */
static bool is_wanted(enum measure measure)
{
    return measure_choice()->given ? measure_chosen() == measure : measure != MEASURE_CALL;
}

/* Adds a metric such as "burst.service.key_down[fast]", without values but with room for `most`. */
static struct metric *add_metric(struct metrics *metrics, const struct run_bench *bench,
                                 const char *measure, const char *of,
                                 const struct interactive_phase *phase, size_t most)
{
    char series[METRIC_NAME_MAX];
    char number[METRIC_X_MAX];

    snprintf(series, sizeof(series), "%s.%s", measure, of);
    snprintf(number, sizeof(number), "%u", phase != NULL ? phase->phase : 0U);
    struct metric *metric = metrics_add(metrics, bench, series,
                                        phase == NULL         ? NULL
                                        : phase->name != NULL ? phase->name
                                                              : number);

    metric->series = measure;
    metric->values = alloc_zeroed(most * sizeof(*metric->values));
    metric->cold = alloc_zeroed(most * sizeof(*metric->cold));
    return metric;
}

static void add_value(struct metric *metric, bool cold, int64_t ticks)
{
    if (cold) {
        metric->cold[metric->cold_count++] = (double)ticks;
    } else {
        metric->values[metric->n++] = (double)ticks;
    }
}

/* Adds the metric for events of one kind and, if the bench has phases, of one phase. */
static void add_events(struct metrics *metrics, const struct run_bench *bench,
                       const struct interactive *interactive, const struct span *span,
                       unsigned kind, const struct interactive_phase *phase)
{
    struct metric *metric = NULL;

    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        uint64_t ticks;

        if (!event->came || event->kind != kind || !span->of(event, &ticks) ||
            (phase != NULL && (!event->has_phase || event->phase != phase->phase))) {
            continue;
        }
        if (metric == NULL) {
            metric = add_metric(metrics, bench, span->name, input_kind_name(kind), phase,
                                interactive->count);
        }
        add_value(metric, event->cold, (int64_t)ticks);
    }
}

static void add_kind(struct metrics *metrics, const struct run_bench *bench,
                     const struct interactive *interactive, unsigned kind)
{
    for (size_t i = 0; i < COUNT(spans); i++) {
        if (!is_wanted(spans[i].measure)) {
            continue;
        }
        if (interactive->phase_count == 0) {
            add_events(metrics, bench, interactive, &spans[i], kind, NULL);
        }
        for (size_t k = 0; k < interactive->phase_count; k++) {
            add_events(metrics, bench, interactive, &spans[i], kind, &interactive->phases[k]);
        }
    }
}

/* ---- actions ---- */

static void add_class(struct metrics *metrics, const struct run_bench *bench,
                      const struct latency_group *group, const struct actions *actions,
                      enum measure measure)
{
    struct metric *metric = NULL;

    for (size_t i = 0; i < actions->count && is_wanted(measure); i++) {
        const struct action *action = &actions->actions[i];

        if (action->known[measure] && latency_group_has(group, actions, action)) {
            metric = metric != NULL ? metric
                                    : add_metric(metrics, bench, measure_name(measure),
                                                 group->class, group->phase, group->actions);
            add_value(metric, action->cold, action->latency[measure]);
        }
    }
    if (metric != NULL && measure == MEASURE_WEIGHTED) {
        metric->unit = UNIT_WEIGHTED;
        for (size_t i = 0; i < metric->n + metric->cold_count; i++) {
            double *value = i < metric->n ? &metric->values[i] : &metric->cold[i - metric->n];

            *value /= metrics->ticks_per_instruction;
        }
    }
}

static void add_actions(struct metrics *metrics, const struct run_bench *bench,
                        const struct interactive *interactive, const struct actions *actions)
{
    struct latency_groups groups;

    latency_groups_of(&groups, interactive, actions,
                      &(struct latency_wish){.by_class = true, .bare = true});
    for (size_t g = 0; g < groups.count; g++) {
        const bool lonely = groups.item[g].phase == NULL && interactive->phase_count > 0;

        for (unsigned m = 0; m < MEASURES && !lonely; m++) {
            add_class(metrics, bench, &groups.item[g], actions, (enum measure)m);
        }
    }
    latency_groups_free(&groups);
}

static bool is_traced(const struct run_bench *bench)
{
    return bench->group != NULL && strcmp(bench->group, GROUP_INTERACTIVE) == 0 &&
           bench->trace_count > 0;
}

static void add_input(struct metrics *metrics, const struct run_bench *bench)
{
    if (!is_traced(bench)) {
        return;
    }
    const struct input_reading *input = input_of(bench);

    if (input->good) {
        for (unsigned kind = 0; input_kind_name(kind) != NULL; kind++) {
            add_kind(metrics, bench, &input->interactive, kind);
        }
        add_actions(metrics, bench, &input->interactive, &input->actions);
    }
}

/* Returns whether the series holds places in time. This applies to all benches, because those of
 * threads publish samples of the idle loop as well. */
static bool input_places(const char *series)
{
    static const char *const placing[] = {SERIES_INTENDED, SERIES_WRITTEN, SERIES_STAMP_FROM,
                                          SERIES_STAMP_TO, SERIES_IDLE,    SERIES_COUNTED_AT};

    for (size_t i = 0; i < COUNT(placing); i++) {
        if (strcmp(series, placing[i]) == 0) {
            return true;
        }
    }
    return false;
}

PLUGIN_REGISTER(input_metrics) = {
    .order = 500,
    .metrics = {.main = "response.printable,response.command,response.click,response.key_down",
                .places = input_places,
                .others = add_input}};

/*
 * Metrics of the phases of input events: the time from the arrival of a phase's first event to the
 * effect of its last one, and how long the processor was busy in that time: "burst.elapsed[fast]",
 * "burst.busy[fast]", or "echo.elapsed" for a bench without phases.
 */

static struct metric *add_phase(struct metrics *metrics, const struct run_bench *bench,
                                const struct interactive_phase *phase, const char *series,
                                uint64_t ticks)
{
    struct metric *metric = metrics_add(metrics, bench, series, phase->name);

    metric->series = series;
    metric->values = alloc_zeroed(sizeof(*metric->values));
    metric->values[metric->n++] = (double)ticks;
    return metric;
}

/* Elapsed time depends on the script as much as on the system, so more of it is neither better nor
 * worse. */
static void add_elapsed(struct metrics *metrics, const struct run_bench *bench,
                        const struct interactive_phase *phase)
{
    if (phase->known && phase->to > phase->from) {
        add_phase(metrics, bench, phase, FACT_ELAPSED, phase->to - phase->from)->better =
            METRIC_NEITHER;
        add_phase(metrics, bench, phase, FACT_BUSY, phase->busy);
    }
}

static void add_phases(struct metrics *metrics, const struct run_bench *bench)
{
    if (!is_traced(bench)) {
        return;
    }
    const struct input_reading *input = input_of(bench);
    const struct interactive *interactive = &input->interactive;

    if (input->good && interactive->phase_count == 0) {
        add_elapsed(metrics, bench, &interactive->all);
    }
    for (size_t i = 0; input->good && i < interactive->phase_count; i++) {
        if (interactive->phases[i].name != NULL) {
            add_elapsed(metrics, bench, &interactive->phases[i]);
        }
    }
}

PLUGIN_REGISTER(elapsed_metrics) = {.order = 510, .metrics = {.others = add_phases}};
