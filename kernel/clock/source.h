/* SPDX-License-Identifier: BSD-2-Clause */
/* A clock that can be read while it runs, beside the TSC. */
#pragma once

#include <stdint.h>

struct clock_source {
    const char *name;
    const char *rate_from;  /* what states the rate */
    uint64_t hz;            /* nominal rate */
    uint64_t mask;          /* the count wraps behind this */
    uint64_t (*read)(void); /* ascending count */
};
