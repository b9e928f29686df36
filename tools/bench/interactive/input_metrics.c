/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of input events: time of service and of response by kind of event, and by phase where the
 * bench has phases: "burst.service.key_down[fast]".
 */
#include <stdio.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/bench/interactive/interactive.h"
#include "tools/present/reading.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct span {
    const char *name;
    bool (*of)(const struct interactive_event *event, uint64_t *ticks);
};

static const struct span spans[] = {{"service", interactive_service},
                                    {"response", interactive_response}};

/* Events of one kind, and of one phase where the bench has phases. */
struct selection {
    unsigned kind;
    const struct interactive_phase *phase; /* NULL: the bench has none */
};

static bool is_selected(const struct interactive_event *event, const struct selection *selection)
{
    return event->came && event->kind == selection->kind &&
           (selection->phase == NULL ||
            (event->has_phase && event->phase == selection->phase->phase));
}

static bool any_selected(const struct interactive *interactive, const struct span *span,
                         const struct selection *selection)
{
    uint64_t ticks;

    for (size_t i = 0; i < interactive->count; i++) {
        if (is_selected(&interactive->events[i], selection) &&
            span->of(&interactive->events[i], &ticks)) {
            return true;
        }
    }
    return false;
}

static void add_events(struct metrics *metrics, const struct run_bench *bench,
                       const struct interactive *interactive, const struct span *span,
                       const struct selection *selection)
{
    const struct interactive_phase *phase = selection->phase;
    char series[METRIC_NAME_MAX];
    char number[METRIC_X_MAX];

    if (!any_selected(interactive, span, selection)) {
        return;
    }
    snprintf(series, sizeof(series), "%s.%s", span->name, input_kind_name(selection->kind));
    snprintf(number, sizeof(number), "%u", phase != NULL ? phase->phase : 0U);
    struct metric *metric = metrics_add(metrics, bench, series,
                                        phase == NULL         ? NULL
                                        : phase->name != NULL ? phase->name
                                                              : number);

    metric->series = span->name;
    metric->values = alloc_zeroed(interactive->count * sizeof(*metric->values));
    metric->cold = alloc_zeroed(interactive->count * sizeof(*metric->cold));
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        uint64_t ticks;

        if (!is_selected(event, selection) || !span->of(event, &ticks)) {
            continue;
        }
        if (event->cold) {
            metric->cold[metric->cold_count++] = (double)(int64_t)ticks;
        } else {
            metric->values[metric->n++] = (double)(int64_t)ticks;
        }
    }
}

static void add_kind(struct metrics *metrics, const struct run_bench *bench,
                     const struct interactive *interactive, unsigned kind)
{
    for (size_t i = 0; i < COUNT(spans); i++) {
        if (interactive->phase_count == 0) {
            add_events(metrics, bench, interactive, &spans[i], &(struct selection){kind, NULL});
        }
        for (size_t k = 0; k < interactive->phase_count; k++) {
            add_events(metrics, bench, interactive, &spans[i],
                       &(struct selection){kind, &interactive->phases[k]});
        }
    }
}

static void add_input(struct metrics *metrics, const struct run_bench *bench)
{
    struct interactive interactive;

    if (bench->group == NULL || strcmp(bench->group, GROUP_INTERACTIVE) != 0 ||
        bench->trace_count == 0) {
        return;
    }
    if (interactive_read(&interactive, bench)) {
        for (unsigned kind = 0; input_kind_name(kind) != NULL; kind++) {
            add_kind(metrics, bench, &interactive, kind);
        }
    }
    interactive_free(&interactive);
}

/* Of all benches: those of threads publish samples of the idle loop as well. */
static bool input_places(const char *series)
{
    static const char *const placing[] = {SERIES_INTENDED, SERIES_WRITTEN, SERIES_STAMP_FROM,
                                          SERIES_STAMP_TO, SERIES_IDLE};

    for (size_t i = 0; i < COUNT(placing); i++) {
        if (strcmp(series, placing[i]) == 0) {
            return true;
        }
    }
    return false;
}

READING_REGISTER(input_metrics) = {.order = 500,
                                   .metrics = {.places = input_places, .others = add_input}};
