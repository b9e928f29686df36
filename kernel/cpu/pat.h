/* SPDX-License-Identifier: BSD-2-Clause */
/* The page attribute table (SDM volume 3 section 12.12): eight memory types, a byte each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* 0 where CPUID offers none. */
uint64_t pat_read(void);

/* Interrupts off. Where it changes anything, all caches are emptied twice. True where the table is
 * `value` afterwards; 0 changes nothing. */
bool pat_write(uint64_t value);
