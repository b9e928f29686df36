/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the report's experiments next to runs (estimates.h), as tables and as JSON. */
#include "bench/system/host/view_system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/memory/names.h"
#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/json.h"
#include "tools/base/number.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/present/json_kit.h"
#include "tools/present/view.h"
#include "tools/run/estimates.h"
#include "tools/run/run_kind.h"

#define CELL_MAX        48
#define PERCENT         100
#define MB_OF_GB        1e3
#define ORIGIN_MAX      128
#define WAITED_ROWS_MAX 24

static const char *short_unit(enum estimates_unit unit)
{
    static const char *const names[ESTIMATES_UNITS] = {
        [ESTIMATES_CYCLES] = "cyc",
        [ESTIMATES_NS] = "ns",
        [ESTIMATES_GB_PER_S] = "GB/s",
        [ESTIMATES_INSTRUCTIONS] = "instr",
        [ESTIMATES_BYTES_PER_INSTRUCTION] = "B/ins",
        [ESTIMATES_BYTES_PER_CYCLE] = "B/cyc",
    };

    return names[unit];
}

/* Formats a value with three digits, with k or M for thousands and millions. */
static const char *short_figure(double value, char text[CELL_MAX])
{
    const double size = fabs(value);

    if (size >= 999500) {
        snprintf(text, CELL_MAX, "%.3gM", value / 1e6);
    } else if (size >= 9995) {
        snprintf(text, CELL_MAX, "%.3gk", value / 1e3);
    } else {
        snprintf(text, CELL_MAX, size >= 99.95 || value == nearbyint(value) ? "%.0f" : "%.3g",
                 value);
    }
    return text;
}

/* Writes min and max, or "exact" if all samples are equal; for instructions that others share, how
 * many samples are the most frequent number. */
static const char *spread_text(const struct estimates_result *result, double per_unit,
                               char text[CELL_MAX])
{
    char least[CELL_MAX];
    char greatest[CELL_MAX];

    if (result->n < 2) {
        return "one sample";
    }
    if (result->min == result->max) {
        return "exact";
    }
    if (estimates_several(result)) {
        snprintf(text, CELL_MAX, "several values (%.0f%%)", result->share * PERCENT);
        return text;
    }
    if (!isnan(result->share)) {
        snprintf(text, CELL_MAX, "%.0f%% one value", result->share * PERCENT);
        return text;
    }
    snprintf(text, CELL_MAX, "%.20s..%.20s", short_figure(result->min * per_unit, least),
             short_figure(result->max * per_unit, greatest));
    return text;
}

/* Writes what the report measured: large numbers of ns as ms or s, fractions of a GB/s as MB/s. */
static void reported_cell(struct table *table, const struct estimates_row *row)
{
    const double value = row->reported;
    char text[CELL_MAX];

    if (row->unit == ESTIMATES_NS && value >= 1e9) {
        table_format(table, "%s s", number_text(value / 1e9, text));
    } else if (row->unit == ESTIMATES_NS && value >= 1e6) {
        table_format(table, "%s ms", number_text(value / 1e6, text));
    } else if (row->unit == ESTIMATES_GB_PER_S && value < 1) {
        table_format(table, "%s MB/s", number_text(value * MB_OF_GB, text));
    } else if (value >= 1e6) {
        table_text(table, number_si(value, short_unit(row->unit), text));
    } else {
        table_format(table, "%s %s", number_text(value, text), short_unit(row->unit));
    }
}

/* ---- tables ---- */

/* Adds number, name, and what the report measured. Only the first row of an experiment shows its
 * number. */
static void add_report(struct table *table, size_t index)
{
    const struct estimates_row *row = estimates_row_at(index);
    const bool begins = index == 0 || strcmp(estimates_row_at(index - 1)->number, row->number) != 0;

    table_named_row(table, begins ? row->number : "");
    table_text(table, row->what);
    if (isnan(row->reported)) {
        table_text(table, NULL);
    } else {
        reported_cell(table, row);
    }
}

/* Sets the unit of a result in a table and returns the factor to it; less than 1 GB/s is shown as
 * MB/s. */
static double table_unit(const struct estimates_result *result, const char **unit)
{
    const bool little = result->unit == ESTIMATES_GB_PER_S && result->median < 1;

    *unit = little ? UNIT_MB_PER_S : short_unit(result->unit);
    return little ? MB_OF_GB : 1;
}

static void result_cell(struct table *table, const struct estimates_result *result)
{
    const char *unit;
    const double per_unit = table_unit(result, &unit);
    char text[CELL_MAX];

    table_format(table, "%s %s", number_text(result->median * per_unit, text), unit);
}

static void add_result(struct table *table, const struct estimates_result *result)
{
    const char *unit;
    const double per_unit = table_unit(result, &unit);
    const double difference = estimates_difference(result);
    char text[CELL_MAX];

    table_if(table, result->has_estimate, "%s %s", number_text(result->estimate * per_unit, text),
             unit);
    if (result->missing != NULL) {
        table_text(table, "n/a");
        return;
    }
    result_cell(table, result);
    if (isnan(difference)) {
        table_text(table, NULL);
    } else if (difference == 0) {
        table_text(table, "0");
    } else {
        table_format(table, fabs(difference) >= 99.95 ? "%+.0f%%" : "%+.1f%%", difference);
    }
    table_real(table, 1 + difference / 100);
    table_format(table, "%zu", result->n);
    table_text(table, spread_text(result, per_unit, text));
}

void estimates_table(struct table *table, const struct run *run)
{
    struct estimates_result result;

    table_open(table, "llrrrrrrrr",
               "#\texperiment\t2014 report\t2014 est.\testimate\tmeasured\tdifference\tratio\tn\t"
               "spread");
    for (size_t i = 0; estimates_row_at(i) != NULL; i++) {
        estimates_read(run, estimates_row_at(i), &result);
        add_report(table, i);
        table_text(table, estimates_row_at(i)->reported_estimate);
        add_result(table, &result);
    }
}

/* Are both runs of a program on the same Linux, started alike? Their figures must then be equal. */
static bool is_repeated(const struct run *left, const struct run *right)
{
    const char *kernel = run_pair_value(&left->info, RUN_UNDER_KERNEL);
    const char *line = run_pair_value(&left->info, RUN_UNDER_LINE);
    const char *other_kernel = run_pair_value(&right->info, RUN_UNDER_KERNEL);
    const char *other_line = run_pair_value(&right->info, RUN_UNDER_LINE);

    return kernel != NULL && line != NULL && other_kernel != NULL && other_line != NULL &&
           strcmp(kernel, other_kernel) == 0 && strcmp(line, other_line) == 0;
}

/* Does a row have several values in run `k`: in its samples, or because a repetition differs? */
static bool has_several(const struct estimates_run *runs, const struct estimates_result *results,
                        size_t count, size_t k)
{
    bool several = estimates_several(&results[k]);

    for (size_t i = 0; i < count && !isnan(results[k].share); i++) {
        several = several || (results[i].missing == NULL && is_repeated(runs[k].run, runs[i].run) &&
                              results[i].median != results[k].median);
    }
    return several;
}

/* Adds the ratio of the second run to the first, if both have a figure in one unit. */
static void ratio_cell(struct table *table, const struct estimates_result *results)
{
    table_if(table,
             results[0].missing == NULL && results[1].missing == NULL &&
                 results[0].unit == results[1].unit && results[0].median > 0,
             "%#.3g", results[1].median / results[0].median);
}

static void print_several(FILE *out, const struct estimates_run *runs, size_t count)
{
    char alignment[] = "llrrrrrrrrr";
    const char *heads[ESTIMATES_RUNS_MAX + 2] = {"A", "B", "C", "D", "E", "F", "", ""};
    struct table table;
    struct estimates_result results[ESTIMATES_RUNS_MAX] = {0};
    bool noted = false;

    alignment[5 + count] = '\0';
    heads[count] = "B / A";
    heads[count + 1] = "2014 est.";
    table_open(&table, alignment, "#\texperiment\t2014 report\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s",
               heads[0], heads[1], heads[2], heads[3], heads[4], heads[5], heads[6], heads[7]);
    for (size_t i = 0; estimates_row_at(i) != NULL; i++) {
        add_report(&table, i);
        for (size_t k = 0; k < count; k++) {
            estimates_read(runs[k].run, estimates_row_at(i), &results[k]);
        }
        for (size_t k = 0; k < count; k++) {
            if (results[k].missing != NULL) {
                table_text(&table, "n/a");
            } else if (has_several(runs, results, count, k)) {
                table_format(&table, "~%.4g %s", results[k].median, short_unit(results[k].unit));
                noted = true;
            } else {
                result_cell(&table, &results[k]);
            }
        }
        ratio_cell(&table, results);
        table_text(&table, estimates_row_at(i)->reported_estimate);
    }
    table_print(&table, out, 0);
    if (noted) {
        fputc('\n', out);
        print_wrapped(
            out,
            "~ several values: less than 90 % of the samples are one number, or another run on the "
            "same Linux has another number; the most frequent is shown",
            0, 3);
    }
}

/* what is known of the cells of experiment 7 in one run */
struct cells {
    size_t count;
    enum estimates_unit unit;
    double first;
    bool same;
};

static void survey_cells(const struct run *run, struct cells *cells)
{
    struct estimates_result result;
    double value;

    *cells = (struct cells){.same = true};
    for (size_t i = 0; i < ESTIMATES_ARRAYS * ESTIMATES_STRIDES; i++) {
        if (estimates_cell(run, i / ESTIMATES_STRIDES, i % ESTIMATES_STRIDES, &value)) {
            cells->first = cells->count == 0 ? value : cells->first;
            cells->same = cells->same && value == cells->first;
            cells->count++;
        }
    }
    for (size_t i = 0; estimates_row_at(i) != NULL; i++) {
        if (strcmp(estimates_row_at(i)->bench, BENCH_STRIDE) == 0) {
            estimates_read(run, estimates_row_at(i), &result);
            cells->unit = result.unit;
        }
    }
}

static void add_cells(struct table *table, const struct run *run, size_t array, const char *unit)
{
    char text[CELL_MAX];
    double value;

    table_named_row(table, size_text_short(estimates_arrays[array], text));
    table_text(table, "2014 report");
    for (size_t k = 0; k < ESTIMATES_STRIDES; k++) {
        table_text(table, number_text(estimates_table_ns[array][k], text));
    }
    table_named_row(table, "");
    table_text(table, unit);
    for (size_t k = 0; k < ESTIMATES_STRIDES; k++) {
        table_text(table, estimates_cell(run, array, k, &value) ? number_text(value, text) : NULL);
    }
}

/* Prints experiment 7's table, or one sentence if all cells are equal and `all` is not set. */
static void print_cells(FILE *out, const struct run *run, bool all)
{
    struct table table;
    struct cells cells;
    char text[CELL_MAX];

    survey_cells(run, &cells);
    if (cells.count == 0) {
        return;
    }
    fputs("\nexperiment 7: latency of a load by array size (rows) and stride (columns); the\n"
          "report's values are in ns\n",
          out);
    if (cells.same && !all) {
        fprintf(out, "  %s %s in each of %zu cells of %d\n", number_text(cells.first, text),
                short_unit(cells.unit), cells.count, ESTIMATES_ARRAYS * ESTIMATES_STRIDES);
        return;
    }
    fputc('\n', out);
    table_init(&table, "rlrrrrrrrr");
    table_named_row(&table, "");
    table_text(&table, "");
    for (size_t k = 0; k < ESTIMATES_STRIDES; k++) {
        table_text(&table, size_text_short(estimates_strides[k], text));
    }
    for (size_t i = 0; i < ESTIMATES_ARRAYS; i++) {
        add_cells(&table, run, i, short_unit(cells.unit));
    }
    table_print(&table, out, 0);
}

/* ---- explanations ---- */

/* Writes a text such as "call/register0, per repetition, without its loop". */
static const char *origin_text(const struct estimates_row *row, char text[ORIGIN_MAX])
{
    static const char *const methods[] = {
        [ESTIMATES_PAIR] = "",
        [ESTIMATES_WAITED] = ", including waiting",
        [ESTIMATES_EVENT] = ", less the median of series empty",
        [ESTIMATES_WAITED_EVENT] = ", including waiting, less the median of series empty",
        [ESTIMATES_HALF] = ", less the median of series empty, halved",
        [ESTIMATES_COST] = ", per repetition",
        [ESTIMATES_COST_LESS] = ", per repetition, without its loop",
        [ESTIMATES_LAST] = ", per repetition, for the largest array",
        [ESTIMATES_BANDWIDTH] = ", bytes of the largest array divided by the cost of a pass",
        [ESTIMATES_BLOCK] = ", 64 KiB divided by the time of each",
        [ESTIMATES_WAITED_BLOCK] = ", 64 KiB divided by the time of each, including waiting",
    };
    char size[CELL_MAX];

    if (row->method == ESTIMATES_WAITED_POINT) {
        snprintf(text, ORIGIN_MAX, "%s/%s, divided by the reads of %" PRId64 " thread%s",
                 row->bench, row->series, row->x, row->x == 1 ? "" : "s");
    } else if (row->method == ESTIMATES_POINT) {
        snprintf(text, ORIGIN_MAX, "%s/%s, per repetition at %s", row->bench, row->series,
                 size_text_short(row->x, size));
    } else {
        snprintf(text, ORIGIN_MAX, "%s/%s%s", row->bench, row->series, methods[row->method]);
    }
    return text;
}

/* Prints a text such as "5 instructions, 4 cycles: parts". */
static void print_expected(FILE *out, const struct run_expect *expect)
{
    char text[1024] = "";
    int used = 0;

    if (expect->has_instructions) {
        used = snprintf(text, sizeof(text), "%" PRId64 " instructions", expect->instructions);
    }
    if (expect->has_value) {
        used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%" PRId64 " %.40s",
                         used > 0 ? ", " : "", expect->value, expect->unit);
    }
    if (expect->because != NULL) {
        snprintf(text + used, sizeof(text) - (size_t)used, "%s%s", used > 0 ? ": " : "",
                 expect->because);
    }
    print_field(out, 8, "expected", text);
}

static void print_why(FILE *out, const struct run *run)
{
    struct estimates_result result;
    char origin[ORIGIN_MAX];

    fputs("\nsource of each figure, and the value expected of a current processor\n", out);
    for (size_t i = 0; estimates_row_at(i) != NULL; i++) {
        const struct estimates_row *row = estimates_row_at(i);

        estimates_read(run, row, &result);
        fprintf(out, "\n%s  %s\n", row->number, row->what);
        print_field(out, 8, "from", origin_text(row, origin));
        if (result.expect != NULL) {
            print_expected(out, result.expect);
        }
        if (row->remark != NULL) {
            print_field(out, 8, "note", row->remark);
        }
    }
}

/* Prints the experiments that have no result, and how to get one. */
static void print_missing(FILE *out, const struct run *run)
{
    size_t rows = 0;
    size_t count = 0;

    while (estimates_row_at(rows) != NULL) {
        rows++;
    }
    struct estimates_result *results = alloc_zeroed(rows * sizeof(*results));
    struct remark *remarks = alloc_zeroed(rows * sizeof(*remarks));

    for (size_t i = 0; i < rows; i++) {
        estimates_read(run, estimates_row_at(i), &results[i]);
        if (results[i].missing != NULL) {
            remarks[count++] =
                (struct remark){"n/a", estimates_row_at(i)->what, results[i].missing};
        }
    }
    fputs(count > 0 ? "\n" : "", out);
    print_remarks(out, remarks, count);
    free(remarks);
    free(results);
}

/* Prints why results differ from the report or from their estimates: those that wait for a disk or
 * a network, halves of a round trip, and those that miss by more than ESTIMATES_PERCENT. */
static void print_waited(FILE *out, const struct run *run)
{
    const double instruction = run_ticks_per_instruction(run) * run_ns_per_tick(run);
    struct remark remarks[WAITED_ROWS_MAX];
    struct estimates_result result;
    size_t count = 0;

    for (size_t i = 0; estimates_row_at(i) != NULL; i++) {
        const struct estimates_row *row = estimates_row_at(i);

        if (count < WAITED_ROWS_MAX && row->remark != NULL) {
            estimates_read(run, row, &result);
            if (result.missing == NULL &&
                (row->method == ESTIMATES_HALF || estimates_row_waits(row) ||
                 fabs(estimates_difference(&result)) > ESTIMATES_PERCENT)) {
                remarks[count++] = (struct remark){row->number, row->what, row->remark};
            }
        }
    }
    if (count == 0) {
        return;
    }
    fputs("\nwhy results differ from the report or from their estimates\n", out);
    print_remarks(out, remarks, count);
    if (instruction > 0) {
        fprintf(out,
                "  Times are virtual: an instruction of the kernel takes %.0f ns, on a "
                "processor\n  less than 1 ns. The time beyond the device's is spent in such "
                "instructions.\n",
                instruction);
    }
}

static void print_head(FILE *out, const struct estimates_run *runs, size_t count)
{
    char text[512];

    fputs("Kalyanaraman and Ganapathy, Systems Measurement, 2014: i5-4258U (Haswell), OS X\n10.10; "
          "a cycle there is 0.417 ns. Compared with medians of:\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const char *brand = run_pair_value(&runs[i].run->machine, FACT_CPU_BRAND);

        if (count > 1) {
            fprintf(out, "%c  ", (char)('A' + (int)i));
        }
        snprintf(text, sizeof(text), "%s: %s%s%s%s", runs[i].path, run_time_label(runs[i].run),
                 brand != NULL ? "; " : "", brand != NULL ? brand : "",
                 runs[i].valid ? "" : "; INVALID, see tare show");
        print_wrapped(out, text, count > 1 ? 3 : 0, 3);
    }
    fputc('\n', out);
}

void view_estimates(FILE *out, const struct estimates_run *runs, size_t count, bool why)
{
    print_head(out, runs, count);
    if (count == 1) {
        struct table table;

        estimates_table(&table, runs[0].run);
        table_print(&table, out, 0);
    } else {
        print_several(out, runs, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (count > 1) {
            fprintf(out, "\n%c  %s\n", (char)('A' + (int)i), runs[i].path);
        }
        print_missing(out, runs[i].run);
        print_waited(out, runs[i].run);
        print_cells(out, runs[i].run, why);
        if (why) {
            print_why(out, runs[i].run);
        }
    }
    if (!why) {
        fputs("\n--why adds the source of each figure and the parts of each estimate\n", out);
    }
}

/* ---- JSON ---- */

static void put_result(struct json *json, const struct estimates_result *result)
{
    const bool there = result->missing == NULL;
    const double none = NAN;

    json_object(json, NULL);
    json_text(json, "missing", result->missing);
    json_text(json, "unit", estimates_unit_name(result->unit));
    json_optional(json, "n", there, (int64_t)result->n);
    JSON_NUMBERS(json, 6, {"median", there ? result->median : none},
                 {"min", there ? result->min : none}, {"max", there ? result->max : none},
                 {"estimate", result->has_estimate ? result->estimate : none});
    json_text(json, "because", result->expect != NULL ? result->expect->because : NULL);
    json_number(json, "difference_percent", estimates_difference(result), 6);
    json_number(json, "ratio", 1 + estimates_difference(result) / 100, 6);
    json_close(json);
}

static void put_row(struct json *json, const struct estimates_row *row,
                    const struct estimates_run *runs, size_t count)
{
    struct estimates_result result;
    char origin[ORIGIN_MAX];

    json_object(json, NULL);
    json_text(json, "number", row->number);
    json_text(json, "what", row->what);
    json_number(json, "reported", row->reported, 6);
    JSON_TEXTS(json, {"reported_unit", estimates_unit_name(row->unit)},
               {"reported_estimate", row->reported_estimate}, {"bench", row->bench},
               {"series", row->series}, {"from", origin_text(row, origin)},
               {"remark", row->remark});
    json_array(json, "results");
    for (size_t i = 0; i < count; i++) {
        estimates_read(runs[i].run, row, &result);
        put_result(json, &result);
    }
    json_close(json);
    json_close(json);
}

static void put_cells(struct json *json, const struct estimates_run *runs, size_t count)
{
    json_array(json, "table");
    for (size_t i = 0; i < ESTIMATES_ARRAYS * ESTIMATES_STRIDES; i++) {
        const size_t array = i / ESTIMATES_STRIDES;
        const size_t stride = i % ESTIMATES_STRIDES;

        json_object(json, NULL);
        json_signed(json, "array_bytes", estimates_arrays[array]);
        json_signed(json, "stride_bytes", estimates_strides[stride]);
        json_number(json, "reported_ns", estimates_table_ns[array][stride], 6);
        json_array(json, "results");
        for (size_t k = 0; k < count; k++) {
            double value;

            json_number(json, NULL,
                        estimates_cell(runs[k].run, array, stride, &value) ? value : (double)NAN,
                        6);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

void estimates_json(FILE *out, const struct estimates_run *runs, size_t count)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_array(&json, "runs");
    for (size_t i = 0; i < count; i++) {
        json_object(&json, NULL);
        json_text(&json, "path", runs[i].path);
        json_bool(&json, "valid", runs[i].valid);
        json_text(&json, "time", run_time_label(runs[i].run));
        json_close(&json);
    }
    json_close(&json);
    json_array(&json, "experiments");
    for (size_t i = 0; estimates_row_at(i) != NULL; i++) {
        put_row(&json, estimates_row_at(i), runs, count);
    }
    json_close(&json);
    put_cells(&json, runs, count);
    json_close(&json);
}
