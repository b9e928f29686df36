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
