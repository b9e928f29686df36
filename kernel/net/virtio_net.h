/* SPDX-License-Identifier: BSD-2-Clause */
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
#pragma once

#include "kernel/net/nic.h"

extern const struct nic_driver virtio_net_driver;

/* A NIC that does not send what it was given within this time is given up. */
#define VIRTIO_NET_SEND_MS 2000
