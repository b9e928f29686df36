/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ATA disks behind AHCI controllers (Serial ATA AHCI 1.3.1), by reads alone: "ahci0p0" is port 0 of
 * the first controller. A depth of 1 reads by READ DMA EXT, a larger one by READ FPDMA QUEUED where
 * controller and disk can queue (ACS-3 sections 7.21 and 7.24).
 *
 * Other commands are IDENTIFY DEVICE and, behind the error of a queued read, READ LOG EXT, which
 * names the one that failed. A disk without that log gives none of those that were outstanding.
 *
 * The status of a failed read is PxTFD: the disk's error register in bits 15-8, its status register
 * below; or PxIS where the controller itself failed, which is above that.
 */
#pragma once

#include "kernel/block/block.h"

extern const struct block_driver ahci_driver;

/*
 * Disks behind NVM Express controllers (Base Specification 1.4): one disk a namespace, nvme0n1 and
 * so on. A controller has one queue for reads, and so one of its namespaces is open at a time.
 *
 * Between uses the controller is disabled, as a reset leaves it. A controller that cannot be used
 * is a disk as well, nvme0, with the reason.
 */

extern const struct block_driver nvme_driver;

/*
 * Disks of virtual machines behind virtio (Virtual I/O Device Version 1.1, sections 2, 4.1 and 5.2)
 * on PCI, each one a disk: virtio0 and so on. Devices of before version 1.0 have another interface
 * and are unusable.
 *
 * Between uses the device is reset.
 */

extern const struct block_driver virtio_driver;
