/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/trace/follow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define ATTEMPTS 20 /* the last with a million times what is expected */

enum phase {
    PHASE_BEFORE,  /* it has not arrived */
    PHASE_ARRIVES, /* and is not in line yet */
    PHASE_LINE,
    PHASE_SWITCHED, /* it has the processor, and overheads before the portion are being paid */
    PHASE_SERVED,
    PHASE_PREEMPTED,
    PHASE_SENT, /* its portion ended */
    PHASE_DONE,
};

/* An entity that is in line on its processor, or runs. */
struct seat {
    bool is_process;
    uint64_t id; /* the process's index, or the quantum's number */
    size_t processor, level;
};

struct sim_follow_state {
    enum phase phase;
    uint64_t passes;   /* of the stimulus that have arrived */
    uint64_t entity;   /* the pass */
    int64_t last;      /* up to here time is accounted for */
    int64_t served;    /* of the open portion */
    size_t processors; /* of the model: stations are behind them */
    /* Where it is. */
    size_t processor, process, stop;
    size_t preemption; /* index of the open step, of which it is not known by whom; SIM_NONE */
    struct sim_share *shares;
    size_t share_count, share_capacity;
    /* All others. */
    struct seat *seats;
    size_t seat_count, seat_capacity;
    struct sim_holder *holder; /* of each processor; of stations not used */
    size_t *handlers;          /* overheads of arrivals that are not over */
    size_t *messages;          /* of each process: in its queue, or being served */
    uint64_t *awaited;         /* by each process: the entity that it waits for alone; 0: none */
};

const char *sim_delay_name(enum sim_delay delay)
{
    static const char *const names[SIM_DELAYS] = {
        [SIM_DELAY_WORK] = "work",
        [SIM_DELAY_PREEMPTED] = "preempted",
        [SIM_DELAY_PROCESSOR] = "processor",
        [SIM_DELAY_QUEUE] = "queue",
        [SIM_DELAY_FIRST] = "first",
        [SIM_DELAY_STATION] = "station",
        [SIM_DELAY_TRANSMISSION] = "transmission",
        [SIM_DELAY_KERNEL] = "kernel",
        [SIM_DELAY_INTERRUPTS] = "interrupts",
    };

    return names[delay];
}

void sim_follow_init(struct sim_follow *follow, const struct sim_model *model, size_t stimulus,
                     uint64_t pass)
{
    struct sim_follow_state *state = alloc_zeroed(sizeof(*state));

    *follow =
        (struct sim_follow){.model = model, .stimulus = stimulus, .pass = pass, .state = state};
    const size_t places = model->processors + model->station_count;

    state->processors = model->processors;
    state->holder = alloc_zeroed(places * sizeof(*state->holder));
    state->handlers = alloc_zeroed(places * sizeof(*state->handlers));
    state->messages = alloc_zeroed((model->process_count + 1) * sizeof(*state->messages));
    state->awaited = alloc_zeroed((model->process_count + 1) * sizeof(*state->awaited));
    state->preemption = SIM_NONE;
}

void sim_follow_free(struct sim_follow *follow)
{
    struct sim_follow_state *state = follow->state;

    for (size_t i = 0; i < follow->step_count; i++) {
        free(follow->steps[i].shares);
    }
    free(follow->steps);
    if (state != NULL) {
        free(state->shares);
        free(state->seats);
        free(state->holder);
        free(state->handlers);
        free(state->messages);
        free(state->awaited);
        free(state);
    }
}

/* ---- everybody ---- */

static bool is_same(const struct sim_holder *left, const struct sim_holder *right)
{
    return left->kind == right->kind && left->process == right->process &&
           left->entity == right->entity;
}

static struct seat seat_of(const struct sim_event *event)
{
    const bool is_process = event->process != SIM_NONE;

    return (struct seat){is_process, is_process ? event->process : event->entity, event->processor,
                         event->level};
}

static size_t find_seat(const struct sim_follow_state *state, struct seat wanted)
{
    for (size_t i = 0; i < state->seat_count; i++) {
        if (state->seats[i].is_process == wanted.is_process && state->seats[i].id == wanted.id) {
            return i;
        }
    }
    return SIM_NONE;
}

static void take_seat(struct sim_follow_state *state, struct seat seat)
{
    if (find_seat(state, seat) == SIM_NONE) {
        state->seats = alloc_append(state->seats, &state->seat_count, &state->seat_capacity,
                                    sizeof(*state->seats));
        state->seats[state->seat_count - 1] = seat;
    }
}

static void leave_seat(struct sim_follow_state *state, struct seat seat)
{
    const size_t index = find_seat(state, seat);

    if (index != SIM_NONE) {
        state->seats[index] = state->seats[--state->seat_count];
    }
}

/* In line or running, as urgent as it or more. A process that has nothing left is about to block.
 */
static size_t count_ahead(const struct sim_follow_state *state, struct seat wanted)
{
    size_t count = 0;

    for (size_t i = 0; i < state->seat_count; i++) {
        const struct seat *seat = &state->seats[i];
        const bool is_busy = !seat->is_process || state->messages[seat->id] > 0;

        count += is_busy && seat->processor == wanted.processor && seat->level >= wanted.level;
    }
    return count;
}

static void everybody_ready(struct sim_follow_state *state, const struct sim_event *event)
{
    if (event->process != SIM_NONE) {
        uint64_t *awaited = &state->awaited[event->process];

        state->messages[event->process]++;
        if (*awaited != 0 && *awaited != event->entity) {
            return;
        }
        *awaited = 0;
    }
    take_seat(state, seat_of(event));
}

static void everybody_end(struct sim_follow *follow, const struct sim_event *event)
{
    struct sim_follow_state *state = follow->state;

    if (event->process == SIM_NONE) {
        leave_seat(state, seat_of(event));
        return;
    }
    state->messages[event->process] -= state->messages[event->process] > 0;
    if (follow->model->stimuli[event->stimulus].stops[event->stop].awaits) {
        state->awaited[event->process] = event->entity;
    }
}

/* Who has ended a portion, and not yet let go of the processor, is not in the model. */
static enum sim_holder_kind kind_of(const struct sim_event *event)
{
    const bool is_end =
        event->load == SIM_NONE && event->stimulus == SIM_NONE && event->process == SIM_NONE;

    return is_end ? SIM_HOLDER_KERNEL : SIM_HOLDER_ENTITY;
}

static void follow_everybody(struct sim_follow *follow, const struct sim_event *event)
{
    struct sim_follow_state *state = follow->state;

    switch (event->kind) {
    case SIM_ARRIVAL:
        state->handlers[event->processor] +=
            follow->model->overhead.interrupt > 0 && event->processor < state->processors;
        break;
    case SIM_INTERRUPT:
        state->handlers[event->processor]++;
        break;
    case SIM_INTERRUPT_END:
        state->handlers[event->processor] -= state->handlers[event->processor] > 0;
        break;
    case SIM_READY:
        everybody_ready(state, event);
        break;
    case SIM_SWITCH:
    case SIM_BEGIN:
    case SIM_RESUME:
        state->holder[event->processor] = (struct sim_holder){.kind = kind_of(event),
                                                              .load = event->load,
                                                              .stimulus = event->stimulus,
                                                              .process = event->process,
                                                              .entity = event->entity};
        break;
    case SIM_IDLE:
        state->holder[event->processor] = (struct sim_holder){.kind = SIM_HOLDER_NONE};
        break;
    case SIM_END:
        everybody_end(follow, event);
        break;
    case SIM_BLOCK:
        leave_seat(state, seat_of(event));
        break;
    default:
        break;
    }
}

/* ---- the account ---- */

static enum sim_delay waits_for(const struct sim_follow_state *state)
{
    const struct sim_holder *holder = &state->holder[state->processor];

    if (state->stop == 0) {
        return SIM_DELAY_FIRST;
    }
    if (state->process == SIM_NONE) {
        return SIM_DELAY_PROCESSOR;
    }
    const struct seat seat = {.is_process = true, .id = state->process};
    const bool has_processor =
        holder->kind == SIM_HOLDER_ENTITY && holder->process == state->process;

    return has_processor || find_seat(state, seat) == SIM_NONE ? SIM_DELAY_QUEUE
                                                               : SIM_DELAY_PROCESSOR;
}

/* What the time until the next event belongs to. */
static enum sim_delay cause_of(const struct sim_follow_state *state)
{
    if (state->phase == PHASE_SENT) {
        return SIM_DELAY_TRANSMISSION;
    }
    if (state->handlers[state->processor] > 0) {
        return SIM_DELAY_INTERRUPTS;
    }
    if (state->phase == PHASE_LINE && state->processor >= state->processors) {
        return SIM_DELAY_STATION;
    }
    switch (state->phase) {
    case PHASE_PREEMPTED:
        return SIM_DELAY_PREEMPTED;
    case PHASE_ARRIVES:
    case PHASE_LINE:
        return waits_for(state);
    case PHASE_SWITCHED:
        return SIM_DELAY_KERNEL;
    default:
        return SIM_DELAY_WORK;
    }
}

static void add_share(struct sim_follow_state *state, enum sim_delay cause, int64_t time)
{
    struct sim_holder who = state->holder[state->processor];

    if (cause == SIM_DELAY_INTERRUPTS || cause == SIM_DELAY_KERNEL) {
        who = (struct sim_holder){.kind = cause == SIM_DELAY_KERNEL ? SIM_HOLDER_KERNEL
                                                                    : SIM_HOLDER_INTERRUPT};
    }
    if (cause == SIM_DELAY_STATION) {
        who = (struct sim_holder){.kind = SIM_HOLDER_STATION};
    }
    for (size_t i = 0; i < state->share_count; i++) {
        if (is_same(&state->shares[i].who, &who)) {
            state->shares[i].time += time;
            return;
        }
    }
    state->shares = alloc_append(state->shares, &state->share_count, &state->share_capacity,
                                 sizeof(*state->shares));
    state->shares[state->share_count - 1] = (struct sim_share){who, time};
}

/* Time up to now, for which nothing has changed since the last event. */
static void account_until(struct sim_follow *follow, int64_t now)
{
    struct sim_follow_state *state = follow->state;
    const int64_t time = now - state->last;

    state->last = now;
    if (time <= 0 || state->phase == PHASE_BEFORE || state->phase == PHASE_DONE) {
        return;
    }
    const enum sim_delay cause = cause_of(state);

    follow->transit += time;
    if (cause == SIM_DELAY_WORK) {
        state->served += time; /* at its end it is known what of it was overhead */
        return;
    }
    follow->delay[cause] += time;
    if (state->phase == PHASE_LINE || state->phase == PHASE_SWITCHED ||
        state->phase == PHASE_PREEMPTED) {
        add_share(state, cause, time);
    }
}

/* ---- steps ---- */

static struct sim_step *add_step(struct sim_follow *follow, enum sim_step_kind kind)
{
    follow->steps = alloc_append(follow->steps, &follow->step_count, &follow->step_capacity,
                                 sizeof(*follow->steps));
    struct sim_step *step = &follow->steps[follow->step_count - 1];

    step->kind = kind;
    step->at = follow->state->last;
    step->stop = follow->state->stop;
    return step;
}

/* Moves the shares to the step, which is as long as their sum. */
static void close_wait(struct sim_follow_state *state, struct sim_step *step)
{
    step->shares = state->shares;
    step->share_count = state->share_count;
    step->share_capacity = state->share_capacity;
    for (size_t i = 0; i < state->share_count; i++) {
        step->length += state->shares[i].time;
    }
    state->shares = NULL;
    state->share_count = 0;
    state->share_capacity = 0;
}

static void get_in_line(struct sim_follow *follow, const struct sim_event *event)
{
    struct sim_follow_state *state = follow->state;
    const struct seat seat = seat_of(event);
    const bool is_seated = find_seat(state, seat) != SIM_NONE;

    state->phase = PHASE_LINE;
    state->processor = event->processor;
    state->process = event->process;
    state->stop = event->stop;
    struct sim_step *step = add_step(follow, SIM_STEP_READY);

    step->is_seated = is_seated;
    step->ahead = is_seated ? 0 : count_ahead(state, seat);
    if (event->process != SIM_NONE) {
        const uint64_t awaited = state->awaited[event->process];

        /* One that is waited for comes before all others. */
        step->messages = awaited == event->entity ? 0 : state->messages[event->process];
        step->is_waiting = awaited != 0 && awaited != event->entity;
    }
}

static void end_portion(struct sim_follow *follow, const struct sim_event *event)
{
    struct sim_follow_state *state = follow->state;
    const bool has_overhead = sim_overhead_any(&follow->model->overhead);
    const int64_t amount = llround(event->amount / SIM_FOLLOW_STEP);
    const int64_t work = has_overhead && amount < state->served ? amount : state->served;

    state->phase = PHASE_SENT;
    add_step(follow, SIM_STEP_ENDS)->length = work;
    follow->delay[SIM_DELAY_WORK] += work;
    follow->delay[SIM_DELAY_KERNEL] += state->served - work;
    state->served = 0;
}

/* Before its portion began it is in line again, as if nothing had been. */
static void preempt(struct sim_follow *follow)
{
    struct sim_follow_state *state = follow->state;

    if (state->phase == PHASE_SWITCHED) {
        state->phase = PHASE_LINE;
        return;
    }
    state->phase = PHASE_PREEMPTED;
    state->preemption = follow->step_count;
    add_step(follow, SIM_STEP_PREEMPTED);
}

static void send(struct sim_follow *follow, size_t stop)
{
    const struct sim_stimulus *stimulus = &follow->model->stimuli[follow->stimulus];

    if (stimulus->stops[stop].among == 0 && stimulus->stops[stop].station == 0 &&
        follow->state->processor < follow->state->processors &&
        stimulus->stops[stop].processor != follow->state->processor) {
        add_step(follow, SIM_STEP_SENT)->stop = stop;
    }
}

static void follow_own(struct sim_follow *follow, const struct sim_event *event)
{
    struct sim_follow_state *state = follow->state;

    switch (event->kind) {
    case SIM_READY:
        get_in_line(follow, event);
        break;
    case SIM_BEGIN:
        state->phase = PHASE_SERVED;
        close_wait(state, add_step(follow, SIM_STEP_BEGINS));
        break;
    case SIM_SWITCH:
        state->phase = PHASE_SWITCHED;
        break;
    case SIM_PREEMPT:
        preempt(follow);
        break;
    case SIM_RESUME:
        state->phase = PHASE_SERVED;
        close_wait(state, add_step(follow, SIM_STEP_RESUMES));
        break;
    case SIM_END:
        end_portion(follow, event);
        break;
    case SIM_SEND:
        send(follow, event->stop + 1);
        break;
    case SIM_INTERRUPT:
        state->phase = PHASE_ARRIVES;
        state->processor = event->processor;
        break;
    case SIM_RESPONSE:
        state->phase = PHASE_DONE;
        add_step(follow, SIM_STEP_RESPONSE);
        follow->done = true;
        break;
    default:
        break;
    }
}

static void arrive(struct sim_follow *follow, const struct sim_event *event)
{
    struct sim_follow_state *state = follow->state;

    if (++state->passes != follow->pass) {
        return;
    }
    follow->arrival = event->time;
    state->phase = PHASE_ARRIVES;
    state->entity = event->entity;
    state->processor = event->processor;
    state->process = event->process;
    state->last = 0;
    add_step(follow, SIM_STEP_ARRIVES);
}

/* Who took the processor when it was preempted is known when that one begins or goes on. */
static void find_preempter(struct sim_follow *follow, const struct sim_event *event)
{
    struct sim_follow_state *state = follow->state;

    if (state->preemption != SIM_NONE && event->processor == state->processor &&
        (event->kind == SIM_SWITCH || event->kind == SIM_BEGIN || event->kind == SIM_RESUME)) {
        follow->steps[state->preemption].by = state->holder[event->processor];
        state->preemption = SIM_NONE;
    }
}

/* For struct sim_observer, with the struct sim_follow as its context: all events from the begin. */
static void sim_follow_event(void *context, const struct sim_event *event)
{
    struct sim_follow *follow = context;
    struct sim_follow_state *state = follow->state;

    if (follow->done) {
        return;
    }
    if (event->kind == SIM_ARRIVAL && event->stimulus == follow->stimulus) {
        arrive(follow, event);
    }
    if (state->phase != PHASE_BEFORE) {
        account_until(follow, llround((event->time - follow->arrival) / SIM_FOLLOW_STEP));
        if (event->stimulus == follow->stimulus && event->entity == state->entity) {
            follow_own(follow, event);
        }
    }
    follow_everybody(follow, event);
    find_preempter(follow, event);
}

/* ---- running it ---- */

/* About when the pass has had its response. */
static double expected_time(const struct sim_follow *follow)
{
    const struct sim_stimulus *stimulus = &follow->model->stimuli[follow->stimulus];
    const struct sim_arrivals *arrivals = &stimulus->arrivals;
    const double work = stimulus->work;
    const double slack = 10 * work + 1;

    switch (arrivals->kind) {
    case SIM_TRACE:
        return arrivals->times[follow->pass - 1] + slack;
    case SIM_CYCLE:
    case SIM_POPULATION:
        return (double)follow->pass * (arrivals->interval.mean + 2 * work) + slack;
    default:
        return (double)follow->pass * arrivals->interval.mean + slack;
    }
}

/* The engine ends by a time alone for all kinds of arrivals. It begins anew with twice the time
 * where that was too short: the same seed repeats what was. */
bool sim_follow_run(struct sim_follow *follow, const struct sim_limits *limits,
                    char error[SIM_LAW_ERROR_MAX])
{
    const struct sim_stimulus *stimulus = &follow->model->stimuli[follow->stimulus];
    struct sim_limits until = {.seed = limits->seed, .replication = limits->replication};

    if (stimulus->arrivals.kind == SIM_TRACE && follow->pass > stimulus->arrivals.count) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "pass %" PRIu64 ": stimulus %.60s arrives %zu times only", follow->pass,
                 stimulus->name, stimulus->arrivals.count);
        return false;
    }
    until.time = expected_time(follow);
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        const struct sim_observer observer = {.event = sim_follow_event, .context = follow};
        struct sim_tally tally;

        sim_tally_init(&tally, follow->model, NULL, 0, NULL, 0, false);
        const bool simulated = sim_simulate(follow->model, &until, &observer, &tally, error);

        sim_tally_free(&tally);
        if (follow->done || !simulated) {
            return follow->done;
        }
        const struct sim_follow again = *follow;

        sim_follow_free(follow);
        sim_follow_init(follow, again.model, again.stimulus, again.pass);
        until.time *= 2;
    }
    snprintf(error, SIM_LAW_ERROR_MAX, "pass %" PRIu64 " of stimulus %.60s has no response by %g",
             follow->pass, stimulus->name, until.time / 2);
    return false;
}
