/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules about the clocks of processors: TSCs that differ, a clock rate below the nominal one, and a
 * stated rate of the TSC that is wrong. The first two apply only in real time, because an emulator
 * invents both.
 */
#include <stdio.h>

#include "bench/finding/rules.h"
#include "bench/noise/names.h"
#include "kernel/clock/names.h"
#include "kernel/link/names.h"
#include "kernel/run/names.h"

#define PERMILLE 1000
#define NAME_MAX 48

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* Reports the largest difference from the first processor's TSC if it exceeds the threshold plus
 * the uncertainty of the measurement. */
RULE_FUNCTION(rule_skew)
{
    char skew_text[FINDING_AMOUNT_MAX], bound_text[FINDING_AMOUNT_MAX];
    struct finding_series skew, bound;
    int64_t skew_ns, bound_ns;

    if (source->time != FINDING_TIME_REAL ||
        !source->series(source->context, BENCH_GAP, SERIES_TEAM_SKEW, &skew) ||
        !source->series(source->context, BENCH_GAP, SERIES_TEAM_BOUND, &bound)) {
        return;
    }
    const int64_t largest =
        magnitude(skew.min) > magnitude(skew.max) ? magnitude(skew.min) : magnitude(skew.max);

    if (!finding_ticks_to_ns(source, largest, &skew_ns) ||
        !finding_ticks_to_ns(source, bound.max, &bound_ns) ||
        skew_ns < rule->threshold + bound_ns) {
        return;
    }
    const struct finding draft = {.class = rule->class,
                                  .weight = (uint64_t)(skew_ns / (rule->threshold / PERMILLE)),
                                  .has_value = true,
                                  .value = skew_ns};

    finding_add(
        findings, rule, &draft,
        "TSCs of processors differ by up to %s (measured to within %s): a program that moves to "
        "another processor sees time jump; check TSC_ADJUST and whether firmware sets the TSCs",
        finding_time_text(skew_ns, skew_text), finding_time_text(bound_ns, bound_text));
}

/* Reports the first statement that differs from the measured rate of the TSC (kernel/profile.c). */
RULE_FUNCTION(rule_rate)
{
    static const char *const names[] = {
        REFERENCE_KVM_CLOCK,   REFERENCE_HYPERV_MSR,      REFERENCE_HYPERV_PAGE,
        REFERENCE_VMWARE_PORT, REFERENCE_HYPERVISOR_LEAF, REFERENCE_CPUID_15H,
        REFERENCE_AMD_PSTATE,
    };
    char name[NAME_MAX];

    for (size_t i = 0; source->machine != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(name, sizeof(name), PREFIX_TSC_DISAGREES "%s", names[i]);
        const char *text = source->machine(source->context, name);

        if (text != NULL) {
            finding_add(findings, rule, NULL,
                        "%s %s: a program that believes it gets every duration wrong", names[i],
                        text);
            return;
        }
    }
}

/* Uses APERF and MPERF of bench gap, which keeps the processor busy without a pause. */
RULE_FUNCTION(rule_frequency)
{
    int64_t aperf, mperf;

    if (source->time != FINDING_TIME_REAL ||
        !source->fact(source->context, BENCH_GAP, FACT_APERF, &aperf) ||
        !source->fact(source->context, BENCH_GAP, FACT_MPERF, &mperf) || mperf <= PERMILLE) {
        return;
    }
    const int64_t permille = aperf / (mperf / PERMILLE);
    const int64_t missing = PERMILLE - permille;

    if (missing < rule->threshold) {
        return;
    }
    const struct finding draft = {.class = rule->class,
                                  .weight = (uint64_t)(missing * PERMILLE / rule->threshold),
                                  .has_value = true,
                                  .value = permille};

    finding_add(findings, rule, &draft,
                "the processor runs at %ld.%ld %% of its nominal clock under load: check the "
                "firmware's power settings and the temperature",
                (long)(permille / 10), (long)(permille % 10));
}
