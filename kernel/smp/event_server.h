/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event-server loop on another processor (processor.h). It serves waiting work at levels of
 * urgency, preemptively and run to completion: more urgent work is served within the interrupt that
 * brought it, on the same stack, and the interrupted service continues when nothing more urgent is
 * left. It has no threads.
 *
 * All work arrives as events with a due time, a TSC value. The events of an event server are kept
 * in one list, and its LAPIC timer is set to the earliest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVER_EVENTS_MAX       256
#define EVENT_SERVER_NEVER      UINT64_MAX
#define EVENT_SERVER_LEVELS_MAX 30 /* services that can be nested on a stack of 32 KiB */

/* An event; the user of the event server defines kind, tag and value. */
struct server_event {
    uint64_t due; /* TSC */
    uint16_t kind;
    uint16_t tag;
    uint32_t value;
};

/* The events of an event server that are not due yet. Initialise with zeroes. */
struct server_events {
    bool locked;
    size_t count;
    struct server_event event[SERVER_EVENTS_MAX];
};

/* Adds an event; may be called on any processor. Returns false if there is no room. */
bool server_events_add(struct server_events *events, const struct server_event *event);
/* Takes the earliest event if it is due by `now`; of equal ones, the first that was added.
 * Otherwise returns false and sets *next to the time of the earliest event, or
 * EVENT_SERVER_NEVER. */
bool server_events_take(struct server_events *events, uint64_t now, struct server_event *event,
                        uint64_t *next);

struct event_server;
/* Handles an event that is due; called with interrupts off. */
typedef void event_server_take(struct event_server *server, const struct server_event *event);
/* Serves the first waiting piece of work at the level. Called and left with interrupts off;
 * switches them on in between. */
typedef void event_server_serve(struct event_server *server, unsigned level);

/* The first four members are set by the code that begins the event server. */
struct event_server {
    size_t processor;
    event_server_take *take;
    event_server_serve *serve;
    struct server_events events;
    /* The remaining members are used by the event server. */
    /* one bit per level at which work is waiting; the event server's functions set and clear the
     * bits */
    uint32_t ready;
    int level;      /* level that is being served; -1 if none is */
    uint64_t armed; /* time that its timer is set to */
    bool stop;
};

/* Begins the event server. Call on the kernel's processor. Returns false if the event server's
 * processor does not work or has other work. */
bool event_server_begin(struct event_server *server);
/* Ends the event server after the current services, without starting others. Returns false if that
 * takes longer than `ticks` of the TSC or an exception ended it; the processor is then lost. */
bool event_server_end(struct event_server *server, uint64_t ticks);
/* Ends all event servers that a bench left behind. */
void event_servers_abandon(void);

/* Takes the events that are due, and serves all work that is more urgent than the current service.
 * Call on the event server itself, with interrupts off, between two portions of work and whenever
 * it has added events to its own list. */
void event_server_give_way(struct event_server *server);
