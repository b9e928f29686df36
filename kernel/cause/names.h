/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of causes, in series and facts: behind PREFIX_CAUSE and its kin (bench/noise/names.h).
 * Those of APERF and MPERF are FACT_APERF and FACT_MPERF (kernel/run/names.h).
 */
#pragma once

#define CAUSE_NAME_SMI           "smi"
#define CAUSE_NAME_NMI           "nmi"
#define CAUSE_NAME_MACHINE_CHECK "machine_check"
#define CAUSE_NAME_THERMAL       "thermal"
#define CAUSE_NAME_POWER_LIMIT   "power_limit"
#define CAUSE_NAME_STEAL         "steal"
#define CAUSE_NAME_INTERRUPT     "interrupt"
