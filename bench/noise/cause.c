/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/cause.h"

#include <string.h>

#include "bench/noise/names.h"
#include "bench/noise/steal.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/cpu/msr.h"
#include "kernel/irq/lapic.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/names.h"
#include "kernel/smp/processor.h"

/* SDM volume 3, "Thermal Monitoring and Protection"; volume 4, IA32_THERM_STATUS. */
#define MSR_THERM_STATUS   0x19cu
#define THERM_LOG          (1ull << 1)
#define THERM_POWER_LOG    (1ull << 11)
#define THERM_LOGS         0x2aaull /* logs that every processor with this register has */
#define THERM_VALID        (1ull << 31)
#define LEAF_THERMAL       6u
#define THERMAL_SENSOR     (1u << 0)
#define THERMAL_POWER_NOTE (1u << 4)

static const char *why_absent[CAUSES];
static uint64_t therm_logs; /* log bits of IA32_THERM_STATUS that can be written */

static const char *const names[CAUSES] = {
    [CAUSE_SMI] = CAUSE_NAME_SMI,
    [CAUSE_NMI] = CAUSE_NAME_NMI,
    [CAUSE_MACHINE_CHECK] = CAUSE_NAME_MACHINE_CHECK,
    [CAUSE_THERMAL] = CAUSE_NAME_THERMAL,
    [CAUSE_POWER_LIMIT] = CAUSE_NAME_POWER_LIMIT,
    [CAUSE_APERF] = FACT_APERF,
    [CAUSE_MPERF] = FACT_MPERF,
    [CAUSE_STEAL] = CAUSE_NAME_STEAL,
    [CAUSE_INTERRUPT] = CAUSE_NAME_INTERRUPT,
};

/* Clears the logs that are set and returns them. Writing 0 clears a log; writing 1 leaves it (SDM
 * volume 4). */
static uint64_t take_logs(void)
{
    uint64_t status;

    if (msr_read(MSR_THERM_STATUS, &status) != 0) {
        return 0;
    }
    const uint64_t set = status & therm_logs & (THERM_LOG | THERM_POWER_LOG);

    if (set != 0) {
        msr_write(MSR_THERM_STATUS, therm_logs & ~set);
    }
    return set;
}

/* The check of the valid bit catches emulators that read 0 from any register. */
static const char *find_thermal(const struct cpu_identity *identity, uint32_t features)
{
    uint64_t status = 0;

    if (cpu_is_amd(identity)) {
        return "AMD processors have no IA32_THERM_STATUS";
    }
    if ((features & THERMAL_SENSOR) == 0) {
        return "CPUID leaf 6 announces no thermal sensor";
    }
    if (msr_read(MSR_THERM_STATUS, &status) != 0) {
        return "IA32_THERM_STATUS cannot be read";
    }
    if ((status & THERM_VALID) == 0) {
        return "IA32_THERM_STATUS reports no valid temperature, so the register is not trusted";
    }
    therm_logs = THERM_LOGS | ((features & THERMAL_POWER_NOTE) != 0 ? THERM_POWER_LOG : 0);
    return msr_write(MSR_THERM_STATUS, therm_logs) != 0 ? "IA32_THERM_STATUS cannot be written"
                                                        : NULL;
}

static const char *find_power_limit(const char *no_thermal, uint32_t features)
{
    if (no_thermal != NULL) {
        return no_thermal;
    }
    return (features & THERMAL_POWER_NOTE) == 0 ? "CPUID leaf 6 announces no power limit log"
                                                : NULL;
}

void cause_init(void)
{
    static struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    const uint32_t features = cpuid_leaf(cpuid_instruction, &identity, LEAF_THERMAL, 0).eax;
    const char *no_clocks = pmu_state()->has_aperf ? NULL : "APERF and MPERF do not advance";

    memset(why_absent, 0, sizeof(why_absent));
    therm_logs = 0;
    why_absent[CAUSE_SMI] =
        pmu_state()->has_smi_count ? NULL : "MSR 34h has never counted an SMI here";
    why_absent[CAUSE_MACHINE_CHECK] =
        machine_check_banks() > 0 ? NULL : "CPUID announces no machine-check banks";
    why_absent[CAUSE_THERMAL] = find_thermal(&identity, features);
    why_absent[CAUSE_POWER_LIMIT] = find_power_limit(why_absent[CAUSE_THERMAL], features);
    why_absent[CAUSE_APERF] = no_clocks;
    why_absent[CAUSE_MPERF] = no_clocks;
    why_absent[CAUSE_STEAL] = steal_init(&identity);
    why_absent[CAUSE_INTERRUPT] = lapic_state()->present ? NULL : "no LAPIC";
}

const char *cause_absent(enum cause cause)
{
    return why_absent[cause];
}

const char *cause_name(enum cause cause)
{
    return names[cause];
}

size_t cause_join(void)
{
    const size_t number = processor_here();

    if (why_absent[CAUSE_THERMAL] == NULL) {
        take_logs();
    }
    if (why_absent[CAUSE_STEAL] == NULL) {
        steal_join(number);
    }
    return number;
}

void cause_leave(size_t number)
{
    if (why_absent[CAUSE_STEAL] == NULL) {
        steal_leave(number);
    }
}

void cause_read(size_t number, struct cause_row *row)
{
    if (why_absent[CAUSE_SMI] == NULL) {
        row->value[CAUSE_SMI] = (int64_t)pmu_smi_count();
    }
    row->value[CAUSE_NMI] = (int64_t)processor_nmis(number);
    if (why_absent[CAUSE_APERF] == NULL) {
        uint64_t aperf;
        uint64_t mperf;

        pmu_aperf_mperf(&aperf, &mperf);
        row->value[CAUSE_APERF] = (int64_t)aperf;
        row->value[CAUSE_MPERF] = (int64_t)mperf;
    }
    if (why_absent[CAUSE_STEAL] == NULL) {
        row->value[CAUSE_STEAL] = (int64_t)steal_ns(number);
    }
    if (why_absent[CAUSE_THERMAL] == NULL) {
        const uint64_t set = take_logs();

        row->value[CAUSE_THERMAL] = (set & THERM_LOG) != 0;
        row->value[CAUSE_POWER_LIMIT] = (set & THERM_POWER_LOG) != 0;
    }
}

void cause_read_all(size_t number, struct cause_row *row)
{
    cause_read(number, row);
    if (why_absent[CAUSE_MACHINE_CHECK] == NULL) {
        row->value[CAUSE_MACHINE_CHECK] = (int64_t)machine_check_corrected();
    }
    if (why_absent[CAUSE_INTERRUPT] == NULL) {
        row->value[CAUSE_INTERRUPT] = lapic_count_requests();
    }
}

/* MSR 34h counts in 32 bits, so its difference is truncated. Firmware sometimes clears the logs of
 * banks; a count that fell therefore reports nothing. */
int64_t cause_between(enum cause cause, const struct cause_row *before,
                      const struct cause_row *after)
{
    const int64_t difference =
        (int64_t)((uint64_t)after->value[cause] - (uint64_t)before->value[cause]);

    switch (cause) {
    case CAUSE_SMI:
        return (uint32_t)difference;
    case CAUSE_THERMAL:
    case CAUSE_POWER_LIMIT:
        return after->value[cause];
    default:
        return difference > 0 ? difference : 0;
    }
}
