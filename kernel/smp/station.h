/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A station: another processor (processor.h) that serves what stands in line at levels of urgency,
 * run to completion and preemptive: what is more urgent is served within the interrupt that brought
 * it, on the same stack, and what was interrupted goes on when nothing more urgent is left. It has
 * no threads.
 *
 * All that happens to it is an event: at a time that it set itself (an arrival), or sent by another
 * processor, and due at once or later. Events of one processor are kept in one list; the station's
 * LAPIC timer is set to the earliest. Times are of the TSC, which must be the same on all:
 * station_has_time().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/smp/skew.h"

#define STATION_EVENTS_MAX 256
#define STATION_NEVER      UINT64_MAX
#define STATION_LEVELS_MAX 30 /* so many services nest on a stack of 32 KiB */

/* What kind, tag and value mean is the user's. */
struct station_event {
    uint64_t due; /* TSC */
    uint16_t kind;
    uint16_t tag;
    uint32_t value;
};

/* Those of a processor that are yet to come; zeroes to begin with. */
struct station_events {
    bool locked;
    size_t count;
    struct station_event event[STATION_EVENTS_MAX];
};

/* From any processor. False: there is no room. */
bool station_events_add(struct station_events *events, const struct station_event *event);
/* The earliest, of equal ones the first that was added, if it is due by `now`. False: none is, and
 * *next is when one will be, or STATION_NEVER. */
bool station_events_take(struct station_events *events, uint64_t now, struct station_event *event,
                         uint64_t *next);

struct station;
/* An event is due. Interrupts off. */
typedef void station_take(struct station *station, const struct station_event *event);
/* Serves the first in line at the level; called and left with interrupts off, and on in between. */
typedef void station_serve(struct station *station, unsigned level);

/* Set by who begins it: */
struct station {
    size_t processor;
    station_take *take;
    station_serve *serve;
    struct station_events events;
    /* The station's own. */
    uint32_t ready; /* levels, a bit each, at which somebody is in line: set and cleared by its
                       functions */
    int level;      /* that is served; -1: none */
    uint64_t armed; /* what its timer is set to */
    bool stop;
};

/* What comes from elsewhere is late or early by as much: 1 us is about what an interrupt to
 * another processor takes. */
#define STATION_SKEW_US 1

/* Of a processor that is to be one, interrupts off: is its TSC the caller's? False: it is off by
 * more than STATION_SKEW_US for certain, as *skew is, or does not answer, and its bound is 0.
 */
bool station_has_time(size_t number, struct skew *skew);

/* From the kernel's processor. False: that processor does not work, or has other work. */
bool station_begin(struct station *station);
/* What is being served is served to its end, and nothing more. False: not within `ticks` of the
 * TSC, or an exception ended it; that processor is lost then. */
bool station_end(struct station *station, uint64_t ticks);
/* Ends all that a bench left behind. */
void stations_abandon(void);

/* From another processor: adds an event and notifies the station. False: there is no room. */
bool station_post(struct station *station, const struct station_event *event);

/* On the station itself, interrupts off: takes events that are due, and serves all that is more
 * urgent than what it serves. Called between two portions of work, and whenever events were added
 * on the station itself. */
void station_give_way(struct station *station);
