/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel/cpu/prefetcher.h on Linux. */
#include "kernel/cpu/prefetcher.h"

const char *prefetchers_off(const struct cpu_identity *identity)
{
    (void)identity;
    return "Linux lets no program switch the prefetchers";
}

void prefetchers_restore(void)
{
}
