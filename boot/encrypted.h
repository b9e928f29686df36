/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests whose memory is encrypted, by AMD's SEV or Intel's TDX. A bit of each page-table entry
 * then reports it, at a place of the host's choice within the address (AMD volume 2 section 15.34,
 * Intel TDX module 1.5). The image does not start there: it would read and build all tables
 * wrongly.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

/* Is the memory of this guest encrypted? `sev_status` reads the lower half of MSR C0010131h, and is
 * called only where CPUID reports that register. */
bool memory_is_encrypted(cpuid_port *cpuid, uint32_t (*sev_status)(void));
