/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/digest/digest_tables.h"

#include <stdio.h>

#include "tools/store/derived.h"

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

#define TABLE(name) {"digest_" #name, name##_columns, sizeof(name##_columns) / sizeof(name##_columns[0])}

const struct run_table digest_tables[DIGEST_TABLES] = {
    [DIGEST_METRIC] = TABLE(metric), [DIGEST_EVENT] = TABLE(event), [DIGEST_COUNT] = TABLE(count),
    [DIGEST_ACCOUNT] = TABLE(account), [DIGEST_GAP] = TABLE(gap), [DIGEST_FINDING] = TABLE(finding),
};

/* Of every view: %1$s is "d.run_id, " or nothing, %2$s that the verdict is of the same run. Seconds
 * are NULL where the rate is not known. */
#define HZ "(SELECT CAST(hz AS DOUBLE PRECISION) FROM verdict WHERE ok <> 0%2$s) AS hz"

/* Of metrics that have no values here, the quantiles of their series. Looked up for those alone, and
 * for none that a query does not print: a join would read the series of every run of a fleet. */
#define SERIES_HAS "(SELECT s."
#define OF_METRIC                                                                         \
    " FROM series AS s WHERE d.by_series <> 0 AND s.bench = d.bench AND s.pass = d.pass " \
    "AND s.name = d.series%3$s)"

/* A subquery and no WITH: PostgreSQL looks a machine's runs up in this one, and reads all of that. */
static const char metric_view[] =
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
    "d.at, d.low, d.high, d.scale, d.tick_scale, d.note, " HZ " FROM digest_metric AS d) AS d";

static const char event_view[] =
    "CREATE VIEW event AS WITH e AS (SELECT d.*, " HZ " FROM digest_event AS d) "
    "SELECT %1$sbench, pass, kind, name, at / hz AS at_s, length / hz AS length_s, "
    "at AS at_ticks, length AS length_ticks FROM e AS d";

static const char count_view[] =
    "CREATE VIEW event_count AS WITH e AS (SELECT d.*, " HZ " FROM digest_count AS d) "
    "SELECT %1$sbench, pass, kind, name, n, kept, total / hz AS total_s, "
    "longest / hz AS longest_s, longest_at / hz AS longest_at_s, total AS total_ticks, "
    "longest AS longest_ticks, longest_at AS longest_at_ticks FROM e AS d";

static const char account_view[] =
    "CREATE VIEW account AS WITH a AS (SELECT d.*, " HZ " FROM digest_account AS d) "
    "SELECT %1$sbench, pass, source, kind, name, ticks / hz AS seconds, ticks, entries, "
    "elapsed / hz AS elapsed_s, elapsed AS elapsed_ticks, "
    "CAST(ticks AS DOUBLE PRECISION) / NULLIF(elapsed, 0) AS share FROM a AS d";

static const char gap_view[] =
    "CREATE VIEW gap AS WITH g AS (SELECT d.*, " HZ " FROM digest_gap AS d) "
    "SELECT %1$sbench, pass, processor, at / hz AS at_s, length / hz AS length_s, at AS at_ticks, "
    "length AS length_ticks, CASE reach WHEN 1 THEN 'one processor' WHEN 2 THEN 'all processors' "
    "ELSE 'unknown' END AS reach, stop, processors, reason FROM g AS d";

static const char finding_view[] =
    "CREATE VIEW finding AS WITH f AS (SELECT d.*, " HZ ", CASE WHEN unit = 'ns' THEN 1e-9 "
    "WHEN unit = 'ppb' THEN 1e-9 ELSE 1 END AS scale FROM digest_finding AS d) "
    "SELECT %1$splace, rule, class, bench, "
    "value * CAST(scale AS DOUBLE PRECISION) AS value, CASE WHEN unit = 'ns' THEN 's' "
    "WHEN unit = 'ppb' THEN '1' ELSE unit END AS unit, "
    "CASE WHEN unit = 'ns' THEN value * 1e-9 * hz WHEN unit = 'tick' THEN value END AS value_ticks, "
    "CAST(at_ns AS DOUBLE PRECISION) / 1e9 AS at_s, at_ns * 1e-9 * hz AS at_ticks, text "
    "FROM f AS d";
/* clang-format on */

static bool view(size_t index, const char *of_run, char sql[SQL_VIEW_MAX])
{
    const bool many = *of_run != '\0';
    const char *lead = many ? "d.run_id, " : "";
    const char *same = many ? " AND verdict.run_id = d.run_id" : "";

    switch (index) {
    case 0:
        snprintf(sql, SQL_VIEW_MAX, metric_view, lead, same,
                 many ? " AND s.run_id = d.run_id" : "");
        return true;
    case 1:
        snprintf(sql, SQL_VIEW_MAX, event_view, lead, same);
        return true;
    case 2:
        snprintf(sql, SQL_VIEW_MAX, count_view, lead, same);
        return true;
    case 3:
        snprintf(sql, SQL_VIEW_MAX, account_view, lead, same);
        return true;
    case 4:
        snprintf(sql, SQL_VIEW_MAX, gap_view, lead, same);
        return true;
    case 5:
        snprintf(sql, SQL_VIEW_MAX, finding_view, lead, same);
        return true;
    default:
        return false;
    }
}

/* All samples of series of at most so many, and all records of benches of at most so many. */
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

void digest_sizes_of(const struct run *run, struct digest_sizes *sizes)
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

static bool write_all(struct run *run, struct row_sink *sink)
{
    struct digest_sizes sizes;

    digest_sizes_of(run, &sizes);
    return digest_metrics(run, &sizes, sink) && digest_traces(run, &sizes, sink) &&
           digest_gaps(run, sink) && digest_findings(run, sink);
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
