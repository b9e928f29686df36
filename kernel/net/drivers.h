/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's NICs of 1 Gbit/s by the registers that they share: the 8254x family (Software Developer's
 * Manual 317453), the 82574 (data sheet 317694), I210 (333016) and I350 (333171), and the I219 of
 * chip sets (333167). Legacy descriptors, one queue each way.
 *
 * Run so far: 82540EM and 82574L, as QEMU has them; the others are marked `unproven`. The driver
 * writes nothing that outlasts a reset: no EEPROM, no PHY.
 *
 * A NIC that reports what cannot be, that takes no frame for E1000_SEND_MS, or is not there any
 * longer, is given up.
 */
#pragma once

#include "kernel/net/nic.h"

#define E1000_SEND_MS 2000

extern const struct nic_driver e1000_driver;

/*
 * NICs of virtual machines behind virtio (Virtual I/O Device Version 1.1, section 5.1, over
 * kernel/block/virtio.h). Devices of before version 1.0 have another interface and are unusable.
 *
 * The device is used without offloads: a frame is in one piece, behind a header of zeroes. The
 * interrupt is proved by the control queue, with the command that turns promiscuous reception off:
 * no frame leaves for it. A device without that queue is polled.
 *
 * Nothing that the device reports is believed: of buffers that it was not given, of counts and
 * lengths beyond them, it is given up.
 */

extern const struct nic_driver virtio_net_driver;

/* A NIC that does not send what it was given within this time is given up. */
#define VIRTIO_NET_SEND_MS 2000
