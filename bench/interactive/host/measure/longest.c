/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/longest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* The place of an action. */
struct place {
    size_t system;
    size_t number; /* number within its class, from 0 */
};

/* Returns the system of an action. There are few systems, so a linear search suffices. */
static size_t system_of(const struct actions *actions, size_t at, const size_t *firsts,
                        size_t count)
{
    size_t system = 0;

    while (system < count && actions->actions[firsts[system]].phase != actions->actions[at].phase) {
        system++;
    }
    return system;
}

static void find_systems(struct longest *longest, const struct actions *actions,
                         struct place *places)
{
    size_t *firsts = alloc_zeroed((actions->count + 1) * sizeof(*firsts));

    longest->systems = alloc_zeroed((actions->count + 1) * sizeof(*longest->systems));
    for (size_t i = 0; i < actions->count; i++) {
        const size_t system = system_of(actions, i, firsts, longest->system_count);

        if (system == longest->system_count) {
            const struct interactive_phase *phase = actions->actions[i].phase;

            firsts[longest->system_count] = i;
            longest->systems[longest->system_count++] = phase != NULL ? phase->name : NULL;
        }
        places[i].system = system;
    }
    free(firsts);
}

/* Numbers each action within its class. Returns, for each class, the number of its actions in the
 * system that has most. */
static size_t *count_classes(const struct longest *longest, const struct actions *actions,
                             struct place *places)
{
    const size_t classes = actions->class_count;
    size_t *counts = alloc_zeroed((classes * longest->system_count + 1) * sizeof(*counts));
    size_t *most = alloc_zeroed((classes + 1) * sizeof(*most));

    for (size_t i = 0; i < actions->count; i++) {
        const unsigned class = actions->actions[i].class;
        size_t *count = &counts[class * longest->system_count + places[i].system];

        places[i].number = (*count)++;
        most[class] = *count > most[class] ? *count : most[class];
    }
    free(counts);
    return most;
}

static void fill_rows(struct longest *longest, const struct actions *actions,
                      const struct place *places, const size_t *most)
{
    size_t *first = alloc_zeroed((actions->class_count + 1) * sizeof(*first));

    for (size_t class = 0; class < actions->class_count; class ++) {
        first[class] = longest->count;
        longest->count += most[class];
    }
    longest->rows = alloc_zeroed((longest->count + 1) * sizeof(*longest->rows));
    longest->cells =
        alloc_zeroed((longest->count * longest->system_count + 1) * sizeof(struct action *));
    for (size_t class = 0; class < actions->class_count; class ++) {
        for (size_t number = 0; number < most[class]; number++) {
            const size_t row = first[class] + number;

            longest->rows[row] = (struct longest_row){
                .class = actions->classes[class],
                .number = number + 1,
                .of = most[class],
                .action = &longest->cells[row * longest->system_count],
            };
        }
    }
    for (size_t i = 0; i < actions->count; i++) {
        const size_t row = first[actions->actions[i].class] + places[i].number;

        longest->rows[row].action[places[i].system] = &actions->actions[i];
    }
    free(first);
}

static int64_t length_of(const struct longest_row *row, size_t systems, enum measure measure)
{
    int64_t longest = INT64_MIN;

    for (size_t i = 0; i < systems; i++) {
        const struct action *action = row->action[i];

        if (action != NULL && action->known[measure] && action->latency[measure] > longest) {
            longest = action->latency[measure];
        }
    }
    return longest;
}

void longest_init(struct longest *longest, const struct actions *actions, enum measure measure,
                  size_t most)
{
    struct place *places = alloc_zeroed((actions->count + 1) * sizeof(*places));

    *longest = (struct longest){0};
    find_systems(longest, actions, places);
    size_t *counts = count_classes(longest, actions, places);

    fill_rows(longest, actions, places, counts);
    free(counts);
    free(places);
    for (size_t i = 0; i < longest->count; i++) {
        longest->rows[i].length = length_of(&longest->rows[i], longest->system_count, measure);
    }
    sort_by(longest->rows, longest->count, sizeof(*longest->rows),
            offsetof(struct longest_row, length), true);
    longest->count = longest->count < most ? longest->count : most;
    while (longest->count > 0 && longest->rows[longest->count - 1].length == INT64_MIN) {
        longest->count--;
    }
}

void longest_free(struct longest *longest)
{
    free(longest->rows);
    free(longest->cells);
    free(longest->systems);
}

bool longest_on_disk(const struct longest *longest)
{
    for (size_t i = 0; i < longest->count; i++) {
        for (size_t system = 0; system < longest->system_count; system++) {
            const struct action *action = longest->rows[i].action[system];

            if (action != NULL && action->has_disk && action->disk_requests > 0) {
                return true;
            }
        }
    }
    return false;
}

const char *longest_driver(const char *system, char structure[LONGEST_SYSTEM_MAX])
{
    const char *name = system != NULL ? system : "";
    const char *point = strchr(name, '.');
    const int length = (int)(point != NULL ? (size_t)(point - name) : strlen(name));

    snprintf(structure, LONGEST_SYSTEM_MAX, "%.*s", length, name);
    return point != NULL ? point + 1 : "";
}

const char *longest_name(const struct longest_row *row, char text[LONGEST_NAME_MAX])
{
    if (row->of > 1) {
        snprintf(text, LONGEST_NAME_MAX, "%.32s %zu", row->class, row->number);
    } else {
        snprintf(text, LONGEST_NAME_MAX, "%.32s", row->class);
    }
    return text;
}

double longest_disk_share(const struct action *action)
{
    if (!action->has_disk || !action->known[MEASURE_SERVICE] ||
        action->latency[MEASURE_SERVICE] <= 0) {
        return NAN;
    }
    return (double)action->disk / (double)action->latency[MEASURE_SERVICE];
}

void geometric_law(double p, size_t n, struct geometric_law *law)
{
    const double ratio = sqrt(1 - p);
    const double skewness = (2 - p) / ratio;
    const double kurtosis = 9 + p * p / (1 - p);
    /* Relative variance of deviation / mean: that of the deviation, less twice the covariance of
     * deviation and mean, plus that of the mean. */
    const double variance = (kurtosis - 1) / 4 - skewness * ratio + ratio * ratio;

    law->mean = 1 / p;
    law->ratio = ratio;
    law->mean_error = ratio / p / sqrt((double)n);
    law->ratio_error = ratio * sqrt(variance / (double)n);
}

static bool is_of(const struct interactive_event *event, const struct interactive_phase *phase)
{
    return event->came && event->kind == INPUT_KEY_DOWN && event->has_phase &&
           event->phase == phase->phase;
}

static void fill(const struct interactive *interactive, const struct interactive_phase *phase,
                 int64_t threshold, double p, struct long_events *of)
{
    struct latency_event *events = alloc_zeroed((interactive->count + 1) * sizeof(*events));
    size_t n = 0;

    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        uint64_t service;

        if (is_of(event, phase) && interactive_service(event, &service)) {
            events[n++] = (struct latency_event){
                .begin = (int64_t)(event->has_intended ? event->intended : event->arrival),
                .latency = (int64_t)service,
                .kind = event->kind,
            };
        }
    }
    *of = (struct long_events){.phase = phase->name != NULL ? phase->name : "", .keys = n};
    of->random = strcmp(of->phase, PHASE_RANDOM) == 0;
    of->spacing = n > 1 ? (double)(events[n - 1].begin - events[0].begin) / (double)(n - 1) : NAN;
    latency_interarrivals(events, n, threshold, &of->interarrival);
    of->long_keys = of->interarrival.events;
    if (of->random && of->long_keys > 1) {
        geometric_law(p, of->long_keys - 1, &of->law);
    }
    free(events);
}

size_t long_events_of(const struct interactive *interactive, int64_t threshold, double p,
                      struct long_events *phases, size_t capacity)
{
    size_t count = 0;

    for (size_t i = 0; i < interactive->phase_count && count < capacity; i++) {
        fill(interactive, &interactive->phases[i], threshold, p, &phases[count++]);
    }
    return count;
}
