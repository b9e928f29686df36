/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches events with the plan, and reads the stamps of the application. */
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_reading.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

#define RESYNC_MAX 32 /* so many are looked ahead where two lists differ */
#define NOT_SENT   (-1)
#define NO_KIND    0xff
#define KIND_SHIFT 16
#define NOWHERE    SIZE_MAX

/* ---- what was planned ---- */

bool interactive_place(const struct interactive *interactive, int64_t value, uint64_t *tsc)
{
    *tsc = interactive->begin + (uint64_t)value;
    return value < 0 ? *tsc < interactive->begin : *tsc >= interactive->begin;
}

/* A sample of a series, which may be absent (NULL). Indices rise. */
static bool take(struct run_walk *walk, uint32_t index, int64_t *value)
{
    return walk->series != NULL && run_walk_to(walk, index, value);
}

struct plan_walks {
    struct run_walk intended, written, cold, phase, action, class;
};

static void plan_event(const struct interactive *interactive, struct plan_walks *walks,
                       uint32_t index, int64_t sent, struct interactive_event *event)
{
    const bool good = sent >= 0 && sent >> KIND_SHIFT < NO_KIND;
    int64_t value;

    memset(event, 0, sizeof(*event));
    event->planned = true;
    event->kind = good ? (uint8_t)(sent >> KIND_SHIFT) : NO_KIND;
    event->code = (uint16_t)sent;
    event->thread = ACCOUNT_NO_THREAD;
    event->has_intended = take(&walks->intended, index, &value) &&
                          interactive_place(interactive, value, &event->intended);
    event->has_written = take(&walks->written, index, &value) && value != NOT_SENT &&
                         interactive_place(interactive, value, &event->written);
    event->cold = take(&walks->cold, index, &value) && value != 0;
    event->has_phase = take(&walks->phase, index, &value) && value >= 0 && value <= UINT8_MAX;
    event->phase = event->has_phase ? (uint8_t)value : 0;
    event->has_action = take(&walks->action, index, &value) && value >= 0 && value <= UINT32_MAX;
    event->action = event->has_action ? (uint32_t)value : 0;
    event->has_class = take(&walks->class, index, &value) && value >= 0 && value <= UINT8_MAX;
    event->class = event->has_class ? (uint8_t)value : 0;
}

/* As many as samples of `sent` arrived; to be freed. */
static struct interactive_event *read_plan(const struct interactive_reading *reading, size_t *count)
{
    const struct run_series *sent = run_find_series(reading->bench, SERIES_SENT);
    struct plan_walks walks = {
        .intended.series = run_find_series(reading->bench, SERIES_INTENDED),
        .written.series = run_find_series(reading->bench, SERIES_WRITTEN),
        .cold.series = run_find_series(reading->bench, SERIES_COLD),
        .phase.series = run_find_series(reading->bench, SERIES_PHASE),
        .action.series = run_find_series(reading->bench, SERIES_ACTION),
        .class.series = run_find_series(reading->bench, SERIES_CLASS),
    };
    size_t used = 0;

    *count = sent != NULL ? sent->received : 0;
    struct interactive_event *plan = alloc_zeroed(*count * sizeof(*plan));

    for (size_t r = 0; sent != NULL && r < sent->range_count; r++) {
        for (uint32_t i = 0; i < sent->ranges[r].count; i++, used++) {
            plan_event(reading->interactive, &walks, sent->ranges[r].first + i, sent->samples[used],
                       &plan[used]);
        }
    }
    return plan;
}

/* ---- what came of it ---- */

/* Two lists: what was planned, and what came. */
struct match {
    const struct interactive_event *plan;
    size_t planned;
    const struct interactive_event *came;
    size_t arrived;
    size_t *of;    /* of what came: the planned one that it is, or NOWHERE */
    size_t *place; /* and where in the plan it came */
    bool *used;    /* of what was planned: it came */
};

static bool is_same(const struct match *match, size_t planned, size_t came)
{
    return planned < match->planned && came < match->arrived &&
           match->plan[planned].kind == match->came[came].kind &&
           match->plan[planned].code == match->came[came].code;
}

/* The driver counts what arrives: numbers that are not in the trace were lost with a part of it. */
static size_t lost_before(const struct match *match, size_t planned, size_t came)
{
    const uint32_t before = came > 0 ? match->came[came - 1].number : 0;
    const uint32_t number = match->came[came].number;
    const size_t lost = number > before ? number - before - 1 : 0;

    return lost > 0 && is_same(match, planned + lost, came) ? lost : 0;
}

/* From where two lists differ to where they are the same again, at the fewest steps in both. Where
 * there is no such place nearby, what came was not planned. */
static void resync(const struct match *match, size_t *planned, size_t *came)
{
    for (size_t steps = 1; steps <= RESYNC_MAX; steps++) {
        for (size_t skip = 0; skip <= steps; skip++) {
            if (is_same(match, *planned + steps - skip, *came + skip)) {
                *planned += steps - skip;
                *came += skip;
                return;
            }
        }
    }
    (*came)++;
}

static void match_in_order(struct match *match)
{
    size_t planned = 0;
    size_t came = 0;

    while (came < match->arrived) {
        planned += lost_before(match, planned, came);
        match->place[came] = planned;
        if (is_same(match, planned, came)) {
            match->of[came++] = planned;
            match->used[planned++] = true;
        } else {
            const size_t from = came;

            resync(match, &planned, &came);
            for (size_t i = from; i < came; i++) {
                match->place[i] = planned;
            }
        }
    }
}

/* One that came, and one nearby that did not: it came in another order. */
static void match_displaced(struct match *match, size_t came)
{
    const size_t place = match->place[came];
    const size_t first = place > RESYNC_MAX ? place - RESYNC_MAX : 0;

    for (size_t i = first; i < match->planned && i < place + RESYNC_MAX; i++) {
        if (!match->used[i] && is_same(match, i, came)) {
            match->of[came] = i;
            match->used[i] = true;
            return;
        }
    }
}

static void take_over(struct interactive_event *event, const struct interactive_event *plan)
{
    event->planned = true;
    event->cold = plan->cold;
    event->has_phase = plan->has_phase;
    event->phase = plan->phase;
    event->has_action = plan->has_action;
    event->action = plan->action;
    event->has_class = plan->has_class;
    event->class = plan->class;
    event->has_intended = plan->has_intended;
    event->intended = plan->intended;
    event->has_written = plan->has_written;
    event->written = plan->written;
}

static void add_arrival_error(struct interactive *interactive,
                              const struct interactive_event *event)
{
    if (!event->has_arrival || !event->has_written) {
        return;
    }
    const int64_t error = (int64_t)(event->arrival - event->written);

    if (!interactive->has_arrival_error || error < interactive->arrival_error_min) {
        interactive->arrival_error_min = error;
    }
    if (!interactive->has_arrival_error || error > interactive->arrival_error_max) {
        interactive->arrival_error_max = error;
    }
    interactive->has_arrival_error = true;
}

/* Reports what came of what was planned, and adds what did not come. */
static void apply_match(struct interactive_reading *reading, const struct match *match)
{
    struct interactive *interactive = reading->interactive;

    for (size_t i = 0; i < match->arrived; i++) {
        if (match->of[i] != NOWHERE) {
            take_over(&interactive->events[i], &match->plan[match->of[i]]);
            add_arrival_error(interactive, &interactive->events[i]);
            interactive->matched++;
        }
    }
    for (size_t i = 0; i < match->planned; i++) {
        if (!match->used[i]) {
            interactive->events = alloc_append(interactive->events, &interactive->count,
                                               &reading->capacity, sizeof(*interactive->events));
            interactive->events[interactive->count - 1] = match->plan[i];
        }
    }
    interactive->planned = match->planned;
    interactive->missing = match->planned - interactive->matched;
    interactive->unplanned = match->arrived - interactive->matched;
}

void interactive_match(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;
    size_t planned;
    struct interactive_event *plan = read_plan(reading, &planned);
    struct match match = {
        .plan = plan,
        .planned = planned,
        .came = interactive->events,
        .arrived = interactive->arrived,
        .of = alloc_zeroed(interactive->arrived * sizeof(*match.of)),
        .place = alloc_zeroed(interactive->arrived * sizeof(*match.place)),
        .used = alloc_zeroed(planned * sizeof(*match.used)),
    };

    memset(match.of, 0xff, interactive->arrived * sizeof(*match.of)); /* NOWHERE */
    match_in_order(&match);
    interactive->in_order = true;
    for (size_t i = 0; i < match.arrived; i++) {
        if (match.of[i] == NOWHERE) {
            match_displaced(&match, i);
            interactive->events[i].displaced = match.of[i] != NOWHERE;
            interactive->in_order = interactive->in_order && match.of[i] == NOWHERE;
        }
    }
    apply_match(reading, &match);
    free(plan);
    free(match.of);
    free(match.place);
    free(match.used);
}

/* ---- the traditional measurement ---- */

static int by_number(const void *left, const void *right)
{
    const struct numbered_event *a = left;
    const struct numbered_event *b = right;

    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The last event of that number that was there at `at`: numbers begin anew with each session. */
static struct interactive_event *find_at(const struct interactive *interactive,
                                         const struct numbered_event *numbers, size_t count,
                                         uint32_t number, uint64_t at)
{
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct numbered_event *candidate = &numbers[middle];

        if (candidate->number < number ||
            (candidate->number == number && interactive->events[candidate->index].decoded <= at)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && numbers[low - 1].number == number
               ? &interactive->events[numbers[low - 1].index]
               : NULL;
}

struct stamps {
    struct numbered_event *numbers; /* all events, by number and in order */
    size_t count;
    struct run_walk from, to;
};

/* Readings from before it was taken, or not in order, are no measurement of it. */
static void set_stamps(const struct interactive *interactive, struct stamps *stamps, uint32_t index,
                       int64_t number)
{
    struct interactive_event *event;
    uint64_t from;
    uint64_t to;
    int64_t value;

    if (number <= 0 || number > UINT32_MAX || !take(&stamps->from, index, &value) ||
        !interactive_place(interactive, value, &from) || !take(&stamps->to, index, &value) ||
        !interactive_place(interactive, value, &to) || to < from) {
        return;
    }
    event = find_at(interactive, stamps->numbers, stamps->count, (uint32_t)number, from);
    if (event == NULL || (event->has_taken && from < event->taken)) {
        return;
    }
    event->has_stamps = true;
    event->stamp_from = from;
    event->stamp_to = to;
}

void interactive_read_stamps(struct interactive_reading *reading)
{
    const struct interactive *interactive = reading->interactive;
    const struct run_series *series = run_find_series(reading->bench, SERIES_STAMP_NUMBER);
    struct stamps stamps = {
        .numbers = alloc_zeroed(interactive->count * sizeof(*stamps.numbers)),
        .count = interactive->count,
        .from.series = run_find_series(reading->bench, SERIES_STAMP_FROM),
        .to.series = run_find_series(reading->bench, SERIES_STAMP_TO),
    };
    size_t used = 0;

    for (size_t i = 0; i < interactive->count; i++) {
        stamps.numbers[i] = (struct numbered_event){interactive->events[i].number, i};
    }
    sort_stable(stamps.numbers, stamps.count, sizeof(*stamps.numbers), by_number);
    for (size_t r = 0; series != NULL && r < series->range_count; r++) {
        for (uint32_t i = 0; i < series->ranges[r].count; i++) {
            set_stamps(interactive, &stamps, series->ranges[r].first + i, series->samples[used++]);
        }
    }
    free(stamps.numbers);
}
