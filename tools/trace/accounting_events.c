/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/accounting_events.h"

#include <string.h>

#include "tools/base/alloc.h"

/* ---- threads ---- */

/* Returns the slot for `id`, enlarging the table if needed. */
static uint32_t *slot_of(uint32_t **slots, size_t *count, uint32_t id)
{
    if (id >= *count) {
        size_t capacity = *count;

        *slots = alloc_grow(*slots, &capacity, (size_t)id + 1, sizeof(**slots));
        memset(*slots + *count, 0, (capacity - *count) * sizeof(**slots));
        *count = capacity;
    }
    return &(*slots)[id];
}

static struct account_thread *thread_create(const struct accounting *accounting, uint64_t id)
{
    struct account_thread *thread =
        alloc_zeroed(sizeof(*thread) + accounting->cpu_count * sizeof(thread->on[0]));

    thread->id = (uint32_t)id;
    return thread;
}

void account_select(struct accounting *accounting, size_t place)
{
    accounting->cpus[accounting->on].current = accounting->current;
    accounting->on = place;
    accounting->current = accounting->cpus[place].current;
    accounting->machine = accounting->cpus[place].machine;
}

struct account_thread *account_thread_of(struct accounting *accounting, uint64_t id)
{
    if (id == TRACE_IDLE_THREAD && accounting->on > 0) {
        struct account_cpu *cpu = &accounting->cpus[accounting->on];

        if (cpu->idle_thread == NULL) {
            cpu->idle_thread = thread_create(accounting, id);
        }
        return cpu->idle_thread;
    }
    uint32_t *slot =
        slot_of(&accounting->thread_slots, &accounting->thread_slot_count, (uint32_t)id);

    if (*slot == 0) {
        struct account_thread **next =
            alloc_next(&accounting->threads, &accounting->thread_count,
                       &accounting->thread_capacity, sizeof(struct account_thread *));

        *next = thread_create(accounting, id);
        *slot = (uint32_t)accounting->thread_count;
    }
    return accounting->threads[*slot - 1];
}

struct account_thread *account_current(struct accounting *accounting)
{
    return accounting->current != ACCOUNT_NO_THREAD
               ? account_thread_of(accounting, accounting->current)
               : NULL;
}

/* Returns a thread that is alive. If it was not known, its life begins at `at`. */
static struct account_thread *living_thread(struct accounting *accounting, uint64_t id, uint64_t at)
{
    struct account_thread *thread = account_thread_of(accounting, id);

    if (!thread->alive) {
        account_thread_born(accounting, (uint32_t)id, at, STATE_UNKNOWN);
    }
    return thread;
}

void account_thread_set(struct account_thread *thread, enum account_state state, uint64_t at)
{
    /* A damaged trace of another processor may begin later. */
    const uint64_t ticks = at > thread->since ? at - thread->since : 0;

    if (thread->state == STATE_READY) {
        thread->ready[thread->ready_cause] += ticks;
    } else if (thread->state == STATE_WAITING) {
        thread->waiting[thread->wait_reason] += ticks;
    } else if (thread->state == STATE_UNKNOWN) {
        thread->unknown += ticks;
    }
    thread->state = state;
    thread->since += ticks;
}

void account_thread_born(struct accounting *accounting, uint32_t id, uint64_t at,
                         enum account_state state)
{
    struct account_thread *thread = account_thread_of(accounting, id);

    thread->alive = true;
    thread->born = at;
    thread->since = at;
    thread->state = state;
    thread->in_fault = false;
    thread->woken = false;
    thread->preempted = false;
    thread->waits_for_lock = false;
    thread->home = thread->next_home = accounting->on;
    thread->placed = state == STATE_RUNNING;
}

void account_thread_ended(struct account_thread *thread, uint64_t at)
{
    account_thread_set(thread, STATE_ENDED, at);
    thread->life += thread->since - thread->born;
    thread->alive = false;
}

static enum account_ready cause_of(enum wait_reason reason)
{
    switch (reason) {
    case WAIT_PREEMPTED:
        return READY_PREEMPTED;
    case WAIT_OVERTAKEN:
        return READY_OVERTAKEN;
    case WAIT_YIELD:
        return READY_YIELDED;
    case WAIT_QUANTUM:
        return READY_QUANTUM;
    default:
        return READY_WOKEN;
    }
}

/* Returns a state, or that it is unknown while events that may change it are missing. */
static enum account_state sure(const struct accounting *accounting, enum account_state state,
                               uint64_t at)
{
    return at < accounting->blind ? STATE_UNKNOWN : state;
}

/* Sets a state. `state` and `reason` are those of an event: enum thread_state and enum wait_reason.
 */
static void set_state(const struct accounting *accounting, struct account_thread *thread,
                      uint32_t state, uint32_t reason, uint64_t at)
{
    switch (state) {
    case THREAD_READY:
        account_thread_set(thread, sure(accounting, STATE_READY, at), at);
        thread->ready_cause = cause_of(reason);
        thread->preempted = reason == WAIT_PREEMPTED || reason == WAIT_QUANTUM;
        break;
    case THREAD_WAITING:
        account_thread_set(thread, sure(accounting, STATE_WAITING, at), at);
        thread->wait_reason = reason % ACCOUNT_REASONS;
        break;
    case THREAD_ENDED:
        account_thread_ended(thread, at);
        break;
    default:
        account_thread_set(thread, STATE_UNKNOWN, at);
        break;
    }
}

/* Returns the account state for the state in an event. */
static enum account_state state_of(uint64_t state)
{
    switch (state) {
    case THREAD_RUNNING:
        return STATE_RUNNING;
    case THREAD_READY:
        return STATE_READY;
    case THREAD_WAITING:
        return STATE_WAITING;
    case THREAD_ENDED:
        return STATE_ENDED;
    default:
        return STATE_UNKNOWN;
    }
}

static void describe(struct account_thread *thread, uint64_t process, uint64_t priority)
{
    if (!thread->described) {
        thread->process = (uint32_t)process;
        thread->first_priority = (uint8_t)priority;
    }
    thread->described = true;
    thread->priority = (uint8_t)priority;
}

static void run_here(struct accounting *accounting, struct account_thread *thread)
{
    thread->home = thread->next_home = accounting->on;
    thread->placed = true;
    accounting->current = thread->id;
}

/* A state other than running begins at the start of the part, because the event holds the state at
 * that time. */
static void apply_thread_is(struct accounting *accounting, const struct trace_event *event)
{
    const struct account_machine *machine = accounting->machine;
    const uint64_t at = machine->whole ? machine->begin : event->tsc;
    struct account_thread *thread = account_thread_of(accounting, event->field[0]);

    describe(thread, event->field[1], event->field[2]);
    if (!thread->alive) {
        account_thread_born(accounting, thread->id, at, STATE_UNKNOWN);
    }
    if (thread->state != STATE_UNKNOWN) {
        return;
    }
    if (event->field[3] == THREAD_RUNNING) {
        account_thread_set(thread, STATE_RUNNING, event->tsc);
        run_here(accounting, thread);
    } else {
        set_state(accounting, thread, (uint32_t)event->field[3], (uint32_t)event->field[4],
                  machine->whole ? thread->since : event->tsc);
    }
}

/* The number may be that of a thread that was dropped together with its session; that thread's life
 * ends here. */
static void apply_thread_start(struct accounting *accounting, const struct trace_event *event)
{
    struct account_thread *thread = account_thread_of(accounting, event->field[0]);

    if (thread->alive) {
        account_thread_ended(thread, event->tsc);
    }
    describe(thread, event->field[1], event->field[2]);
    account_thread_born(accounting, thread->id, event->tsc,
                        sure(accounting, STATE_READY, event->tsc));
    thread->ready_cause = READY_STARTED;
}

static void apply_thread_switch(struct accounting *accounting, const struct trace_event *event)
{
    struct account_machine *machine = accounting->machine;
    struct account_thread *old = living_thread(accounting, event->field[0], event->tsc);
    const uint32_t reason = TRACE_WHY_REASON(event->field[2]);

    old->preempted = false;
    old->preemptions += reason == WAIT_PREEMPTED;
    /* After a contradiction, the old thread may run on another processor. */
    if (old->state != STATE_RUNNING || old->home == accounting->on) {
        if (old->state != STATE_RUNNING) {
            old->next_home = accounting->on;
        }
        old->home = old->next_home;
        old->placed = event->tsc >= accounting->blind;
        set_state(accounting, old, TRACE_WHY_STATE(event->field[2]), reason, event->tsc);
    }

    struct account_thread *new = living_thread(accounting, event->field[1], event->tsc);

    if (new->state == STATE_READY &&new->woken) {
        account_spread_add(&new->wake, event->tsc - new->since);
    }
    account_thread_set(new, STATE_RUNNING, event->tsc);
    new->woken = false;
    new->switches++;
    accounting->cpus[accounting->on].switches++;
    if (new->preempted) {
        machine->trail = machine->costs.switch_trail;
        machine->trail_kind = ACCOUNT_DISPATCH;
        machine->trail_id = 0;
    }
    run_here(accounting, new);
    machine->handlers_known = true;
}

static struct account_lock *lock_of(struct accounting *accounting, uint64_t id)
{
    uint32_t *slot = slot_of(&accounting->lock_slots, &accounting->lock_slot_count, (uint32_t)id);

    if (*slot == 0) {
        struct account_lock **next =
            alloc_next(&accounting->locks, &accounting->lock_count, &accounting->lock_capacity,
                       sizeof(struct account_lock *));

        *next = alloc_zeroed(sizeof(**next));
        (*next)->id = (uint32_t)id;
        (*next)->holder = TRACE_NO_HOLDER;
        *slot = (uint32_t)accounting->lock_count;
    }
    return accounting->locks[*slot - 1];
}

static void count_waker(struct account_thread *thread, uint32_t by)
{
    size_t at = 0;

    while (at < thread->waker_count && thread->wakers[at].by != by) {
        at++;
    }
    if (at == ACCOUNT_WAKERS) {
        at--;
        thread->wakers[at].by = ACCOUNT_NO_THREAD;
    } else if (at == thread->waker_count) {
        thread->wakers[thread->waker_count++].by = by;
    }
    thread->wakers[at].n++;
}

/* A thread woken from waiting for a lock that was just released holds that lock. */
static void apply_thread_ready(struct accounting *accounting, const struct trace_event *event)
{
    struct account_thread *thread = living_thread(accounting, event->field[0], event->tsc);

    account_thread_set(thread, sure(accounting, STATE_READY, event->tsc), event->tsc);
    thread->ready_cause = READY_WOKEN;
    thread->woken = true;
    thread->wakeups++;
    count_waker(thread, (uint32_t)event->field[1]);
    if (thread->waits_for_lock) {
        struct account_lock *lock = lock_of(accounting, thread->lock);

        lock->holder = lock->owned && lock->holder == TRACE_NO_HOLDER ? thread->id : lock->holder;
    }
}

/* ---- handlers ---- */

static void push(struct account_machine *machine, enum account_kind kind, uint64_t id, uint64_t at)
{
    machine->frames[machine->depth++] =
        (struct account_frame){kind, (uint32_t)id, at, machine->entry_lead};
}

/* Leaves the innermost frame, if its entry was seen. Up to `trail` ticks after it belong to the
 * given account. */
static void pop(struct account_machine *machine, uint64_t at, uint32_t trail,
                enum account_kind kind, uint64_t id)
{
    if (machine->depth > 0) {
        machine->finished = machine->frames[--machine->depth];
        machine->finished_gross = at - machine->finished.entered;
        machine->has_finished = true;
    }
    machine->trail = trail;
    machine->trail_kind = kind;
    machine->trail_id = (uint32_t)id;
    machine->handler_left = machine->depth == 0;
}

static void apply_isr(struct accounting *accounting, const struct trace_event *event)
{
    struct account_machine *machine = accounting->machine;

    if (event->id == TRACE_ID_isr_exit) {
        pop(machine, event->tsc, machine->costs.isr_trail, ACCOUNT_VECTOR, event->field[0]);
        return;
    }
    account_handler_of(accounting, ACCOUNT_VECTOR, (uint32_t)event->field[0]);
    if (machine->depth > 0) {
        const struct account_frame *frame = &machine->frames[machine->depth - 1];

        account_handler_of(accounting, frame->kind, frame->id)->nested++;
    }
    push(machine, ACCOUNT_VECTOR, event->field[0], event->tsc);
}

static void apply_dpc(struct accounting *accounting, const struct trace_event *event)
{
    struct account_handler *dpc =
        account_handler_of(accounting, ACCOUNT_DPC, (uint32_t)event->field[0]);

    if (event->id == TRACE_ID_dpc_exit) {
        pop(accounting->machine, event->tsc, accounting->machine->costs.dpc_trail, ACCOUNT_DISPATCH,
            0);
        return;
    }
    if (event->id == TRACE_ID_dpc_entry) {
        if (dpc->is_queued) {
            account_spread_add(&dpc->queued, event->tsc - dpc->queued_since);
        }
        dpc->is_queued = false;
        push(accounting->machine, ACCOUNT_DPC, event->field[0], event->tsc);
    } else if (!dpc->is_queued) {
        dpc->is_queued = true;
        dpc->queued_since = event->tsc;
    }
}

/* ---- clock ---- */

static void apply_timer_expire(struct accounting *accounting, const struct trace_event *event)
{
    if (event->tsc >= event->field[0]) {
        account_spread_add(&accounting->timer_late, event->tsc - event->field[0]);
    } else {
        accounting->timers_early++;
    }
}

static void apply_tick(struct accounting *accounting, const struct trace_event *event)
{
    struct account_thread *thread = account_thread_of(accounting, event->field[0]);

    accounting->clock_ticks++;
    accounting->cpus[accounting->on].clock_ticks++;
    thread->charged++;
    thread->on[accounting->on].charged++;
}

/* ---- actions of the running thread ---- */

static struct account_thread *running_thread(struct accounting *accounting)
{
    return accounting->machine->depth == 0 ? account_current(accounting) : NULL;
}

static void apply_fault(struct accounting *accounting, const struct trace_event *event)
{
    struct account_thread *thread = running_thread(accounting);

    if (thread != NULL) {
        thread->in_fault = event->id == TRACE_ID_fault_entry;
        thread->faults += thread->in_fault;
    }
}

/* Ends the thread's wait for the lock, if that is what it waited for. */
static void end_lock_wait(struct account_lock *lock, struct account_thread *thread, uint64_t at)
{
    if (!thread->waits_for_lock || thread->lock != lock->id) {
        return;
    }
    const uint64_t ticks = at - thread->lock_since;

    if (lock->wait.n == 0 || ticks > lock->wait.max) {
        lock->longest_thread = thread->id;
        lock->longest_at = thread->lock_since;
    }
    account_spread_add(&lock->wait, ticks);
    thread->waits_for_lock = false;
}

static void apply_lock(struct accounting *accounting, const struct trace_event *event)
{
    struct account_lock *lock = lock_of(accounting, event->field[0]);
    struct account_thread *thread = running_thread(accounting);

    if (event->id == TRACE_ID_lock_wait) {
        lock->holder = (uint32_t)event->field[1];
        lock->owned = lock->owned || lock->holder != TRACE_NO_HOLDER;
    } else if (event->id == TRACE_ID_lock_acquire) {
        lock->acquired++;
        lock->holder = thread != NULL && lock->owned ? thread->id : TRACE_NO_HOLDER;
    } else {
        lock->holder = TRACE_NO_HOLDER;
        return;
    }
    if (thread == NULL) {
        return;
    }
    end_lock_wait(lock, thread, event->tsc);
    if (event->id == TRACE_ID_lock_wait) {
        thread->waits_for_lock = true;
        thread->lock = lock->id;
        thread->lock_since = event->tsc;
    }
}

/* ---- several processors ---- */

static void apply_migrate(struct accounting *accounting, const struct trace_event *event)
{
    struct account_thread *thread = account_thread_of(accounting, event->field[0]);
    const size_t to = account_place(accounting, event->field[2]);

    thread->migrations++;
    accounting->cpus[to].migrations++;
    thread->next_home = to;
    if (thread->state != STATE_RUNNING) {
        thread->home = to;
        thread->placed = event->tsc >= accounting->blind;
    }
}

static void apply_priority(struct accounting *accounting, const struct trace_event *event)
{
    const bool is_boost = event->id == TRACE_ID_thread_boost;
    struct account_thread *thread = account_thread_of(accounting, event->field[0]);

    thread->priority = (uint8_t)event->field[is_boost ? 2 : 1];
    thread->boosts += is_boost;
}

static void apply_ipi(struct accounting *accounting, const struct trace_event *event)
{
    (void)event;
    accounting->cpus[accounting->on].ipis++;
}

static void apply_quantum(struct accounting *accounting, const struct trace_event *event)
{
    if (event->field[1] == 0) {
        account_thread_of(accounting, event->field[0])->quantum_ends++;
        accounting->cpus[accounting->on].quantum_ends++;
    }
}

static void (*const effects[TRACE_ID_LIMIT])(struct accounting *accounting,
                                             const struct trace_event *event) = {
    [TRACE_ID_thread_is] = apply_thread_is,
    [TRACE_ID_thread_start] = apply_thread_start,
    [TRACE_ID_thread_switch] = apply_thread_switch,
    [TRACE_ID_thread_ready] = apply_thread_ready,
    [TRACE_ID_thread_priority] = apply_priority,
    [TRACE_ID_thread_boost] = apply_priority,
    [TRACE_ID_isr_entry] = apply_isr,
    [TRACE_ID_isr_exit] = apply_isr,
    [TRACE_ID_dpc_queue] = apply_dpc,
    [TRACE_ID_dpc_entry] = apply_dpc,
    [TRACE_ID_dpc_exit] = apply_dpc,
    [TRACE_ID_timer_expire] = apply_timer_expire,
    [TRACE_ID_tick] = apply_tick,
    [TRACE_ID_fault_entry] = apply_fault,
    [TRACE_ID_fault_exit] = apply_fault,
    [TRACE_ID_lock_wait] = apply_lock,
    [TRACE_ID_lock_acquire] = apply_lock,
    [TRACE_ID_lock_release] = apply_lock,
    [TRACE_ID_thread_migrate] = apply_migrate,
    [TRACE_ID_ipi] = apply_ipi,
    [TRACE_ID_quantum] = apply_quantum,
};

void account_apply(struct accounting *accounting, const struct trace_event *event)
{
    if (effects[event->id] != NULL) {
        effects[event->id](accounting, event);
    }
}

/* ---- conflicts ---- */

static bool is_known(const struct account_thread *thread)
{
    return thread != NULL && thread->alive && thread->state != STATE_UNKNOWN;
}

static bool has_ended(const struct account_thread *thread)
{
    return thread != NULL && !thread->alive && thread->state == STATE_ENDED;
}

/* Does the thread run on a processor other than that of the event? */
static bool runs_elsewhere(const struct accounting *accounting, const struct account_thread *thread)
{
    return is_known(thread) && thread->state == STATE_RUNNING && thread->home != accounting->on;
}

/* Is a thread other than that of the event known to be the current one? */
static bool another_runs(const struct accounting *accounting, const struct trace_event *event)
{
    return accounting->current != ACCOUNT_NO_THREAD && accounting->current != event->field[0];
}

static enum account_conflict check_switch(const struct accounting *accounting,
                                          const struct trace_event *event)
{
    const struct account_thread *new = accounting_thread(accounting, (uint32_t)event->field[1]);

    if (accounting->machine->depth > 0) {
        return CONFLICT_SWITCH_HANDLER;
    }
    if (another_runs(accounting, event)) {
        return CONFLICT_SWITCH_OLD;
    }
    if (runs_elsewhere(accounting, new)) {
        return CONFLICT_TWICE;
    }
    if (event->field[0] != event->field[1] &&
        (has_ended(new) || (is_known(new) && new->state != STATE_READY))) {
        return CONFLICT_SWITCH_NEW;
    }
    return is_known(new) && new->placed &&new->home != accounting->on ? CONFLICT_UNMOVED
                                                                      : CONFLICTS;
}

static enum account_conflict check_thread(const struct accounting *accounting,
                                          const struct trace_event *event)
{
    const struct account_thread *thread = accounting_thread(accounting, (uint32_t)event->field[0]);

    switch (event->id) {
    case TRACE_ID_thread_is:
        if (event->field[3] == THREAD_RUNNING && runs_elsewhere(accounting, thread)) {
            return CONFLICT_TWICE;
        }
        return (is_known(thread) && thread->state != state_of(event->field[3])) ||
                       (event->field[3] == THREAD_RUNNING && another_runs(accounting, event))
                   ? CONFLICT_STATE
                   : CONFLICTS;
    case TRACE_ID_thread_start:
        return is_known(thread) && thread->state == STATE_RUNNING ? CONFLICT_START : CONFLICTS;
    default:
        return has_ended(thread) ||
                       (is_known(thread) && thread->state != STATE_WAITING &&
                        !(thread->state == STATE_READY && thread->ready_cause == READY_STARTED))
                   ? CONFLICT_READY
                   : CONFLICTS;
    }
}

/* Is it the exit of the innermost frame? An exit without a frame is correct only if its entry may
 * lie before a gap. */
static bool is_exit_good(const struct account_machine *machine, enum account_kind kind, uint64_t id)
{
    const struct account_frame *frame =
        machine->depth > 0 ? &machine->frames[machine->depth - 1] : NULL;

    return frame != NULL ? frame->kind == kind && frame->id == id : !machine->handlers_known;
}

static bool is_fault_good(const struct accounting *accounting, const struct trace_event *event)
{
    const struct account_machine *machine = accounting->machine;
    const struct account_thread *thread = accounting_thread(accounting, accounting->current);

    if (machine->depth > 0 || thread == NULL) {
        return machine->depth == 0;
    }
    return event->id == TRACE_ID_fault_entry ? !thread->in_fault
                                             : thread->in_fault || !machine->whole;
}

/* A thread moves from where it is. */
static enum account_conflict check_move(const struct accounting *accounting,
                                        const struct trace_event *event)
{
    const struct account_thread *thread = accounting_thread(accounting, (uint32_t)event->field[0]);

    return is_known(thread) && thread->placed &&
                   thread->next_home != account_place(accounting, event->field[1])
               ? CONFLICT_MOVE
               : CONFLICTS;
}

enum account_conflict account_check(const struct accounting *accounting,
                                    const struct trace_event *event)
{
    const struct account_machine *machine = accounting->machine;

    switch (event->id) {
    case TRACE_ID_thread_is:
    case TRACE_ID_thread_start:
    case TRACE_ID_thread_ready:
        return check_thread(accounting, event);
    case TRACE_ID_thread_switch:
        return check_switch(accounting, event);
    case TRACE_ID_isr_entry:
        return machine->depth == FRAMES_MAX ? CONFLICT_DEPTH : CONFLICTS;
    case TRACE_ID_dpc_entry:
        return machine->depth > 0 ? CONFLICT_DPC : CONFLICTS;
    case TRACE_ID_isr_exit:
        return is_exit_good(machine, ACCOUNT_VECTOR, event->field[0]) ? CONFLICTS : CONFLICT_EXIT;
    case TRACE_ID_dpc_exit:
        return is_exit_good(machine, ACCOUNT_DPC, event->field[0]) ? CONFLICTS : CONFLICT_EXIT;
    case TRACE_ID_fault_entry:
    case TRACE_ID_fault_exit:
        return is_fault_good(accounting, event) ? CONFLICTS : CONFLICT_FAULT;
    case TRACE_ID_tick:
        return another_runs(accounting, event) ? CONFLICT_TICK : CONFLICTS;
    case TRACE_ID_quantum:
        return another_runs(accounting, event) ? CONFLICT_QUANTUM : CONFLICTS;
    case TRACE_ID_thread_migrate:
        return check_move(accounting, event);
    default:
        return CONFLICTS;
    }
}
