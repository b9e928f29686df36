/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the benches of threads on several processors. Image and host both include this file, so
 * that each name is written once.
 */
#pragma once

#define GROUP_SMP  "smp"
#define PARAM_CPUS "cpus" /* number of processors that run threads */

/* All benches of the group, as in a plan. tare.efi does not have them: by these names it knows that
 * a plan needs tare-smp.efi. */
#define SMP_BENCHES "trial"
