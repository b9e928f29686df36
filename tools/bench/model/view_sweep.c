/* SPDX-License-Identifier: BSD-2-Clause */
/* A sweep's rows, a line a point and below it how well each number is known. */
#include <inttypes.h>
#include <math.h>

#include "tools/bench/model/sweep_rows.h"
#include "tools/bench/model/view_model.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define DECIMALS_MOST 6
#define NUMBER_MAX    32

/* As many decimals as make two digits of half an interval. */
static int decimals_of(double half)
{
    return (int)fmax(0, fmin(DECIMALS_MOST, 1 - floor(log10(half))));
}

static bool has_interval(const struct sweep_amount *amount)
{
    return amount->half > 0;
}

static void put_value(struct table *table, const struct sweep_amount *amount)
{
    if (isnan(amount->value)) {
        table_text(table, NULL);
    } else if (has_interval(amount)) {
        table_format(table, "%.*f", decimals_of(amount->half), amount->value);
    } else {
        table_format(table, "%.5g", amount->value);
    }
}

static void put_half(struct table *table, const struct sweep_amount *amount)
{
    if (isnan(amount->value)) {
        table_text(table, "");
    } else if (has_interval(amount)) {
        table_format(table, "+-%.*f", decimals_of(amount->half), amount->half);
    } else {
        table_text(table, amount->half == 0 ? "+-0" : "");
    }
}

static void put_simulated(struct table *table, const struct sweep_row *row, size_t subject)
{
    const struct sweep_amount *amounts = &row->amount[subject * SWEEP_MEASURES];

    table_row(table);
    table_format(table, "%.9g", row->setting);
    if (isnan(row->occupancy)) {
        table_text(table, NULL);
    } else {
        table_format(table, "%.1f %%", row->occupancy * 100);
    }
    for (size_t m = 0; m < SWEEP_MEASURES; m++) {
        put_value(table, &amounts[m]);
    }
    table_format(table, "%" PRIu64, row->replications);
    table_format(table, "%.4g", row->warm_up);
    table_row(table);
    table_text(table, "");
    table_text(table, "");
    for (size_t m = 0; m < SWEEP_MEASURES; m++) {
        put_half(table, &amounts[m]);
    }
    table_text(table, "");
    table_text(table, "");
}

static void put_refused(struct table *table, const struct sweep_row *row)
{
    table_row(table);
    table_format(table, "%.9g", row->setting);
    table_text(table, "refused");
    for (size_t m = 0; m < SWEEP_MEASURES + 2; m++) {
        table_text(table, NULL);
    }
}

static void print_subject(FILE *out, const struct sweep_rows *rows, size_t subject)
{
    char name[SWEEP_NAME_MAX];
    const char *const heads[] = {sweep_rows_name(rows, name),
                                 "occupied",
                                 sweep_measures[0],
                                 sweep_measures[1],
                                 sweep_measures[2],
                                 sweep_measures[3],
                                 sweep_measures[4],
                                 "runs",
                                 "warm-up"};
    struct table table;

    table_head(&table, "rrrrrrrrr", heads);
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].why != NULL) {
            put_refused(&table, &rows->rows[i]);
        } else {
            put_simulated(&table, &rows->rows[i], subject);
        }
    }
    table_print(&table, out, 2);
}

static void print_refusals(FILE *out, const struct sweep_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].why != NULL) {
            print_paragraph(out, "%.9g is refused: %s", rows->rows[i].setting, rows->rows[i].why);
        }
    }
}

void sweep_rows_print(const struct sweep_rows *rows, FILE *out)
{
    for (size_t s = 0; s < rows->subject_count; s++) {
        print_paragraph(out, "%s, simulated, in the model's units of time:", rows->subjects[s]);
        print_subject(out, rows, s);
    }
    print_refusals(out, rows);
    print_paragraph(out,
                    "occupied: of the busiest processor, as the model expects it; below each "
                    "number half of its 95 %% interval over the runs (replications), - or nothing "
                    "where none is known; warm-up: time left out of each run. All points share "
                    "their random numbers.");
}

void view_sweep(const struct view *view, const struct run_bench *bench)
{
    struct sweep_rows rows;

    if (!sweep_rows_read(bench, &rows)) {
        print_paragraph(view->out, "The rows of this sweep are not whole.");
        return;
    }
    sweep_rows_print(&rows, view->out);
    sweep_rows_free(&rows);
}

READING_REGISTER(sweep_view) = {
    .bench = "sweep", .order = 200, .show = view_sweep, .place = READING_FOR_SERIES};
