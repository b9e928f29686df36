/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics and findings of a run as rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/finding/digest_tables.h"
#include "tools/finding/run_findings.h"
#include "tools/present/metrics.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"

#define NOTE_MAX    192
#define NS_A_SECOND 1e9

/* A unit of metrics in SI, and in ticks of the TSC. NAN: it cannot be expressed in it. */
struct si {
    const char *unit;
    double scale;
    double tick_scale;
};

static struct si si_of(const char *unit, double ns_per_tick)
{
    static const struct {
        const char *unit;
        struct si si;
    } fixed[] = {
        {UNIT_MICROSECOND, {"s", 1e-6, NAN}}, {UNIT_HZ, {"Hz", 1, NAN}},
        {UNIT_PPM, {"1", 1e-6, NAN}},         {UNIT_COUNT, {"1", 1, NAN}},
        {UNIT_MB_PER_S, {"B/s", 1e6, NAN}},   {UNIT_BYTE, {"B", 1, NAN}},
    };

    if (strcmp(unit, UNIT_TICK) == 0) {
        return (struct si){"s", ns_per_tick > 0 ? ns_per_tick / NS_A_SECOND : NAN, 1};
    }
    if (strcmp(unit, UNIT_NANOSECOND) == 0) {
        return (struct si){"s", 1 / NS_A_SECOND, ns_per_tick > 0 ? 1 / ns_per_tick : NAN};
    }
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (strcmp(unit, fixed[i].unit) == 0) {
            return fixed[i].si;
        }
    }
    return (struct si){unit, 1, NAN};
}

static const char *better_text(enum metric_better better)
{
    static const char *const texts[] = {
        [METRIC_LESS] = "less", [METRIC_MORE] = "more", [METRIC_NEITHER] = NULL};

    return texts[better];
}

/* What of the values is not in the row, or NULL. */
static const char *note_of(const struct metric *metric, const struct summary *summary,
                           const struct digest_sizes *sizes, char note[NOTE_MAX])
{
    if (metric->counted_only) {
        return "a count: no value of each is known";
    }
    if (metric->values == NULL) {
        snprintf(note, NOTE_MAX, "more than %zu samples: no interval%s", sizes->values,
                 metric->samples != NULL ? "" : " and no quantiles; tare show prints them");
        return note;
    }
    if (metric->unkept > 0) {
        snprintf(note, NOTE_MAX, "%llu more were not kept: max is of all, the rest of those kept",
                 (unsigned long long)metric->unkept);
        return note;
    }
    if (metric->is_share) {
        snprintf(note, NOTE_MAX, "quantiles of equal parts of the time; of the whole %.6g ppm",
                 metric->share);
        return note;
    }
    return metric->n > 0 && !summary->exact ? summary_interval_unknown(summary) : NULL;
}

static bool put_metric(struct row_sink *sink, const struct metrics *metrics,
                       const struct metric *metric, const char *kind,
                       const struct digest_sizes *sizes)
{
    const struct si si = si_of(metric->unit, metrics->ns_per_tick);
    const bool read = metric->values != NULL && metric->n > 0;
    struct summary summary = {0};
    char note[NOTE_MAX];

    if (read) {
        summary_quantiles_of(metric->values, metric->n, &summary);
    }
    const struct summary_quantile *median = &summary.median;
    const bool same = read && summary.exact;
    const double max = read ? fmax(summary.max, metric->greatest_low) : NAN;
    const uint64_t n = metric->counted_only ? metric->unkept : (uint64_t)metric->n;
    const bool by_series = metric->values == NULL && metric->samples != NULL;

    return row_put(
        sink, &digest_tables[DIGEST_METRIC], "tutttttrruurrrrrrrt", metric->bench,
        (uint64_t)metric->pass, metric->series, metric->name, kind, better_text(metric->better),
        si.unit, si.scale, si.tick_scale, (uint64_t)by_series, n, read ? summary.min : NAN,
        read ? median->value : NAN, read && summary.p99.reported ? summary.p99.value : NAN, max,
        metric->greatest_at,
        read && (median->has_interval || same) ? (same ? summary.min : median->low) : NAN,
        read && (median->has_interval || same) ? (same ? summary.max : median->high) : NAN,
        note_of(metric, &summary, sizes, note));
}

bool digest_metrics(const struct run *run, const struct digest_sizes *sizes, struct row_sink *sink)
{
    const struct metrics_bounds bounds = {sizes->values, DIGEST_SAMPLES_MAX, sizes->records};
    const char *kind = run_time_name(run);
    struct metrics metrics;
    bool ok = true;

    metrics_within(run, &bounds, &metrics);
    for (size_t i = 0; i < metrics.count && ok; i++) {
        ok = put_metric(sink, &metrics, &metrics.item[i], kind, sizes);
    }
    metrics_free(&metrics);
    return ok;
}

bool digest_findings(struct run *run, struct row_sink *sink)
{
    struct run_texts reasons = {0};
    struct findings findings;
    bool ok = true;

    run_valid(run, &reasons);
    run_findings(run, &reasons, &findings);
    for (size_t i = 0; i < findings.count && ok; i++) {
        const struct finding *finding = &findings.item[i];

        ok = row_put(sink, &digest_tables[DIGEST_FINDING], "utttotot", (uint64_t)(i + 1),
                     finding->rule->name, finding_class_text(finding->class), finding->bench,
                     finding->has_value ? &finding->value : NULL, finding->unit,
                     finding->has_at ? &finding->at_ns : NULL, finding->text);
    }
    run_texts_free(&reasons);
    return ok;
}
