/* SPDX-License-Identifier: BSD-2-Clause */
/* Host time, for time-outs and displays; never for a measurement. */
#pragma once

#include <stdint.h>

/* Milliseconds of the monotonic clock. */
uint64_t monotonic_ms(void);
uint64_t monotonic_us(void);
/* Sleeps; a signal ends it early. */
void sleep_ms(unsigned ms);
