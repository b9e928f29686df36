/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated link: two NICs in memory, "wire0" and "wire1", which are connected to each other. A
 * frame arrives at the time that the timing model (link_model.h) of its direction sets, by a timer
 * (kernel/task/timer.h) or when the other end is polled. It needs no device, so every machine has
 * it.
 *
 * The frame is copied first; then its transmission begins, and `sent` is stamped. `due` is the
 * model's arrival time, in ticks from the opening of the first end, rounded down. The MAC addresses
 * are 02:74:61:72:65:00 and :01. A frame to an end that is not open counts as lost at its sender.
 */
#pragma once

#include "kernel/net/link_model.h"
#include "kernel/net/nic.h"

#define SIMULATED_LINK_0 "wire0"
#define SIMULATED_LINK_1 "wire1"

extern const struct nic_driver simulated_link_driver;

/* Sets the timing model of both directions, from the next opening on. The frames lost from wire1 to
 * wire0 are drawn with the seed plus 1. */
void simulated_link_keep(const struct link_model *model);
const struct link_model *simulated_link_model(void);
/* Returns the TSC when the link was opened, which is time 0 of the model. */
uint64_t simulated_link_opened(void);
/* Returns how many frames, since the link was opened, had their timer set only after `due`. This
 * processor is slower than the simulated link, so their interrupt was late. */
uint64_t simulated_link_late(void);
