/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bandwidth, loaded latency, and bandwidth of several processors at once. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/memory/host/memory_benches.h"
#include "bench/memory/host/view_memory.h"
#include "bench/memory/names.h"
#include "kernel/link/names.h"
#include "kernel/plan/number.h"
#include "kernel/run/names.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/run_kind.h"

#define NAME_MAX_BYTES 64
#define KIB            1024
#define MIB            (1024 * KIB)
#define BITS_OF_BYTE   8

/* curves shown in columns next to each other; one that the run lacks has no points */
struct columns {
    struct curve curve[BANDWIDTH_SETS];
    const struct curve *any; /* any curve that exists; NULL: there is none */
};

/* Reads the curves whose names are `prefix` followed by each of `names`. */
static void read_columns(const struct run_bench *bench, const char *prefix,
                         const char *const *names, size_t count, struct columns *columns)
{
    char name[NAME_MAX_BYTES];

    memset(columns, 0, sizeof(*columns));
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "%s%s", prefix, names[i]);
        if (curve_read(bench, name, &columns->curve[i]) && columns->any == NULL) {
            columns->any = &columns->curve[i];
        }
    }
}

static void read_operation(const struct run_bench *bench, const char *operation,
                           struct columns *columns)
{
    char prefix[NAME_MAX_BYTES];

    snprintf(prefix, sizeof(prefix), "%s.", operation);
    read_columns(bench, prefix, bandwidth_sets, BANDWIDTH_SETS, columns);
}

static void free_columns(struct columns *columns)
{
    for (size_t i = 0; i < BANDWIDTH_SETS; i++) {
        curve_free(&columns->curve[i]);
    }
}

void bytes_cell(struct table *table, int64_t bytes)
{
    if (bytes >= MIB && bytes % MIB == 0) {
        table_format(table, "%" PRId64 " MiB", bytes / MIB);
    } else if (bytes >= KIB && bytes % KIB == 0) {
        table_format(table, "%" PRId64 " KiB", bytes / KIB);
    } else {
        table_format(table, "%" PRId64 " B", bytes);
    }
}

double bandwidth_rate(const struct view *view, double bytes, double ticks)
{
    if (view->ticks_per_instruction > 0) {
        return bytes * view->ticks_per_instruction / ticks;
    }
    return view->ns_per_tick > 0 ? bytes / (ticks * view->ns_per_tick) : bytes / ticks;
}

const char *bandwidth_unit(const struct view *view)
{
    return view->ticks_per_instruction > 0 ? "bytes per instruction"
           : view->ns_per_tick > 0         ? "GB/s"
                                           : "bytes per tick";
}

/* Returns the rate from the curve's median at x, or NAN if there is none or it is 0. */
static double rate_at(const struct view *view, const struct curve *curve, double bytes, int64_t x)
{
    const double ticks = memory_median_at(curve, x);

    return ticks > 0 ? bandwidth_rate(view, bytes, ticks) : (double)NAN;
}

static void print_operation(const struct view *view, const struct run_bench *bench,
                            const char *operation)
{
    struct columns columns;
    struct table table;

    read_operation(bench, operation, &columns);
    if (columns.any == NULL) {
        return;
    }
    table_init(&table, "rrrrrr");
    table_named_row(&table, operation);
    for (size_t i = 0; i < BANDWIDTH_SETS; i++) {
        if (columns.curve[i].points > 0) {
            table_text(&table, bandwidth_sets[i]);
        }
    }
    for (size_t point = 0; point < columns.any->points; point++) {
        const int64_t x = columns.any->x[point];

        table_row(&table);
        bytes_cell(&table, x);
        for (size_t i = 0; i < BANDWIDTH_SETS; i++) {
            if (columns.curve[i].points > 0) {
                table_real(&table, rate_at(view, &columns.curve[i], (double)x, x));
            }
        }
    }
    view_table(view, &table);
    free_columns(&columns);
}

double bandwidth_best(const struct view *view, const struct run_bench *bench, const char *operation,
                      const char **set)
{
    struct columns columns;
    double best = NAN;

    read_operation(bench, operation, &columns);
    for (size_t i = 0; i < BANDWIDTH_SETS; i++) {
        const struct curve *curve = &columns.curve[i];

        if (curve->points == 0) {
            continue;
        }
        const size_t last = curve->points - 1;
        const double found =
            bandwidth_rate(view, (double)curve->x[last], curve_median(curve, last));

        if (!(found <= best)) {
            best = found;
            *set = bandwidth_sets[i];
        }
    }
    free_columns(&columns);
    return best;
}

static bool machine_number(const struct view *view, const char *name, uint64_t *value)
{
    const char *text = run_pair_value(&view->run->machine, name);

    return text != NULL && parse_unsigned(text, value);
}

/* Prints what the modules could move by their data sheets, and which part of it one processor
 * reads. */
static void print_bound(const struct view *view, const struct run_bench *bench)
{
    const char *why = run_pair_value(&view->run->machine, FACT_DRAM_SPEED);
    const char *set = "";
    uint64_t mt_s;
    uint64_t width;
    uint64_t devices;

    if (!machine_number(view, FACT_DRAM_MT_S, &mt_s) ||
        !machine_number(view, FACT_DRAM_WIDTH_BITS, &width) ||
        !machine_number(view, FACT_DRAM_DEVICES, &devices)) {
        print_paragraph(view->out, "theoretical: n/a: %s",
                        why != NULL ? why : "the run does not report the memory modules");
        return;
    }
    const double one = (double)mt_s * 1e6 * (double)width / BITS_OF_BYTE / 1e9;
    const double best = bandwidth_best(view, bench, OPERATION_READ, &set);

    print_paragraph(view->out,
                    "theoretical: %.1f GB/s per channel (%" PRIu64 " MT/s of %" PRIu64
                    " bits, by SMBIOS); %.1f GB/s if each of the %" PRIu64
                    " modules had its own channel",
                    one, mt_s, width, one * (double)devices, devices);
    if (view->ticks_per_instruction == 0 && view->ns_per_tick > 0 && !isnan(best)) {
        print_paragraph(view->out,
                        "the largest array is read at %.2f GB/s (%s): %.1f %% of a channel", best,
                        set, 100 * best / one);
    }
}

static void view_bandwidth(const struct view *view, const struct run_bench *bench)
{
    print_paragraph(view->out,
                    "%s by size of the array, medians; _nt: non-temporal stores. A byte copied "
                    "counts once.",
                    bandwidth_unit(view));
    for (size_t i = 0; i < BANDWIDTH_OPERATIONS; i++) {
        print_operation(view, bench, bandwidth_operations[i]);
    }
    print_bound(view, bench);
}

/* ---- loaded ---- */

/* Adds what the readers got while this point was measured. */
static void stream_cells(const struct view *view, struct table *table, const struct curve *stream,
                         int64_t readers)
{
    const double all = bandwidth_rate(view, 1, memory_median_at(stream, readers));

    table_real(table, all); /* NAN without a reader */
    table_real(table, all / (double)readers);
}

static void print_loaded(const struct view *view, const struct curve *latency,
                         const struct curve *stream)
{
    char head[48];
    struct table table;
    char text[AMOUNT_MAX];

    snprintf(head, sizeof(head), "%s, all", bandwidth_unit(view));
    table_init(&table, "rrrrrr");
    table_named_row(&table, "readers");
    table_text(&table, "a load");
    table_text(&table, "min");
    table_text(&table, "max");
    if (stream != NULL) {
        table_text(&table, head);
        table_text(&table, "each");
    }
    for (size_t i = 0; i < latency->points; i++) {
        table_row(&table);
        table_signed(&table, latency->x[i]);
        table_text(&table, span_text(view, curve_median(latency, i), text));
        table_text(&table, span_text(view, curve_min(latency, i), text));
        table_text(&table, span_text(view, curve_max(latency, i), text));
        if (stream != NULL) {
            stream_cells(view, &table, stream, latency->x[i]);
        }
    }
    view_table(view, &table);
}

static void view_loaded(const struct view *view, const struct run_bench *bench)
{
    struct curve latency;
    struct curve stream;

    if (!curve_read(bench, CURVE_LATENCY, &latency)) {
        return;
    }
    const bool has_stream = curve_read(bench, CURVE_STREAM, &stream);

    print_paragraph(view->out,
                    "latency of a load that waits for the previous load, in random order, by the "
                    "number of other processors that read; medians%s",
                    span_note(view));
    print_loaded(view, &latency, has_stream ? &stream : NULL);
    curve_free(&latency);
    if (has_stream) {
        curve_free(&stream);
    }
}

/*
 * Metrics of benches bandwidth and together: bytes per second, instruction or tick; more is better.
 */

#define TOGETHER_BYTES 1024 /* bytes of a repetition, for each processor */

/* Converts ticks for an array of x bytes, or for x processors, into bytes per second, instruction
 * or tick. Drops trials that took no ticks. */
static void to_bandwidth(const struct metrics *metrics, const struct run_bench *bench,
                         struct metric *metric)
{
    const double bytes = strcmp(bench->name, BENCH_TOGETHER) == 0 ? TOGETHER_BYTES : metric->x;
    const size_t n = metric->n;

    if (isnan(metric->x)) {
        return;
    }
    metric->n = 0;
    for (size_t i = 0; i < n; i++) {
        const double ticks = metric->values[i];

        if (ticks > 0) {
            metric->values[metric->n++] =
                metrics->ticks_per_instruction > 0 ? bytes * metrics->ticks_per_instruction / ticks
                : metrics->ns_per_tick > 0         ? bytes * 1e3 / (ticks * metrics->ns_per_tick)
                                                   : bytes / ticks;
        }
    }
    metric->better = METRIC_MORE;
    metric->unit = metrics->ticks_per_instruction > 0 ? "B/instruction"
                   : metrics->ns_per_tick > 0         ? UNIT_MB_PER_S
                                                      : "B/tick";
}

/* Bench together: bytes that 1 to N processors move at once, as a table, a figure and metrics. */

#define OPERATIONS 4

static const char *const operations[OPERATIONS] = {OPERATION_READ, OPERATION_WRITE, OPERATION_COPY,
                                                   OPERATION_WRITE_NT};

static void add_point(struct table *table, const struct view *view, const struct columns *columns,
                      int64_t processors)
{
    table_row(table);
    table_signed(table, processors);
    for (size_t i = 0; i < 2 * OPERATIONS; i++) {
        const double rate =
            rate_at(view, &columns->curve[i % OPERATIONS], TOGETHER_BYTES, processors);

        table_real(table, i < OPERATIONS ? rate : rate / (double)processors);
    }
}

static void view_together(const struct view *view, const struct run_bench *bench)
{
    struct columns columns;
    struct table table;

    read_columns(bench, "", operations, OPERATIONS, &columns);
    if (columns.any != NULL) {
        print_paragraph(view->out,
                        "%s of n processors at once, each in separate memory; medians of all "
                        "together, and for each processor (/n). A byte copied counts once.",
                        bandwidth_unit(view));
        table_init(&table, "rrrrrrrrr");
        table_named_row(&table, "processors");
        for (size_t i = 0; i < 2 * OPERATIONS; i++) {
            table_format(&table, "%s%s", operations[i % OPERATIONS], i < OPERATIONS ? "" : "/n");
        }
        for (size_t i = 0; i < columns.any->points; i++) {
            add_point(&table, view, &columns, columns.any->x[i]);
        }
        view_table(view, &table);
    }
    free_columns(&columns);
}

static void together_figure(struct figures *figures, const struct run *run,
                            const struct run_bench *bench)
{
    struct columns columns;
    struct view view;

    view_init(&view, NULL, run);
    read_columns(bench, "", operations, OPERATIONS, &columns);
    if (columns.any != NULL) {
        struct figure *figure = figure_add(figures, FIGURE_LINES, "Memory",
                                           "Bandwidth of several processors at once", "together");

        figure_axes(figure, "processors", NULL, "bandwidth of all processors together",
                    bandwidth_unit(&view));
        for (size_t i = 0; i < OPERATIONS; i++) {
            const struct curve *curve = &columns.curve[i];
            struct figure_series *series =
                curve->points > 0 ? figure_add_series(figure, operations[i]) : NULL;

            for (size_t k = 0; k < curve->points; k++) {
                figure_add_point(series, (double)curve->x[k],
                                 rate_at(&view, curve, TOGETHER_BYTES, curve->x[k]));
            }
        }
        figure_how(figure,
                   "Medians of %zu trials, from the common start until the last processor has "
                   "finished, in %s. A byte copied counts once.",
                   columns.any->trials, run_time_label(run));
    }
    free_columns(&columns);
}

PLUGIN_OF(bandwidth, .order = 200, .show = view_bandwidth, .place = PLUGIN_FOR_SERIES,
          .metrics = {.adjust = to_bandwidth});
PLUGIN_OF(loaded, .order = 200, .show = view_loaded, .place = PLUGIN_FOR_SERIES);
PLUGIN_OF(together, .order = 385, .show = view_together, .place = PLUGIN_FOR_SERIES,
          .bench_figures = together_figure, .metrics = {.adjust = to_bandwidth});
