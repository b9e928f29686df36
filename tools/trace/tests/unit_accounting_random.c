/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event-driven accounting against another way to the same numbers: random traces of a scheduler
 * that is simulated here, with random costs and lost packets, of which each single tick is painted
 * with its account and each thread's state, by the rules of accounting.h, and then counted.
 */
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/trace_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/trace/accounting.h"
#include "tools/trace/availability.h"
#include "tools/trace/delays.h"

#define TRACES       300
#define BEGIN        100
#define TICKS_MAX    40000
#define STEPS        600
#define THREADS      6
#define DPCS         3
#define DEPTH_MAX    3
#define PACKET       4096
#define PER_PACKET   30 /* events at most: they fit in any case */
#define LOSS_PERCENT 8

/* An account, and who it is of. */
#define OWNER(kind, id) ((uint32_t)((kind) << 16 | (id)))
/* A thread's state, and its cause or reason. */
#define STATE(state, why) ((uint8_t)((state) << 5 | (why)))
#define UNBORN            0xff

/* An event, and what runs behind it. */
struct step {
    uint64_t tsc;
    uint64_t field[TRACE_FIELDS_MAX];
    uint64_t packet_begin;
    size_t frame_step; /* where the innermost handler began */
    uint32_t id;
    uint32_t tracer_ticks;
    uint32_t depth; /* handlers that run */
    uint32_t frame; /* the innermost, as OWNER */
    uint32_t thread;
    bool in_fault;
    bool opens; /* a new packet */
    bool lost;  /* with its packet */
    bool extended;
};

struct frame {
    uint32_t owner;
    size_t step;
};

struct simulated {
    enum thread_state state;
    bool exists, fault, preempted;
};

/* The scheduler, and what it did. */
struct world {
    uint64_t seed;
    uint64_t now;
    struct step *steps;
    size_t count;
    struct simulated thread[THREADS];
    uint32_t current;
    struct frame frames[DEPTH_MAX + 1];
    unsigned depth;
    bool queued[DPCS];
    size_t in_packet;
    bool lossy, losing;
    struct run_trace_costs costs;
    uint64_t end;
};

static uint64_t pick(struct world *world, uint64_t below)
{
    return unit_random(&world->seed) % below;
}

/* ---- the simulation ---- */

static struct step *record(struct world *world, uint32_t id, uint64_t f0, uint64_t f1, uint64_t f2)
{
    struct step *step = &world->steps[world->count++];
    const bool turns =
        world->in_packet == PER_PACKET || (world->count > THREADS + 1 && pick(world, 12) == 0);

    memset(step, 0, sizeof(*step));
    world->now += pick(world, 4) == 0 ? pick(world, 12) : pick(world, 120);
    if (turns) {
        step->opens = true;
        step->packet_begin = world->now;
        step->tracer_ticks = (uint32_t)pick(world, 20);
        world->now += pick(world, 30);
        world->in_packet = 0;
        world->losing = world->lossy && pick(world, 100) < LOSS_PERCENT;
    }
    world->in_packet++;
    step->lost = world->losing;
    step->extended = pick(world, 10) == 0;
    step->tsc = world->now;
    step->id = id;
    step->field[0] = f0;
    step->field[1] = f1;
    step->field[2] = f2;
    return step;
}

/* What runs behind the last step. */
static void settle(struct world *world)
{
    struct step *step = &world->steps[world->count - 1];

    step->depth = world->depth;
    step->thread = world->current;
    step->in_fault = world->thread[world->current].fault;
    if (world->depth > 0) {
        step->frame = world->frames[world->depth - 1].owner;
        step->frame_step = world->frames[world->depth - 1].step;
    }
}

static void enter(struct world *world, uint32_t id, uint32_t owner)
{
    record(world, id, owner & 0xffff, 0, 0);
    world->frames[world->depth++] = (struct frame){owner, world->count - 1};
    settle(world);
}

static void leave(struct world *world)
{
    const uint32_t owner = world->frames[world->depth - 1].owner;

    record(world, owner >> 16 == ACCOUNT_VECTOR ? TRACE_ID_isr_exit : TRACE_ID_dpc_exit,
           owner & 0xffff, 0, 0);
    world->depth--;
    settle(world);
}

/* A thread in this state; THREADS: none. */
static uint32_t find(struct world *world, enum thread_state state)
{
    const uint32_t start = (uint32_t)pick(world, THREADS);

    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t thread = (start + i) % THREADS;

        if (world->thread[thread].exists && world->thread[thread].state == state) {
            return thread;
        }
    }
    return THREADS;
}

static void switch_away(struct world *world, enum wait_reason reason, enum thread_state state)
{
    const uint32_t new = find(world, THREAD_READY);
    struct simulated *old = &world->thread[world->current];

    if (new == THREADS) {
        return;
    }
    record(world, TRACE_ID_thread_switch, world->current, new, TRACE_WHY(reason, state));
    old->state = state;
    old->preempted = reason == WAIT_PREEMPTED;
    world->thread[new].state = THREAD_RUNNING;
    world->current = new;
    settle(world);
}

static void wake(struct world *world)
{
    const uint32_t thread = find(world, THREAD_WAITING);

    if (thread != THREADS) {
        record(world, TRACE_ID_thread_ready, thread, 0, 0);
        world->thread[thread].state = THREAD_READY;
        world->thread[thread].preempted = false;
        settle(world);
    }
}

/* Behind the last handler: DPCs that are queued, then perhaps another thread. */
static void run_tail(struct world *world)
{
    for (uint32_t i = 0; i < DPCS; i++) {
        if (world->queued[i]) {
            world->queued[i] = false;
            enter(world, TRACE_ID_dpc_entry, OWNER(ACCOUNT_DPC, i));
            return;
        }
    }
    if (pick(world, 2) == 0) {
        switch_away(world, WAIT_PREEMPTED, THREAD_READY);
    }
}

static void step_in_handler(struct world *world)
{
    switch (pick(world, 6)) {
    case 0:
        wake(world);
        break;
    case 1: {
        const uint64_t dpc = pick(world, DPCS);

        record(world, TRACE_ID_dpc_queue, dpc, 0, 0);
        world->queued[dpc] = true;
        settle(world);
        break;
    }
    case 2:
        record(world, TRACE_ID_tick, world->current, 0, 0);
        settle(world);
        break;
    default:
        leave(world);
        if (world->depth == 0) {
            run_tail(world);
        }
    }
}

static void step_in_thread(struct world *world)
{
    struct simulated *thread = &world->thread[world->current];
    static const enum wait_reason reasons[] = {WAIT_SLEEP, WAIT_MUTEX, WAIT_MESSAGE};

    switch (pick(world, 7)) {
    case 0:
    case 1:
        switch_away(world, reasons[pick(world, 3)], THREAD_WAITING);
        break;
    case 2:
        switch_away(world, WAIT_YIELD, THREAD_READY);
        break;
    case 3:
        thread->fault = !thread->fault;
        record(world, thread->fault ? TRACE_ID_fault_entry : TRACE_ID_fault_exit, 0, 0, 0);
        settle(world);
        break;
    case 4:
        wake(world);
        break;
    case 5:
        record(world, TRACE_ID_mark, 1, 1, 0);
        settle(world);
        break;
    default:
        if (pick(world, 20) == 0 && world->current != 0) {
            switch_away(world, WAIT_EXIT, THREAD_ENDED);
        }
    }
}

static void start_thread(struct world *world)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        if (!world->thread[i].exists) {
            record(world, TRACE_ID_thread_start, i, 0, 5);
            world->thread[i] = (struct simulated){.state = THREAD_READY, .exists = true};
            settle(world);
            return;
        }
    }
}

static void simulate(struct world *world)
{
    for (uint32_t i = 0; i < THREADS / 2; i++) {
        const enum thread_state state = i == 1   ? THREAD_RUNNING
                                        : i == 0 ? THREAD_READY
                                                 : THREAD_WAITING;
        struct step *step = record(world, TRACE_ID_thread_is, i, 0, 5);

        step->field[3] = state;
        step->field[4] = state == THREAD_WAITING ? WAIT_SLEEP : WAIT_NONE;
        world->thread[i] = (struct simulated){.state = state, .exists = true};
        world->current = 1;
        settle(world);
    }
    while (world->count < STEPS && world->now < TICKS_MAX - 1000) {
        if (world->depth < DEPTH_MAX && pick(world, 4) == 0) {
            enter(world, TRACE_ID_isr_entry, OWNER(ACCOUNT_VECTOR, 64 + pick(world, 3)));
        } else if (world->depth > 0) {
            step_in_handler(world);
        } else if (pick(world, 40) == 0) {
            start_thread(world);
        } else {
            step_in_thread(world);
        }
    }
    world->end = world->now + pick(world, 100);
}

/* ---- the painting ---- */

struct painting {
    uint32_t owner[TICKS_MAX];
    uint8_t state[THREADS][TICKS_MAX];
    /* As known from the steps so far. */
    bool thread_known;
    size_t since; /* steps before this one are behind a gap */
    uint8_t known[THREADS];
    bool preempted[THREADS];
    bool fault_seen[THREADS]; /* the begin of its page fault */
};

static void paint(struct painting *painting, uint64_t from, uint64_t to, uint32_t owner)
{
    for (uint64_t t = from; t < to; t++) {
        painting->owner[t] = owner;
    }
}

/* The states as they are known, over [from, to). */
static void paint_states(struct painting *painting, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        memset(&painting->state[i][from], painting->known[i], to - from);
    }
}

static uint32_t context_of(const struct painting *painting, const struct step *step)
{
    if (step->depth > 0) {
        return step->frame_step >= painting->since ? step->frame : OWNER(ACCOUNT_UNKNOWN, 0);
    }
    if (!painting->thread_known) {
        return OWNER(ACCOUNT_UNKNOWN, 0);
    }
    const bool in_fault = step->in_fault && painting->fault_seen[step->thread];

    return OWNER(in_fault ? ACCOUNT_FAULT : ACCOUNT_THREAD, step->thread);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Ticks behind a step that are not its context's, `owner` of them. */
static uint64_t trail_of(const struct world *world, const struct painting *painting,
                         const struct step *step, uint32_t *owner)
{
    *owner = OWNER(ACCOUNT_DISPATCH, 0);
    switch (step->id) {
    case TRACE_ID_isr_exit:
        *owner = OWNER(ACCOUNT_VECTOR, step->field[0]);
        return world->costs.isr_trail;
    case TRACE_ID_dpc_exit:
        return world->costs.dpc_trail;
    case TRACE_ID_thread_switch:
        return painting->preempted[step->field[1]] ? world->costs.switch_trail : 0;
    default:
        return 0;
    }
}

static bool is_way_to(const struct step *step, const struct step *next)
{
    return (step->id == TRACE_ID_isr_exit || step->id == TRACE_ID_dpc_exit) && step->depth == 0 &&
           (next->id == TRACE_ID_dpc_entry || (next->id == TRACE_ID_thread_switch &&
                                               TRACE_WHY_REASON(next->field[2]) == WAIT_PREEMPTED));
}

/* [from, to) between two steps, of which there may be none at the ends. What is painted later lies
 * above. */
static void paint_span(const struct world *world, struct painting *painting,
                       const struct step *step, const struct step *next, uint64_t from, uint64_t to)
{
    const struct run_trace_costs *costs = &world->costs;
    uint32_t trail_owner = 0;

    paint_states(painting, from, to);
    paint(painting, from, to,
          step != NULL             ? context_of(painting, step)
          : painting->thread_known ? OWNER(ACCOUNT_THREAD, 1)
                                   : OWNER(ACCOUNT_UNKNOWN, 0));
    const uint64_t before = next != NULL ? costs->lead + next->tracer_ticks : 0;
    const uint64_t after =
        step == NULL ? 0 : less(step->extended ? costs->extended : costs->record, costs->lead);

    if (next != NULL && next->id == TRACE_ID_isr_entry) {
        paint(painting, later(from, less(to, before + less(costs->isr_lead, costs->lead))), to,
              OWNER(ACCOUNT_VECTOR, next->field[0]));
    }
    if (step != NULL) {
        const uint64_t kernel =
            less(trail_of(world, painting, step, &trail_owner), less(costs->record, costs->lead));

        paint(painting, from, earlier(to, from + after + kernel), trail_owner);
    }
    if (step != NULL && next != NULL && is_way_to(step, next)) {
        paint(painting, from, to, OWNER(ACCOUNT_DISPATCH, 0));
    }
    paint(painting, later(from, less(to, before)), to, OWNER(ACCOUNT_TRACER, 0));
    paint(painting, from, earlier(to, from + after), OWNER(ACCOUNT_TRACER, 0));
}

static void set_state(struct painting *painting, uint64_t thread, enum account_state state,
                      unsigned why)
{
    painting->known[thread] = STATE(state, why);
}

static void learn_switch(struct painting *painting, const struct step *step)
{
    const unsigned reason = TRACE_WHY_REASON(step->field[2]);
    const enum thread_state state = TRACE_WHY_STATE(step->field[2]);

    if (state == THREAD_ENDED) {
        painting->known[step->field[0]] = UNBORN;
    } else if (state == THREAD_WAITING) {
        set_state(painting, step->field[0], STATE_WAITING, reason);
    } else {
        set_state(painting, step->field[0], STATE_READY,
                  reason == WAIT_PREEMPTED ? READY_PREEMPTED : READY_YIELDED);
    }
    set_state(painting, step->field[1], STATE_RUNNING, 0);
    painting->thread_known = true;
}

static void learn(struct painting *painting, const struct step *step)
{
    switch (step->id) {
    case TRACE_ID_thread_start:
        set_state(painting, step->field[0], STATE_READY, READY_STARTED);
        break;
    case TRACE_ID_thread_ready:
        set_state(painting, step->field[0], STATE_READY, READY_WOKEN);
        painting->preempted[step->field[0]] = false;
        break;
    case TRACE_ID_thread_switch:
        learn_switch(painting, step);
        break;
    case TRACE_ID_fault_entry:
        painting->fault_seen[step->thread] = painting->thread_known;
        break;
    default:
        break;
    }
}

static void forget(struct painting *painting, size_t step)
{
    painting->thread_known = false;
    painting->since = step;
    for (uint32_t i = 0; i < THREADS; i++) {
        painting->preempted[i] = false;
        painting->fault_seen[i] = false;
        if (painting->known[i] != UNBORN) {
            painting->known[i] = STATE(STATE_UNKNOWN, 0);
        }
    }
}

/* thread_is holds the state at the trace's begin, if its packet arrived. */
static void begin_painting(const struct world *world, struct painting *painting)
{
    memset(painting, 0, sizeof(*painting));
    memset(painting->known, UNBORN, sizeof(painting->known));
    if (!world->steps[0].lost) {
        set_state(painting, 0, STATE_READY, READY_WOKEN);
        set_state(painting, 1, STATE_RUNNING, 0);
        set_state(painting, 2, STATE_WAITING, WAIT_SLEEP);
        painting->thread_known = true;
    }
}

static void paint_all(const struct world *world, struct painting *painting)
{
    const struct step *last = NULL;
    uint64_t from = BEGIN;

    begin_painting(world, painting);
    for (size_t i = 0; i <= world->count; i++) {
        const struct step *step = i < world->count ? &world->steps[i] : NULL;

        if (step != NULL && step->lost) {
            continue;
        }
        if (i > 0 && world->steps[i - 1].lost) {
            const uint64_t to = step != NULL ? step->packet_begin : world->end;

            forget(painting, i);
            paint_states(painting, from, to);
            paint(painting, from, to, OWNER(ACCOUNT_UNKNOWN, 0));
            from = to;
            last = NULL;
        }
        paint_span(world, painting, last, step, from, step != NULL ? step->tsc : world->end);
        if (step == NULL) {
            return;
        }
        if (last != NULL && last->id == TRACE_ID_thread_switch) {
            painting->preempted[last->field[1]] = false;
        }
        if (step->id == TRACE_ID_thread_switch) {
            painting->preempted[step->field[0]] =
                TRACE_WHY_REASON(step->field[2]) == WAIT_PREEMPTED;
        }
        learn(painting, step);
        last = step;
        from = step->tsc;
    }
}

/* ---- the comparison ---- */

static uint64_t count_owner(const struct world *world, const struct painting *painting,
                            uint32_t owner)
{
    uint64_t count = 0;

    for (uint64_t t = BEGIN; t < world->end; t++) {
        count += painting->owner[t] == owner;
    }
    return count;
}

static void compare_states(const struct world *world, const struct painting *painting,
                           const struct account_thread *thread)
{
    uint64_t counts[256] = {0};
    uint64_t running = 0;

    for (uint64_t t = BEGIN; t < world->end; t++) {
        counts[painting->state[thread->id][t]]++;
    }
    running = counts[STATE(STATE_RUNNING, 0)];
    CHECK_EQUAL(thread->running + thread->interrupted + thread->fault, running);
    for (unsigned i = 0; i < READY_CAUSES; i++) {
        CHECK_EQUAL(thread->ready[i], counts[STATE(STATE_READY, i)]);
    }
    for (unsigned i = 0; i < WAIT_REASONS; i++) {
        CHECK_EQUAL(thread->waiting[i], counts[STATE(STATE_WAITING, i)]);
    }
    CHECK_EQUAL(thread->unknown, counts[STATE(STATE_UNKNOWN, 0)]);
    CHECK_EQUAL(thread->life, world->end - BEGIN - counts[UNBORN]);
}

static void compare_handlers(const struct world *world, const struct painting *painting,
                             struct account_handler *const handlers[ACCOUNT_IDS],
                             enum account_kind kind)
{
    for (uint32_t i = 0; i < ACCOUNT_IDS; i++) {
        const uint64_t ticks = handlers[i] != NULL ? handlers[i]->ticks : 0;

        if (handlers[i] != NULL || (kind == ACCOUNT_VECTOR ? i >= 64 && i < 67 : i < DPCS)) {
            CHECK_EQUAL(ticks, count_owner(world, painting, OWNER(kind, i)));
        }
        if (handlers[i] != NULL) {
            CHECK(handlers[i]->net.total <= ticks);
            CHECK(handlers[i]->net.n == handlers[i]->gross.n);
        }
    }
}

static void compare(const struct world *world, const struct painting *painting,
                    const struct accounting *accounting)
{
    CHECK_EQUAL(accounting->elapsed, world->end - BEGIN);
    CHECK_EQUAL(accounting_sum(accounting), accounting->elapsed);
    CHECK_EQUAL(accounting_conflicts(accounting), 0);
    CHECK_EQUAL(accounting->dispatch, count_owner(world, painting, OWNER(ACCOUNT_DISPATCH, 0)));
    CHECK_EQUAL(accounting->tracer, count_owner(world, painting, OWNER(ACCOUNT_TRACER, 0)));
    CHECK_EQUAL(accounting->unknown, count_owner(world, painting, OWNER(ACCOUNT_UNKNOWN, 0)));
    compare_handlers(world, painting, accounting->vectors, ACCOUNT_VECTOR);
    compare_handlers(world, painting, accounting->dpcs, ACCOUNT_DPC);
    for (uint32_t i = 0; i < THREADS; i++) {
        const struct account_thread *thread = accounting_thread(accounting, i);

        CHECK_EQUAL(thread != NULL ? thread->running : 0,
                    count_owner(world, painting, OWNER(ACCOUNT_THREAD, i)));
        CHECK_EQUAL(thread != NULL ? thread->fault : 0,
                    count_owner(world, painting, OWNER(ACCOUNT_FAULT, i)));
        if (thread != NULL) {
            compare_states(world, painting, thread);
        }
    }
}

/* Each delay is the sum of its chain; they are the wake-ups that the accounts have. */
static void check_delays(const struct accounting *accounting, const struct delays *delays)
{
    const struct account_thread *thread = accounting_thread(accounting, delays->thread);
    uint64_t total = 0;

    CHECK_EQUAL(delays->seen, thread != NULL ? thread->wake.n : 0);
    CHECK_EQUAL(delays->count, delays->seen);
    for (size_t i = 0; i < delays->count; i++) {
        const struct delay *delay = &delays->slowest[i];
        uint64_t sum = 0;

        for (size_t k = 0; k < delay->link_count; k++) {
            sum += delay->links[k].ticks;
        }
        CHECK_EQUAL(sum, delay->to - delay->from);
        CHECK(i == 0 || sum <= delays->slowest[i - 1].to - delays->slowest[i - 1].from);
        total += sum;
    }
    CHECK_EQUAL(total, thread != NULL ? thread->wake.total : 0);
    CHECK(delays->count == 0 ||
          delays->slowest[0].to - delays->slowest[0].from == thread->wake.max);
}

/* Each interval as it is painted. */
static void check_availability(const struct world *world, const struct painting *painting,
                               const struct availability *availability)
{
    uint64_t at = BEGIN;

    CHECK_EQUAL(availability->count,
                (world->end - BEGIN + availability->length - 1) / availability->length);
    for (size_t i = 0; i < availability->count; i++) {
        const struct availability_interval *interval = &availability->intervals[i];
        uint64_t busy = 0;
        uint64_t unknown = 0;

        for (uint64_t t = at; t < at + interval->ticks; t++) {
            unknown += painting->owner[t] == OWNER(ACCOUNT_UNKNOWN, 0);
            busy += painting->owner[t] != OWNER(ACCOUNT_UNKNOWN, 0) &&
                    painting->owner[t] != OWNER(ACCOUNT_THREAD, TRACE_IDLE_THREAD);
        }
        CHECK_EQUAL(interval->busy, busy);
        CHECK_EQUAL(interval->unknown, unknown);
        at += interval->ticks;
    }
    CHECK_EQUAL(at, world->end);
}

/* ---- all together ---- */

static void build(const struct world *world, struct run_bench *bench)
{
    struct trace_builder builder;

    trace_builder_init(&builder, BEGIN, PACKET);
    for (size_t i = 0; i < world->count; i++) {
        const struct step *step = &world->steps[i];

        if (step->opens) {
            trace_builder_turn(&builder, step->packet_begin, step->packet_begin,
                               step->tracer_ticks);
        }
        if (step->lost) {
            trace_builder_lose(&builder);
        }
        trace_builder_add(&builder, step->tsc, step->id, step->field, step->extended);
    }
    trace_builder_finish(&builder, world->end, bench)->costs = world->costs;
}

static void choose_costs(struct world *world)
{
    world->costs.record = (uint32_t)pick(world, 12);
    world->costs.lead = (uint32_t)pick(world, world->costs.record + 1);
    world->costs.extended = (uint32_t)pick(world, 30);
    world->costs.isr_lead = (uint32_t)pick(world, 40);
    world->costs.isr_trail = (uint32_t)pick(world, 40);
    world->costs.dpc_trail = (uint32_t)pick(world, 40);
    world->costs.switch_trail = (uint32_t)pick(world, 40);
}

/* With all that look on while the trace is read. */
static void read_trace(struct world *world, const struct painting *painting,
                       const struct run_bench *bench)
{
    struct account_observer observers[THREADS + 1];
    struct delays delays[THREADS];
    struct availability availability;
    struct accounting accounting;

    for (uint32_t i = 0; i < THREADS; i++) {
        delays_init(&delays[i], i, STEPS);
        observers[i] = delays_observer(&delays[i]);
    }
    availability_init(&availability, 1 + pick(world, 3000));
    observers[THREADS] = availability_observer(&availability);
    CHECK(accounting_read(&accounting, bench, observers, THREADS + 1));
    compare(world, painting, &accounting);
    check_availability(world, painting, &availability);
    for (uint32_t i = 0; i < THREADS; i++) {
        check_delays(&accounting, &delays[i]);
        delays_free(&delays[i]);
    }
    availability_free(&availability);
    accounting_free(&accounting);
}

static void test_trace(uint64_t seed)
{
    static struct painting painting;
    static struct step steps[STEPS + 16];
    const unsigned long failed = unit_failed_checks;
    struct world world = {.seed = seed, .now = BEGIN, .steps = steps};
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "b", 1);

    world.lossy = pick(&world, 2) == 0;
    if (pick(&world, 4) != 0) {
        choose_costs(&world);
    }
    simulate(&world);
    paint_all(&world, &painting);
    build(&world, bench);
    read_trace(&world, &painting, bench);
    if (unit_failed_checks != failed) {
        fprintf(stderr, "    in the trace of seed %" PRIu64 "\n", seed);
    }
    run_free(&run);
}

static void test_traces(void)
{
    for (uint64_t seed = 1; seed <= TRACES; seed++) {
        test_trace(seed * 0x9e3779b97f4a7c15u);
    }
}

int main(void)
{
    RUN(test_traces());
    return unit_finish("unit_accounting_random");
}
