/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/finding/digest_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/host/gap_join.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/finding/run_findings.h"
#include "tools/present/metrics.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"
#include "tools/store/run_tables.h"

#define NOTE_MAX    192
#define NS_A_SECOND 1e9

/* clang-format off */
#define INTEGER(name)  {#name, COLUMN_INTEGER, true}
#define TEXT(name)     {#name, COLUMN_TEXT, true}
#define INTEGER_OR_NULL(name) {#name, COLUMN_INTEGER, false}
#define TEXT_OR_NULL(name)    {#name, COLUMN_TEXT, false}
#define REAL_OR_NULL(name)    {#name, COLUMN_REAL, false}

static const struct column metric_columns[] = {
    TEXT(bench), INTEGER(pass), TEXT(series), TEXT(name), TEXT_OR_NULL(kind), TEXT_OR_NULL(better),
    TEXT(unit), REAL_OR_NULL(scale), REAL_OR_NULL(tick_scale), INTEGER(by_series), INTEGER(n),
    REAL_OR_NULL(min), REAL_OR_NULL(p50), REAL_OR_NULL(p99), REAL_OR_NULL(max), REAL_OR_NULL(at),
    REAL_OR_NULL(low), REAL_OR_NULL(high), TEXT_OR_NULL(note)};
static const struct column event_columns[] = {
    TEXT(bench), INTEGER(pass), TEXT(kind), TEXT(name), INTEGER(at), INTEGER_OR_NULL(length)};
static const struct column count_columns[] = {
    TEXT(bench), INTEGER(pass), TEXT(kind), TEXT(name), INTEGER(n), INTEGER(kept),
    INTEGER_OR_NULL(total), INTEGER_OR_NULL(longest), INTEGER_OR_NULL(longest_at)};
static const struct column account_columns[] = {
    TEXT(bench), INTEGER(pass), TEXT(source), TEXT(kind), TEXT(name), INTEGER(ticks),
    INTEGER_OR_NULL(entries), INTEGER(elapsed)};
static const struct column gap_columns[] = {
    TEXT(bench), INTEGER(pass), INTEGER(processor), INTEGER(at), INTEGER(length), INTEGER(reach),
    INTEGER_OR_NULL(stop), INTEGER(processors), TEXT_OR_NULL(reason)};
static const struct column finding_columns[] = {
    INTEGER(place), TEXT(rule), TEXT(class), TEXT_OR_NULL(bench), INTEGER_OR_NULL(value),
    TEXT_OR_NULL(unit), INTEGER_OR_NULL(at_ns), TEXT(text)};

#define TABLE(name) {"digest_" #name, name##_columns, sizeof(name##_columns) / sizeof(name##_columns[0]), NULL}

const struct run_table digest_tables[DIGEST_TABLES] = {
    [DIGEST_METRIC] = TABLE(metric), [DIGEST_EVENT] = TABLE(event), [DIGEST_COUNT] = TABLE(count),
    [DIGEST_ACCOUNT] = TABLE(account), [DIGEST_GAP] = TABLE(gap), [DIGEST_FINDING] = TABLE(finding),
};

/* Text that every view contains: %1$s is "d.run_id, " or empty, %2$s joins the verdict of the same
 * run. Seconds are NULL if the rate is unknown. */
#define HZ "(SELECT CAST(hz AS DOUBLE PRECISION) FROM verdict WHERE ok <> 0%2$s) AS hz"

/* Reads, for metrics without values in the digest, the quantiles of their series. It is a subquery
 * for each column that a query prints: a join would read the series of every run of a fleet. */
#define SERIES_HAS "(SELECT s."
#define OF_METRIC                                                                         \
    " FROM series AS s WHERE d.by_series <> 0 AND s.bench = d.bench AND s.pass = d.pass " \
    "AND s.name = d.series%3$s)"

static const char *const views[] = {
    /* A subquery instead of WITH: PostgreSQL then looks up only the runs of one machine, where it
     * would read all runs for a WITH. */
    "CREATE VIEW metric AS SELECT %1$sname, bench, pass, series, unit, kind, better, n, "
    "min * scale AS min, p50 * scale AS p50, p99 * scale AS p99, max * scale AS max, "
    "at / hz AS when_s, low * scale AS interval_low, high * scale AS interval_high, "
    "min * tick_scale AS min_ticks, p50 * tick_scale AS p50_ticks, p99 * tick_scale AS p99_ticks, "
    "max * tick_scale AS max_ticks, at AS when_ticks, low * tick_scale AS interval_low_ticks, "
    "high * tick_scale AS interval_high_ticks, note FROM (SELECT %1$sd.name, d.bench, d.pass, "
    "d.series, d.unit, d.kind, d.better, d.n, "
    "coalesce(d.min, " SERIES_HAS "min" OF_METRIC ") AS min, "
    "coalesce(d.p50, " SERIES_HAS "median" OF_METRIC ") AS p50, "
    "coalesce(d.p99, " SERIES_HAS "p99" OF_METRIC ") AS p99, "
    "coalesce(d.max, " SERIES_HAS "max" OF_METRIC ") AS max, "
    "d.at, d.low, d.high, d.scale, d.tick_scale, d.note, " HZ " FROM digest_metric AS d) AS d",

    "CREATE VIEW event AS WITH e AS (SELECT d.*, " HZ " FROM digest_event AS d) "
    "SELECT %1$sbench, pass, kind, name, at / hz AS at_s, length / hz AS length_s, "
    "at AS at_ticks, length AS length_ticks FROM e AS d",

    "CREATE VIEW event_count AS WITH e AS (SELECT d.*, " HZ " FROM digest_count AS d) "
    "SELECT %1$sbench, pass, kind, name, n, kept, total / hz AS total_s, "
    "longest / hz AS longest_s, longest_at / hz AS longest_at_s, total AS total_ticks, "
    "longest AS longest_ticks, longest_at AS longest_at_ticks FROM e AS d",

    "CREATE VIEW account AS WITH a AS (SELECT d.*, " HZ " FROM digest_account AS d) "
    "SELECT %1$sbench, pass, source, kind, name, ticks / hz AS seconds, ticks, entries, "
    "elapsed / hz AS elapsed_s, elapsed AS elapsed_ticks, "
    "CAST(ticks AS DOUBLE PRECISION) / NULLIF(elapsed, 0) AS share FROM a AS d",

    "CREATE VIEW gap AS WITH g AS (SELECT d.*, " HZ " FROM digest_gap AS d) "
    "SELECT %1$sbench, pass, processor, at / hz AS at_s, length / hz AS length_s, at AS at_ticks, "
    "length AS length_ticks, CASE reach WHEN 1 THEN 'one processor' WHEN 2 THEN 'all processors' "
    "ELSE 'unknown' END AS reach, stop, processors, reason FROM g AS d",

    "CREATE VIEW finding AS WITH f AS (SELECT d.*, " HZ ", CASE WHEN unit = 'ns' THEN 1e-9 "
    "WHEN unit = 'ppb' THEN 1e-9 ELSE 1 END AS scale FROM digest_finding AS d) "
    "SELECT %1$splace, rule, class, bench, "
    "value * CAST(scale AS DOUBLE PRECISION) AS value, CASE WHEN unit = 'ns' THEN 's' "
    "WHEN unit = 'ppb' THEN '1' ELSE unit END AS unit, "
    "CASE WHEN unit = 'ns' THEN value * 1e-9 * hz WHEN unit = 'tick' THEN value END AS value_ticks, "
    "CAST(at_ns AS DOUBLE PRECISION) / 1e9 AS at_s, at_ns * 1e-9 * hz AS at_ticks, text "
    "FROM f AS d",
};
/* clang-format on */

static bool view(size_t index, const char *of_run, char sql[SQL_VIEW_MAX])
{
    const bool many = *of_run != '\0';
    const char *lead = many ? "d.run_id, " : "";
    const char *same = many ? " AND verdict.run_id = d.run_id" : "";

    if (index >= sizeof(views) / sizeof(views[0])) {
        return false;
    }
    snprintf(sql, SQL_VIEW_MAX, views[index], lead, same, many ? " AND s.run_id = d.run_id" : "");
    return true;
}

/* Adds up the samples of all series, and the records of all benches, that do not exceed `sizes`. */
static void add_up(const struct run *run, const struct digest_sizes *sizes, uint64_t *values,
                   uint64_t *records)
{
    *values = 0;
    *records = 0;
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const uint64_t traced = run_trace_records(bench);

        *records += traced <= sizes->records ? traced : 0;
        for (size_t k = 0; k < bench->series_count; k++) {
            *values += bench->series[k].n <= sizes->values ? bench->series[k].n : 0;
        }
    }
}

static void sizes_of(const struct run *run, struct digest_sizes *sizes)
{
    uint64_t values, records;

    *sizes = (struct digest_sizes){DIGEST_VALUES_MAX, DIGEST_RECORDS_MAX};
    for (;;) {
        add_up(run, sizes, &values, &records);
        if (values <= DIGEST_VALUES_MAX && records <= DIGEST_RECORDS_MAX) {
            return;
        }
        sizes->values /= values > DIGEST_VALUES_MAX ? 2 : 1;
        sizes->records /= records > DIGEST_RECORDS_MAX ? 2 : 1;
    }
}

/* ---- metrics and findings ---- */

/* A unit of metrics in SI, with factors to it and to ticks of the TSC; NAN: not convertible. */
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

static const char *const better_texts[] = {
    [METRIC_LESS] = "less", [METRIC_MORE] = "more", [METRIC_NEITHER] = NULL};

/* Returns which values are missing from the row, or NULL if none are. */
static const char *note_of(const struct metric *metric, const struct summary *summary,
                           const struct digest_sizes *sizes, char note[NOTE_MAX])
{
    if (metric->counted_only) {
        return "only the number of events is known";
    }
    if (strcmp(metric->series, METRIC_LEFT_OUT) == 0) {
        snprintf(note, NOTE_MAX,
                 "metrics that are not series are left out: more than %" PRIu64
                 " trace records, or more "
                 "than %u samples so far; tare show has them",
                 sizes->records, DIGEST_SAMPLES_MAX);
        return note;
    }
    if (metric->values == NULL) {
        snprintf(note, NOTE_MAX, "more than %zu samples: no interval%s", sizes->values,
                 metric->samples != NULL ? "" : " and no quantiles; tare show prints them");
        return note;
    }
    if (metric->unkept > 0) {
        snprintf(
            note, NOTE_MAX,
            "%llu more were not kept: max covers all values, the other columns only those kept",
            (unsigned long long)metric->unkept);
        return note;
    }
    if (metric->is_share) {
        snprintf(note, NOTE_MAX, "quantiles of equal parts of the time; %.6g ppm of all time",
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
        (uint64_t)metric->pass, metric->series, metric->name, kind, better_texts[metric->better],
        si.unit, si.scale, si.tick_scale, (uint64_t)by_series, n, read ? summary.min : NAN,
        read ? median->value : NAN, read && summary.p99.reported ? summary.p99.value : NAN, max,
        metric->greatest_at,
        read && (median->has_interval || same) ? (same ? summary.min : median->low) : NAN,
        read && (median->has_interval || same) ? (same ? summary.max : median->high) : NAN,
        note_of(metric, &summary, sizes, note));
}

static bool put_metrics(const struct run *run, const struct digest_sizes *sizes,
                        struct row_sink *sink)
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

static bool put_findings(struct run *run, struct row_sink *sink)
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

/* ---- gaps: when, how long, and whether all processors stopped ---- */

struct gap_row {
    uint64_t processor;
    struct gap_span span;
};

struct gap_rows {
    struct gap_row *item;
    size_t count, capacity;
    size_t processors; /* number of processors that watched */
    const char *why;   /* why the gaps could not be joined; NULL: they were */
};

static void add(struct gap_rows *rows, uint64_t processor, const struct gap_span *span)
{
    *ALLOC_NEXT(rows->item, rows->count, rows->capacity) = (struct gap_row){processor, *span};
}

static void add_join(struct gap_rows *rows, const struct gap_join *join)
{
    for (size_t i = 0; i < join->lane_count; i++) {
        const struct gap_lane *lane = &join->lanes[i];

        for (size_t k = 0; k < lane->count; k++) {
            add(rows, lane->number, &lane->gaps[k]);
        }
    }
}

static void add_list(struct gap_rows *rows, uint64_t processor, const struct run_series *times,
                     const struct run_series *lengths)
{
    int64_t at, length, end;

    for (uint32_t i = 0; times != NULL && lengths != NULL && i < times->n; i++) {
        if (run_series_sample(times, i, &at) && run_series_sample(lengths, i, &length) &&
            length >= 0 && !__builtin_add_overflow(at, length, &end)) {
            add(rows, processor, &(struct gap_span){.begin = at, .end = end});
        }
    }
}

/* Adds the gaps of each processor by its own clock. */
static void add_alone(struct gap_rows *rows, const struct run_bench *bench)
{
    struct gap_names names = gap_names_of(bench);

    rows->processors = gap_names_count(&names);
    for (size_t i = 0; i < rows->processors; i++) {
        if (gap_names_take(&names, i)) {
            add_list(rows, names.number, gap_series_for(&names, SERIES_GAP_TIME),
                     gap_series_for(&names, SERIES_GAP_LENGTH));
            add_list(rows, names.number, gap_series_for(&names, SERIES_WORST_TIME),
                     gap_series_for(&names, SERIES_WORST_LENGTH));
        }
    }
}

static int by_time(const void *left, const void *right)
{
    const struct gap_row *a = left;
    const struct gap_row *b = right;

    if (a->span.begin != b->span.begin) {
        return a->span.begin < b->span.begin ? -1 : 1;
    }
    return (a->processor > b->processor) - (a->processor < b->processor);
}

static int by_length(const void *left, const void *right)
{
    const struct gap_span *a = &((const struct gap_row *)left)->span;
    const struct gap_span *b = &((const struct gap_row *)right)->span;

    if (a->end - a->begin != b->end - b->begin) {
        return a->end - a->begin > b->end - b->begin ? -1 : 1;
    }
    return by_time(left, right);
}

static bool put_rows(struct row_sink *sink, const struct run_bench *bench, struct gap_rows *rows)
{
    bool ok = true;

    if (rows->count > DIGEST_GAPS_MAX) {
        sort_stable(rows->item, rows->count, sizeof(*rows->item), by_length);
        rows->count = DIGEST_GAPS_MAX;
    }
    if (rows->count > 0) {
        sort_stable(rows->item, rows->count, sizeof(*rows->item), by_time);
    }
    for (size_t i = 0; i < rows->count && ok; i++) {
        const struct gap_span *span = &rows->item[i].span;
        const int64_t stop = (int64_t)span->stop + 1;
        const char *reason = span->class != GAP_UNKNOWN ? NULL
                             : rows->why != NULL        ? rows->why
                                                        : gap_why_text(span->why);

        ok = row_put(sink, &digest_tables[DIGEST_GAP], "tuuiiuout", bench->name,
                     (uint64_t)bench->pass, rows->item[i].processor, span->begin,
                     span->end - span->begin, (uint64_t)span->class,
                     span->class == GAP_WORLD ? &stop : NULL, (uint64_t)rows->processors,
                     rows->processors > 1 ? reason : NULL);
    }
    return ok;
}

static bool put_gaps(struct row_sink *sink, const struct run_bench *bench)
{
    struct gap_rows rows = {0};
    struct gap_join join = {0};

    if (gap_join_of(bench, &join, &rows.why)) {
        rows.processors = join.lane_count;
        add_join(&rows, &join);
    } else {
        add_alone(&rows, bench);
    }
    const bool ok = put_rows(sink, bench, &rows);

    gap_join_free(&join);
    free(rows.item);
    return ok;
}

static bool put_all_gaps(const struct run *run, struct row_sink *sink)
{
    bool ok = true;

    for (size_t i = 0; i < run->bench_count && ok; i++) {
        if (run_find_series(&run->benches[i], SERIES_GAP_LENGTH) != NULL &&
            run_find_series(&run->benches[i], SERIES_GAP_TIME) != NULL) {
            ok = put_gaps(sink, &run->benches[i]);
        }
    }
    return ok;
}

static bool write_all(struct run *run, struct row_sink *sink)
{
    struct digest_sizes sizes;

    sizes_of(run, &sizes);
    return put_metrics(run, &sizes, sink) && digest_traces(run, &sizes, sink) &&
           put_all_gaps(run, sink) && put_findings(run, sink);
}

static const struct run_derived derived = {
    .tables = digest_tables,
    .table_count = DIGEST_TABLES,
    .view = view,
    .write = write_all,
};

__attribute__((constructor)) static void register_digest(void)
{
    run_derived_register(&derived);
}
