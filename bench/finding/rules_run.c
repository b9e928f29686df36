/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules about the data: what is missing, what cannot be trusted, and which benches failed.
 */
#include <string.h>

#include "bench/finding/rules.h"
#include "kernel/link/names.h"
#include "kernel/run/derived.h"
#include "kernel/run/names.h"

static const char *derive_text(const struct finding_source *source, const char *name)
{
    const char *text =
        source->derived_text != NULL ? source->derived_text(source->context, name) : NULL;

    return text != NULL ? text : "no reason is known";
}

static struct finding draft_of(const struct finding_rule *rule, int64_t value, const char *unit)
{
    return (struct finding){.class = rule->class,
                            .weight = (uint64_t)value,
                            .has_value = true,
                            .value = value,
                            .unit = unit};
}

RULE_FUNCTION(rule_lost)
{
    char count[FINDING_AMOUNT_MAX];
    int64_t lost;

    if (!finding_derived(source, DERIVED_LOST, &lost) || lost < rule->threshold) {
        return;
    }
    const struct finding draft = draft_of(rule, lost, rule->unit);

    finding_add(findings, rule, &draft,
                "%s frame%s of the log lost: %s; decode the complete log, or capture with requests",
                finding_count_text(lost, count), lost == 1 ? "" : "s",
                derive_text(source, DERIVED_LOST_WHY));
}

RULE_FUNCTION(rule_drift)
{
    char count[FINDING_AMOUNT_MAX];
    int64_t ppm;

    if (!finding_derived(source, DERIVED_DRIFT_PPM, &ppm) || ppm < rule->threshold) {
        return;
    }
    const struct finding draft = draft_of(rule, ppm, rule->unit);
    const bool is_virtual =
        source->machine != NULL && source->machine(source->context, FACT_HYPERVISOR) != NULL;

    finding_add(findings, rule, &draft,
                "clocks ran apart by %s ppm during the run (%s): no time below is certain%s",
                finding_count_text(ppm, count), derive_text(source, DERIVED_DRIFT_WHY),
                is_virtual ? "; a hypervisor that stops the machine (pause, snapshot, migration) "
                             "stops some clocks, but not all"
                           : "");
}

RULE_FUNCTION(rule_invalid)
{
    int64_t reasons;

    if (!finding_derived(source, DERIVED_INVALID, &reasons) || reasons < rule->threshold) {
        return;
    }
    const struct finding draft = draft_of(rule, reasons, rule->unit);

    finding_add(findings, rule, &draft, "the run is invalid: %s",
                derive_text(source, DERIVED_INVALID_WHY));
}

RULE_FUNCTION(rule_hypervisor)
{
    int64_t trapped;

    if (finding_derived(source, DERIVED_TRAPS, &trapped) && trapped >= rule->threshold) {
        const struct finding draft = draft_of(rule, trapped, rule->unit);

        finding_add(findings, rule, &draft, "%s", derive_text(source, DERIVED_TRAPS_WHY));
    }
}

static bool is_bad(const char *state)
{
    return state != NULL && strcmp(state, STATE_OK) != 0 && strcmp(state, STATE_SKIP) != 0;
}

/* Adds one line for all failed benches, with the name and the reason of the first. A bench that
 * failed because time changed is part of rule_drift()'s line if the host knows the clocks. */
RULE_FUNCTION(rule_bench)
{
    const char *first = NULL, *first_state = NULL, *first_reason = NULL;
    const char *name, *reason;
    int64_t drift;
    int64_t bad = 0;
    const bool drifts = finding_derived(source, DERIVED_DRIFT_PPM, &drift) && drift > 0;

    for (size_t i = 0; (name = source->bench(source->context, i)) != NULL; i++) {
        const char *state = source->state(source->context, name, &reason);

        if (!is_bad(state) ||
            (reason != NULL && strncmp(reason, REASON_PARTIAL, strlen(REASON_PARTIAL)) == 0) ||
            (drifts && reason != NULL && strstr(reason, REASON_TIME_CHANGED) != NULL)) {
            continue;
        }
        if (bad++ == 0) {
            first = name;
            first_state = state;
            first_reason = reason;
        }
    }
    if (bad < rule->threshold) {
        return;
    }
    const struct finding draft = draft_of(rule, bad, rule->unit);

    if (bad == 1) {
        finding_add(findings, rule, &draft, "bench %s ended as %s: %s", first, first_state,
                    first_reason != NULL ? first_reason : "without a reason");
    } else {
        finding_add(findings, rule, &draft, "%ld benches failed; the first is %s, %s: %s",
                    (long)bad, first, first_state,
                    first_reason != NULL ? first_reason : "without a reason");
    }
}

/* Benches that were skipped are listed with their reasons wherever benches are listed. */
RULE_FUNCTION(rule_undone)
{
    int64_t count;

    if (finding_derived(source, DERIVED_UNCOUNTED, &count) && count >= rule->threshold) {
        const struct finding draft = draft_of(rule, count, rule->unit);

        finding_add(findings, rule, &draft, "%ld event%s of the plan %s not counted: %s",
                    (long)count, count == 1 ? "" : "s", count == 1 ? "was" : "were",
                    derive_text(source, DERIVED_UNCOUNTED_WHY));
    }
    if (finding_derived(source, DERIVED_UNUSED, &count) && count >= rule->threshold) {
        const struct finding draft = draft_of(rule, count, rule->unit);

        finding_add(findings, rule, &draft, "%ld key%s of the plan had no effect: %s", (long)count,
                    count == 1 ? "" : "s", derive_text(source, DERIVED_UNUSED_WHY));
    }
}

/* If no counter works at all, the machine has none or its hypervisor reserves them; the benches
 * report that. */
RULE_FUNCTION(rule_counter)
{
    int64_t usable, bad;

    if (!finding_derived(source, DERIVED_COUNTERS, &usable) || usable == 0 ||
        !finding_derived(source, DERIVED_COUNTERS_BAD, &bad) || bad < rule->threshold) {
        return;
    }
    const struct finding draft = draft_of(rule, bad, rule->unit);

    finding_add(findings, rule, &draft, "%s; %ld of %ld event counters %s not used",
                derive_text(source, DERIVED_COUNTER_WHY), (long)bad, (long)(usable + bad),
                bad == 1 ? "is" : "are");
}
