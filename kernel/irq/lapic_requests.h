/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts that wait at the local APIC of this processor while interrupts are off.
 */
#pragma once

/* How many vectors have arrived and wait for their turn (SDM volume 3 section 11.8.4, IRR). Only
 * where there is a LAPIC. */
unsigned lapic_requests(void);
