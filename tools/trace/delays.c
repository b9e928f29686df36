/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/delays.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define HOLDERS_MAX 16 /* longest chain of locks that is followed */

void delays_init(struct delays *delays, uint32_t thread, size_t wanted)
{
    memset(delays, 0, sizeof(*delays));
    delays->thread = thread;
    delays->wanted = wanted;
    delays->slowest = alloc_zeroed((wanted + 1) * sizeof(*delays->slowest));
}

void delays_free(struct delays *delays)
{
    free(delays->slowest);
}

/* ---- reasons ---- */

/* Returns why `other` runs instead of `thread`, which could run; `quanta`: quanta have ended. */
static enum delay_why why_instead(const struct account_thread *other,
                                  const struct account_thread *thread, bool quanta)
{
    if (other->priority == thread->priority) {
        return quanta ? DELAY_QUANTUM : DELAY_FIRST;
    }
    return other->priority > thread->priority ? DELAY_HIGHER : DELAY_LOWER;
}

/* Returns why `other` runs while `thread` waits for a lock. Follows the chain from the holder of
 * the lock to what the holder waits for, and so on, up to a thread that could run. */
static enum delay_why why_waits(const struct accounting *accounting,
                                const struct account_thread *other,
                                const struct account_thread *thread, uint32_t *lock_id)
{
    const struct account_thread *holder = thread;

    for (int i = 0; i < HOLDERS_MAX && holder != NULL && holder->state == STATE_WAITING &&
                    holder->waits_for_lock;
         i++) {
        const struct account_lock *lock = accounting_lock(accounting, holder->lock);

        *lock_id = lock->id;
        if (lock->holder == TRACE_NO_HOLDER) {
            return lock->owned ? DELAY_HANDS_ON : DELAY_HOLDER_WAITS;
        }
        if (lock->holder == other->id) {
            return DELAY_HOLDS;
        }
        holder = accounting_thread(accounting, lock->holder);
    }
    *lock_id = 0;
    if (holder == NULL || holder->state != STATE_READY) {
        return DELAY_HOLDER_WAITS;
    }
    if (other->priority < thread->priority && other->priority >= holder->priority) {
        return DELAY_INVERSION;
    }
    return why_instead(other, thread, false);
}

/* Returns why another thread had the processor. */
static enum delay_why why_thread(const struct delays *delays, const struct accounting *accounting,
                                 uint32_t id, uint32_t *lock)
{
    const struct account_thread *thread = accounting_thread(accounting, delays->thread);
    const struct account_thread *other = accounting_thread(accounting, id);

    if (id == delays->thread) {
        return DELAY_SELF;
    }
    if (other == NULL || thread == NULL) {
        return delays->signalled ? DELAY_IPI : DELAY_DISPATCH;
    }
    if (delays->now.for_lock && thread->state == STATE_WAITING) {
        return why_waits(accounting, other, thread, lock);
    }
    const enum delay_why why =
        why_instead(other, thread, accounting->cpus[delays->followed].quantum_ends > 0);

    return why == DELAY_LOWER && delays->signalled ? DELAY_IPI : why;
}

static struct delay_link link_of(const struct delays *delays, const struct accounting *accounting,
                                 const struct account_segment *segment)
{
    struct delay_link link = {
        .kind = segment->kind, .id = segment->id, .ticks = segment->to - segment->from};

    link.cpu = accounting->cpu_count > 1 ? (uint32_t)delays->followed + 1 : 0;

    switch (segment->kind) {
    case ACCOUNT_THREAD:
    case ACCOUNT_FAULT:
        link.why = why_thread(delays, accounting, segment->id, &link.lock);
        break;
    case ACCOUNT_VECTOR:
        link.why = DELAY_INTERRUPT;
        break;
    case ACCOUNT_DPC:
        link.why = DELAY_DEFERRED;
        break;
    default:
        link.why = DELAY_DISPATCH;
        break;
    }
    return link;
}

/* ---- the chain ---- */

static bool is_same(const struct delay_link *left, const struct delay_link *right)
{
    return left->kind == right->kind && left->id == right->id && left->why == right->why &&
           left->lock == right->lock && left->cpu == right->cpu;
}

/* Adds a link at the end of the chain. If there is no space, adds its ticks to the last equal link,
 * or to "others". */
static void add_link(struct delay *delay, const struct delay_link *link)
{
    size_t at = delay->link_count;

    if (at > 0 && is_same(&delay->links[at - 1], link)) {
        delay->links[at - 1].ticks += link->ticks;
        return;
    }
    if (at < DELAY_LINKS_MAX - 2) {
        delay->links[delay->link_count++] = *link;
        return;
    }
    delay->folded = true;
    while (at > 0 && !is_same(&delay->links[at - 1], link)) {
        at--;
    }
    if (at > 0) {
        delay->links[at - 1].ticks += link->ticks;
        return;
    }
    const struct delay_link others = {
        .kind = ACCOUNT_KINDS, .why = DELAY_OTHERS, .ticks = link->ticks};

    if (is_same(&delay->links[delay->link_count - 1], &others)) {
        delay->links[delay->link_count - 1].ticks += link->ticks;
    } else {
        delay->links[delay->link_count++] = others;
    }
}

/* Explains the time from what is explained up to `to` by the thread that its processor runs. */
static void cover(struct delays *delays, const struct accounting *accounting, uint64_t to)
{
    const uint32_t current = delays->followed == accounting->on
                                 ? accounting->current
                                 : accounting->cpus[delays->followed].current;
    const struct account_segment segment = {
        delays->covered, to, current != ACCOUNT_NO_THREAD ? ACCOUNT_THREAD : ACCOUNT_UNKNOWN,
        current % ACCOUNT_NO_THREAD};

    if (to > delays->covered) {
        const struct delay_link link = link_of(delays, accounting, &segment);

        add_link(&delays->now, &link);
        delays->covered = to;
    }
}

/* Returns the processor that the thread waits for. */
static size_t processor_of(const struct delays *delays, const struct accounting *accounting)
{
    const struct account_thread *holder = accounting_thread(accounting, delays->thread);

    for (int i = 0; i < HOLDERS_MAX && delays->now.for_lock && holder != NULL &&
                    holder->state == STATE_WAITING && holder->waits_for_lock;
         i++) {
        holder = accounting_thread(accounting, accounting_lock(accounting, holder->lock)->holder);
    }
    /* The thread that released the lock hands it on. */
    return holder != NULL ? holder->home : delays->followed;
}

/* Follows the thread to another processor, if the last event made it wait for that. */
static void follow(struct delays *delays, const struct accounting *accounting)
{
    const size_t to = processor_of(delays, accounting);

    if (to != delays->followed) {
        cover(delays, accounting, delays->last);
        delays->followed = to;
        delays->signalled = to != delays->last_on;
    }
}

static void begin(struct delays *delays, const struct accounting *accounting, uint64_t at)
{
    memset(&delays->now, 0, offsetof(struct delay, links));
    delays->now.part = accounting->part;
    delays->now.origin = delays->origin;
    delays->now.from = at;
    delays->active = true;
    delays->waited = false;
    delays->tracer = 0;
    delays->followed = processor_of(delays, accounting);
    delays->signalled = delays->followed != accounting->on;
    delays->covered = delays->last = at;
    delays->last_on = accounting->on;
}

/* Ends the delay in progress, and keeps it if it is among the slowest. */
static void finish(struct delays *delays, const struct accounting *accounting, uint64_t at)
{
    struct delay *now = &delays->now;
    size_t place = delays->count;

    cover(delays, accounting, at);
    now->to = at;
    now->number = ++delays->seen;
    delays->lock_waits += now->for_lock;
    delays->active = false;
    if (delays->tracer > 0) {
        now->links[now->link_count++] = (struct delay_link){
            .kind = ACCOUNT_TRACER, .why = DELAY_TRACER, .ticks = delays->tracer};
    }
    while (place > 0 &&
           delays->slowest[place - 1].to - delays->slowest[place - 1].from < now->to - now->from) {
        delays->slowest[place] = delays->slowest[place - 1];
        place--;
    }
    if (place < delays->wanted) {
        delays->slowest[place] = *now;
        delays->count += delays->count < delays->wanted;
    }
}

/* ---- as an observer ---- */

static void see_part(void *context, const struct accounting *accounting,
                     const struct run_trace *trace)
{
    struct delays *delays = context;

    (void)accounting;
    delays->origin = trace->begin;
}

static void see_segment(void *context, const struct accounting *accounting,
                        const struct account_segment *segment)
{
    struct delays *delays = context;

    struct account_segment part = *segment;

    if (delays->active) {
        follow(delays, accounting);
    }
    if (!delays->active || accounting->on != delays->followed || part.to <= delays->covered) {
        return;
    }
    part.from = part.from > delays->covered ? part.from : delays->covered;
    delays->covered = part.to;
    if (part.kind == ACCOUNT_TRACER) {
        delays->tracer += part.to - part.from;
        return;
    }
    const struct delay_link link = link_of(delays, accounting, &part);

    add_link(&delays->now, &link);
}

static void see_switch(struct delays *delays, const struct accounting *accounting,
                       const struct trace_event *event)
{
    if (event->field[0] == delays->thread && TRACE_WHY_STATE(event->field[2]) == THREAD_WAITING) {
        delays->waited = true;
    }
    if (event->field[1] == delays->thread && delays->active &&
        (!delays->now.for_lock || delays->waited)) {
        finish(delays, accounting, event->tsc);
    }
}

static void see_ready(struct delays *delays, const struct accounting *accounting,
                      const struct trace_event *event)
{
    if (event->field[0] != delays->thread) {
        return;
    }
    if (!delays->active) {
        begin(delays, accounting, event->tsc);
    }
    delays->now.woken = true;
    delays->now.by = (uint32_t)event->field[1];
}

static void see_lock(struct delays *delays, const struct accounting *accounting,
                     const struct trace_event *event)
{
    if (accounting->current != delays->thread) {
        return;
    }
    if (event->id == TRACE_ID_lock_wait && event->field[1] != TRACE_NO_HOLDER && !delays->active) {
        begin(delays, accounting, event->tsc);
        delays->now.for_lock = true;
        delays->now.lock = (uint32_t)event->field[0];
        delays->now.holder = (uint32_t)event->field[1];
    } else if (event->id == TRACE_ID_lock_acquire && delays->active && delays->now.for_lock) {
        finish(delays, accounting, event->tsc);
    }
}

static void see_event(void *context, const struct accounting *accounting,
                      const struct trace_event *event)
{
    struct delays *delays = context;

    if (delays->active) {
        follow(delays, accounting);
    }
    switch (event->id) {
    case TRACE_ID_thread_switch:
        see_switch(delays, accounting, event);
        break;
    case TRACE_ID_thread_ready:
        see_ready(delays, accounting, event);
        break;
    case TRACE_ID_lock_wait:
    case TRACE_ID_lock_acquire:
        see_lock(delays, accounting, event);
        break;
    default:
        break;
    }
    delays->last = event->tsc;
    delays->last_on = accounting->on;
    delays->signalled = delays->signalled && accounting->on != delays->followed;
}

static void see_unknown(void *context, const struct accounting *accounting)
{
    struct delays *delays = context;

    (void)accounting;
    delays->cut += delays->active;
    delays->active = false;
}

struct account_observer delays_observer(struct delays *delays)
{
    return (struct account_observer){
        .context = delays,
        .part = see_part,
        .segment = see_segment,
        .event = see_event,
        .unknown = see_unknown,
    };
}
