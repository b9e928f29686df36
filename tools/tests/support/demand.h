/* SPDX-License-Identifier: BSD-2-Clause */
/* What a fuzzer holds a parser to: what is not so ends the program, and the input is kept. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

static inline void demand(bool true_always)
{
    if (!true_always) {
        abort();
    }
}
