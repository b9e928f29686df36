/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers that set the type of memory: MTRRs and PAT (SDM volume 3 sections 12.11 and
 * 12.12). They must be the same on all processors that share memory. Firmware sees to that, but the
 * kernel changes the PAT of the processor it runs on (paging_combine_writes()).
 */
#pragma once

#include "kernel/cpu/cpuid.h"

/* Learns this processor's. */
void memory_types_read(const struct cpu_identity *identity);

/* Gives this processor what the other had, by the order of SDM volume 3 section 12.11.8. NULL, or
 * why not. */
const char *memory_types_take(void);
