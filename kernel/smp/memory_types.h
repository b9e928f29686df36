/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies the registers that set memory types, MTRRs and PAT (SDM volume 3 sections 12.11 and
 * 12.12), from one processor to another. They must be the same on all processors that share memory.
 * Firmware ensures that, but the kernel changes the PAT of the processor it runs on
 * (paging_combine_writes()).
 */
#pragma once

#include "kernel/cpu/cpuid.h"

/* Stores the values of this processor. */
void memory_types_read(const struct cpu_identity *identity);

/* Sets this processor's registers to the stored values, in the order of SDM volume 3 section
 * 12.11.8. Returns NULL on success, otherwise the reason. */
const char *memory_types_take(void);
