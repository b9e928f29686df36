/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switches off the hardware prefetchers of this processor, if a manual describes how: on Intel Core
 * and its servers from Nehalem on, bits 0 to 3 of MSR 1A4h (SDM volume 4, MSR_MISC_FEATURE_CONTROL:
 * L2 stream, L2 adjacent line, L1 stream, L1 by instruction); on AMD, if CPUID 80000021h EAX[13]
 * reports it, bits 0 to 3 and 5 of MSR C0000108h (APM volume 2, "Prefetch Control": L1 stream,
 * stride and region, L2 stream, up/down).
 */
#pragma once

#include "kernel/cpu/cpuid.h"

/* Switches the prefetchers off. Returns NULL on success, otherwise the reason; then nothing has
 * changed. The register is read back, because emulators may not keep what is written. Always fails
 * on Linux. */
const char *prefetchers_off(const struct cpu_identity *identity);

/* Restores the prefetchers; does nothing if prefetchers_off() was not called before. */
void prefetchers_restore(void);
