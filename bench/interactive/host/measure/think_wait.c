/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/think_wait.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_reading.h"
#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/*
 * The claims of think/wait machines: what each calls wait, and its errors compared with the
 * complete one.
 *
 * The machine of processor and calls has the partial knowledge of Endo et al. 1996, section 2.4. It
 * knows when the processor is busy and, from the message API, when a thread calls for a message and
 * which message a call returned. From the return of a call to the thread's next call, the
 * application has the input, so the user waits, whatever the processor does. Before the return, the
 * input was on its way to the application. The machine only knows that the processor was busy then.
 * It assumes that the user waits since the processor was last idle, or since the call that ended
 * the input before. Busy time is therefore classified late: as wait by the take that ends it, as
 * think by idle time or another end.
 */

/* Set to zeroes before use, except for the two pointers, which are by machine. */
struct claims {
    struct think_wait_verdict *machines;
    struct think_wait_spans *spans;
    bool engaged;    /* MACHINE_PROCESSOR_QUEUE waits */
    size_t handling; /* threads that have an input from a call, and have not called since */
    /* For MACHINE_PROCESSOR_CALLS: busy time up to now that is not classified yet. */
    uint64_t open_from, open_to;
    uint64_t open_wait; /* the part that is wait by the complete machine */
};

static void add_span(struct think_wait_spans *spans, uint64_t from, uint64_t to, unsigned claim)
{
    struct think_wait_span *last = spans->count > 0 ? &spans->span[spans->count - 1] : NULL;

    if (from == to) {
        return;
    }
    if (last != NULL && !spans->cut && last->to == from && last->claim == claim) {
        last->to = to;
        return;
    }
    spans->cut = spans->cut || spans->count == THINK_WAIT_SPANS_MAX;
    if (!spans->cut) {
        last = alloc_next(&spans->span, &spans->count, &spans->capacity, sizeof(*last));
        *last = (struct think_wait_span){from, to, (uint8_t)claim};
    }
}

/* Counts a machine's claim about `ticks` ticks from `from` on, of which `wait` are wait by the
 * complete machine. */
static void judge(struct claims *claims, enum think_wait_machine which, bool claim, uint64_t from,
                  uint64_t ticks, uint64_t wait)
{
    struct think_wait_verdict *machine = &claims->machines[which];

    machine->wait += claim ? ticks : 0;
    machine->false_wait += claim ? ticks - wait : 0;
    machine->missed += claim ? 0 : wait;
    if (which != MACHINE_COMPLETE) {
        add_span(&claims->spans[which], from, from + ticks, claim ? CLAIM_WAIT : CLAIM_THINK);
    }
}

/* Classifies the busy time that was open as wait, or as think. */
static void decide(struct claims *claims, bool claim)
{
    judge(claims, MACHINE_PROCESSOR_CALLS, claim, claims->open_from,
          claims->open_to - claims->open_from, claims->open_wait);
    claims->open_from = claims->open_to;
    claims->open_wait = 0;
}

static void add_by_calls(struct claims *claims, bool busy, uint64_t from, uint64_t ticks,
                         uint64_t wait)
{
    if (claims->handling > 0 || !busy) {
        decide(claims, false);
        judge(claims, MACHINE_PROCESSOR_CALLS, claims->handling > 0, from, ticks, wait);
        return;
    }
    claims->open_from = claims->open_from == claims->open_to ? from : claims->open_from;
    claims->open_to = from + ticks;
    claims->open_wait += wait;
}

/* Adds the interval of `ticks` from `from` on to the claims: for each state machine, whether it
 * takes the interval for thinking or for waiting, and whether it is right. */
static void claims_add(struct claims *claims, const struct think_wait_inputs *inputs,
                       enum think_wait_state state, uint64_t from, uint64_t ticks)
{
    const bool waits = think_wait_waits(state);
    const uint64_t wait = waits ? ticks : 0;

    add_span(&claims->spans[MACHINE_COMPLETE], from, from + ticks, state);
    if (!inputs->known) {
        claims->engaged = false;
        for (unsigned i = MACHINE_PROCESSOR; i < THINK_WAIT_MACHINES; i++) {
            add_span(&claims->spans[i], from, from + ticks, CLAIM_UNKNOWN);
        }
        return;
    }
    claims->engaged = inputs->queued || (claims->engaged && inputs->busy);
    judge(claims, MACHINE_COMPLETE, waits, from, ticks, wait);
    judge(claims, MACHINE_PROCESSOR, inputs->busy, from, ticks, wait);
    judge(claims, MACHINE_PROCESSOR_QUEUE, claims->engaged, from, ticks, wait);
    add_by_calls(claims, inputs->busy, from, ticks, wait);
}

/*
 * Inputs under way: those that have arrived (arrival.h) and whose message is in no queue yet.
 * During that time the interrupt handler and the driver run, and the user is already waiting.
 *
 * An input is under way from its arrival to the post of its message or, if no post follows, to the
 * event `input` that reports it. Left out are inputs without a number, which no queue could name,
 * and inputs of a damaged log whose bytes were read outside the trace or after that event.
 */

/* Set to zeroes before use. */
struct underway {
    /* the times when inputs begin and end to be under way, in ascending order, and how many of each
     * have passed */
    uint64_t *from, *to;
    size_t count;
    size_t passed_from, passed_to;
};

static int by_time(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static void underway_init(struct underway *underway, const struct interactive *inputs)
{
    underway->from = alloc_zeroed(inputs->count * sizeof(*underway->from));
    underway->to = alloc_zeroed(inputs->count * sizeof(*underway->to));
    for (size_t i = 0; i < inputs->count; i++) {
        const struct interactive_event *input = &inputs->events[i];

        if (input->number != 0 && input->has_arrival) {
            underway->from[underway->count] = input->arrival;
            underway->to[underway->count++] = input->has_posted ? input->posted : input->decoded;
        }
    }
    sort_stable(underway->from, underway->count, sizeof(*underway->from), by_time);
    sort_stable(underway->to, underway->count, sizeof(*underway->to), by_time);
}

/* Returns whether any input is under way at `tsc`. Call it with times that do not decrease. */
static bool underway_at(struct underway *underway, uint64_t tsc)
{
    while (underway->passed_from < underway->count &&
           underway->from[underway->passed_from] <= tsc) {
        underway->passed_from++;
    }
    while (underway->passed_to < underway->count && underway->to[underway->passed_to] <= tsc) {
        underway->passed_to++;
    }
    return underway->passed_from > underway->passed_to;
}

/* Returns the next time when an input begins or ends to be under way; UINT64_MAX: none. */
static uint64_t underway_next(const struct underway *underway)
{
    const uint64_t from = underway->passed_from < underway->count
                              ? underway->from[underway->passed_from]
                              : UINT64_MAX;
    const uint64_t to =
        underway->passed_to < underway->count ? underway->to[underway->passed_to] : UINT64_MAX;

    return from < to ? from : to;
}

/* An input that a thread took from a queue and has not finished. */
struct work {
    uint16_t queue;
    uint32_t input; /* number of the latest one */
};

/* The state of a thread. A gap starts a new epoch; what was noted in an older epoch counts as 0. */
struct application {
    struct work *works; /* unfinished inputs, one entry for each queue */
    size_t work_count, work_capacity;
    /* epoch in which `works` was written; in any other epoch, `works` counts as empty */
    uint32_t epoch;
    bool emits_done; /* anywhere in the traces */
    bool called;     /* it has an input from a call, and has not called since */
};

struct message_queue {
    uint32_t inputs; /* messages in it that bring inputs */
    uint32_t epoch;  /* epoch of `inputs` */
    uint32_t part;   /* last part in which an event reported it */
    uint32_t sure;   /* epoch in which all its content is known */
};

struct device {
    uint16_t outstanding; /* synchronous requests */
    uint32_t epoch;
};

/* What the machine needs of the trace, in the order in which the observers are called: events that
 * change its state, and where parts begin and known time ends. */
struct moment {
    uint64_t tsc;
    uint32_t thread; /* that was current */
    uint32_t id;     /* of the event, or one of the next two */
    uint32_t field[3];
};

#define MOMENT_PART    UINT32_MAX
#define MOMENT_UNKNOWN (UINT32_MAX - 1)

/* The state of the machine after the last event. */
struct think_wait_reading {
    const struct run_bench *bench;
    struct moment *moments;
    size_t moment_count, moment_capacity;
    uint64_t seen; /* the latest end of a segment */
    struct think_wait *result;
    /* by id, up to the highest one reported; the same for queues and devices */
    struct application *threads;
    struct message_queue *queues;
    struct device *devices;
    size_t thread_count, queue_count, device_count;
    uint32_t epoch;
    uint32_t part;
    size_t works;       /* number of unfinished inputs of all threads */
    size_t filled;      /* queues that hold inputs */
    size_t outstanding; /* devices with outstanding requests */
    /* queues reported in this part, and those of them whose content is unknown */
    size_t received, unsure;
    bool known;

    /* the part has had a first state; the next two members are those of the last tick */
    bool begun;
    enum think_wait_state state;
    struct think_wait_inputs inputs;
    uint64_t wait;      /* ticks of the wait that goes on */
    bool phases;        /* the traces mark the ends of phases */
    bool absent;        /* between two phases: no user */
    uint64_t uncounted; /* ticks without a user */
    struct underway underway;
    struct claims claims;
    size_t capacity;

    const struct busy_time *busy; /* of all processors */
    size_t busy_at;               /* all its stretches before this index end before `now` */
    uint64_t now;                 /* all ticks before it have been added */
};

/* Makes room for `id` in a list and fills new entries with zeroes. Returns the list. */
static void *slot_of(void *items, size_t *count, size_t id, size_t size)
{
    if (id < *count) {
        return items;
    }
    size_t capacity = *count;
    char *grown = alloc_grow(items, &capacity, id + 1, size);

    memset(grown + *count * size, 0, (capacity - *count) * size);
    *count = capacity;
    return grown;
}

static struct application *thread_of(struct think_wait_reading *tracker, size_t id)
{
    tracker->threads =
        slot_of(tracker->threads, &tracker->thread_count, id, sizeof(*tracker->threads));
    return &tracker->threads[id];
}

/* ---- names ---- */

const char *think_wait_state_name(enum think_wait_state state)
{
    static const char *const names[THINK_WAIT_STATES] = {
        [THINK_IDLE] = "think_idle",   [THINK_BUSY] = "think_busy",
        [WAIT_QUEUED] = "wait_queued", [WAIT_QUEUED_IDLE] = "wait_queued_idle",
        [WAIT_WORK] = "wait_work",     [WAIT_WORK_IDLE] = "wait_work_idle",
        [WAIT_IO] = "wait_io",         [WAIT_IO_IDLE] = "wait_io_idle",
        [THINK_UNKNOWN] = "unknown",
    };

    return names[state];
}

const char *think_wait_cause(const struct think_wait_transition *transition,
                             char text[THINK_WAIT_CAUSE_MAX])
{
    const struct think_wait_inputs *before = &transition->before;
    const struct think_wait_inputs *after = &transition->after;
    const struct {
        bool before, after;
        const char *rises, *falls;
    } changes[] = {
        {before->io, after->io, "I/O begins", "I/O ends"},
        {before->work, after->work, "work begins", "work ends"},
        {before->arrived || before->queued, after->arrived || after->queued,
         after->arrived ? "input arrived" : "input queued", "queue empty"},
        {before->busy, after->busy, "busy", "idle"},
    };
    size_t used = 0;

    if (before->known != after->known) {
        snprintf(text, THINK_WAIT_CAUSE_MAX, "%s", after->known ? "known again" : "a gap");
        return text;
    }
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        if (changes[i].before != changes[i].after) {
            used += (size_t)snprintf(text + used, THINK_WAIT_CAUSE_MAX - used, "%s%s",
                                     used > 0 ? ", " : "",
                                     changes[i].after ? changes[i].rises : changes[i].falls);
        }
    }
    return text;
}

/* ---- the machine ---- */

static enum think_wait_state think_wait_state_of(const struct think_wait_inputs *inputs)
{
    if (!inputs->known) {
        return THINK_UNKNOWN;
    }
    if (inputs->io) {
        return inputs->busy ? WAIT_IO : WAIT_IO_IDLE;
    }
    if (inputs->work) {
        return inputs->busy ? WAIT_WORK : WAIT_WORK_IDLE;
    }
    if (inputs->arrived || inputs->queued) {
        return inputs->busy ? WAIT_QUEUED : WAIT_QUEUED_IDLE;
    }
    return inputs->busy ? THINK_BUSY : THINK_IDLE;
}

/* `stretch`: the one that `now` is in, or NULL if the processors are idle. */
static struct think_wait_inputs inputs_of(const struct think_wait_reading *tracker,
                                          const struct busy_stretch *stretch, bool arrived)
{
    if (!tracker->known || (stretch != NULL && stretch->unknown)) {
        return (struct think_wait_inputs){.known = false};
    }
    return (struct think_wait_inputs){
        .known = true,
        .busy = stretch != NULL,
        .arrived = arrived,
        .queued = tracker->filled > 0,
        .work = tracker->works > 0,
        .io = tracker->outstanding > 0,
    };
}

static void add_transition(struct think_wait_reading *tracker, uint64_t tsc,
                           enum think_wait_state to, const struct think_wait_inputs *after)
{
    struct think_wait *result = tracker->result;

    result->matrix[tracker->state][to]++;
    result->transition_count++;
    if (result->kept == THINK_WAIT_TRANSITIONS_MAX) {
        return;
    }
    struct think_wait_transition *transition =
        alloc_next(&result->transitions, &result->kept, &tracker->capacity, sizeof(*transition));

    *transition = (struct think_wait_transition){
        .tsc = tsc,
        .part = tracker->part,
        .from = (uint8_t)tracker->state,
        .to = (uint8_t)to,
        .before = tracker->inputs,
        .after = *after,
    };
}

/* Adds ticks to the wait that goes on, starts one, or ends it. */
static void stretch(struct think_wait_reading *tracker, uint64_t from, uint64_t ticks)
{
    struct think_wait *result = tracker->result;

    if (!think_wait_waits(tracker->state)) {
        tracker->wait = 0;
        return;
    }
    result->waits += tracker->wait == 0;
    result->noticed_ticks += tracker->wait > result->perceptible ? ticks : 0;
    if (tracker->wait <= result->perceptible && tracker->wait + ticks > result->perceptible) {
        result->noticed++;
        result->noticed_ticks += tracker->wait + ticks;
    }
    tracker->wait += ticks;
    if (tracker->wait > result->longest) {
        result->longest = tracker->wait;
        result->longest_at = from + ticks - tracker->wait;
    }
}

/* Returns whether the message brings an input. Others may be about one, such as a driver's question
 * whether it was taken. */
static bool brings_input(const struct moment *message)
{
    return message->field[1] < INPUT_KINDS && message->field[2] != 0;
}

/* Returns whether a mark ends a phase. */
static bool is_over(const struct run_bench *bench, const struct moment *mark)
{
    const char *name = run_object_name(bench, OBJECT_NAME_MARK, mark->field[0]);

    return name != NULL && strcmp(name, MARK_NAME_OVER) == 0;
}

/* ---- as an observer ---- */

static struct moment *note(struct think_wait_reading *tracker, uint32_t id, uint64_t tsc)
{
    struct moment *moment =
        ALLOC_NEXT(tracker->moments, tracker->moment_count, tracker->moment_capacity);

    moment->id = id;
    moment->tsc = tsc;
    return moment;
}

static void note_part(void *context, const struct accounting *accounting,
                      const struct run_trace *trace)
{
    struct think_wait_reading *tracker = context;

    (void)accounting;
    note(tracker, MOMENT_PART, trace->begin);
    tracker->seen = trace->begin;
}

static void note_segment(void *context, const struct accounting *accounting,
                         const struct account_segment *segment)
{
    struct think_wait_reading *tracker = context;

    (void)accounting;
    tracker->seen = segment->to > tracker->seen ? segment->to : tracker->seen;
}

static void note_unknown(void *context, const struct accounting *accounting)
{
    struct think_wait_reading *tracker = context;

    (void)accounting;
    note(tracker, MOMENT_UNKNOWN, tracker->seen);
}

static void note_event(void *context, const struct accounting *accounting,
                       const struct trace_event *event)
{
    struct think_wait_reading *tracker = context;
    const bool ends =
        event->id == TRACE_ID_thread_switch && TRACE_WHY_STATE(event->field[2]) == THREAD_ENDED;

    switch (event->id) {
    case TRACE_ID_input_done:
        if (accounting->current != ACCOUNT_NO_THREAD) {
            thread_of(tracker, accounting->current)->emits_done = true;
        }
        break;
    case TRACE_ID_queue_post:
    case TRACE_ID_queue_take:
    case TRACE_ID_queue_call:
    case TRACE_ID_mark:
    case TRACE_ID_io_status:
        break;
    default:
        if (!ends) {
            return;
        }
    }
    struct moment *moment = note(tracker, event->id, event->tsc);

    moment->thread = accounting->current;
    for (size_t i = 0; i < sizeof(moment->field) / sizeof(moment->field[0]); i++) {
        moment->field[i] = (uint32_t)event->field[i];
    }
    tracker->phases =
        tracker->phases || (event->id == TRACE_ID_mark && is_over(accounting->bench, moment));
}

/* ---- after the walk ---- */

static struct message_queue *observe_queue(struct think_wait_reading *tracker, uint64_t id)
{
    tracker->queues = slot_of(tracker->queues, &tracker->queue_count, id, sizeof(*tracker->queues));
    struct message_queue *queue = &tracker->queues[id];

    if (queue->part != tracker->part) {
        queue->part = tracker->part;
        queue->sure = tracker->known ? tracker->epoch : 0;
        tracker->received++;
        tracker->unsure += !tracker->known;
    }
    if (queue->epoch != tracker->epoch) {
        queue->epoch = tracker->epoch;
        queue->inputs = 0;
    }
    return queue;
}

static void set_inputs(struct think_wait_reading *tracker, struct message_queue *queue,
                       uint32_t inputs)
{
    tracker->filled += (size_t)(inputs > 0) - (size_t)(queue->inputs > 0);
    queue->inputs = inputs;
}

static struct application *application_of(struct think_wait_reading *tracker, uint32_t thread)
{
    struct application *application = thread_of(tracker, thread);

    if (application->epoch != tracker->epoch) {
        application->epoch = tracker->epoch;
        application->work_count = 0;
        application->called = false;
    }
    return application;
}

static void begin_work(struct think_wait_reading *tracker, uint32_t thread, uint16_t queue,
                       uint32_t input)
{
    struct application *application = application_of(tracker, thread);
    size_t at = 0;

    while (at < application->work_count && application->works[at].queue != queue) {
        at++;
    }
    if (at == application->work_count) {
        struct work *work = alloc_next(&application->works, &application->work_count,
                                       &application->work_capacity, sizeof(*work));

        work->queue = queue;
        tracker->works++;
    }
    if (input > application->works[at].input) {
        application->works[at].input = input;
    }
    if (!application->called) {
        application->called = true;
        if (tracker->claims.handling++ == 0) {
            decide(&tracker->claims, true);
        }
    }
}

/* The thread calls again, or has ended. */
static void end_call(struct think_wait_reading *tracker, uint32_t thread)
{
    struct application *application = application_of(tracker, thread);

    if (application->called) {
        application->called = false;
        tracker->claims.handling--;
    }
}

static void end_all_work(struct think_wait_reading *tracker, uint32_t thread)
{
    struct application *application = application_of(tracker, thread);

    tracker->works -= application->work_count;
    application->work_count = 0;
}

/* Ends what the thread took from the queue, up to this input. */
static void end_work(struct think_wait_reading *tracker, uint32_t thread, uint16_t queue,
                     uint32_t input)
{
    struct application *application = application_of(tracker, thread);

    for (size_t i = 0; i < application->work_count; i++) {
        if (application->works[i].queue == queue && application->works[i].input <= input) {
            application->works[i] = application->works[--application->work_count];
            tracker->works--;
            return;
        }
    }
}

static void see_post(struct think_wait_reading *tracker, const struct moment *event)
{
    struct message_queue *queue = observe_queue(tracker, event->field[0]);

    if (brings_input(event)) {
        tracker->result->present = true;
        set_inputs(tracker, queue, queue->inputs + 1);
    }
}

static void see_take(struct think_wait_reading *tracker, uint32_t thread,
                     const struct moment *event)
{
    struct message_queue *queue = observe_queue(tracker, event->field[0]);

    if (!brings_input(event)) {
        return;
    }
    tracker->result->present = true;
    set_inputs(tracker, queue, queue->inputs > 0 ? queue->inputs - 1 : 0);
    if (thread != ACCOUNT_NO_THREAD) {
        begin_work(tracker, thread, (uint16_t)event->field[0], (uint32_t)event->field[2]);
    }
}

static void see_call(struct think_wait_reading *tracker, uint32_t thread,
                     const struct moment *event)
{
    struct message_queue *queue = observe_queue(tracker, event->field[0]);

    if (event->field[1] > QUEUE_CALL_WAIT_IDLE) {
        return; /* returns from a call */
    }
    if (thread != ACCOUNT_NO_THREAD) {
        end_call(tracker, thread);
        if (!thread_of(tracker, thread)->emits_done) {
            end_all_work(tracker, thread);
        }
    }
    if (event->field[2] == 0) { /* it was found empty, so nothing from before a gap is in it */
        set_inputs(tracker, queue, 0);
        tracker->unsure -= queue->sure != tracker->epoch;
        queue->sure = tracker->epoch;
        tracker->known = tracker->unsure == 0;
    }
}

static void see_io(struct think_wait_reading *tracker, const struct moment *event)
{
    tracker->devices = slot_of(tracker->devices, &tracker->device_count, event->field[0],
                               sizeof(*tracker->devices));
    struct device *device = &tracker->devices[event->field[0]];
    const uint16_t before = device->epoch == tracker->epoch ? device->outstanding : 0;
    const uint16_t now = (uint16_t)event->field[2];

    if (event->field[1] == IO_SYNCHRONOUS) {
        tracker->result->present = true;
        tracker->outstanding += (size_t)(now > 0) - (size_t)(before > 0);
        *device = (struct device){now, tracker->epoch};
    }
}

/* Adds the ticks up to `to`, during which nothing changes. */
static void add_ticks(struct think_wait_reading *tracker, const struct think_wait_inputs *inputs,
                      uint64_t to)
{
    struct think_wait *result = tracker->result;
    const enum think_wait_state state = think_wait_state_of(inputs);
    const uint64_t ticks = to - tracker->now;

    if (tracker->absent) {
        tracker->uncounted += ticks;
        tracker->now = to;
        return;
    }
    if (tracker->begun && state != tracker->state) {
        add_transition(tracker, tracker->now, state, inputs);
    }
    result->visits[state] += !tracker->begun || state != tracker->state;
    result->ticks[state] += ticks;
    tracker->begun = true;
    tracker->state = state;
    tracker->inputs = *inputs;
    claims_add(&tracker->claims, inputs, state, tracker->now, ticks);
    stretch(tracker, tracker->now, ticks);
    tracker->now = to;
}

/* Adds the ticks up to `to`, between two moments. They change where processors get busy or idle,
 * and where inputs arrive, which may be at any tick. */
static void add_until(struct think_wait_reading *tracker, uint64_t to)
{
    const struct busy_time *busy = tracker->busy;

    while (tracker->now < to) {
        while (tracker->busy_at < busy->count &&
               busy->stretches[tracker->busy_at].to <= tracker->now) {
            tracker->busy_at++;
        }
        const struct busy_stretch *next =
            tracker->busy_at < busy->count ? &busy->stretches[tracker->busy_at] : NULL;
        const bool idle = next == NULL || tracker->now < next->from;
        const uint64_t change = next == NULL ? to : idle ? next->from : next->to;
        const bool arrived = underway_at(&tracker->underway, tracker->now);
        const uint64_t arrives = underway_next(&tracker->underway);
        const struct think_wait_inputs inputs = inputs_of(tracker, idle ? NULL : next, arrived);
        const uint64_t end = change < arrives ? change : arrives;

        add_ticks(tracker, &inputs, end < to ? end : to);
    }
}

/* A phase ends, or a mark between two phases begins the next one. */
static void see_mark(struct think_wait_reading *tracker, bool over)
{
    tracker->absent = over;
    tracker->begun = tracker->begun && !over;
    if (over) {
        tracker->wait = 0;
        decide(&tracker->claims, false);
        tracker->claims.engaged = false;
    }
}

static void see_event(struct think_wait_reading *tracker, const struct moment *event)
{
    const uint32_t thread = event->thread;

    switch (event->id) {
    case TRACE_ID_queue_post:
        see_post(tracker, event);
        break;
    case TRACE_ID_queue_take:
        see_take(tracker, thread, event);
        break;
    case TRACE_ID_queue_call:
        see_call(tracker, thread, event);
        break;
    case TRACE_ID_input_done:
        if (thread != ACCOUNT_NO_THREAD) {
            end_work(tracker, thread, (uint16_t)event->field[0], event->field[1]);
        }
        break;
    case TRACE_ID_io_status:
        see_io(tracker, event);
        break;
    case TRACE_ID_mark:
        see_mark(tracker, is_over(tracker->bench, event));
        break;
    default: /* the end of a thread */
        end_call(tracker, event->field[0]);
        end_all_work(tracker, event->field[0]);
        break;
    }
}

/* From here on, nothing is queued, outstanding or at work, as far as is known. */
static void begin_epoch(struct think_wait_reading *tracker)
{
    tracker->epoch++;
    tracker->works = 0;
    tracker->filled = 0;
    tracker->outstanding = 0;
    decide(&tracker->claims, false);
    tracker->claims.engaged = false;
    tracker->claims.handling = 0;
}

static void see_unknown(struct think_wait_reading *tracker)
{
    begin_epoch(tracker);
    tracker->unsure = tracker->received;
    tracker->known = false;
    tracker->absent = false; /* the mark that begins a phase may be missing */
}

static void see_part(struct think_wait_reading *tracker, uint64_t begin)
{
    begin_epoch(tracker);
    tracker->part++;
    tracker->received = 0;
    tracker->unsure = 0;
    tracker->known = true;
    tracker->begun = false;
    tracker->absent = tracker->phases;
    tracker->wait = 0;
    tracker->busy_at = 0;
    tracker->now = begin;
    if (tracker->part == 1) {
        tracker->result->begin = begin;
    }
}

static void run_machine(struct think_wait_reading *tracker)
{
    for (size_t i = 0; i < tracker->moment_count; i++) {
        const struct moment *moment = &tracker->moments[i];

        if (moment->id == MOMENT_PART) {
            see_part(tracker, moment->tsc);
            continue;
        }
        add_until(tracker, moment->tsc);
        if (moment->id == MOMENT_UNKNOWN) {
            see_unknown(tracker);
        } else {
            see_event(tracker, moment);
        }
    }
}

struct think_wait_reading *think_wait_seat(const struct run_bench *bench,
                                           struct account_observer *observer)
{
    struct think_wait_reading *tracker = alloc_zeroed(sizeof(*tracker));

    tracker->bench = bench;
    *observer = (struct account_observer){.context = tracker,
                                          .part = note_part,
                                          .segment = note_segment,
                                          .event = note_event,
                                          .unknown = note_unknown};
    return tracker;
}

void think_wait_end(struct think_wait_reading *tracker, struct think_wait *think_wait,
                    const struct interactive_reading *inputs, const struct accounting *accounting,
                    uint64_t perceptible)
{
    *think_wait = (struct think_wait){.perceptible = perceptible};
    tracker->result = think_wait;
    tracker->claims.machines = think_wait->machines;
    tracker->claims.spans = think_wait->spans;
    tracker->busy = &inputs->busy;
    underway_init(&tracker->underway, inputs->interactive);
    run_machine(tracker);
    think_wait->elapsed = accounting->elapsed - tracker->uncounted;

    for (size_t i = 0; i < tracker->thread_count; i++) {
        free(tracker->threads[i].works);
    }
    free(tracker->threads);
    free(tracker->queues);
    free(tracker->devices);
    free(tracker->underway.from);
    free(tracker->underway.to);
    free(tracker->moments);
    free(tracker);
}

void think_wait_free(struct think_wait *think_wait)
{
    free(think_wait->transitions);
    for (size_t i = 0; i < THINK_WAIT_MACHINES; i++) {
        free(think_wait->spans[i].span);
    }
}

/* ---- sums ---- */

uint64_t think_wait_waited(const struct think_wait *think_wait)
{
    return think_wait->machines[MACHINE_COMPLETE].wait;
}

int64_t think_wait_residual(const struct think_wait *think_wait)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < THINK_WAIT_STATES; i++) {
        sum += think_wait->ticks[i];
    }
    return (int64_t)(think_wait->elapsed - sum);
}
