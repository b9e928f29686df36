/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/monotonic.h"

#include <time.h>

uint64_t monotonic_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t monotonic_ms(void)
{
    return monotonic_us() / 1000;
}

void sleep_ms(unsigned ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    nanosleep(&time, NULL);
}
