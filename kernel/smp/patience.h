/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for another processor by looking at memory, which ends after so many looks: the clock may
 * be what is in doubt.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* So many PAUSEs, and so many looks before each. */
struct patience {
    uint64_t looks;
    uint64_t pauses;
};

/* Waits until *word is `value`; false: it takes too long. */
bool patience_wait(const volatile uint64_t *word, uint64_t value, struct patience patience);
