/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/run_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/run/records.h"
#include "tools/run/series.h"
#include "tools/stats/statistics.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are stored as they lie");

/* clang-format off */
#define INTEGER(name)  {#name, COLUMN_INTEGER, true}
#define TEXT(name)     {#name, COLUMN_TEXT, true}
#define BYTES(name)    {#name, COLUMN_BYTES, true}
#define INTEGER_OR_NULL(name) {#name, COLUMN_INTEGER, false}
#define TEXT_OR_NULL(name)    {#name, COLUMN_TEXT, false}
#define NEEDED_KEY      true
#define NEEDED_REQUIRED true
#define NEEDED_OPTIONAL false
#define NEEDED_FLAGGED  false
#define NEEDED_NOTE     false
#define FIELD(record, name, column, type, need, meaning) \
    {#column, TYPE_##type <= TYPE_STRING ? COLUMN_TEXT : COLUMN_INTEGER, NEEDED_##need},
#define OF_BENCH TEXT(bench), INTEGER(pass)
/* clang-format on */

static const struct column run_columns[] = {TEXT(key), TEXT_OR_NULL(value)};
static const struct column machine_columns[] = {TEXT(name), TEXT_OR_NULL(value)};
static const struct column source_columns[] = {SOURCE_FIELDS(FIELD)};
static const struct column estimate_columns[] = {ESTIMATE_FIELDS(FIELD)};
static const struct column verdict_columns[] = {VERDICT_FIELDS(FIELD)};
static const struct column counter_columns[] = {COUNTER_FIELDS(FIELD)};
static const struct column counter_event_columns[] = {EVENT_FIELDS(FIELD)};
static const struct column bench_columns[] = {TEXT(name), INTEGER(pass),
                                              BENCH_FIELDS(FIELD) STATUS_FIELDS(FIELD)};
static const struct column expect_columns[] = {OF_BENCH, EXPECT_FIELDS(FIELD)};
static const struct column param_columns[] = {OF_BENCH, PARAM_FIELDS(FIELD)};
static const struct column fact_columns[] = {OF_BENCH, FACT_FIELDS(FIELD)};
static const struct column absent_columns[] = {OF_BENCH, ABSENT_FIELDS(FIELD)};
static const struct column object_columns[] = {OF_BENCH, OBJECT_FIELDS(FIELD)};
static const struct column backtrace_columns[] = {INTEGER(crash), FRAME_FIELDS(FIELD)};
static const struct column interrupt_columns[] = {INTERRUPT_FIELDS(FIELD)};
static const struct column series_columns[] = {TEXT(bench),
                                               INTEGER(pass),
                                               TEXT(name),
                                               TEXT_OR_NULL(unit),
                                               TEXT_OR_NULL(of),
                                               TEXT_OR_NULL(event),
                                               INTEGER(n),
                                               INTEGER_OR_NULL(min),
                                               INTEGER_OR_NULL(median),
                                               INTEGER_OR_NULL(p99),
                                               INTEGER_OR_NULL(p999),
                                               INTEGER_OR_NULL(max),
                                               INTEGER(stream),
                                               INTEGER(nominal),
                                               INTEGER(crc),
                                               TEXT_OR_NULL(missing),
                                               BYTES(samples)};
static const struct column trace_columns[] = {
    TEXT(bench),           INTEGER(pass),      INTEGER(part),
    INTEGER(stream),       TEXT(mode),         INTEGER(cpu),
    INTEGER(begin_tsc),    INTEGER(end_tsc),   INTEGER(packet_bytes),
    INTEGER(kept),         INTEGER(discarded), INTEGER(overwritten),
    INTEGER(record),       INTEGER(lead),      INTEGER(extended),
    INTEGER(isr_lead),     INTEGER(isr_trail), INTEGER(dpc_trail),
    INTEGER(switch_trail), INTEGER(claimed),   INTEGER(crc),
    BYTES(packets)};
static const struct column crash_columns[] = {INTEGER(crash), TEXT(key), TEXT_OR_NULL(value)};
static const struct column error_columns[] = {TEXT(text)};
static const struct column loss_columns[] = {TEXT(text)};

enum table_index {
    RUN,
    MACHINE,
    SOURCE,
    ESTIMATE,
    VERDICT,
    COUNTER,
    EVENT,
    BENCH,
    EXPECT,
    PARAM,
    FACT,
    ABSENT,
    SERIES,
    OBJECT,
    TRACE,
    CRASH,
    BACKTRACE,
    INTERRUPT,
    ERROR,
    LOSS,
};

/* clang-format off */
#define TABLE(name, record) \
    {#name, name##_columns, sizeof(name##_columns) / sizeof(name##_columns[0]), record}
/* clang-format on */

const struct run_table run_tables[RUN_TABLE_COUNT] = {
    [RUN] = TABLE(run, NULL),
    [MACHINE] = TABLE(machine, NULL),
    [SOURCE] = TABLE(source, &run_source_record),
    [ESTIMATE] = TABLE(estimate, &run_estimate_record),
    [VERDICT] = TABLE(verdict, &run_verdict_record),
    [COUNTER] = TABLE(counter, &run_counter_record),
    [EVENT] = TABLE(counter_event, &run_event_record),
    [BENCH] = TABLE(bench, NULL),
    [EXPECT] = TABLE(expect, &run_expect_record),
    [PARAM] = TABLE(param, &run_param_record),
    [FACT] = TABLE(fact, &run_fact_record),
    [ABSENT] = TABLE(absent, &run_absent_record),
    [SERIES] = TABLE(series, NULL),
    [OBJECT] = TABLE(object, &run_object_record),
    [TRACE] = TABLE(trace, NULL),
    [CRASH] = TABLE(crash, NULL),
    [BACKTRACE] = TABLE(backtrace, &run_frame_record),
    [INTERRUPT] = TABLE(interrupt, &run_interrupt_record),
    [ERROR] = TABLE(error, NULL),
    [LOSS] = TABLE(loss, NULL),
};

static void fill_cells(struct cell *cells, const char *types, va_list values)
{
    memset(cells, 0, RUN_TABLE_COLUMNS_MAX * sizeof(*cells));
    for (size_t i = 0; types[i] != '\0'; i++) {
        const int64_t *optional;

        cells[i].present = true;
        switch (types[i]) {
        case 't':
            cells[i].text = va_arg(values, const char *);
            cells[i].present = cells[i].text != NULL;
            break;
        case 'i':
            cells[i].integer = va_arg(values, int64_t);
            break;
        case 'u':
            cells[i].integer = (int64_t)va_arg(values, uint64_t);
            break;
        case 'o':
            optional = va_arg(values, const int64_t *);
            cells[i].present = optional != NULL;
            cells[i].integer = optional != NULL ? *optional : 0;
            break;
        case 'r':
            cells[i].real = va_arg(values, double);
            cells[i].present = !isnan(cells[i].real);
            break;
        default:
            cells[i].bytes = va_arg(values, struct trace_bytes *);
        }
    }
}

bool row_put(struct row_sink *sink, const struct run_table *table, const char *types, ...)
{
    struct cell cells[RUN_TABLE_COLUMNS_MAX];
    va_list values;

    va_start(values, types);
    fill_cells(cells, types, values);
    va_end(values);
    return sink->add(sink, table, cells);
}

static bool put_pairs(struct row_sink *sink, enum table_index index, const struct run_pairs *pairs)
{
    bool ok = true;

    for (size_t i = 0; i < pairs->count && ok; i++) {
        ok = row_put(sink, &run_tables[index], "tt", pairs->item[i].key, pairs->item[i].value);
    }
    return ok;
}

static bool put_texts(struct row_sink *sink, enum table_index index, const struct run_texts *texts)
{
    bool ok = true;

    for (size_t i = 0; i < texts->count && ok; i++) {
        ok = row_put(sink, &run_tables[index], "t", texts->item[i]);
    }
    return ok;
}

static void fill_fields(struct cell *cells, const struct run_record *record, const void *item)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct run_value value = run_field_get(&record->field[i], item);

        cells[i] = (struct cell){value.present, value.number, 0, value.text, NULL};
    }
}

/* Writes tables `from` to `to`: one row for each item of the owner. The first `of` cells of each
 * row identify the owner. */
static bool put_items(struct row_sink *sink, enum table_index from, enum table_index to,
                      const void *owner, const struct cell *first, size_t of)
{
    struct cell cells[RUN_TABLE_COLUMNS_MAX] = {0};
    bool ok = true;

    for (size_t i = 0; i < of; i++) {
        cells[i] = first[i];
    }
    for (enum table_index index = from; index <= to; index++) {
        const struct run_table *table = &run_tables[index];

        for (size_t i = 0; i < run_item_count(table->record, owner) && ok; i++) {
            fill_fields(cells + of, table->record, run_item(table->record, owner, i));
            ok = sink->add(sink, table, cells);
        }
    }
    return ok;
}

static bool put_head(struct row_sink *sink, const struct run *run)
{
    return put_pairs(sink, RUN, &run->info) &&
           row_put(sink, &run_tables[RUN], "tt", "plan.source", run->plan_source) &&
           row_put(sink, &run_tables[RUN], "tt", "plan.text", run->plan_text) &&
           row_put(sink, &run_tables[RUN], "tt", "log.ended", run->ended ? "1" : "0") &&
           put_pairs(sink, MACHINE, &run->machine) && put_items(sink, SOURCE, EVENT, run, NULL, 0);
}

/* Returns the missing samples as "first..last,first..last", or NULL if none are missing. The caller
 * frees it. */
static char *missing_text(const struct run_series *series)
{
    size_t used = 0;
    size_t capacity = 0;
    char *text = NULL;
    uint64_t next = 0;

    for (size_t r = 0; r <= series->range_count; r++) {
        const bool last = r == series->range_count;
        const uint64_t first = last ? series->n : series->ranges[r].first;

        if (first > next) {
            text = alloc_grow(text, &capacity, used + 32, 1);
            used += (size_t)snprintf(text + used, 32, "%s%" PRIu64 "..%" PRIu64,
                                     used > 0 ? "," : "", next, first - 1);
        }
        next = last ? first : first + series->ranges[r].count;
    }
    return text;
}

/* The samples as bytes, little endian. */
struct sample_bytes {
    struct trace_bytes bytes;
    const struct run_series *series;
};

static bool read_sample_bytes(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    const struct run_series *series = ((struct sample_bytes *)bytes)->series;

    if (offset > bytes->length || size > bytes->length - offset) {
        return false;
    }
    memcpy(to, (const char *)series->samples + offset, size);
    samples_forget(series, offset / sizeof(int64_t), size / sizeof(int64_t));
    return true;
}

static void forget(void *series, size_t first, size_t count)
{
    samples_forget(series, first, count);
}

/* Can the sink hold the samples? */
static bool check_samples(struct row_sink *sink, const struct run_bench *bench,
                          const struct run_series *series)
{
    if (series->received <= sink->most_bytes / sizeof(int64_t)) {
        return true;
    }
    snprintf(sink->error, sizeof(sink->error),
             "the series %.64s of %.64s has %zu samples, but at most %" PRIu64
             " fit in a run file: measure for a shorter time",
             series->name, bench->name, series->received, sink->most_bytes / sizeof(int64_t));
    return false;
}

static bool put_series(struct row_sink *sink, const struct run_bench *bench,
                       struct run_series *series)
{
    if (!check_samples(sink, bench, series)) {
        return false;
    }
    struct sample_bytes samples = {
        .bytes = {.length = series->received * sizeof(int64_t), .read = read_sample_bytes},
        .series = series,
    };
    struct statistics s;
    char *missing = missing_text(series);

    statistics_of_stretches(series->samples, series->received, forget, series, &s);
    const bool any = s.n > 0;
    const bool ok =
        row_put(sink, &run_tables[SERIES], "tuttttuooooouiutb", bench->name, (uint64_t)bench->pass,
                series->name, series->unit, series->of, series->event, (uint64_t)series->n,
                any ? &s.min : NULL, any ? &s.median : NULL, s.has_p99 ? &s.p99 : NULL,
                s.has_p999 ? &s.p999 : NULL, any ? &s.max : NULL, (uint64_t)series->stream,
                series->nominal, (uint64_t)series->crc, missing, &samples.bytes);

    free(missing);
    return ok;
}

/* Can the packets be read, and can the sink hold them? */
static bool check_packets(struct row_sink *sink, const struct run_bench *bench,
                          const struct run_trace *trace, uint32_t *crc)
{
    if (trace->packets->length > sink->most_bytes) {
        snprintf(sink->error, sizeof(sink->error),
                 "the trace of %.64s, part %" PRIu32 ", has %" PRIu64 " bytes, but at most %" PRIu64
                 " fit in a run file: trace for a shorter time",
                 bench->name, trace->part, trace->packets->length, sink->most_bytes);
        return false;
    }
    if (!trace_bytes_crc(trace->packets, crc)) {
        snprintf(sink->error, sizeof(sink->error), "cannot read back the packets of stream %u",
                 trace->stream);
        return false;
    }
    return true;
}

static bool put_trace(struct row_sink *sink, const struct run_bench *bench,
                      const struct run_trace *trace)
{
    const struct run_trace_costs *costs = &trace->costs;
    uint32_t crc;

    return check_packets(sink, bench, trace, &crc) &&
           row_put(sink, &run_tables[TRACE], "tuuutuuuuuuuuuuuuuuuub", bench->name,
                   (uint64_t)bench->pass, (uint64_t)trace->part, (uint64_t)trace->stream,
                   trace->mode, (uint64_t)trace->cpu, trace->begin, trace->end,
                   (uint64_t)trace->packet_bytes, trace->kept, trace->discarded, trace->overwritten,
                   (uint64_t)costs->record, (uint64_t)costs->lead, (uint64_t)costs->extended,
                   (uint64_t)costs->isr_lead, (uint64_t)costs->isr_trail,
                   (uint64_t)costs->dpc_trail, (uint64_t)costs->switch_trail, trace->claimed,
                   (uint64_t)crc, trace->packets);
}

static bool put_bench(struct row_sink *sink, const struct run_bench *bench)
{
    struct cell cells[RUN_TABLE_COLUMNS_MAX] = {{.present = true, .text = bench->name},
                                                {.present = true, .integer = bench->pass}};
    bool ok;

    fill_fields(cells + 2, &run_bench_record, bench);
    fill_fields(cells + 2 + run_bench_record.count, &run_status_record, bench);
    ok = sink->add(sink, &run_tables[BENCH], cells) &&
         put_items(sink, EXPECT, ABSENT, bench, cells, 2);
    for (size_t i = 0; i < bench->series_count && ok; i++) {
        ok = put_series(sink, bench, &bench->series[i]);
    }
    ok = ok && put_items(sink, OBJECT, OBJECT, bench, cells, 2);
    for (size_t i = 0; i < bench->trace_count && ok; i++) {
        ok = put_trace(sink, bench, &bench->traces[i]);
    }
    return ok;
}

static bool put_crash(struct row_sink *sink, int64_t number, const struct run_crash *crash)
{
    const struct cell of = {.present = true, .integer = number};
    bool ok = true;

    for (size_t i = 0; i < crash->fields.count && ok; i++) {
        const struct run_pair *field = &crash->fields.item[i];

        ok = row_put(sink, &run_tables[CRASH], "itt", number, field->key, field->value);
    }
    return ok && put_items(sink, BACKTRACE, BACKTRACE, crash, &of, 1);
}

bool run_tables_write(const struct run *run, struct row_sink *sink)
{
    bool ok = put_head(sink, run);

    for (size_t i = 0; i < run->bench_count && ok; i++) {
        ok = put_bench(sink, &run->benches[i]);
    }
    for (size_t i = 0; i < run->crash_count && ok; i++) {
        ok = put_crash(sink, (int64_t)i, &run->crashes[i]);
    }
    return ok && put_items(sink, INTERRUPT, INTERRUPT, run, NULL, 0) &&
           put_texts(sink, ERROR, &run->errors) && put_texts(sink, LOSS, &run->losses);
}

/* ---- SQL ---- */

void sql_table_text(const struct run_table *table, const char *const types[COLUMN_TYPES],
                    const char *lead, char sql[SQL_TABLE_MAX])
{
    size_t used = (size_t)snprintf(sql, SQL_TABLE_MAX, "CREATE TABLE \"%s\"(%s", table->name, lead);

    for (size_t i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];

        used += (size_t)snprintf(sql + used, SQL_TABLE_MAX - used, "%s\"%s\" %s%s",
                                 i > 0 ? ", " : "", column->name, types[column->type],
                                 column->required ? " NOT NULL" : "");
    }
    snprintf(sql + used, SQL_TABLE_MAX - used, ")");
}

/* %1$s: columns in front, such as "run_id, "; %2$s: the condition that the verdict is of the same
 * run. Each fact becomes a column. As in bench/noise/host/stolen.c, gaps that are the loop itself
 * give no lost time. */
static const char noise_view[] =
    "CREATE VIEW noise AS WITH gap AS (SELECT %1$sbench, pass, "
    "max(CASE name WHEN 'over' THEN value END) AS gaps, "
    "max(CASE name WHEN 'stolen' THEN value END) AS lost, "
    "max(CASE name WHEN 'largest' THEN value END) AS longest, "
    "max(CASE name WHEN 'largest_at' THEN value END) AS longest_at, "
    "max(CASE name WHEN 'smi' THEN value END) AS smis, "
    "max(CASE name WHEN 'elapsed' THEN value END) AS elapsed, "
    "max(CASE name WHEN 'dead' THEN value END) AS dead, "
    "max(CASE name WHEN 'threshold' THEN value END) AS threshold, "
    "max(CASE name WHEN 'smallest' THEN value END) AS smallest "
    "FROM fact WHERE bench = 'gap' GROUP BY %1$sbench, pass), "
    "seen AS (SELECT gap.*, (SELECT hz FROM verdict WHERE ok <> 0%2$s) AS hz, "
    "NULLIF(elapsed - dead, 0) AS watched FROM gap), "
    "idle AS (SELECT %1$sbench, pass, sample.series, sum(value) AS whole, "
    "sum(CASE WHEN value > floor THEN value - floor ELSE 0 END) AS lost "
    "FROM sample JOIN (SELECT %1$sbench, pass, median AS floor FROM series "
    "WHERE bench = 'idle' AND name = 'floor') AS floors USING (%1$sbench, pass) "
    "JOIN (SELECT %1$sbench, pass, name AS series FROM series WHERE missing IS NULL) AS whole "
    "USING (%1$sbench, pass, series) "
    "WHERE series IN ('floor', 'ticking') GROUP BY %1$sbench, pass, series) "
    "SELECT %1$sbench, pass, 'gap' AS series, "
    "CASE WHEN gaps > 0 AND threshold / 2 < smallest THEN NULL "
    "ELSE 1e6 * lost / watched END AS stolen_ppm, "
    "gaps, 1.0 * gaps * hz / watched AS gaps_per_second, longest, longest_at, "
    "smis, 1.0 * smis * hz / NULLIF(elapsed, 0) AS smis_per_second FROM seen "
    "UNION ALL SELECT %1$sbench, pass, series, 1e6 * lost / NULLIF(whole, 0), "
    "NULL, NULL, NULL, NULL, NULL, NULL FROM idle";

void sql_noise_view_text(const char *of_run, char sql[SQL_VIEW_MAX])
{
    char lead[64] = "";
    char same[128] = "";

    if (*of_run != '\0') {
        snprintf(lead, sizeof(lead), "%s, ", of_run);
        snprintf(same, sizeof(same), " AND verdict.%s = gap.%s", of_run, of_run);
    }
    snprintf(sql, SQL_VIEW_MAX, noise_view, lead, same);
}

/* ---- derived tables ---- */

static const struct run_derived *registered;

void run_derived_register(const struct run_derived *derived)
{
    registered = derived;
}

const struct run_derived *run_derived(void)
{
    return registered;
}
