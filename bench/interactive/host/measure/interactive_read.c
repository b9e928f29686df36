/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the life of each input event from the trace, then goes through the steps of its analysis.
 */
#include "bench/interactive/host/measure/interactive.h"

#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_reading.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* ---- events by number ---- */

/* Place of the first whose number is not below. */
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

/* The event at hand has this number now. A driver counts upwards: mostly at the end. */
static void set_number(struct interactive_reading *reading, uint32_t number, size_t index)
{
    const size_t at = place_of_number(reading, number);

    if (at == reading->number_count || reading->numbers[at].number != number) {
        reading->numbers = alloc_append(reading->numbers, &reading->number_count,
                                        &reading->number_capacity, sizeof(*reading->numbers));
        memmove(&reading->numbers[at + 1], &reading->numbers[at],
                (reading->number_count - 1 - at) * sizeof(*reading->numbers));
    }
    reading->numbers[at] = (struct numbered_event){number, index};
}

/* NULL where none has that number. */
static struct interactive_event *find_number(const struct interactive_reading *reading,
                                             uint32_t number)
{
    const size_t at = place_of_number(reading, number);

    return number != 0 && at < reading->number_count && reading->numbers[at].number == number
               ? &reading->interactive->events[reading->numbers[at].index]
               : NULL;
}

/* ---- lives ---- */

/* A handler reads its stamp within the trace, and before the event is recorded: of others, which a
 * damaged log may hold, the arrival is not known. */
static void see_input(struct interactive_reading *reading, const struct trace_event *event)
{
    struct interactive *interactive = reading->interactive;
    const uint64_t stamp = event->field[3];

    interactive->events = alloc_append(interactive->events, &interactive->count, &reading->capacity,
                                       sizeof(*interactive->events));
    struct interactive_event *input = &interactive->events[interactive->count - 1];

    input->number = (uint32_t)event->field[0];
    input->kind = (uint8_t)event->field[1];
    input->code = (uint16_t)event->field[2];
    input->came = true;
    input->decoded = event->tsc;
    input->thread = ACCOUNT_NO_THREAD;
    input->has_arrival = stamp >= interactive->begin && stamp <= event->tsc;
    input->arrival = input->has_arrival ? arrival_of(&reading->arrivals, stamp) : 0;
    if (input->number != 0) {
        set_number(reading, input->number, interactive->count - 1);
    }
}

/* The event that a message of a queue brings: not those about it, which a driver posts behind. */
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
    reading->takers = alloc_append(reading->takers, &reading->taker_count, &reading->taker_capacity,
                                   sizeof(*reading->takers));
    reading->takers[reading->taker_count - 1].thread = thread;
    return &reading->takers[reading->taker_count - 1];
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
    taker->open =
        alloc_append(taker->open, &taker->open_count, &taker->open_capacity, sizeof(*taker->open));
    taker->open[taker->open_count - 1] = (struct taken_event){
        .index = (size_t)(input - reading->interactive->events),
        .queue = (uint16_t)event->field[0],
    };
}

/* The first call since: the calls of those before are known already. */
static void see_call(struct interactive_reading *reading, uint32_t thread,
                     const struct trace_event *event)
{
    struct taker *taker = taker_of(reading, thread);

    if (event->field[1] > QUEUE_CALL_WAIT_IDLE) {
        return; /* it comes back */
    }
    for (size_t i = taker->open_count; i > 0 && !taker->open[i - 1].called; i--) {
        taker->open[i - 1].called = true;
        taker->open[i - 1].call = event->tsc;
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

        if (taker->open[i].queue == event->field[0] && input->number <= event->field[1]) {
            input->has_done = true;
            input->done = event->tsc;
        } else {
            taker->open[left++] = taker->open[i];
        }
    }
    taker->open_count = left;
}

/* Ends the inputs of threads without an input_done, each at the next call. */
static void end_by_calls(struct interactive_reading *reading)
{
    for (size_t t = 0; t < reading->taker_count; t++) {
        const struct taker *taker = &reading->takers[t];

        for (size_t i = 0; i < taker->open_count && !taker->emits_done; i++) {
            struct interactive_event *input = &reading->interactive->events[taker->open[i].index];

            input->has_done = taker->open[i].called;
            input->done_by_call = taker->open[i].called;
            input->done = taker->open[i].call;
        }
    }
}

/* ---- as an observer ---- */

static void see_part(void *context, const struct accounting *accounting,
                     const struct run_trace *trace)
{
    struct interactive_reading *reading = context;

    (void)accounting;
    arrival_part(&reading->arrivals, trace);
}

static void see_unknown(void *context, const struct accounting *accounting)
{
    struct interactive_reading *reading = context;

    (void)accounting;
    arrival_unknown(&reading->arrivals);
}

static void see_event(void *context, const struct accounting *accounting,
                      const struct trace_event *event)
{
    struct interactive_reading *reading = context;

    arrival_event(&reading->arrivals, event);
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

static bool read_lives(struct interactive_reading *reading)
{
    struct accounting accounting;
    const struct account_observer observers[] = {
        {.context = reading, .part = see_part, .event = see_event, .unknown = see_unknown},
        busy_observer(&reading->busy),
    };
    const bool good = accounting_read(&accounting, reading->bench, observers,
                                      sizeof(observers) / sizeof(observers[0]));

    reading->interactive->elapsed = accounting.elapsed;
    accounting_free(&accounting);
    end_by_calls(reading);
    return good;
}

/* ---- all ---- */

/* When it came, or was to. */
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

static void free_reading(struct interactive_reading *reading)
{
    for (size_t i = 0; i < reading->taker_count; i++) {
        free(reading->takers[i].open);
    }
    free(reading->takers);
    free(reading->numbers);
    free(reading->idle.bounds);
    busy_free(&reading->busy);
}

bool interactive_read(struct interactive *interactive, const struct run_bench *bench)
{
    struct interactive_reading reading = {.interactive = interactive, .bench = bench};

    memset(interactive, 0, sizeof(*interactive));
    interactive->begin = bench->trace_count > 0 ? bench->traces[0].begin : 0;
    bool good = read_lives(&reading);

    interactive->arrived = interactive->count;
    interactive_read_stamps(&reading);
    interactive_match(&reading);
    interactive->present = interactive->count > 0;
    if (good && interactive->present) {
        sort_stable(interactive->events, interactive->count, sizeof(*interactive->events),
                    by_moment);
        interactive_measure(&reading);
        good = interactive_explain(&reading);
    }
    free_reading(&reading);
    return good;
}

void interactive_free(struct interactive *interactive)
{
    free(interactive->events);
    free(interactive->parts);
    free(interactive->phases);
    free(interactive->counted);
    free(interactive->counts);
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

bool interactive_traditional(const struct interactive_event *event, uint64_t *ticks)
{
    return between(event->has_stamps, event->stamp_from, event->stamp_to, ticks);
}

bool interactive_elapsed(const struct interactive_phase *phase, uint64_t *ticks)
{
    return between(phase->to > phase->from, phase->from, phase->to, ticks);
}
