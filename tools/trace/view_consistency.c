/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the accounting of a bench's traces and what is compared with it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/view.h"
#include "tools/trace/view_trace.h"

/* ---- accounts as rows ---- */

static void append_row(struct account_rows *rows, const char *label, uint64_t ticks)
{
    struct account_row *row = ALLOC_NEXT(rows->row, rows->count, rows->capacity);

    snprintf(row->label, sizeof(row->label), "%s", label);
    row->ticks = ticks;
}

static int by_running(const void *left, const void *right)
{
    const struct account_thread *a = *(struct account_thread *const *)left;
    const struct account_thread *b = *(struct account_thread *const *)right;

    return a->running != b->running ? SORT_ORDER(b->running, a->running) : SORT_ORDER(a->id, b->id);
}

/* Returns the threads except idle, the busiest first. The caller frees the list. */
static struct account_thread **sorted_threads(const struct accounting *accounting, size_t *count)
{
    struct account_thread **threads =
        alloc_zeroed((accounting->thread_count + 1) * sizeof(struct account_thread *));

    *count = 0;
    for (size_t i = 0; i < accounting->thread_count; i++) {
        if (accounting->threads[i]->id != TRACE_IDLE_THREAD && accounting->threads[i]->life > 0) {
            threads[(*count)++] = accounting->threads[i];
        }
    }
    sort_stable(threads, *count, sizeof(struct account_thread *), by_running);
    return threads;
}

static void add_threads(struct account_rows *rows, const struct accounting *accounting)
{
    const struct account_thread *idle = accounting_thread(accounting, TRACE_IDLE_THREAD);
    size_t count;
    struct account_thread **threads = sorted_threads(accounting, &count);
    const size_t shown = count <= ACCOUNT_ROWS_MAX ? count : ACCOUNT_ROWS_MAX - 1;
    char text[ACCOUNT_LABEL_MAX];
    uint64_t rest = 0;

    if (idle != NULL) {
        append_row(rows, "idle", idle->running);
    }
    for (size_t i = 0; i < count; i++) {
        if (i >= shown) {
            rest += threads[i]->running;
            continue;
        }
        account_label(accounting->bench, ACCOUNT_THREAD, threads[i]->id, text);
        append_row(rows, text, threads[i]->running);
    }
    if (shown < count) {
        snprintf(text, sizeof(text), "%zu more threads", count - shown);
        append_row(rows, text, rest);
    }
    free(threads);
}

static void add_faults(struct account_rows *rows, const struct accounting *accounting)
{
    uint64_t faults = 0;
    uint64_t ticks = 0;

    for (size_t i = 0; i < accounting->thread_count; i++) {
        faults += accounting->threads[i]->faults;
        ticks += accounting->threads[i]->fault;
    }
    if (faults > 0 || ticks > 0) {
        append_row(rows, "page faults", ticks);
    }
}

static void add_handlers(struct account_rows *rows, const struct accounting *accounting,
                         enum account_kind kind)
{
    const struct account_handler *handler;
    char text[ACCOUNT_LABEL_MAX];
    size_t shown = 0;
    size_t more = 0;
    uint64_t rest = 0;

    for (size_t at = 0; (handler = account_next_handler(accounting, &at)) != NULL;) {
        if (handler->kind == kind && shown < ACCOUNT_ROWS_MAX) {
            shown++;
            account_label(accounting->bench, kind, handler->id, text);
            append_row(rows, text, handler->ticks);
        } else if (handler->kind == kind) {
            more++;
            rest += handler->ticks;
        }
    }
    if (more > 0) {
        snprintf(text, sizeof(text), "%zu more %s", more,
                 kind == ACCOUNT_VECTOR ? "interrupts" : "DPCs");
        append_row(rows, text, rest);
    }
}

void account_rows_of(const struct accounting *accounting, struct account_rows *rows)
{
    *rows = (struct account_rows){0};
    add_threads(rows, accounting);
    add_faults(rows, accounting);
    add_handlers(rows, accounting, ACCOUNT_VECTOR);
    add_handlers(rows, accounting, ACCOUNT_DPC);
    append_row(rows, "dispatch", accounting->dispatch);
    append_row(rows, "tracer", accounting->tracer);
    append_row(rows, "unknown", accounting->unknown);
}

/* ---- sampling ---- */

static int by_error(const void *left, const void *right)
{
    const struct account_sampled *a = left;
    const struct account_sampled *b = right;
    const double error_a = fabs(a->by_samples - a->by_events);
    const double error_b = fabs(b->by_samples - b->by_events);

    return error_a != error_b ? SORT_ORDER(error_b, error_a)
                              : SORT_ORDER(a->thread->id, b->thread->id);
}

struct account_sampled *account_sampling_of(const struct accounting *accounting, size_t *count)
{
    const uint64_t known = accounting->total - accounting->unknown;

    *count = 0;
    if (accounting->clock_ticks == 0 || known == 0) {
        return NULL;
    }
    struct account_sampled *sampled =
        alloc_zeroed((accounting->thread_count + 1) * sizeof(*sampled));

    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];

        sampled[(*count)++] = (struct account_sampled){
            .thread = thread,
            .by_samples = (double)thread->charged / (double)accounting->clock_ticks,
            .by_events = (double)(thread->running + thread->fault) / (double)known,
        };
    }
    sort_stable(sampled, *count, sizeof(*sampled), by_error);
    return sampled;
}

/* ---- accounts ---- */

/* Adds one account as a row: ticks, share of all, length. */
static void add_row(struct table *table, const struct view *view, const char *name, uint64_t ticks,
                    uint64_t elapsed)
{
    char text[AMOUNT_MAX];

    table_line(table, "%s\t%" PRIu64, name, ticks);
    table_share(table, (double)ticks / (double)elapsed);
    table_text(table, length_text(view, (int64_t)ticks, text));
}

static void print_losses(const struct view *view, const struct accounting *accounting)
{
    uint64_t discarded = 0;
    uint64_t overwritten = 0;

    for (size_t i = 0; i < accounting->bench->trace_count; i++) {
        discarded += accounting->bench->traces[i].discarded;
        overwritten += accounting->bench->traces[i].overwritten;
    }
    print_paragraph(view->out,
                    "records: %" PRIu64 " read, %" PRIu64 " discarded, %" PRIu64
                    " overwritten; packets lost: %" PRIu64 "%s",
                    accounting->events, discarded, overwritten, accounting->lost_packets,
                    accounting->gaps > 0 ? "; their time is unknown, not idle" : "");
    for (size_t i = 0; i < CONFLICTS; i++) {
        if (accounting->conflicts[i] > 0) {
            fprintf(view->out, "  in conflict: %s, %" PRIu64 " times\n",
                    account_conflict_text((enum account_conflict)i), accounting->conflicts[i]);
        }
    }
}

void view_consistency(const struct view *view, const struct accounting *accounting)
{
    const uint64_t sum = accounting_sum(accounting);
    const size_t parts = accounting->part;
    const uint64_t elapsed = accounting->total;
    struct account_rows rows;
    struct table table;
    char text[AMOUNT_MAX];

    print_paragraph(view->out, "where every tick of %s went, by the events of %zu part%s",
                    amount_text(view, (int64_t)elapsed, UNIT_TICK, text), parts,
                    parts == 1 ? "" : "s");
    fputc('\n', view->out);
    table_open(&table, "lrrr", "account\tticks\tshare\t%s", length_unit(view));
    account_rows_of(accounting, &rows);
    for (size_t i = 0; i < rows.count; i++) {
        add_row(&table, view, rows.row[i].label, rows.row[i].ticks, elapsed);
    }
    free(rows.row);
    add_row(&table, view, "sum", sum, elapsed);
    table_line(&table, "elapsed\t%" PRIu64, elapsed);
    table_line(&table, "difference\t%" PRId64, (int64_t)(sum - elapsed));
    table_print(&table, view->out, 2);
    print_losses(view, accounting);
}

/* ---- sampling ---- */

static void print_sampled(const struct view *view, const struct accounting *accounting,
                          const struct account_sampled *sampled, size_t count)
{
    struct table table;
    char name[ACCOUNT_NAME_MAX];
    double others = 1;

    table_open(&table, "lrrrr", "thread\tcharged\tby sampling\tby events\terror");
    for (size_t i = 0; i < count; i++) {
        others -= sampled[i].by_events;
        if (i >= ACCOUNT_ROWS_MAX) {
            continue;
        }
        table_line(&table, "%s\t%" PRIu64,
                   account_name(accounting->bench, ACCOUNT_THREAD, sampled[i].thread->id, name),
                   sampled[i].thread->charged);
        table_share(&table, sampled[i].by_samples);
        table_share(&table, sampled[i].by_events);
        table_format(&table, "%+.4f", 100 * (sampled[i].by_samples - sampled[i].by_events));
    }
    table_line(&table, "no thread\t-\t-");
    table_share(&table, fabs(others));
    table_print(&table, view->out, 2);
    if (count > ACCOUNT_ROWS_MAX) {
        fprintf(view->out, "  ... and %zu more threads, with smaller errors\n",
                count - ACCOUNT_ROWS_MAX);
    }
}

void view_sampling(const struct view *view, const struct accounting *accounting)
{
    size_t count;
    struct account_sampled *sampled = account_sampling_of(accounting, &count);

    if (sampled == NULL) {
        return;
    }
    print_paragraph(view->out,
                    "for comparison, classic sampling: each of %" PRIu64
                    " clock ticks is charged to the thread that it interrupts; shares of %s, "
                    "errors in percentage points",
                    accounting->clock_ticks,
                    accounting->unknown > 0 ? "the known time" : "the whole time");
    fputc('\n', view->out);
    print_sampled(view, accounting, sampled, count);
    free(sampled);
}

/* ---- the idle loop ---- */

static void add_class(struct table *table, const struct reconcile *reconcile, const char *name,
                      const struct reconcile_class *class, bool exact)
{
    const double iterations = reconcile_iterations(reconcile, class->largest);

    table_line(table, "%s\t%" PRIu64, name, class->n);
    if (class->n == 0) {
        table_format(table, "-\t-\t-\t-\t-");
        return;
    }
    table_format(table, "%" PRId64 "\t%" PRId64 "\t%+" PRId64, class->elongation, class->predicted,
                 class->largest);
    if (isnan(iterations)) {
        table_format(table, "-\t-");
    } else {
        table_format(table, "%+.3f\t%" PRIu64, iterations, exact ? class->within : class->near);
    }
}

void view_reconcile(const struct view *view, const struct reconcile *reconcile)
{
    const bool exact = view->ticks_per_instruction > 0;
    struct reconcile_class total;
    char amount[AMOUNT_MAX];
    struct table table;

    if (!reconcile->present) {
        if (reconcile->why != NULL) {
            fprintf(view->out, "\n  idle loop compared with event trace: %s\n", reconcile->why);
        }
        return;
    }
    reconcile_total(reconcile, &total);
    print_paragraph(view->out,
                    "idle loop compared with event trace: the excess of samples over an "
                    "undisturbed one, %" PRId64
                    " ticks, and the time in them that the trace does not call idle; in ticks and "
                    "in iterations of the loop",
                    reconcile->shortest);
    fputc('\n', view->out);
    table_open(&table, "lrrrrrr",
               "samples with\tn\texcess\tby the trace\tlargest error\titerations\t%s",
               exact ? "within 1" : "within");
    add_class(&table, reconcile, "no episode", &reconcile->quiet, exact);
    add_class(&table, reconcile, "one episode", &reconcile->single, exact);
    add_class(&table, reconcile, "several", &reconcile->several, exact);
    add_class(&table, reconcile, "all", &total, exact);
    table_print(&table, view->out, 2);
    if (!exact && reconcile->iteration_millitick > 0) {
        print_paragraph(view->out,
                        "within: %" PRIu64 " ticks, which is one iteration plus %d times the "
                        "spread of the shortest tenth of the samples",
                        reconcile->tolerance, RECONCILE_SPREADS);
    }
    if (reconcile_outside(reconcile) > 0) {
        fprintf(view->out,
                "  not compared: %" PRIu64
                " samples that lie outside the trace or in time that is unknown\n",
                reconcile_outside(reconcile));
    }
    if (reconcile_lacks_end(reconcile)) {
        fprintf(view->out, "  the last %s of the trace are in no sample of the idle loop\n",
                amount_text(view, (int64_t)reconcile->behind, UNIT_TICK, amount));
    }
}
