/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disks of virtual machines behind virtio (Virtual I/O Device Version 1.1, sections 2, 4.1 and 5.2)
 * on PCI, each one a disk: virtio0 and so on. Devices of before version 1.0 have another interface
 * and are unusable.
 *
 * Between uses the device is reset.
 */
#pragma once

#include "kernel/block/block.h"

extern const struct block_driver virtio_driver;
