/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware may forbid execution of what it loaded as writable. This allows it, in its own page
 * tables (SDM volume 3 section 4.6).
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

/* Allows execution of the pages from `start` to `end`, both multiples of 4 KiB, in the tables of
 * 4 or 5 `levels` under `root`, which are reached at the addresses that they name. A large page
 * becomes executable whole; entries that allow it already are not written; what is absent stays
 * so. The caller tells the processor. */
void executable_allow(uint64_t *root, unsigned levels, uint64_t start, uint64_t end);

/* Is this a guest whose memory is encrypted, by AMD's SEV or Intel's TDX? A bit of each page-table
 * entry then says so, at a place of the host's choice within the address (AMD volume 2
 * section 15.34, Intel TDX module 1.5): all tables here would be read and built wrongly.
 * `sev_status` reads the lower half of MSR C0010131h, and is called only where there is one. */
bool executable_is_encrypted(cpuid_port *cpuid, uint32_t (*sev_status)(void));
