/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provoking a system management interrupt.
 *
 * A write to the APM control port, B2h, raises one on chipsets that firmware has set up so (Intel
 * ICH datasheets, "APM_CNT"). What the handler makes of the value written is the firmware's own
 * affair: on a machine that is not known, this is a risk.
 */
#pragma once

#include <stdbool.h>

/* Writes B2h. False, and nothing is touched, where MSR 34h reads 0: such a machine has never taken
 * an SMI that could be counted, and what listens at the port is unknown. */
bool smi_provoke(void);
