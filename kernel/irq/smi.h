/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provokes a system management interrupt (SMI).
 *
 * A write to the APM control port, B2h, raises one on chipsets that firmware has set up this way
 * (Intel ICH datasheets, "APM_CNT"). How firmware's handler interprets the value is not known: on
 * an unknown machine this is a risk.
 */
#pragma once

#include <stdbool.h>

/* Writes port B2h. Returns false, and writes nothing, if MSR 34h reads 0: such a machine has never
 * taken an SMI that could be counted, and it is not known what is at the port. */
bool smi_provoke(void);
