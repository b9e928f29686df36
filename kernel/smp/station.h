/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event-server loop on another processor (processor.h), called a station here. It serves waiting
 * work at levels of urgency, preemptively and run to completion: more urgent work is served within
 * the interrupt that brought it, on the same stack, and the interrupted service continues when
 * nothing more urgent is left. It has no threads.
 *
 * All work arrives as events with a due time. A station sets its own, such as arrivals, or another
 * processor sends one that is due at once or later. The events of a station are kept in one list,
 * and its LAPIC timer is set to the earliest. Times are TSC values, so the TSCs must be equal:
 * station_has_time().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/smp/skew.h"

#define STATION_EVENTS_MAX 256
#define STATION_NEVER      UINT64_MAX
#define STATION_LEVELS_MAX 30 /* number of services that can be nested on a stack of 32 KiB */

/* An event; the user of the station defines kind, tag and value. */
struct station_event {
    uint64_t due; /* TSC */
    uint16_t kind;
    uint16_t tag;
    uint32_t value;
};

/* The events of a station that are not due yet. Initialise with zeroes. */
struct station_events {
    bool locked;
    size_t count;
    struct station_event event[STATION_EVENTS_MAX];
};

/* Adds an event; may be called on any processor. Returns false if there is no room. */
bool station_events_add(struct station_events *events, const struct station_event *event);
/* Takes the earliest event if it is due by `now`; of equal ones, the first that was added.
 * Otherwise returns false and sets *next to the time of the earliest event, or STATION_NEVER. */
bool station_events_take(struct station_events *events, uint64_t now, struct station_event *event,
                         uint64_t *next);

struct station;
/* Handles an event that is due; called with interrupts off. */
typedef void station_take(struct station *station, const struct station_event *event);
/* Serves the first waiting piece of work at the level. Called and left with interrupts off;
 * switches them on in between. */
typedef void station_serve(struct station *station, unsigned level);

/* The first four members are set by the code that begins the station. */
struct station {
    size_t processor;
    station_take *take;
    station_serve *serve;
    struct station_events events;
    /* The remaining members are used by the station. */
    /* one bit per level at which work is waiting; the station's functions set and clear the bits */
    uint32_t ready;
    int level;      /* level that is being served; -1 if none is */
    uint64_t armed; /* time that its timer is set to */
    bool stop;
};

/* Largest accepted difference between TSCs: events from elsewhere are late or early by as much. 1
 * us is about the time of an interrupt to another processor. */
#define STATION_SKEW_US 1

/* Returns whether the TSC of a processor that will be a station agrees with the caller's. Call with
 * interrupts off. Returns false if it is certainly off by more than STATION_SKEW_US, as *skew then
 * says, or if the processor does not answer, in which case the bound is 0. */
bool station_has_time(size_t number, struct skew *skew);

/* Begins the station. Call on the kernel's processor. Returns false if the station's processor does
 * not work or has other work. */
bool station_begin(struct station *station);
/* Ends the station after the current services, without starting others. Returns false if that takes
 * longer than `ticks` of the TSC or an exception ended it; the processor is then lost. */
bool station_end(struct station *station, uint64_t ticks);
/* Ends all stations that a bench left behind. */
void stations_abandon(void);

/* Adds an event from another processor and notifies the station. Returns false if there is no
 * room. */
bool station_post(struct station *station, const struct station_event *event);

/* Takes the events that are due, and serves all work that is more urgent than the current service.
 * Call on the station itself, with interrupts off, between two portions of work and whenever it has
 * added events to its own list. */
void station_give_way(struct station *station);
