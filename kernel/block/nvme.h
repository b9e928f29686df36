/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disks behind NVM Express controllers (Base Specification 1.4): one disk a namespace, nvme0n1 and
 * so on. A controller has one queue for reads, and so one of its namespaces is open at a time.
 *
 * Between uses the controller is disabled, as a reset leaves it. A controller that cannot be used
 * is a disk as well, nvme0, with the reason.
 */
#pragma once

#include "kernel/block/block.h"

extern const struct block_driver nvme_driver;
