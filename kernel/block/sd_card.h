/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an SD card reports (SD Physical Layer Simplified Specification 6.00), and the clock that it
 * gets from its host controller (SD Host Controller Simplified Specification 3.00). Nothing of it
 * is believed. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SD_BLOCK 512

/* The card's register CSD (section 5.3) as a host controller holds it in its four response
 * registers: bits 127-8 in bits 119-0. NULL, or why this card cannot be read. `blocks` of SD_BLOCK
 * bytes. */
const char *sd_blocks(const uint32_t response[4], uint64_t *blocks);

/* Bits of the card's status (section 4.10.1) that no good read has. */
#define SD_STATUS_BAD    0xfdf80000u
#define SD_STATUS_MEDIUM 0x00200000u /* the card could not correct its data */

/* What the controller's clock register takes as divider of `base_hz` for at most `wanted_hz`, for
 * version 3.00 (`fine`: any even number to 2046) and for those before (powers of 2 to 256). */
uint16_t sd_divider(uint64_t base_hz, uint64_t wanted_hz, bool fine);
