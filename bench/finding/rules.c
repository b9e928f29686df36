/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of rules: what is worth a line at the top of a run, and from which figure on. Pure: the
 * image and the host have it.
 */
#include "bench/noise/names.h"
#include "kernel/finding/derived.h"
#include "kernel/finding/finding.h"
#include "kernel/run/names.h"

static void apply_invalid(const struct finding_rule *rule, const struct finding_source *source,
                          struct findings *findings)
{
    int64_t valid;

    if (source->derived == NULL || !source->derived(source->context, DERIVED_VALID, &valid) ||
        valid != 0) {
        return;
    }
    finding_add(findings, rule, NULL, "the run is invalid: %s",
                source->derived_text(source->context, DERIVED_INVALID_WHY));
}

static void apply_gap(const struct finding_rule *rule, const struct finding_source *source,
                      struct findings *findings)
{
    char length[FINDING_AMOUNT_MAX];
    int64_t largest, threshold, ns;

    if (!source->fact(source->context, BENCH_GAP, FACT_THRESHOLD, &threshold) ||
        !finding_ticks_to_ns(source, threshold, &ns)) {
        return;
    }
    if (!source->fact(source->context, BENCH_GAP, FACT_LARGEST, &largest)) {
        finding_add_clear(findings, rule, "no gap above %s", finding_ns_text(source, ns, length));
        return;
    }
    finding_ticks_to_ns(source, largest, &ns);
    const struct finding draft = {.class = rule->class, .has_value = true, .value = ns};

    finding_add(findings, rule, &draft, "longest gap %s", finding_ns_text(source, ns, length));
}

static const struct finding_rule rules[] = {
    {"invalid", FINDING_UNTRUE, NULL, 1, UNIT_COUNT, "a run whose data cannot be believed",
     apply_invalid},
    {"gap", FINDING_STOLEN, BENCH_GAP, 0, UNIT_NANOSECOND, "the longest gap", apply_gap},
};

static const struct finding_table table = {rules, sizeof(rules) / sizeof(rules[0])};
FINDING_TABLE_REGISTER(table);
