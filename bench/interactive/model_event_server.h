/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processors of a model beyond the first. Each runs an event-server loop
 * (kernel/smp/event_server.h), with a line of quanta and processes for each level, first come,
 * first served. A process has a queue of stimuli but is in line only once, however many wait. When
 * it is served it goes on until its queue is empty or, with `turns`, gets in line again after each
 * stimulus. Messages to the next stop are sent before it gets in line again.
 */
#pragma once

#include "bench/interactive/model_schedule.h"
#include "kernel/smp/event_server.h"

/* Functions of the run (model_play.c) that an event server calls. */
struct play_rules {
    /* Returns the work of a portion, in iterations of the idle loop. */
    uint64_t (*work)(uint16_t tag, uint32_t value);
    /* Records that a portion begins, and returns it. Called with interrupts off. */
    struct play_portion *(*note_begin)(uint16_t tag, uint32_t value);
    void (*note_late)(uint64_t intended);
    /* Starts what follows the end of a portion: the next stop, or the response. Returns true if the
     * process must now wait for this stimulus alone. */
    bool (*go_on)(size_t here, const struct play_portion *portion, uint64_t end);
    /* Asks for a portion, on whichever processor serves it. */
    void (*ask)(size_t here, size_t stimulus, size_t stop, size_t pass);
};

/* Allocates lines and queues. Returns false if there is no memory. */
bool play_event_servers_prepare(struct play *play, const struct play_rules *rules);
/* play_event_servers_begin() starts the event servers. It returns false if a processor has other
 * work. play_event_servers_open() starts their arrivals; call it once play->start is set. */
bool play_event_servers_begin(void);
void play_event_servers_open(void);
/* Ends the event servers that were started. Returns false if one did not end. */
bool play_event_servers_end(void);

/* play_event_server_send() sends an event from another processor, which may be the boot processor.
 * The other two are for the event server itself, with interrupts off: play_event_server_ask() puts
 * a portion in line, play_event_server_keep() keeps an event until it is due. */
void play_event_server_send(size_t to, const struct server_event *event);
void play_event_server_ask(size_t here, uint16_t tag, uint32_t value);
void play_event_server_keep(size_t here, const struct server_event *event);
