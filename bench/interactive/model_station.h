/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processors of a played model beyond the first: one station each (kernel/smp/station.h), with
 * a line of quanta and processes a level, first come first served. A process has a queue of
 * stimuli, is in line once however many wait, and goes on until its queue is empty, or with `turns`
 * gets in line again after each. What is sent on is sent before that.
 */
#pragma once

#include "bench/interactive/model_play.h"

/* Room for lines and queues. False: no memory. */
bool play_stations_prepare(struct play *play);
/* Begins them; when play->start is set, play_stations_open() tells them of their arrivals. False: a
 * processor has other work. */
bool play_stations_begin(void);
void play_stations_open(void);
/* Ends those that began. False: one did not end. */
bool play_stations_end(void);

/* From elsewhere, home included; and what the station asks of itself, interrupts off. */
void play_station_send(size_t to, const struct station_event *event);
void play_station_ask(size_t here, uint16_t tag, uint32_t value);
void play_station_keep(size_t here, const struct station_event *event);
