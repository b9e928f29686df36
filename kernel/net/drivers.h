/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The drivers of real and virtual NICs. Each comment describes one.
 *
 * Intel's NICs of 1 Gbit/s, by the registers that they share: the 8254x family (Software
 * Developer's Manual 317453), the 82574 (data sheet 317694), I210 (333016) and I350 (333171), and
 * the I219 of chip sets (333167). The driver uses legacy descriptors, and one queue in each
 * direction.
 *
 * The driver has been run only on QEMU's 82540EM and 82574L; the other models are marked
 * `unproven`. It writes nothing that outlasts a reset: no EEPROM, no PHY.
 *
 * A NIC is given up if it reports something impossible, if it sends no frame for E1000_SEND_MS, or
 * if it has disappeared.
 */
#pragma once

#include "kernel/net/nic.h"

#define E1000_SEND_MS 2000

extern const struct nic_driver e1000_driver;

/*
 * NICs of virtual machines on virtio (Virtual I/O Device Version 1.1, section 5.1, over
 * kernel/block/virtio.h). Devices older than version 1.0 have another interface and are unusable.
 *
 * The device is used without offloads: a frame is in one piece, after a header of zeroes. To verify
 * that the interrupt arrives, the driver sends the command that turns promiscuous reception off to
 * the control queue, so no frame is sent for it. A device without that queue is polled.
 *
 * Everything that the device reports is checked. If it reports buffers that it was not given, or
 * counts or lengths beyond what it was given, it is given up.
 */

extern const struct nic_driver virtio_net_driver;

/* A NIC that does not send what it was given within this time is given up. */
#define VIRTIO_NET_SEND_MS 2000
