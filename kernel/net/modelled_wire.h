/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modelled wire: two NICs in memory, "wire0" and "wire1", each other's peer. A frame arrives
 * when the law (wire_law.h) of its direction has it arrive, by a timer (kernel/task/timer.h), or
 * when the other end is polled. It needs no device: every machine has it.
 *
 * The frame is copied, and then its law begins: that is when the wire has it. `due` of the frame is
 * the law's, in ticks from the opening of the first end on, rounded down. MACs: 02:74:61:72:65:00
 * and :01. A frame to an end that is not open counts as lost by the one that sent it.
 */
#pragma once

#include "kernel/net/nic.h"
#include "kernel/net/wire_law.h"

#define MODELLED_WIRE_0 "wire0"
#define MODELLED_WIRE_1 "wire1"

extern const struct nic_driver modelled_wire_driver;

/* The law of both directions from the next opening on; from wire1 to wire0 frames are lost by the
 * seed plus 1. */
void modelled_wire_keep(const struct wire_law *law);
const struct wire_law *modelled_wire_law(void);
/* TSC when the wire was opened: time 0 of the law. */
uint64_t modelled_wire_opened(void);
/* Frames, since the wire was opened, whose timer was set only behind `due`: this processor is
 * slower than the law, and their interrupt came as late. */
uint64_t modelled_wire_late(void);
