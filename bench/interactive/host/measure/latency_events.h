/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The latencies of a bench's actions, for latency.h: in all measures, each phase of the bench apart
 * from the others (or each class of actions in each phase), as what comes in one does not follow
 * what came in another.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/latency.h"

#define LATENCY_LABEL_MAX 80

struct latency_events {
    struct latency_event *events; /* by begin */
    int64_t *latencies;           /* of the same, in the same order */
    size_t count;
    size_t endless; /* actions whose latency is not known */
    size_t below;   /* actions that are left out, as they do not take longer than was asked for */
};

struct latency_group {
    const struct interactive_phase *phase; /* NULL: of none */
    const char *class;                     /* NULL: all classes */
    char label[LATENCY_LABEL_MAX];         /* "server", "server, newline", "newline"; "" for all of
                                              a bench without phases */
    size_t actions;                        /* that came */
    uint64_t begin;                        /* TSC: of the first action of the phase */
    uint64_t elapsed;                      /* from there to the last end; of any class */
    struct latency_events of[MEASURES];
};

struct latency_groups {
    struct latency_group
        *item; /* by phase, and by class as they first came; none without actions */
    size_t count, capacity;
    uint64_t begin; /* TSC, of the traces */
};

struct latency_wish {
    bool by_class;
    bool has_above;
    int64_t above; /* ticks: only what takes longer */
};

/* `interactive` and `actions` must outlive them. */
void latency_groups_of(struct latency_groups *groups, const struct interactive *interactive,
                       const struct actions *actions, const struct latency_wish *wish);
void latency_groups_free(struct latency_groups *groups);

/* Is it an action of the group's phase and class? */
bool latency_group_has(const struct latency_group *group, const struct actions *actions,
                       const struct action *action);

/* What the person at this terminal chose (measure.h); above nothing where `ns_per_tick` is 0. */
struct latency_wish latency_wish_chosen(double ns_per_tick);

/* Ticks of a threshold in milliseconds; INT64_MAX where it is longer than that. */
int64_t latency_threshold(double ms, double ns_per_tick);

/* Ticks that a user does not perceive (THRESHOLD_DEFAULT_MS); UINT64_MAX where `ns_per_tick` is 0:
 * not known. */
uint64_t latency_perceptible(double ns_per_tick);

/* The event with the largest latency, the first of equals; NULL where there is none. */
const struct latency_event *latency_longest(const struct latency_events *events);
/* The same of all groups, by one measure. */
const struct latency_event *latency_longest_of(const struct latency_groups *groups,
                                               enum measure measure);
/* How many events there are by that measure, in all groups. */
size_t latency_count_of(const struct latency_groups *groups, enum measure measure);
