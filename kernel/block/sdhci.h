/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SD cards behind SD host controllers (SD Host Controller Simplified Specification 3.00; commands:
 * SD Physical Layer Simplified Specification 6.00), by reads alone: "sd0" is the first card. It
 * takes one request at a time, by READ_SINGLE_BLOCK or READ_MULTIPLE_BLOCK with STOP_TRANSMISSION
 * behind it; all other commands identify the card.
 *
 * The controller writes to memory by itself (SDMA) where it can and the memory is below 4 GiB; else
 * the processor reads each block from the controller.
 *
 * The status of a failed read is the controller's error register, in bits 31-16, or the card's
 * status (SD_STATUS_BAD) where the controller saw no error.
 */
#pragma once

#include "kernel/block/block.h"

extern const struct block_driver sdhci_driver;
