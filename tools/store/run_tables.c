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
#include "tools/run/series.h"
#include "tools/stats/statistics.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are stored as they lie");

/* clang-format off */
#define INTEGER(name)  {#name, COLUMN_INTEGER, true}
#define TEXT(name)     {#name, COLUMN_TEXT, true}
#define BYTES(name)    {#name, COLUMN_BYTES, true}
#define INTEGER_OR_NULL(name) {#name, COLUMN_INTEGER, false}
#define TEXT_OR_NULL(name)    {#name, COLUMN_TEXT, false}
/* clang-format on */

static const struct column run_columns[] = {TEXT(key), TEXT_OR_NULL(value)};
static const struct column machine_columns[] = {TEXT(name), TEXT_OR_NULL(value)};
static const struct column source_columns[] = {TEXT(name), INTEGER_OR_NULL(hz),
                                               TEXT_OR_NULL(stated_by)};
static const struct column estimate_columns[] = {TEXT(clock), TEXT(reference), INTEGER(hz),
                                                 INTEGER_OR_NULL(error_ppb), INTEGER(windows)};
static const struct column verdict_columns[] = {INTEGER(ok), INTEGER_OR_NULL(hz),
                                                TEXT_OR_NULL(agreed_by), TEXT_OR_NULL(reason)};
static const struct column counter_columns[] = {TEXT(name), TEXT(state), INTEGER_OR_NULL(width),
                                                TEXT_OR_NULL(found), TEXT_OR_NULL(reason)};
static const struct column counter_event_columns[] = {
    TEXT(name),          TEXT(state),          INTEGER_OR_NULL(pass), TEXT_OR_NULL(counter),
    TEXT_OR_NULL(code),  TEXT_OR_NULL(source), TEXT_OR_NULL(manual),  TEXT_OR_NULL(note),
    TEXT_OR_NULL(reason)};
static const struct column bench_columns[] = {
    TEXT(name),         INTEGER(pass),          TEXT_OR_NULL(family), TEXT_OR_NULL(summary),
    TEXT_OR_NULL(unit), TEXT_OR_NULL(estimate), TEXT(state),          TEXT_OR_NULL(reason)};
static const struct column expect_columns[] = {TEXT(bench),
                                               INTEGER(pass),
                                               TEXT(series),
                                               INTEGER_OR_NULL(instructions),
                                               INTEGER_OR_NULL(value),
                                               TEXT_OR_NULL(unit),
                                               TEXT_OR_NULL(because)};
static const struct column param_columns[] = {TEXT(bench), INTEGER(pass), TEXT(name),
                                              TEXT_OR_NULL(value), TEXT_OR_NULL(origin)};
static const struct column fact_columns[] = {TEXT(bench), INTEGER(pass), TEXT(name), INTEGER(value),
                                             TEXT_OR_NULL(unit)};
static const struct column absent_columns[] = {TEXT(bench), INTEGER(pass), TEXT(name),
                                               TEXT_OR_NULL(reason)};
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
static const struct column object_columns[] = {TEXT(bench),
                                               INTEGER(pass),
                                               TEXT(kind),
                                               INTEGER(id),
                                               TEXT(name),
                                               INTEGER_OR_NULL(process),
                                               INTEGER_OR_NULL(priority)};
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
static const struct column backtrace_columns[] = {INTEGER(crash), INTEGER(depth),
                                                  TEXT_OR_NULL(address), TEXT_OR_NULL(symbol),
                                                  TEXT_OR_NULL(offset)};
static const struct column interrupt_columns[] = {INTEGER(vector), TEXT_OR_NULL(name),
                                                  INTEGER(count), TEXT_OR_NULL(expected)};
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
#define TABLE(name) {#name, name##_columns, sizeof(name##_columns) / sizeof(name##_columns[0])}
/* clang-format on */

const struct run_table run_tables[RUN_TABLE_COUNT] = {
    [RUN] = TABLE(run),
    [MACHINE] = TABLE(machine),
    [SOURCE] = TABLE(source),
    [ESTIMATE] = TABLE(estimate),
    [VERDICT] = TABLE(verdict),
    [COUNTER] = TABLE(counter),
    [EVENT] = TABLE(counter_event),
    [BENCH] = TABLE(bench),
    [EXPECT] = TABLE(expect),
    [PARAM] = TABLE(param),
    [FACT] = TABLE(fact),
    [ABSENT] = TABLE(absent),
    [SERIES] = TABLE(series),
    [OBJECT] = TABLE(object),
    [TRACE] = TABLE(trace),
    [CRASH] = TABLE(crash),
    [BACKTRACE] = TABLE(backtrace),
    [INTERRUPT] = TABLE(interrupt),
    [ERROR] = TABLE(error),
    [LOSS] = TABLE(loss),
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

static bool put_head(struct row_sink *sink, const struct run *run)
{
    bool ok = put_pairs(sink, RUN, &run->info) &&
              row_put(sink, &run_tables[RUN], "tt", "plan.source", run->plan_source) &&
              row_put(sink, &run_tables[RUN], "tt", "plan.text", run->plan_text) &&
              row_put(sink, &run_tables[RUN], "tt", "log.ended", run->ended ? "1" : "0") &&
              put_pairs(sink, MACHINE, &run->machine);

    for (size_t i = 0; i < run->source_count && ok; i++) {
        const struct run_source *source = &run->sources[i];
        const int64_t hz = (int64_t)source->hz;

        ok = row_put(sink, &run_tables[SOURCE], "tot", source->name, hz != 0 ? &hz : NULL,
                     source->from);
    }
    for (size_t i = 0; i < run->estimate_count && ok; i++) {
        const struct run_estimate *estimate = &run->estimates[i];
        const int64_t ppb = (int64_t)estimate->error_ppb;

        ok = row_put(sink, &run_tables[ESTIMATE], "ttuou", estimate->clock, estimate->reference,
                     estimate->hz, estimate->has_error ? &ppb : NULL, estimate->windows);
    }
    if (run->verdict.present && ok) {
        const int64_t hz = (int64_t)run->verdict.hz;

        ok = row_put(sink, &run_tables[VERDICT], "iott", (int64_t)run->verdict.ok,
                     hz != 0 ? &hz : NULL, run->verdict.by, run->verdict.reason);
    }
    return ok;
}

static bool put_events(struct row_sink *sink, const struct run *run)
{
    bool ok = true;

    for (size_t i = 0; i < run->counter_count && ok; i++) {
        const struct run_counter *counter = &run->counters[i];
        const int64_t width = (int64_t)counter->width;

        ok = row_put(sink, &run_tables[COUNTER], "ttott", counter->name, counter->state,
                     width != 0 ? &width : NULL, counter->found, counter->reason);
    }
    for (size_t i = 0; i < run->event_count && ok; i++) {
        const struct run_event *event = &run->events[i];
        const int64_t pass = event->pass;

        ok = row_put(sink, &run_tables[EVENT], "ttotttttt", event->name, event->state,
                     pass != 0 ? &pass : NULL, event->counter, event->code, event->source,
                     event->manual, event->note, event->reason);
    }
    return ok;
}

/* "first..last,first..last", or NULL where nothing is missing. To be freed. */
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

/* Can the sink hold them? */
static bool check_samples(struct row_sink *sink, const struct run_bench *bench,
                          const struct run_series *series)
{
    if (series->received <= sink->most_bytes / sizeof(int64_t)) {
        return true;
    }
    snprintf(sink->error, sizeof(sink->error),
             "the series %.64s of %.64s has %zu samples, and a run file holds %" PRIu64
             " of each: measure for a shorter time",
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

static bool put_object(struct row_sink *sink, const struct run_bench *bench,
                       const struct run_object *object)
{
    const int64_t process = object->process;
    const int64_t priority = object->priority;

    return row_put(sink, &run_tables[OBJECT], "tututoo", bench->name, (uint64_t)bench->pass,
                   object->kind, (uint64_t)object->id, object->name,
                   object->has_process ? &process : NULL, object->has_priority ? &priority : NULL);
}

/* Can they be read, and held? */
static bool check_packets(struct row_sink *sink, const struct run_bench *bench,
                          const struct run_trace *trace, uint32_t *crc)
{
    if (trace->packets->length > sink->most_bytes) {
        snprintf(sink->error, sizeof(sink->error),
                 "the trace of %.64s, part %" PRIu32 ", has %" PRIu64 " bytes, and a run file "
                 "holds %" PRIu64 " of each: trace for a shorter time",
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

/* What of it was traced. */
static bool put_traces(struct row_sink *sink, const struct run_bench *bench)
{
    bool ok = true;

    for (size_t i = 0; i < bench->object_count && ok; i++) {
        ok = put_object(sink, bench, &bench->objects[i]);
    }
    for (size_t i = 0; i < bench->trace_count && ok; i++) {
        ok = put_trace(sink, bench, &bench->traces[i]);
    }
    return ok;
}

static bool put_expect(struct row_sink *sink, const struct run_bench *bench,
                       const struct run_expect *expect)
{
    return row_put(sink, &run_tables[EXPECT], "tutoott", bench->name, (uint64_t)bench->pass,
                   expect->series, expect->has_instructions ? &expect->instructions : NULL,
                   expect->has_value ? &expect->value : NULL, expect->unit, expect->because);
}

static bool put_bench(struct row_sink *sink, const struct run_bench *bench)
{
    const char *name = bench->name;
    const uint64_t pass = bench->pass;
    bool ok = row_put(sink, &run_tables[BENCH], "tutttttt", name, pass, bench->group,
                      bench->summary, bench->unit, bench->estimate, bench->state, bench->reason);

    for (size_t i = 0; i < bench->expect_count && ok; i++) {
        ok = put_expect(sink, bench, &bench->expects[i]);
    }
    for (size_t i = 0; i < bench->param_count && ok; i++) {
        const struct run_param *param = &bench->params[i];

        ok = row_put(sink, &run_tables[PARAM], "tuttt", name, pass, param->name, param->value,
                     param->origin);
    }
    for (size_t i = 0; i < bench->fact_count && ok; i++) {
        const struct run_fact *fact = &bench->facts[i];

        ok = row_put(sink, &run_tables[FACT], "tutit", name, pass, fact->name, fact->value,
                     fact->unit);
    }
    for (size_t i = 0; i < bench->absent_count && ok; i++) {
        const struct run_absent *absent = &bench->absents[i];

        ok = row_put(sink, &run_tables[ABSENT], "tutt", name, pass, absent->name, absent->reason);
    }
    for (size_t i = 0; i < bench->series_count && ok; i++) {
        ok = put_series(sink, bench, &bench->series[i]);
    }
    return ok && put_traces(sink, bench);
}

static bool put_crash(struct row_sink *sink, int64_t number, const struct run_crash *crash)
{
    bool ok = true;

    for (size_t i = 0; i < crash->fields.count && ok; i++) {
        const struct run_pair *field = &crash->fields.item[i];

        ok = row_put(sink, &run_tables[CRASH], "itt", number, field->key, field->value);
    }
    for (size_t i = 0; i < crash->frame_count && ok; i++) {
        const struct run_backtrace *frame = &crash->frames[i];

        ok = row_put(sink, &run_tables[BACKTRACE], "iuttt", number, frame->depth, frame->address,
                     frame->symbol, frame->offset);
    }
    return ok;
}

bool run_tables_write(const struct run *run, struct row_sink *sink)
{
    bool ok = put_head(sink, run) && put_events(sink, run);

    for (size_t i = 0; i < run->bench_count && ok; i++) {
        ok = put_bench(sink, &run->benches[i]);
    }
    for (size_t i = 0; i < run->crash_count && ok; i++) {
        ok = put_crash(sink, (int64_t)i, &run->crashes[i]);
    }
    for (size_t i = 0; i < run->interrupt_count && ok; i++) {
        const struct run_interrupt *interrupt = &run->interrupts[i];

        ok = row_put(sink, &run_tables[INTERRUPT], "utut", interrupt->vector, interrupt->name,
                     interrupt->count, interrupt->expected);
    }
    return ok && put_texts(sink, ERROR, &run->errors) && put_texts(sink, LOSS, &run->losses);
}
