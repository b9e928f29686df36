/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that raise exceptions, a stamp (LFENCE; RDTSC; LFENCE) before and behind each:
 * raise.S. For vectors that are stamped (kernel/cpu/stamped.h).
 */
#pragma once

#include <stdint.h>

struct raise_stamps {
    uint64_t before; /* TSC */
    uint64_t behind;
};

/* `operand` is the address that is read, where one is. */
typedef void raise_kernel(struct raise_stamps *stamps, uint64_t operand);

raise_kernel raise_nothing __attribute__((visibility("hidden")));
raise_kernel raise_divide __attribute__((visibility("hidden")));    /* DIV by 0: #DE */
raise_kernel raise_read __attribute__((visibility("hidden")));      /* MOV from `operand` */
raise_kernel raise_undefined __attribute__((visibility("hidden"))); /* UD2: #UD */
#define RAISE_VECTOR 0x48
raise_kernel raise_int __attribute__((visibility("hidden"))); /* INT RAISE_VECTOR */

/* Interrupts on: reads the TSC in turn, twelve instructions a turn, until *arrived is not 0, but no
 * more than RAISE_TURNS_MAX times. `behind` is the last reading, `before` the one before that: an
 * interrupt returned before the one or the other. */
#define RAISE_TURNS_MAX 1000000
void raise_wait(struct raise_stamps *stamps, const volatile uint64_t *arrived)
    __attribute__((visibility("hidden")));
