/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware may forbid execution of what it loaded as writable. This allows it, in its own page
 * tables (SDM volume 3 section 4.6).
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdint.h>

/* Allows execution of the pages from `start` to `end`, both multiples of 4 KiB, in the tables of
 * 4 or 5 `levels` under `root`, which are reached at the addresses that they name. A large page
 * becomes executable whole; entries that allow it already are not written; what is absent stays
 * so. The caller tells the processor. */
void executable_allow(uint64_t *root, unsigned levels, uint64_t start, uint64_t end);
