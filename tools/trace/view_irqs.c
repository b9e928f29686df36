/* SPDX-License-Identifier: BSD-2-Clause */
/* Each vector and DPC of a trace. */
#include <inttypes.h>

#include "kernel/run/names.h"
#include "tools/present/view.h"
#include "tools/trace/view_trace.h"

#define BAR_WIDTH 24

/* "lapic_timer", "DPC work". */
static const char *handler_name(const struct accounting *accounting, enum account_kind kind,
                                uint32_t id, char text[ACCOUNT_LABEL_MAX])
{
    return kind == ACCOUNT_DPC ? account_label(accounting->bench, kind, id, text)
                               : account_name(accounting->bench, kind, id, text);
}

static void add_spread(struct table *table, const struct view *view, const char *name,
                       const char *what, const struct account_spread *spread)
{
    char text[AMOUNT_MAX];

    table_row(table);
    table_text(table, name);
    table_text(table, what);
    table_format(table, "%" PRIu64, spread->n);
    if (spread->n == 0) {
        for (int i = 0; i < 5; i++) {
            table_text(table, NULL);
        }
        return;
    }
    const double mean = (double)spread->total / (double)spread->n;

    table_format(table, "%" PRIu64, spread->min);
    table_format(table, "%.1f", mean);
    table_format(table, "%" PRIu64, spread->max);
    table_format(table, "%" PRIu64, spread->total);
    if (view->ticks_per_instruction > 0) {
        table_format(table, "%.1f", mean / view->ticks_per_instruction);
    } else {
        table_text(table, length_text(view, (int64_t)(spread->total / spread->n), text));
    }
}

static void add_handlers(struct table *table, const struct view *view,
                         const struct accounting *accounting,
                         struct account_handler *const handlers[ACCOUNT_IDS],
                         enum account_kind kind)
{
    char name[ACCOUNT_LABEL_MAX];

    for (uint32_t i = 0; i < ACCOUNT_IDS; i++) {
        const struct account_handler *handler = handlers[i];

        if (handler == NULL) {
            continue;
        }
        add_spread(table, view, handler_name(accounting, kind, i, name), "net", &handler->net);
        add_spread(table, view, "", "gross", &handler->gross);
        if (kind == ACCOUNT_DPC) {
            add_spread(table, view, "", "queued", &handler->queued);
        }
    }
}

/* ---- histograms ---- */

/* The bins of a spread that hold something: [*first, *end). */
static void used_bins(const struct account_spread *spread, unsigned *first, unsigned *end)
{
    for (unsigned i = 0; i < ACCOUNT_BINS; i++) {
        if (spread->bins[i] > 0) {
            *first = i < *first ? i : *first;
            *end = i >= *end ? i + 1 : *end;
        }
    }
}

static uint64_t bin_begin(unsigned bin)
{
    return bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
}

static void print_histogram(const struct view *view, const char *name,
                            const struct account_handler *handler)
{
    unsigned first = ACCOUNT_BINS;
    unsigned end = 0;
    uint64_t most = 0;

    used_bins(&handler->net, &first, &end);
    used_bins(&handler->gross, &first, &end);
    if (end == 0) {
        return;
    }
    for (unsigned i = first; i < end; i++) {
        most = handler->net.bins[i] > most ? handler->net.bins[i] : most;
    }
    fprintf(view->out, "\n  %s: interrupted itself %" PRIu64 " times\n", name, handler->nested);
    fprintf(view->out, "  %14s  %10s  %10s\n", "ticks from", "net", "gross");
    for (unsigned i = first; i < end; i++) {
        const uint64_t net = handler->net.bins[i];

        fprintf(view->out, "  %14" PRIu64 "  %10" PRIu64 "  %10" PRIu64, bin_begin(i), net,
                handler->gross.bins[i]);
        fputs(net > 0 ? "  " : "", view->out);
        chart_bar(view->out, most > 0 ? (double)net / (double)most : 0, BAR_WIDTH);
        fputc('\n', view->out);
    }
}

static void print_histograms(const struct view *view, const struct accounting *accounting,
                             struct account_handler *const handlers[ACCOUNT_IDS],
                             enum account_kind kind)
{
    char name[ACCOUNT_LABEL_MAX];

    for (uint32_t i = 0; i < ACCOUNT_IDS; i++) {
        if (handlers[i] != NULL) {
            print_histogram(view, handler_name(accounting, kind, i, name), handlers[i]);
        }
    }
}

/* ---- all ---- */

static bool any(struct account_handler *const handlers[ACCOUNT_IDS])
{
    for (size_t i = 0; i < ACCOUNT_IDS; i++) {
        if (handlers[i] != NULL) {
            return true;
        }
    }
    return false;
}

static void print_timers(const struct view *view, const struct accounting *accounting)
{
    const struct account_spread *late = &accounting->timer_late;
    char text[AMOUNT_MAX];
    char range[160] = "";
    char early[40] = "";

    if (late->n + accounting->timers_early == 0) {
        return;
    }
    if (late->n > 0) {
        snprintf(range, sizeof(range),
                 ", from deadline to handler %" PRIu64 " to %" PRIu64 " ticks (%s)", late->min,
                 late->max, amount_text(view, (int64_t)late->max, UNIT_TICK, text));
    }
    if (accounting->timers_early > 0) {
        snprintf(early, sizeof(early), ", %" PRIu64 " early", accounting->timers_early);
    }
    print_paragraph(view->out, "timers: %" PRIu64 " expired%s%s",
                    late->n + accounting->timers_early, range, early);
}

void view_irqs(const struct view *view, const struct accounting *accounting)
{
    const char *const heads[] = {"handler", "time", "n",     "min",
                                 "mean",    "max",  "total", length_unit(view)};
    struct table table;

    if (!any(accounting->vectors) && !any(accounting->dpcs)) {
        fputs("\n  no interrupt came\n", view->out);
        return;
    }
    table_init(&table, "llrrrrrr");
    table_row(&table);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        table_text(&table, heads[i]);
    }
    add_handlers(&table, view, accounting, accounting->vectors, ACCOUNT_VECTOR);
    add_handlers(&table, view, accounting, accounting->dpcs, ACCOUNT_DPC);
    print_paragraph(view->out,
                    "handlers and deferred calls, in ticks. Net: their own, entry and exit of the "
                    "interrupt included, nested interrupts and the tracer taken out. Gross: from "
                    "stamp to stamp. Queued: until a deferred call began. The last column is the "
                    "mean.");
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
    print_timers(view, accounting);
    print_histograms(view, accounting, accounting->vectors, ACCOUNT_VECTOR);
    print_histograms(view, accounting, accounting->dpcs, ACCOUNT_DPC);
}
