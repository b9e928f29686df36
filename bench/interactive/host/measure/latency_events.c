/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/latency_events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/host/measure/thresholds.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* ---- events ---- */

static int by_begin(const void *left, const void *right)
{
    const struct latency_event *a = left;
    const struct latency_event *b = right;

    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

bool latency_group_has(const struct latency_group *group, const struct actions *actions,
                       const struct action *action)
{
    return action->has_phase == (group->phase != NULL) &&
           (group->phase == NULL || action->phase == group->phase->phase) &&
           (group->class == NULL || group->class == actions->classes[action->class]);
}

static void add_event(struct latency_events *events, const struct action *action, unsigned kind,
                      enum measure measure, const struct latency_wish *wish)
{
    if (!action->known[measure]) {
        events->endless++;
    } else if (wish->has_above && action->latency[measure] <= wish->above) {
        events->below++;
    } else {
        events->events[events->count++] = (struct latency_event){
            .begin = (int64_t)action->begin,
            .latency = action->latency[measure],
            .kind = kind,
            .class = action->class,
        };
    }
}

static void fill_events(struct latency_events *events, const struct latency_group *group,
                        const struct interactive *interactive, const struct actions *actions,
                        enum measure measure, const struct latency_wish *wish)
{
    events->events = alloc_zeroed(group->actions * sizeof(*events->events));
    for (size_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->actions[i];

        if (latency_group_has(group, actions, action)) {
            add_event(events, action, interactive->events[action->first].kind, measure, wish);
        }
    }
    sort_stable(events->events, events->count, sizeof(*events->events), by_begin);
    events->latencies = alloc_zeroed(events->count * sizeof(*events->latencies));
    for (size_t i = 0; i < events->count; i++) {
        events->latencies[i] = events->events[i].latency;
    }
}

/* ---- groups ---- */

static void set_label(struct latency_group *group, size_t phases)
{
    const struct interactive_phase *phase = group->phase;
    char name[LATENCY_LABEL_MAX] = "";

    if (phase != NULL && phase->name != NULL) {
        snprintf(name, sizeof(name), "%.40s", phase->name);
    } else if (phase != NULL) {
        snprintf(name, sizeof(name), "phase %u", phase->phase);
    } else if (phases > 0) {
        snprintf(name, sizeof(name), "in no phase");
    }
    snprintf(group->label, sizeof(group->label), "%.40s%s%.36s", name,
             name[0] != '\0' && group->class != NULL ? ", " : "",
             group->class != NULL ? group->class : "");
}

/* From the first begin to the last end of the phase. */
static void set_elapsed(struct latency_group *group, const struct interactive *interactive,
                        const struct actions *actions)
{
    uint64_t end = 0;

    group->begin = UINT64_MAX;
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (actions->of[i] == ACTION_NONE) {
            continue;
        }
        const struct action *action = &actions->actions[actions->of[i]];

        if (action->has_phase == (group->phase != NULL) &&
            (group->phase == NULL || action->phase == group->phase->phase)) {
            group->begin = action->begin < group->begin ? action->begin : group->begin;
            end = action->begin > end ? action->begin : end;
            end = event->has_done && event->done > end ? event->done : end;
        }
    }
    group->elapsed = end - group->begin;
}

static void add_group(struct latency_groups *groups, const struct interactive *interactive,
                      const struct actions *actions, const struct latency_wish *wish,
                      const struct latency_group *of)
{
    size_t count = 0;

    for (size_t i = 0; i < actions->count; i++) {
        count += latency_group_has(of, actions, &actions->actions[i]);
    }
    if (count == 0) {
        return;
    }
    groups->item =
        alloc_append(groups->item, &groups->count, &groups->capacity, sizeof(*groups->item));
    struct latency_group *group = &groups->item[groups->count - 1];

    *group = *of;
    group->actions = count;
    set_label(group, interactive->phase_count);
    set_elapsed(group, interactive, actions);
    for (unsigned m = 0; m < MEASURES; m++) {
        fill_events(&group->of[m], group, interactive, actions, (enum measure)m, wish);
    }
}

void latency_groups_of(struct latency_groups *groups, const struct interactive *interactive,
                       const struct actions *actions, const struct latency_wish *wish)
{
    *groups = (struct latency_groups){.begin = interactive->begin};
    for (size_t p = 0; p <= interactive->phase_count; p++) {
        const struct latency_group of = {
            .phase = p < interactive->phase_count ? &interactive->phases[p] : NULL};

        for (size_t c = 0; wish->by_class && c < actions->class_count; c++) {
            struct latency_group class = of;

            class.class = actions->classes[c];
            add_group(groups, interactive, actions, wish, &class);
        }
        if (!wish->by_class) {
            add_group(groups, interactive, actions, wish, &of);
        }
    }
}

void latency_groups_free(struct latency_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        for (unsigned m = 0; m < MEASURES; m++) {
            free(groups->item[i].of[m].events);
            free(groups->item[i].of[m].latencies);
        }
    }
    free(groups->item);
}

struct latency_wish latency_wish_chosen(double ns_per_tick)
{
    const struct measure_choice *choice = measure_choice();
    const bool has_above = choice->has_above && ns_per_tick > 0;

    return (struct latency_wish){
        .by_class = choice->by_class,
        .has_above = has_above,
        .above = has_above ? latency_threshold(choice->above_ms, ns_per_tick) : 0,
    };
}

/* ---- lengths ---- */

int64_t latency_threshold(double ms, double ns_per_tick)
{
    const double ticks = ms * 1e6 / ns_per_tick;

    return ticks < 9e18 ? llround(ticks) : INT64_MAX;
}

uint64_t latency_perceptible(double ns_per_tick)
{
    return ns_per_tick > 0 ? (uint64_t)latency_threshold(THRESHOLD_DEFAULT_MS, ns_per_tick)
                           : UINT64_MAX;
}

const struct latency_event *latency_longest(const struct latency_events *events)
{
    const struct latency_event *longest = NULL;

    for (size_t i = 0; i < events->count; i++) {
        if (longest == NULL || events->events[i].latency > longest->latency) {
            longest = &events->events[i];
        }
    }
    return longest;
}

const struct latency_event *latency_longest_of(const struct latency_groups *groups,
                                               enum measure measure)
{
    const struct latency_event *longest = NULL;

    for (size_t i = 0; i < groups->count; i++) {
        const struct latency_event *event = latency_longest(&groups->item[i].of[measure]);

        if (event != NULL && (longest == NULL || event->latency > longest->latency)) {
            longest = event;
        }
    }
    return longest;
}

size_t latency_count_of(const struct latency_groups *groups, enum measure measure)
{
    size_t count = 0;

    for (size_t i = 0; i < groups->count; i++) {
        count += groups->item[i].of[measure].count;
    }
    return count;
}
