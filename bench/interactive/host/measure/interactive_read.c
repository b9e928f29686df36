/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the life of each input event from the trace, then runs the steps of its analysis. */
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/arrival.h"
#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/interactive_reading.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* Returns the index of the i-th latest handler, counted from 1. */
static size_t place_of(const struct arrival_finder *finder, size_t i)
{
    return (finder->count - i) % ARRIVAL_HANDLERS;
}

static size_t kept(const struct arrival_finder *finder)
{
    return finder->count < ARRIVAL_HANDLERS ? finder->count : ARRIVAL_HANDLERS;
}

static void find_part(void *context, const struct accounting *accounting,
                      const struct run_trace *trace)
{
    struct arrival_finder *finder = context;

    (void)accounting;
    finder->isr_lead = trace->costs.isr_lead;
}

static void find_unknown(void *context, const struct accounting *accounting)
{
    struct arrival_finder *finder = context;

    for (size_t i = 1; i <= kept(finder); i++) {
        struct arrival_handler *run = &finder->handlers[place_of(finder, i)];

        run->entry = run->on == accounting->on ? UINT64_MAX : run->entry;
    }
}

static void find_event(void *context, const struct accounting *accounting,
                       const struct trace_event *event)
{
    struct arrival_finder *finder = context;

    finder->on = accounting->on;
    if (event->id == TRACE_ID_isr_entry) {
        /* The stamp is later than the interrupt by the path to it and, if the tracer had to open a
         * packet, by the time for that. */
        finder->handlers[finder->count++ % ARRIVAL_HANDLERS] = (struct arrival_handler){
            .entry = event->tsc,
            .lead = (uint64_t)finder->isr_lead + event->tracer_ticks,
            .vector = (uint32_t)event->field[0],
            .on = accounting->on,
            .open = true,
        };
    }
    for (size_t i = 1; i <= kept(finder) && event->id == TRACE_ID_isr_exit; i++) {
        struct arrival_handler *run = &finder->handlers[place_of(finder, i)];

        if (run->open && run->on == accounting->on && run->vector == event->field[0]) {
            run->open = false;
            run->exit = event->tsc;
            return;
        }
    }
}

struct account_observer arrival_observer(struct arrival_finder *finder)
{
    return (struct account_observer){
        .context = finder, .part = find_part, .event = find_event, .unknown = find_unknown};
}

uint64_t arrival_of(const struct arrival_finder *finder, uint64_t stamp, uint64_t *entry)
{
    uint64_t at = stamp;

    entry = entry != NULL ? entry : &at;
    *entry = stamp;
    for (size_t i = 1; i <= kept(finder); i++) {
        const struct arrival_handler *run = &finder->handlers[place_of(finder, i)];

        if (run->on == finder->on && run->entry <= stamp && (run->open || stamp < run->exit)) {
            *entry = run->entry;
            return run->entry - (run->lead < run->entry ? run->lead : run->entry);
        }
    }
    return stamp;
}

/* Matches events with the plan, and reads the stamps of the application. */

#define RESYNC_MAX 32 /* how far to look ahead where the two lists differ */
#define NOT_SENT   (-1)
#define NO_KIND    0xff
#define KIND_SHIFT 16

/* ---- what was planned ---- */

bool interactive_place(const struct interactive *interactive, int64_t value, uint64_t *tsc)
{
    *tsc = interactive->begin + (uint64_t)value;
    return value < 0 ? *tsc < interactive->begin : *tsc >= interactive->begin;
}

/* Gets a sample of a series, which may be missing (NULL). Indices must rise from call to call. */
static bool take(struct run_walk *walk, uint32_t index, int64_t *value)
{
    return walk->series != NULL && run_walk_to(walk, index, value);
}

struct plan_walks {
    struct run_walk intended, written, cold, phase, action, class;
};

/* Fills in what was planned about the event that is sample `index` of series `sent`. */
static void plan_event(const struct interactive *interactive, struct plan_walks *walks,
                       uint32_t index, struct interactive_event *event)
{
    int64_t value;

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

/* ---- what came ---- */

/* Two lists: the events that were planned, by series `sent`, and those that came. */
struct match {
    const int64_t *sent;
    size_t planned;
    struct interactive_event *came; /* `planned` is set once a planned event is found for it */
    size_t arrived;
    /* for each planned event: 1 plus the index of the event that came; 0: it did not come */
    uint32_t *came_of;
    /* the events that came but were not expected next, and the index in the plan at that point */
    struct misplaced {
        size_t came, place;
    } * misplaced;
    size_t misplaced_count, misplaced_capacity;
};

static uint8_t sent_kind(int64_t sent)
{
    return sent >= 0 && sent >> KIND_SHIFT < NO_KIND ? (uint8_t)(sent >> KIND_SHIFT) : NO_KIND;
}

static bool is_same(const struct match *match, size_t planned, size_t came)
{
    return planned < match->planned && came < match->arrived &&
           sent_kind(match->sent[planned]) == match->came[came].kind &&
           (uint16_t)match->sent[planned] == match->came[came].code;
}

static void set_match(struct match *match, size_t planned, size_t came)
{
    match->came_of[planned] = (uint32_t)came + 1;
    match->came[came].planned = true;
}

/* Returns how many planned events were lost before event `came`. The driver numbers what arrives,
 * so numbers missing from the trace were lost with a part of it. */
static size_t lost_before(const struct match *match, size_t planned, size_t came)
{
    const uint32_t before = came > 0 ? match->came[came - 1].number : 0;
    const uint32_t number = match->came[came].number;
    const size_t lost = number > before ? number - before - 1 : 0;

    return lost > 0 && is_same(match, planned + lost, came) ? lost : 0;
}

/* Called at a difference between the two lists. Skips to the point at which they agree again, with
 * the fewest steps in both lists. If they agree nowhere nearby, skips the event that came as
 * unplanned. */
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
        if (is_same(match, planned, came)) {
            set_match(match, planned++, came++);
            continue;
        }
        const size_t from = came;

        resync(match, &planned, &came);
        for (size_t i = from; i < came; i++) {
            *ALLOC_NEXT(match->misplaced, match->misplaced_count, match->misplaced_capacity) =
                (struct misplaced){i, planned};
        }
    }
}

/* Matches an event that came out of order with a nearby planned event that is not matched yet. */
static void match_displaced(struct match *match, const struct misplaced *event)
{
    const size_t first = event->place > RESYNC_MAX ? event->place - RESYNC_MAX : 0;

    for (size_t i = first; i < match->planned && i < event->place + RESYNC_MAX; i++) {
        if (match->came_of[i] == 0 && is_same(match, i, event->came)) {
            set_match(match, i, event->came);
            match->came[event->came].displaced = true;
            return;
        }
    }
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

static struct interactive_event *add_event(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;

    return alloc_next(&interactive->events, &interactive->count, &reading->capacity,
                      sizeof(*interactive->events));
}

/* Copies planned event `planned`, sample `index` of series `sent`, to the event that came, or adds
 * an event that did not come. */
static void apply_planned(struct interactive_reading *reading, const struct match *match,
                          struct plan_walks *walks, size_t planned, uint32_t index)
{
    struct interactive *interactive = reading->interactive;

    if (match->came_of[planned] > 0) {
        struct interactive_event *event = &interactive->events[match->came_of[planned] - 1];

        plan_event(interactive, walks, index, event);
        add_arrival_error(interactive, event);
        interactive->matched++;
        return;
    }
    struct interactive_event *event = add_event(reading);

    event->planned = true;
    event->kind = sent_kind(match->sent[planned]);
    event->code = (uint16_t)match->sent[planned];
    event->thread = ACCOUNT_NO_THREAD;
    plan_event(interactive, walks, index, event);
}

/* Copies the plan to the events that came, and adds the planned events that did not come. */
static void apply_match(struct interactive_reading *reading, const struct run_series *sent,
                        const struct match *match)
{
    struct plan_walks walks = {
        .intended.series = run_find_series(reading->bench, SERIES_INTENDED),
        .written.series = run_find_series(reading->bench, SERIES_WRITTEN),
        .cold.series = run_find_series(reading->bench, SERIES_COLD),
        .phase.series = run_find_series(reading->bench, SERIES_PHASE),
        .action.series = run_find_series(reading->bench, SERIES_ACTION),
        .class.series = run_find_series(reading->bench, SERIES_CLASS),
    };
    size_t planned = 0;

    for (size_t r = 0; sent != NULL && r < sent->range_count; r++) {
        for (uint32_t i = 0; i < sent->ranges[r].count; i++) {
            apply_planned(reading, match, &walks, planned++, sent->ranges[r].first + i);
        }
    }
}

/* Joins the events that came, in the order in which they came, with the planned ones, and adds
 * those that did not come at the end. */
static void interactive_match(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;
    const struct run_series *sent = run_find_series(reading->bench, SERIES_SENT);
    struct match match = {
        .sent = sent != NULL ? sent->samples : NULL,
        .planned = sent != NULL ? sent->received : 0,
        .came = interactive->events,
        .arrived = interactive->arrived,
    };

    match.came_of = alloc_zeroed(match.planned * sizeof(*match.came_of));
    match_in_order(&match);
    interactive->in_order = true;
    for (size_t i = 0; i < match.misplaced_count; i++) {
        match_displaced(&match, &match.misplaced[i]);
        interactive->in_order =
            interactive->in_order && !match.came[match.misplaced[i].came].displaced;
    }
    apply_match(reading, sent, &match);
    interactive->planned = match.planned;
    interactive->missing = match.planned - interactive->matched;
    interactive->unplanned = match.arrived - interactive->matched;
    free(match.came_of);
    free(match.misplaced);
}

/* ---- the traditional measurement ---- */

/* Returns the last event with that number that existed at `at`, or NULL. Numbers start again with
 * each session. */
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
    struct numbered_event *numbers; /* all events, ordered by number and then by time */
    size_t count;
    struct run_walk from, to;
};

/* Sets the stamps of the event to which they belong. Ignores stamps from before the event was
 * taken, or in the wrong order. */
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

static void interactive_read_stamps(struct interactive_reading *reading)
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
    sort_by(stamps.numbers, stamps.count, sizeof(*stamps.numbers),
            offsetof(struct numbered_event, number), false);
    for (size_t r = 0; series != NULL && r < series->range_count; r++) {
        for (uint32_t i = 0; i < series->ranges[r].count; i++) {
            set_stamps(interactive, &stamps, series->ranges[r].first + i, series->samples[used++]);
        }
    }
    free(stamps.numbers);
}

/* ---- events by number ---- */

/* Returns the index of the first entry whose number is not below `number`. */
static size_t place_of_number(const struct interactive_reading *reading, uint32_t number)
{
    size_t low = 0;
    size_t high = reading->number_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (reading->numbers[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Makes the event at `index` the latest with this number. A driver counts upwards, so new numbers
 * mostly come at the end. */
static void set_number(struct interactive_reading *reading, uint32_t number, size_t index)
{
    const size_t at = place_of_number(reading, number);

    if (at == reading->number_count || reading->numbers[at].number != number) {
        alloc_next(&reading->numbers, &reading->number_count, &reading->number_capacity,
                   sizeof(*reading->numbers));
        memmove(&reading->numbers[at + 1], &reading->numbers[at],
                (reading->number_count - 1 - at) * sizeof(*reading->numbers));
    }
    reading->numbers[at] = (struct numbered_event){number, index};
}

/* Returns the latest event with that number, or NULL. */
static struct interactive_event *find_number(const struct interactive_reading *reading,
                                             uint32_t number)
{
    const size_t at = place_of_number(reading, number);

    return number != 0 && at < reading->number_count && reading->numbers[at].number == number
               ? &reading->interactive->events[reading->numbers[at].index]
               : NULL;
}

/* ---- events from arrival to end ---- */

/* Adds an input event. A handler reads its stamp within the trace and before the event is recorded.
 * If that is not so, which a damaged log may cause, the arrival is unknown. */
static void see_input(struct interactive_reading *reading, const struct trace_event *event)
{
    struct interactive *interactive = reading->interactive;
    struct interactive_event *input = add_event(reading);
    const uint64_t stamp = event->field[3];

    input->number = (uint32_t)event->field[0];
    input->kind = (uint8_t)event->field[1];
    input->code = (uint16_t)event->field[2];
    input->came = true;
    input->decoded = event->tsc;
    input->thread = ACCOUNT_NO_THREAD;
    input->has_arrival = stamp >= interactive->begin && stamp <= event->tsc;
    input->arrival = input->has_arrival ? arrival_of(&reading->arrivals, stamp, &input->entry) : 0;
    if (input->number != 0) {
        set_number(reading, input->number, interactive->count - 1);
    }
}

/* Returns the event that a message brings, or NULL. A message that a driver posts about an event,
 * after the event, brings none. */
static struct interactive_event *event_of_message(const struct interactive_reading *reading,
                                                  const struct trace_event *message)
{
    struct interactive_event *input = find_number(reading, (uint32_t)message->field[2]);

    return input != NULL && message->field[1] == input->kind ? input : NULL;
}

static void see_post(struct interactive_reading *reading, const struct trace_event *event)
{
    struct interactive_event *input = event_of_message(reading, event);

    if (input != NULL && !input->has_posted) {
        input->has_posted = true;
        input->posted = event->tsc;
        input->waiting = (size_t)event->field[3];
    }
}

static struct taker *taker_of(struct interactive_reading *reading, uint32_t thread)
{
    for (size_t i = 0; i < reading->taker_count; i++) {
        if (reading->takers[i].thread == thread) {
            return &reading->takers[i];
        }
    }
    struct taker *taker = alloc_next(&reading->takers, &reading->taker_count,
                                     &reading->taker_capacity, sizeof(*taker));

    taker->thread = thread;
    return taker;
}

static void see_take(struct interactive_reading *reading, uint32_t thread,
                     const struct trace_event *event)
{
    struct interactive_event *input = event_of_message(reading, event);

    if (input == NULL || input->has_taken) {
        return;
    }
    struct taker *taker = taker_of(reading, thread);

    input->has_taken = true;
    input->taken = event->tsc;
    input->thread = thread;
    struct taken_event *open =
        alloc_next(&taker->open, &taker->open_count, &taker->open_capacity, sizeof(*open));

    *open = (struct taken_event){
        .index = (size_t)(input - reading->interactive->events),
        .queue = (uint16_t)event->field[0],
    };
}

/* Notes the thread's call for all events that it took since its last call. Events taken before have
 * a call already. */
static void see_call(struct interactive_reading *reading, uint32_t thread,
                     const struct trace_event *event)
{
    struct taker *taker = taker_of(reading, thread);

    if (event->field[1] > QUEUE_CALL_WAIT_IDLE) {
        return; /* returns from a call */
    }
    for (size_t i = taker->open_count; i > 0 && !taker->open[i - 1].called; i--) {
        struct interactive_event *input = &reading->interactive->events[taker->open[i - 1].index];

        taker->open[i - 1].called = true;
        input->has_call = true;
        input->call = event->tsc;
    }
}

static void see_done(struct interactive_reading *reading, uint32_t thread,
                     const struct trace_event *event)
{
    struct taker *taker = taker_of(reading, thread);
    size_t left = 0;

    taker->emits_done = true;
    for (size_t i = 0; i < taker->open_count; i++) {
        struct interactive_event *input = &reading->interactive->events[taker->open[i].index];

        if (!input->has_done && taker->open[i].queue == event->field[0] &&
            input->number <= event->field[1]) {
            input->has_done = true;
            input->done = event->tsc;
        }
        if (!input->has_done || !taker->open[i].called) {
            taker->open[left++] = taker->open[i];
        }
    }
    taker->open_count = left;
}

/* Ends the events of threads without input_done at the next call. */
static void end_by_calls(struct interactive_reading *reading)
{
    for (size_t t = 0; t < reading->taker_count; t++) {
        const struct taker *taker = &reading->takers[t];

        for (size_t i = 0; i < taker->open_count && !taker->emits_done; i++) {
            struct interactive_event *input = &reading->interactive->events[taker->open[i].index];

            input->has_done = input->has_call;
            input->done_by_call = input->has_call;
            input->done = input->call;
        }
    }
}

/* ---- reading while the trace is decoded (observer callbacks) ---- */

static void see_event(void *context, const struct accounting *accounting,
                      const struct trace_event *event)
{
    struct interactive_reading *reading = context;

    switch (event->id) {
    case TRACE_ID_input:
        see_input(reading, event);
        break;
    case TRACE_ID_queue_post:
        see_post(reading, event);
        break;
    case TRACE_ID_queue_take:
        see_take(reading, accounting->current, event);
        break;
    case TRACE_ID_queue_call:
        see_call(reading, accounting->current, event);
        break;
    case TRACE_ID_input_done:
        see_done(reading, accounting->current, event);
        break;
    default:
        break;
    }
}

size_t interactive_seat(struct interactive_reading *reading, const struct run_bench *bench,
                        struct interactive *interactive, struct account_observer *observers)
{
    *reading = (struct interactive_reading){.interactive = interactive, .bench = bench};
    memset(interactive, 0, sizeof(*interactive));
    interactive->begin = bench->trace_count > 0 ? bench->traces[0].begin : 0;
    observers[0] = arrival_observer(&reading->arrivals);
    observers[1] = (struct account_observer){.context = reading, .event = see_event};
    observers[2] = busy_observer(&reading->busy);
    return 3;
}

/* Returns when the event came or, if it did not come, when it was due. */
static uint64_t moment_of(const struct interactive_event *event)
{
    if (event->came) {
        return event->has_arrival ? event->arrival : event->decoded;
    }
    return event->has_intended ? event->intended : UINT64_MAX;
}

static int by_moment(const void *left, const void *right)
{
    const struct interactive_event *a = left;
    const struct interactive_event *b = right;
    const uint64_t at_a = moment_of(a);
    const uint64_t at_b = moment_of(b);

    if (at_a != at_b) {
        return at_a < at_b ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

void interactive_end(struct interactive_reading *reading, const struct accounting *accounting,
                     bool good)
{
    struct interactive *interactive = reading->interactive;

    interactive->elapsed = accounting->elapsed;
    end_by_calls(reading);
    interactive->arrived = interactive->count;
    interactive_read_stamps(reading);
    interactive_match(reading);
    interactive->present = interactive->count > 0;
    if (good && interactive->present) {
        sort_stable(interactive->events, interactive->count, sizeof(*interactive->events),
                    by_moment);
        interactive_measure(reading);
    }
    for (size_t i = 0; i < reading->taker_count; i++) {
        free(reading->takers[i].open);
    }
    free(reading->takers);
    free(reading->numbers);
    free(reading->idle.starts);
    busy_free(&reading->busy);
}

void interactive_free(struct interactive *interactive)
{
    free(interactive->events);
    free(interactive->parts);
    free(interactive->phases);
    free(interactive->counted);
    free(interactive->counted_series);
    free(interactive->counts);
}

const struct interactive_phase *interactive_phase_of(const struct interactive *interactive,
                                                     const struct interactive_event *event)
{
    for (size_t i = 0; i < interactive->phase_count && event->has_phase; i++) {
        if (interactive->phases[i].phase == event->phase) {
            return &interactive->phases[i];
        }
    }
    return NULL;
}

static bool between(bool known, uint64_t from, uint64_t to, uint64_t *ticks)
{
    *ticks = known && to >= from ? to - from : 0;
    return known && to >= from;
}

bool interactive_service(const struct interactive_event *event, uint64_t *ticks)
{
    return between(event->has_arrival && event->has_done, event->arrival, event->done, ticks);
}

bool interactive_response(const struct interactive_event *event, uint64_t *ticks)
{
    return event->has_intended ? between(event->has_done, event->intended, event->done, ticks)
                               : interactive_service(event, ticks);
}

bool interactive_call(const struct interactive_event *event, uint64_t *ticks)
{
    return between(event->has_arrival && event->has_call, event->arrival, event->call, ticks);
}

bool interactive_traditional(const struct interactive_event *event, uint64_t *ticks)
{
    return between(event->has_stamps, event->stamp_from, event->stamp_to, ticks);
}
