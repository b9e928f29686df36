/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules about the clocks of processors: TSCs that differ, and a clock rate below the nominal one.
 * Both apply only in real time, because an emulator invents both.
 */
#include "bench/finding/rules.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"

#define PERMILLE 1000

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
