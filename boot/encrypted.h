/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects guests whose memory is encrypted by AMD's SEV or Intel's TDX. There, one bit of each
 * page-table entry marks encrypted pages, and the host chooses which address bit that is (AMD
 * volume 2 section 15.34, Intel TDX module 1.5). The image does not start in such a guest: it would
 * read and build every page table incorrectly.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

/* Returns whether the memory of this guest is encrypted. `sev_status` returns the lower half of MSR
 * C0010131h, and is called only if CPUID reports that register. */
bool memory_is_encrypted(cpuid_port *cpuid, uint32_t (*sev_status)(void));
