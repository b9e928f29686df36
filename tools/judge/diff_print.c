/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the differences of two runs, for a terminal and as JSON. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/json.h"
#include "tools/base/table.h"
#include "tools/judge/diff.h"
#include "tools/present/view.h"

#define LABEL      8 /* columns of a label */
#define TEXT_MAX   1024
#define ROWS_SHOWN 20

static const char *const places[DIFF_PLACES] = {"setup", "bench", "record", "sample"};

__attribute__((format(printf, 3, 4))) static void print_line(FILE *out, const char *label,
                                                             const char *format, ...)
{
    char text[TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    print_field(out, LABEL, label, text);
}

/* Writes when it happened, such as ", 12.03 ms after the start of the run"; writes nothing if the
 * start of the run is unknown. */
static const char *when_text(const struct run *run, uint64_t tsc, char text[TEXT_MAX])
{
    const char *begin = run_pair_value(&run->machine, FACT_TSC_AT_BEGIN);
    const double tick = run_ns_per_tick(run);
    char duration[DURATION_MAX];

    text[0] = '\0';
    if (begin != NULL && tick > 0 && tsc >= strtoull(begin, NULL, 10)) {
        snprintf(text, TEXT_MAX, ", %s after the start of the run",
                 duration_text((double)(tsc - strtoull(begin, NULL, 10)) * tick, duration));
    }
    return text;
}

/* Writes a shift: "+8 ticks (1 instruction)", "+8 to +80 ticks". */
static const char *shift_text(const struct run *run, int64_t low, int64_t high, char text[TEXT_MAX])
{
    const double each = run_ticks_per_instruction(run);
    const int64_t ticks = each >= 1 ? (int64_t)each : 1;
    const int64_t whole = low / ticks;

    if (low != high) {
        snprintf(text, TEXT_MAX, "%+" PRId64 " to %+" PRId64 " ticks", low, high);
    } else if (each >= 1 && low % ticks == 0) {
        snprintf(text, TEXT_MAX, "%+" PRId64 " ticks (%" PRId64 " instruction%s)", low, whole,
                 whole == 1 || whole == -1 ? "" : "s");
    } else {
        snprintf(text, TEXT_MAX, "%+" PRId64 " ticks", low);
    }
    return text;
}

static const char *thing_text(const struct diff_item *item, char text[TEXT_MAX])
{
    char pass[24] = "";

    if (item->pass > 1) {
        snprintf(pass, sizeof(pass), ":%" PRIu32, item->pass);
    }
    const int length = snprintf(text, TEXT_MAX, "%s%s%s%s%s", item->bench != NULL ? "bench " : "",
                                item->bench != NULL ? item->bench : "", pass,
                                item->bench != NULL ? ", " : "", item->what);

    if (item->place == DIFF_RECORD || item->place == DIFF_SAMPLE) {
        snprintf(text + length, TEXT_MAX - (size_t)length, ", %s %" PRIu64 " of %" PRIu64,
                 places[item->place], item->first + 1, item->total);
    }
    return text;
}

/* Prints the shift of the first difference, and of those that follow. */
static void print_shift(FILE *out, const struct diff_item *item, const struct run *a)
{
    char first[TEXT_MAX];
    char all[TEXT_MAX];

    if (!item->has_shift) {
        return;
    }
    shift_text(a, item->first_shift, item->first_shift, first);
    if (item->count == 1) {
        print_line(out, "b - a", "%s", first);
    } else if (item->constant) {
        print_line(out, "b - a", "%s, and the same to the end", first);
    } else {
        print_line(out, "b - a", "%s; %s where it differs", first,
                   shift_text(a, item->low, item->high, all));
    }
}

static void print_first(FILE *out, const struct diff_item *item, const struct run *a)
{
    struct diff_bench bench;
    char text[TEXT_MAX];
    char began[TEXT_MAX];

    print_line(out, "first", "%s%s", thing_text(item, text),
               item->has_tsc ? when_text(a, item->tsc, began) : "");
    print_line(out, "in a", "%s", item->a);
    print_line(out, "in b", "%s", item->b);
    print_shift(out, item, a);
    if (item->bench == NULL) {
        print_line(out, "running", "no bench: the machine, its clocks or the plan differ");
    } else if (diff_bench_of(a, item, &bench) && bench.has_began) {
        print_line(out, "running", "%s, bench %zu of the run, TSC %" PRIu64 " to %" PRIu64 "%s",
                   bench.name, bench.number, bench.began, bench.ended,
                   when_text(a, bench.began, began));
    } else {
        print_line(out, "running", "%s", item->bench);
    }
}

static void print_extent(FILE *out, const struct diff *diff, const struct run *a)
{
    char text[TEXT_MAX];

    print_line(out, "how far",
               "%zu of %zu benches, %zu of %zu series, %" PRIu64 " of %" PRIu64 " samples, %" PRIu64
               " of %" PRIu64 " trace records",
               diff->benches, diff->bench_total, diff->series, diff->series_total, diff->samples,
               diff->sample_total, diff->records, diff->record_total);
    if (!diff->stamps_differ) {
        print_line(out, "stamps", "equal: nothing after it is shifted");
    } else {
        print_line(out, "stamps", "those that differ are shifted by %s%s",
                   shift_text(a, diff->stamp_low, diff->stamp_high, text),
                   diff->stamp_low == diff->stamp_high ? ", all of them" : "");
    }
}

static void add_row(struct table *table, const struct diff_item *item)
{
    table_named_row(table, item->bench);
    table_text(table, item->what);
    table_format(table, "%" PRIu64, item->first + 1);
    table_format(table, "%" PRIu64, item->count);
    table_format(table, "%" PRIu64, item->total);
    if (!item->has_shift) {
        table_text(table, NULL);
    } else if (item->low == item->high) {
        table_format(table, "%+" PRId64, item->low);
    } else {
        table_format(table, "%+" PRId64 "..%+" PRId64, item->low, item->high);
    }
}

static void print_table(FILE *out, const struct diff *diff, bool all)
{
    const size_t shown = all || diff->count <= ROWS_SHOWN ? diff->count : ROWS_SHOWN;
    struct table table;

    fputc('\n', out);
    table_open(&table, "llrrrl", "bench\twhat\tfirst\tdiffer\tof\tticks");
    for (size_t i = 0; i < shown; i++) {
        add_row(&table, &diff->item[i]);
    }
    table_print(&table, out, 2);
    if (shown < diff->count) {
        fprintf(out, "  and %zu more; --all shows them\n", diff->count - shown);
    }
}

void diff_print(FILE *out, const struct diff *diff, const struct run *a,
                const struct diff_names *names, bool all)
{
    char text[TEXT_MAX];

    print_line(out, "a", "%s", names->a);
    print_line(out, "b", "%s", names->b);
    print_first(out, &diff->item[diff->at], a);
    /* The first differing sample, which a shift of all stamps may hide. */
    if (diff->sample_at != diff->at && diff->sample_at < diff->count) {
        print_line(out, "samples", "the first that differs: %s",
                   thing_text(&diff->item[diff->sample_at], text));
    }
    print_extent(out, diff, a);
    print_table(out, diff, all);
}

/* ---- JSON ---- */

static void write_item(struct json *json, const struct diff_item *item)
{
    json_object(json, NULL);
    json_text(json, "place", places[item->place]);
    json_text(json, "bench", item->bench);
    if (item->bench != NULL) {
        json_unsigned(json, "pass", item->pass);
    }
    json_text(json, "what", item->what);
    JSON_COUNTS(json, {"first", item->first}, {"count", item->count}, {"total", item->total});
    json_text(json, "a", item->a);
    json_text(json, "b", item->b);
    if (item->has_tsc) {
        json_unsigned(json, "tsc", item->tsc);
    }
    if (item->has_shift) {
        json_signed(json, "shift", item->first_shift);
        json_signed(json, "low", item->low);
        json_signed(json, "high", item->high);
        json_bool(json, "constant", item->constant);
    }
    json_close(json);
}

static void write_share(struct json *json, const char *key, uint64_t differ, uint64_t total)
{
    json_object(json, key);
    json_unsigned(json, "differ", differ);
    json_unsigned(json, "total", total);
    json_close(json);
}

static void write_running(struct json *json, const struct diff_item *item, const struct run *a)
{
    struct diff_bench bench;

    if (!diff_bench_of(a, item, &bench)) {
        json_null(json, "running");
        return;
    }
    json_object(json, "running");
    json_text(json, "bench", bench.name);
    json_unsigned(json, "pass", bench.pass);
    json_unsigned(json, "number", bench.number);
    if (bench.has_began) {
        json_unsigned(json, "began", bench.began);
        json_unsigned(json, "ended", bench.ended);
    }
    json_close(json);
}

static void write_stamps(struct json *json, const struct diff *diff)
{
    if (!diff->stamps_differ) {
        json_null(json, "stamps");
        return;
    }
    json_object(json, "stamps");
    json_signed(json, "low", diff->stamp_low);
    json_signed(json, "high", diff->stamp_high);
    json_close(json);
}

void diff_json(FILE *out, const struct diff *diff, const struct run *a,
               const struct diff_names *names)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "schema", "tare diff");
    json_unsigned(&json, "version", 1);
    json_text(&json, "a", names->a);
    json_text(&json, "b", names->b);
    json_bool(&json, "equal", diff->count == 0);
    json_unsigned(&json, "ticks_per_instruction", (uint64_t)run_ticks_per_instruction(a));
    if (diff->count == 0) {
        json_null(&json, "first");
        json_null(&json, "running");
    } else {
        json_unsigned(&json, "first", diff->at);
        write_running(&json, &diff->item[diff->at], a);
    }
    write_share(&json, "benches", diff->benches, diff->bench_total);
    write_share(&json, "series", diff->series, diff->series_total);
    write_share(&json, "samples", diff->samples, diff->sample_total);
    write_share(&json, "records", diff->records, diff->record_total);
    write_stamps(&json, diff);
    json_array(&json, "differences");
    for (size_t i = 0; i < diff->count; i++) {
        write_item(&json, &diff->item[i]);
    }
    json_close(&json);
    json_close(&json);
}
