/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions that a fuzzer checks: one that is false ends the program, and the input is kept. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

static inline void demand(bool true_always)
{
    if (!true_always) {
        abort();
    }
}
