/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The drivers of disks, all read-only. Each comment describes one.
 *
 * ATA disks on AHCI controllers (Serial ATA AHCI 1.3.1): "ahci0p0" is port 0 of the first
 * controller. With a depth of 1 the driver uses READ DMA EXT, with a larger depth READ FPDMA QUEUED
 * if controller and disk can queue (ACS-3 sections 7.21 and 7.24).
 *
 * Its other commands are IDENTIFY DEVICE and, after the error of a queued read, READ LOG EXT, which
 * names the read that failed. On a disk without that log, all outstanding reads fail.
 *
 * The status of a failed read is PxTFD: the disk's error register in bits 15-8, its status register
 * in bits 7-0. If the controller itself failed, the status is PxIS, which has bits above 15 set.
 */
#pragma once

#include "kernel/block/block.h"

extern const struct block_driver ahci_driver;

/*
 * Disks on NVM Express controllers (Base Specification 1.4): each namespace is one disk, nvme0n1
 * and so on. A controller has only one queue for reads, so only one of its namespaces can be open
 * at a time.
 *
 * Between uses the controller is disabled, as after a reset. A controller that cannot be used is
 * listed as a disk as well, nvme0, with the reason.
 */

extern const struct block_driver nvme_driver;

/*
 * Disks of virtual machines on virtio over PCI (Virtual I/O Device Version 1.1, sections 2, 4.1 and
 * 5.2): virtio0 and so on. Devices older than version 1.0 have another interface and are unusable.
 *
 * Between uses the device is reset.
 */

extern const struct block_driver virtio_driver;
