/* SPDX-License-Identifier: BSD-2-Clause */
/* The 8254 timer, channel 2, read by latching: 1.193182 MHz, 16 bits, so spans stay below 54 ms.
 * Some machines gate or stop it (PIT calibration hangs on Tiger Lake and later: genode issue 5215),
 * so it has to be seen counting first. */
#pragma once

#include <stdbool.h>

#include "kernel/clock/source.h"

/* False, with a reason, where it does not count. */
bool pit_open(struct clock_source *source, const char **reason);
