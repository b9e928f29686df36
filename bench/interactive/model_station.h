/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processors of a played model beyond the first: one station each (kernel/smp/station.h), with
 * a line of quanta and processes a level, first come first served. A process has a queue of
 * stimuli, is in line once however many wait, and goes on until its queue is empty, or with `turns`
 * gets in line again after each. What is sent on is sent before that.
 */
#pragma once

#include "bench/interactive/model_schedule.h"
#include "kernel/smp/station.h"

/* What a station needs of the play that it belongs to. */
struct play_rules {
    /* Of a portion. */
    uint64_t (*work)(uint16_t tag, uint32_t value);
    /* Interrupts off. */
    struct play_portion *(*note_begin)(uint16_t tag, uint32_t value);
    void (*note_late)(uint64_t intended);
    /* What follows from the end of a portion. True: the process now waits for this stimulus alone.
     */
    bool (*go_on)(size_t here, const struct play_portion *portion, uint64_t end);
    /* Asks for a portion, wherever it is served. */
    void (*ask)(size_t here, size_t stimulus, size_t stop, size_t pass);
};

/* Room for lines and queues. False: no memory. */
bool play_stations_prepare(struct play *play, const struct play_rules *rules);
/* Begins them; when play->start is set, play_stations_open() starts their arrivals. False: a
 * processor has other work. */
bool play_stations_begin(void);
void play_stations_open(void);
/* Ends those that began. False: one did not end. */
bool play_stations_end(void);

/* From elsewhere, home included; and what the station asks of itself, interrupts off. */
void play_station_send(size_t to, const struct station_event *event);
void play_station_ask(size_t here, uint16_t tag, uint32_t value);
void play_station_keep(size_t here, const struct station_event *event);
