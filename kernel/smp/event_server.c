/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/smp/event_server.h"

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/irq/lapic.h"
#include "kernel/smp/processor.h"

#define ABANDON_US 1000000

/* processor.S: the entry stub of the event server's interrupts, and the function it calls. */
void other_event_server_entry(void) __attribute__((visibility("hidden")));
void other_event_server(uint64_t tsc);

/* The event server of each processor, or NULL. */
static struct event_server *servers[PROCESSORS_MAX];

/* ---- events ---- */

/* Takes the lock; interrupts are off while it is held. */
static uint64_t lock(struct server_events *events)
{
    const uint64_t flags = interrupts_save();

    while (__atomic_exchange_n(&events->locked, true, __ATOMIC_ACQUIRE)) {
        cpu_pause();
    }
    return flags;
}

static void unlock(struct server_events *events, uint64_t flags)
{
    __atomic_store_n(&events->locked, false, __ATOMIC_RELEASE);
    interrupts_restore(flags);
}

bool server_events_add(struct server_events *events, const struct server_event *event)
{
    const uint64_t flags = lock(events);
    const bool has_room = events->count < SERVER_EVENTS_MAX;

    if (has_room) {
        events->event[events->count++] = *event;
    }
    unlock(events, flags);
    return has_room;
}

static size_t find_earliest(const struct server_events *events)
{
    size_t earliest = 0;

    for (size_t i = 1; i < events->count; i++) {
        if (events->event[i].due < events->event[earliest].due) {
            earliest = i;
        }
    }
    return earliest;
}

bool server_events_take(struct server_events *events, uint64_t now, struct server_event *event,
                        uint64_t *next)
{
    const uint64_t flags = lock(events);
    const size_t earliest = find_earliest(events);
    const uint64_t due = events->count > 0 ? events->event[earliest].due : EVENT_SERVER_NEVER;
    const bool is_due = events->count > 0 && due <= now;

    if (is_due) {
        *event = events->event[earliest];
        events->count--;
        for (size_t i = earliest; i < events->count; i++) {
            events->event[i] = events->event[i + 1];
        }
    }
    unlock(events, flags);
    *next = due;
    return is_due;
}

/* ---- on the event server ---- */

static void arm(struct event_server *server, uint64_t next)
{
    if (next == server->armed || next == EVENT_SERVER_NEVER) {
        return;
    }
    const uint64_t now = tsc_read();

    server->armed = next;
    lapic_timer_rearm(clock_lapic_counts(next > now ? next - now : 0));
}

static void take_due(struct event_server *server)
{
    struct server_event event;
    uint64_t next;

    while (server_events_take(&server->events, tsc_read(), &event, &next)) {
        server->take(server, &event);
    }
    arm(server, next);
}

static bool is_stopped(const struct event_server *server)
{
    return __atomic_load_n(&server->stop, __ATOMIC_ACQUIRE);
}

void event_server_give_way(struct event_server *server)
{
    const int before = server->level;

    take_due(server);
    while (!is_stopped(server) && server->ready >> (before + 1) != 0) {
        server->level = 31 - __builtin_clz(server->ready);
        server->serve(server, (unsigned)server->level);
        server->level = before;
        take_due(server);
    }
}

/* Handles the timer and notifications. A timer that ended too early, by rounding or because it
 * cannot count that far, is set again. */
void other_event_server(uint64_t tsc)
{
    struct event_server *server = servers[processor_here()];

    (void)tsc;
    lapic_end_of_interrupt();
    if (server != NULL) {
        server->armed = EVENT_SERVER_NEVER;
        event_server_give_way(server);
    }
}

static void run(void *argument)
{
    struct event_server *server = argument;

    __atomic_store_n(&servers[server->processor], server, __ATOMIC_RELEASE);
    lapic_timer_start(PROCESSOR_VECTOR_EVENT_SERVER, LAPIC_TIMER_ONE_SHOT, 0);
    for (;;) {
        event_server_give_way(server);
        if (is_stopped(server)) {
            break;
        }
        cpu_wait_for_interrupt();
    }
    lapic_timer_stop();
    __atomic_store_n(&servers[server->processor], NULL, __ATOMIC_RELEASE);
}

/* ---- from another processor ---- */

bool event_server_begin(struct event_server *server)
{
    server->level = -1;
    server->armed = EVENT_SERVER_NEVER;
    server->ready = 0;
    server->stop = false;
    descriptors_set_other_entry(PROCESSOR_VECTOR_EVENT_SERVER, other_event_server_entry);
    return processor_begin(server->processor, run, server);
}

bool event_server_end(struct event_server *server, uint64_t ticks)
{
    __atomic_store_n(&server->stop, true, __ATOMIC_RELEASE);
    /* a handler that also sends an interrupt must not come between the two writes of a command */
    const uint64_t flags = interrupts_save();

    processor_send(server->processor, PROCESSOR_VECTOR_EVENT_SERVER);
    interrupts_restore(flags);
    const bool good = processor_await(server->processor, ticks);

    /* a processor that is lost did not clear it */
    __atomic_store_n(&servers[server->processor], NULL, __ATOMIC_RELEASE);
    return good;
}

void event_servers_abandon(void)
{
    for (size_t i = 0; i < PROCESSORS_MAX; i++) {
        struct event_server *server = __atomic_load_n(&servers[i], __ATOMIC_ACQUIRE);

        if (server != NULL) {
            event_server_end(server, clock_ticks_from_us(ABANDON_US));
        }
    }
}
