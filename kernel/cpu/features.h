/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor's switches that the measurements rely on.
 */
#pragma once

#include <stdbool.h>

#include "kernel/cpu/cpuid.h"

enum lfence_state {
    LFENCE_SERIALISES, /* dispatch waits for it: tsc_read_ordered() orders */
    LFENCE_UNPROVEN,   /* AMD part whose switch could not be read back as set */
};

/* Turns on what firmware may have left off: CR0.WP, and on AMD the serialising LFENCE
 * (APM volume 3, LFENCE; MSR C0011029h[1]; always on where CPUID 80000021h EAX[2]). */
enum lfence_state features_enable(const struct cpu_identity *identity);
