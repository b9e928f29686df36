/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules about long delays: a timer's interrupt that comes late, a slow disk, an application that
 * keeps the processor busy while it waits, and slow events with cold caches.
 */
#include "bench/disk/names.h"
#include "bench/finding/rules.h"
#include "bench/latency/names.h"
#include "kernel/run/derived.h"
#include "kernel/run/names.h"

#define LATE_TIMES 3 /* multiple of the median */
#define FIRST      ".0"
#define READ_BLOCK SERIES_READ ".4096"
#define LAW_BLOCK  SERIES_LAW ".4096"

static bool fact_ns(const struct finding_source *source, const char *bench, const char *name,
                    int64_t *ns)
{
    int64_t ticks;

    return source->fact(source->context, bench, name, &ticks) &&
           finding_ticks_to_ns(source, ticks, ns);
}

/* Gets the median span of the first processor's timer: of all periods by their histogram, since the
 * series holds only the first ones. */
static bool median_of_handler(const struct finding_source *source, int64_t *median)
{
    struct finding_series handler;
    const int64_t *samples;
    int64_t all = 0;
    size_t count = 0;
    size_t i = 0;

    if (!source->series(source->context, BENCH_TIMERLAT, SPAN_HANDLER FIRST, &handler)) {
        return false;
    }
    *median = handler.p50;
    if (!source->fact(source->context, BENCH_TIMERLAT, FACT_PERIODS FIRST, &all) ||
        all <= (int64_t)handler.n) {
        return true;
    }
    if (source->samples == NULL ||
        !source->samples(source->context, BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_COUNT FIRST, &samples,
                         &count)) {
        return false;
    }
    for (int64_t below = samples[0]; below < (all + 1) / 2 && i + 1 < count; below += samples[i]) {
        i++;
    }
    if (!source->samples(source->context, BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_BOUND FIRST, &samples,
                         &count) ||
        i >= count) {
        return false;
    }
    *median = samples[i];
    return true;
}

RULE_FUNCTION(rule_timer)
{
    char median[FINDING_AMOUNT_MAX], longest[FINDING_AMOUNT_MAX], when[FINDING_AMOUNT_MAX];
    int64_t max, at, p50, median_ticks;

    if (!median_of_handler(source, &median_ticks) ||
        !fact_ns(source, BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_MAX FIRST, &max) ||
        !fact_ns(source, BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_MAX_AT FIRST, &at) ||
        !finding_ticks_to_ns(source, median_ticks, &p50) || max < LATE_TIMES * p50 ||
        max - p50 < rule->threshold) {
        return;
    }
    const struct finding draft = {.class = rule->class,
                                  .weight = (uint64_t)(p50 > 0 ? max * 1000 / p50 : max),
                                  .has_value = true,
                                  .value = max,
                                  .has_at = true,
                                  .at_ns = at};

    finding_add(findings, rule, &draft,
                "timer to handler %s p50, %s max at %s: interrupts were off, or something took the "
                "processor",
                finding_ns_text(source, p50, median), finding_ns_text(source, max, longest),
                finding_time_text(at, when));
}

/* What a modelled disk takes is its timing model, which the plan chose, so it is no finding. */
RULE_FUNCTION(rule_disk)
{
    char median[FINDING_AMOUNT_MAX], longest[FINDING_AMOUNT_MAX];
    struct finding_series read, law;
    int64_t p50, max;

    if (source->series(source->context, BENCH_DISKLATENCY, LAW_BLOCK, &law) ||
        !source->series(source->context, BENCH_DISKLATENCY, READ_BLOCK, &read) ||
        !finding_ticks_to_ns(source, read.p50, &p50) ||
        !finding_ticks_to_ns(source, read.max, &max) || p50 < rule->threshold) {
        return;
    }
    const struct finding draft = {.class = rule->class,
                                  .weight = (uint64_t)(p50 / (rule->threshold / 1000)),
                                  .has_value = true,
                                  .value = p50};

    finding_add(findings, rule, &draft,
                "the disk is slow: a read of 4 KiB takes %s p50, %s max; a program that waits for "
                "it waits that long",
                finding_time_text(p50, median), finding_time_text(max, longest));
}

RULE_FUNCTION(rule_busy)
{
    char length[FINDING_AMOUNT_MAX];
    int64_t events, ns;

    if (!finding_derived(source, DERIVED_BUSY_EVENTS, &events) || events < rule->threshold ||
        !finding_derived(source, DERIVED_BUSY_NS, &ns)) {
        return;
    }
    const struct finding draft = {.class = rule->class,
                                  .weight = (uint64_t)(events * 1000 / rule->threshold),
                                  .has_value = true,
                                  .value = ns,
                                  .unit = UNIT_NANOSECOND};

    finding_add(findings, rule, &draft,
                "the application of bench %s keeps the processor while it waits: %s in each of %ld "
                "events, until the next input; nothing else can run meanwhile",
                source->derived_text(source->context, DERIVED_BUSY_BENCH),
                finding_time_text(ns, length), (long)events);
}

/* Only in real time: emulators do not model caches, and exact time has none. */
RULE_FUNCTION(rule_cold)
{
    char cold_text[FINDING_AMOUNT_MAX], warm_text[FINDING_AMOUNT_MAX];
    int64_t cold, warm;

    if (source->time != FINDING_TIME_REAL || !finding_derived(source, DERIVED_COLD_NS, &cold) ||
        !finding_derived(source, DERIVED_WARM_NS, &warm) || warm <= 0 ||
        cold * 1000 / warm < rule->threshold) {
        return;
    }
    const struct finding draft = {.class = rule->class,
                                  .weight = (uint64_t)(cold * 1000000 / warm / rule->threshold),
                                  .has_value = true,
                                  .value = cold - warm,
                                  .unit = UNIT_NANOSECOND};

    finding_add(findings, rule, &draft,
                "%s of bench %s takes %s with cold caches, %s with warm ones",
                source->derived_text(source->context, DERIVED_COLD_KIND),
                source->derived_text(source->context, DERIVED_COLD_BENCH),
                finding_time_text(cold, cold_text), finding_time_text(warm, warm_text));
}
