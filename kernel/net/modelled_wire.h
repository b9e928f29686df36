/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modelled wire: two NICs in memory, "wire0" and "wire1", each other's peer. A frame arrives
 * when the law (wire_law.h) of its direction has it arrive, by a timer (kernel/task/timer.h), or
 * when the other end is polled. It needs no device: every machine has it.
 *
 * The frame is copied when it is sent, while its law goes on; `due` of the frame is the law's, in
 * ticks from the opening of the first end on, rounded down. MACs: 02:74:61:72:65:00 and :01.
 */
#pragma once

#include "kernel/net/nic.h"
#include "kernel/net/wire_law.h"

#define MODELLED_WIRE_0 "wire0"
#define MODELLED_WIRE_1 "wire1"

extern const struct nic_driver modelled_wire_driver;

/* The law of both directions from the next opening on. */
void modelled_wire_keep(const struct wire_law *law);
const struct wire_law *modelled_wire_law(void);
/* TSC when the wire was opened: time 0 of the law. */
uint64_t modelled_wire_opened(void);
/* Frames, since the wire was opened, whose copy ended only behind `due`: this processor copies
 * slower than the law sends. */
uint64_t modelled_wire_late(void);
