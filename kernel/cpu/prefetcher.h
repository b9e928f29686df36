/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hardware prefetchers of this processor, where the manual describes how to turn them off: on
 * Intel Core and its servers from Nehalem on, bits 0 to 3 of MSR 1A4h (SDM volume 4,
 * MSR_MISC_FEATURE_CONTROL: L2 stream, L2 adjacent line, L1 stream, L1 by instruction); on AMD,
 * where CPUID 80000021h EAX[13] reports it, bits 0 to 3 and 5 of MSR C0000108h (APM volume 2,
 * "Prefetch Control": L1 stream, stride and region, L2 stream, up/down).
 */
#pragma once

#include "kernel/cpu/cpuid.h"

/* Turns them off. NULL, or why it cannot be done; nothing has changed then. Reading back finds an
 * emulator that does not keep what is written. On Linux it cannot be done. */
const char *prefetchers_off(const struct cpu_identity *identity);

/* As they were; nothing where prefetchers_off() was not called since. */
void prefetchers_restore(void);
