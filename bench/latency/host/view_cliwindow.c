/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints bench `cliwindow`: how far latencies are above the line, window by window. */
#include <math.h>
#include <stdlib.h>

#include "bench/latency/host/cli_window.h"
#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"

#define ROWS_MAX 20

static void add_bounds(struct table *table, const struct view *view, size_t n, int64_t *values)
{
    char text[AMOUNT_MAX];
    struct statistics bounds;

    statistics_of(values, n, &bounds);
    table_format(table, "%zu", n);
    table_text(table, n > 0 ? span_text(view, (double)bounds.median, text) : NULL);
    table_text(table, n > 0 ? span_text(view, (double)bounds.max, text) : NULL);
}

/* Of many windows some, at equal distances, with the last. */
static void print_windows(const struct view *view, const struct cli_points *points)
{
    static const char *const heads[] = {"window",   "deadlines in it", "above",  "at most",
                                        "after it", "above",           "at most"};
    const size_t rows = points->windows < ROWS_MAX ? points->windows : ROWS_MAX;
    const size_t deadlines = points->grid / points->windows;
    int64_t *values = alloc_zeroed(points->n * sizeof(*values));
    struct table table;
    char text[AMOUNT_MAX];

    table_head(&table, "rrrrrrr", heads);
    for (size_t row = 0; row < rows; row++) {
        const size_t window = rows > 1 ? row * (points->windows - 1) / (rows - 1) : 0;

        table_row(&table);
        table_text(&table, span_text(view, (double)points->window[window * deadlines], text));
        add_bounds(&table, view, cli_deviations(points, true, window, values), values);
        add_bounds(&table, view, cli_deviations(points, false, window, values), values);
    }
    free(values);
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void print_kind(const struct view *view, const char *what,
                       const struct statistics *deviations)
{
    char least[AMOUNT_MAX];
    char median[AMOUNT_MAX];
    char most[AMOUNT_MAX];

    if (deviations->n == 0) {
        print_paragraph(view->out, "no deadline fell %s", what);
        return;
    }
    print_paragraph(view->out, "deadlines %s: %zu, above the line by %s to %s, median %s%s", what,
                    deviations->n, span_text(view, (double)deviations->min, least),
                    span_text(view, (double)deviations->max, most),
                    span_text(view, (double)deviations->median, median), span_note(view));
}

static void view_cliwindow(const struct view *view, const struct run_bench *bench)
{
    struct cli_points points;
    struct cli_summary summary;
    char text[AMOUNT_MAX];

    if (!cli_points_of(bench, &points)) {
        print_paragraph(view->out, "no latencies by window: samples are missing");
        return;
    }
    cli_summary(&points, &summary);
    print_paragraph(view->out,
                    "the line: the remainder of the window after the deadline, or 0. Latency "
                    "above it%s:",
                    span_note(view));
    print_windows(view, &points);
    print_kind(view, "in the window", &summary.pending);
    print_kind(view, "after the window", &summary.running);
    if (!isnan(summary.slope)) {
        print_paragraph(view->out,
                        "latency by the remainder: slope %.6f (1 is expected), at 0 %s%s",
                        summary.slope, mean_text(view, summary.offset, text), span_note(view));
    }
}

READING_REGISTER(cliwindow_view) = {.bench = BENCH_CLIWINDOW, .order = 205, .show = view_cliwindow};
