/* SPDX-License-Identifier: BSD-2-Clause */
/* How busy the processor was, interval by interval. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/view.h"
#include "tools/trace/view_trace.h"

#define CHART_COLUMNS 60
#define CHART_ROWS    6
#define CHART_LEFT    13 /* what chart_columns() writes before the first column */
#define LABELS_MIN    24 /* columns that labels need */
#define BUSIEST       5
#define BAR_WIDTH     30
#define DECILES       10
#define CLASSES       (DECILES + 2) /* and exactly 0 %, exactly 100 % */
#define PPM           1e6

/* ---- chart ---- */

/* Of each column, the busiest of its intervals: an average would hide it. */
static size_t fill_columns(const struct availability *availability, double columns[CHART_COLUMNS])
{
    const size_t count = availability->count < CHART_COLUMNS ? availability->count : CHART_COLUMNS;

    memset(columns, 0, CHART_COLUMNS * sizeof(*columns));
    for (size_t i = 0; i < availability->count; i++) {
        const size_t column = i * count / availability->count;
        const double busy = availability_busy(&availability->intervals[i]);

        columns[column] = busy > columns[column] ? busy : columns[column];
    }
    return count;
}

static void print_chart(const struct view *view, const struct availability *availability)
{
    double columns[CHART_COLUMNS];
    const size_t count = fill_columns(availability, columns);
    uint64_t total = 0;
    char text[AMOUNT_MAX];

    for (size_t i = 0; i < availability->count; i++) {
        total += availability->intervals[i].ticks;
    }
    if (availability->count > CHART_COLUMNS) {
        fprintf(view->out, "  each column the busiest of up to %zu intervals\n",
                (availability->count + CHART_COLUMNS - 1) / CHART_COLUMNS);
    }
    fputc('\n', view->out);
    chart_columns(view->out, columns, count, 1, CHART_ROWS);
    if (count >= LABELS_MIN) {
        fprintf(view->out, "%*s0%*s\n", CHART_LEFT, "", (int)count - 1,
                amount_text(view, (int64_t)total, UNIT_TICK, text));
    }
}

/* ---- distribution ---- */

static size_t class_of(double busy)
{
    if (busy <= 0) {
        return 0;
    }
    return busy >= 1 ? CLASSES - 1 : 1 + (size_t)(busy * DECILES);
}

static const char *class_name(size_t class, char text[16])
{
    if (class == 0 || class == CLASSES - 1) {
        snprintf(text, 16, "%d %%", class == 0 ? 0 : 100);
    } else {
        snprintf(text, 16, "< %zu %%", class * 100 / DECILES);
    }
    return text;
}

static void print_classes(const struct view *view, const struct availability *availability)
{
    uint64_t counts[CLASSES] = {0};
    uint64_t most = 0;
    uint64_t unknown = 0;
    char text[16];

    for (size_t i = 0; i < availability->count; i++) {
        const double busy = availability_busy(&availability->intervals[i]);

        if (isnan(busy)) {
            unknown++;
            continue;
        }
        const uint64_t count = ++counts[class_of(busy)];

        most = count > most ? count : most;
    }
    fprintf(view->out, "\n  %10s  %10s\n", "busy", "intervals");
    for (size_t i = 0; i < CLASSES; i++) {
        if (counts[i] > 0) {
            fprintf(view->out, "  %10s  %10" PRIu64 "  ", class_name(i, text), counts[i]);
            chart_bar(view->out, (double)counts[i] / (double)most, BAR_WIDTH);
            fputc('\n', view->out);
        }
    }
    if (unknown > 0) {
        fprintf(view->out, "  %10s  %10" PRIu64 "\n", "unknown", unknown);
    }
}

static void print_summary(const struct view *view, const struct availability *availability)
{
    int64_t *parts = alloc_zeroed((availability->count + 1) * sizeof(*parts));
    struct statistics statistics;
    uint64_t busy = 0;
    uint64_t known = 0;
    size_t count = 0;
    char p99[32] = "";

    for (size_t i = 0; i < availability->count; i++) {
        const struct availability_interval *interval = &availability->intervals[i];
        const double fraction = availability_busy(interval);

        busy += interval->busy;
        known += interval->ticks - interval->unknown;
        if (!isnan(fraction)) {
            parts[count++] = llround(fraction * PPM);
        }
    }
    statistics_of(parts, count, &statistics);
    if (count > 0) {
        if (statistics.has_p99) {
            snprintf(p99, sizeof(p99), "p99 %.4f, ", 100 * (double)statistics.p99 / PPM);
        }
        print_paragraph(view->out,
                        "busy: %.4f %% of the total; of an interval min %.4f, median %.4f, %smax "
                        "%.4f %%",
                        100 * (double)busy / (double)known, 100 * (double)statistics.min / PPM,
                        100 * (double)statistics.median / PPM, p99,
                        100 * (double)statistics.max / PPM);
    }
    free(parts);
}

/* ---- the busiest ---- */

/* Is interval `left` busier than `right`, or earlier where they are equally busy? */
static bool is_busier(const struct availability *availability, size_t left, size_t right)
{
    const double a = availability_busy(&availability->intervals[left]);
    const double b = availability_busy(&availability->intervals[right]);

    return isnan(b) || a > b || (a == b && left < right);
}

static void print_busiest(const struct view *view, const struct availability *availability)
{
    size_t busiest[BUSIEST + 1];
    size_t count = 0;
    static const char *const heads[] = {"busiest", "begins at", "busy", "busy ticks"};
    struct table table;

    for (size_t i = 0; i < availability->count; i++) {
        size_t place = count;

        if (!(availability_busy(&availability->intervals[i]) > 0)) {
            continue;
        }
        while (place > 0 && is_busier(availability, i, busiest[place - 1])) {
            busiest[place] = busiest[place - 1];
            place--;
        }
        busiest[place] = i;
        count += count < BUSIEST;
    }
    if (count == 0) {
        return;
    }
    table_head(&table, "rrrr", heads);
    for (size_t i = 0; i < count; i++) {
        const struct availability_interval *interval = &availability->intervals[busiest[i]];
        const uint64_t begin = busiest[i] * availability->length;
        char text[AMOUNT_MAX];

        table_row(&table);
        table_format(&table, "%zu", busiest[i]);
        table_text(&table, amount_text(view, (int64_t)begin, UNIT_TICK, text));
        table_format(&table, "%.4f %%", 100 * availability_busy(interval));
        table_format(&table, "%" PRIu64, interval->busy);
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

void view_availability(const struct view *view, const struct availability *availability)
{
    char text[AMOUNT_MAX];

    print_paragraph(view->out,
                    "processor busy (neither idle nor unknown), over %s%zu intervals of %s",
                    availability->too_many ? "the first " : "", availability->count,
                    amount_text(view, (int64_t)availability->length, UNIT_TICK, text));
    if (availability->count == 0) {
        return;
    }
    print_summary(view, availability);
    print_chart(view, availability);
    print_classes(view, availability);
    print_busiest(view, availability);
}
