/* SPDX-License-Identifier: BSD-2-Clause */
/* The 8254 timer, channel 2, read by latching: 1.193182 MHz, 16 bits, so spans stay below 54 ms.
 * Some machines gate or stop it (PIT calibration hangs on Tiger Lake and later: genode issue 5215),
 * so it has to be seen counting first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/clock/source.h"

/* False, with a reason, where it does not count. */
bool pit_open(struct clock_source *source, const char **reason);

/* Gate of channel 2, and the speaker behind it (port 61h, bits 0 and 1), for where firmware goes
 * on. The count of channel 2 is lost: each user sets it. */
uint8_t pit_gate(void);
void pit_set_gate(uint8_t gate);

/* Where firmware is gone: channel 0, its tick, stands still. Masked as it is, an emulator would
 * still wake up for each tick of it. */
void pit_silence(void);
