/* SPDX-License-Identifier: BSD-2-Clause */
/* Host time for time-outs and displays, never for a measurement. */
#pragma once

#include <stdint.h>

/* Return the time of the monotonic clock, in milliseconds and in microseconds. */
uint64_t monotonic_ms(void);
uint64_t monotonic_us(void);
/* Sleeps for `ms` milliseconds; a signal ends the sleep early. */
void sleep_ms(unsigned ms);
