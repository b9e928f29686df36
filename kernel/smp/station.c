/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/smp/station.h"

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/irq/lapic.h"
#include "kernel/smp/processor.h"

#define ABANDON_US 1000000

/* processor.S: the entry stub of the station's interrupts, and the function it calls. */
void other_station_entry(void) __attribute__((visibility("hidden")));
void other_station(uint64_t tsc);

/* The station of each processor, or NULL. */
static struct station *stations[PROCESSORS_MAX];

/* ---- events ---- */

/* Takes the lock; interrupts are off while it is held. */
static uint64_t lock(struct station_events *events)
{
    const uint64_t flags = interrupts_save();

    while (__atomic_exchange_n(&events->locked, true, __ATOMIC_ACQUIRE)) {
        cpu_pause();
    }
    return flags;
}

static void unlock(struct station_events *events, uint64_t flags)
{
    __atomic_store_n(&events->locked, false, __ATOMIC_RELEASE);
    interrupts_restore(flags);
}

bool station_events_add(struct station_events *events, const struct station_event *event)
{
    const uint64_t flags = lock(events);
    const bool has_room = events->count < STATION_EVENTS_MAX;

    if (has_room) {
        events->event[events->count++] = *event;
    }
    unlock(events, flags);
    return has_room;
}

static size_t find_earliest(const struct station_events *events)
{
    size_t earliest = 0;

    for (size_t i = 1; i < events->count; i++) {
        if (events->event[i].due < events->event[earliest].due) {
            earliest = i;
        }
    }
    return earliest;
}

bool station_events_take(struct station_events *events, uint64_t now, struct station_event *event,
                         uint64_t *next)
{
    const uint64_t flags = lock(events);
    const size_t earliest = find_earliest(events);
    const uint64_t due = events->count > 0 ? events->event[earliest].due : STATION_NEVER;
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

/* ---- on the station ---- */

static void arm(struct station *station, uint64_t next)
{
    if (next == station->armed || next == STATION_NEVER) {
        return;
    }
    const uint64_t now = tsc_read();

    station->armed = next;
    lapic_timer_rearm(clock_lapic_counts(next > now ? next - now : 0));
}

static void take_due(struct station *station)
{
    struct station_event event;
    uint64_t next;

    while (station_events_take(&station->events, tsc_read(), &event, &next)) {
        station->take(station, &event);
    }
    arm(station, next);
}

static bool is_stopped(const struct station *station)
{
    return __atomic_load_n(&station->stop, __ATOMIC_ACQUIRE);
}

void station_give_way(struct station *station)
{
    const int before = station->level;

    take_due(station);
    while (!is_stopped(station) && station->ready >> (before + 1) != 0) {
        station->level = 31 - __builtin_clz(station->ready);
        station->serve(station, (unsigned)station->level);
        station->level = before;
        take_due(station);
    }
}

/* Handles the timer and notifications. A timer that ended too early, by rounding or because it
 * cannot count that far, is set again. */
void other_station(uint64_t tsc)
{
    struct station *station = stations[processor_here()];

    (void)tsc;
    lapic_end_of_interrupt();
    if (station != NULL) {
        station->armed = STATION_NEVER;
        station_give_way(station);
    }
}

static void run(void *argument)
{
    struct station *station = argument;

    __atomic_store_n(&stations[station->processor], station, __ATOMIC_RELEASE);
    lapic_timer_start(PROCESSOR_VECTOR_STATION, LAPIC_TIMER_ONE_SHOT, 0);
    for (;;) {
        station_give_way(station);
        if (is_stopped(station)) {
            break;
        }
        cpu_wait_for_interrupt();
    }
    lapic_timer_stop();
    __atomic_store_n(&stations[station->processor], NULL, __ATOMIC_RELEASE);
}

/* ---- from another processor ---- */

bool station_has_time(size_t number, struct skew *skew)
{
    *skew = (struct skew){0};
    return skew_measure(number, skew) && !skew_exceeds(skew, clock_ticks_from_us(STATION_SKEW_US));
}

bool station_begin(struct station *station)
{
    station->level = -1;
    station->armed = STATION_NEVER;
    station->ready = 0;
    station->stop = false;
    descriptors_set_other_entry(PROCESSOR_VECTOR_STATION, other_station_entry);
    return processor_begin(station->processor, run, station);
}

/* Interrupts are off meanwhile, because a handler that also sends an interrupt could come between
 * the two writes of a LAPIC command. */
static void notify(const struct station *station)
{
    const uint64_t flags = interrupts_save();

    processor_send(station->processor, PROCESSOR_VECTOR_STATION);
    interrupts_restore(flags);
}

bool station_end(struct station *station, uint64_t ticks)
{
    __atomic_store_n(&station->stop, true, __ATOMIC_RELEASE);
    notify(station);
    const bool good = processor_await(station->processor, ticks);

    /* a processor that is lost did not clear it */
    __atomic_store_n(&stations[station->processor], NULL, __ATOMIC_RELEASE);
    return good;
}

void stations_abandon(void)
{
    for (size_t i = 0; i < PROCESSORS_MAX; i++) {
        struct station *station = __atomic_load_n(&stations[i], __ATOMIC_ACQUIRE);

        if (station != NULL) {
            station_end(station, clock_ticks_from_us(ABANDON_US));
        }
    }
}

bool station_post(struct station *station, const struct station_event *event)
{
    const bool has_room = station_events_add(&station->events, event);

    notify(station);
    return has_room;
}
