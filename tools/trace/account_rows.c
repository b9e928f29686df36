/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/account_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* ---- accounts ---- */

static void add_row(struct account_rows *rows, const char *label, uint64_t ticks)
{
    rows->row = alloc_append(rows->row, &rows->count, &rows->capacity, sizeof(*rows->row));
    struct account_row *row = &rows->row[rows->count - 1];

    snprintf(row->label, sizeof(row->label), "%s", label);
    row->ticks = ticks;
}

static int by_running(const void *left, const void *right)
{
    const struct account_thread *a = *(struct account_thread *const *)left;
    const struct account_thread *b = *(struct account_thread *const *)right;

    if (a->running != b->running) {
        return a->running > b->running ? -1 : 1;
    }
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Threads without idle, the busiest first; to be freed. */
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
        add_row(rows, "idle", idle->running);
    }
    for (size_t i = 0; i < count; i++) {
        if (i >= shown) {
            rest += threads[i]->running;
            continue;
        }
        account_label(accounting->bench, ACCOUNT_THREAD, threads[i]->id, text);
        add_row(rows, text, threads[i]->running);
    }
    if (shown < count) {
        snprintf(text, sizeof(text), "%zu more threads", count - shown);
        add_row(rows, text, rest);
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
        add_row(rows, "page faults", ticks);
    }
}

static void add_handlers(struct account_rows *rows, const struct run_bench *bench,
                         struct account_handler *const handlers[ACCOUNT_IDS],
                         enum account_kind kind)
{
    char text[ACCOUNT_LABEL_MAX];
    size_t shown = 0;
    size_t more = 0;
    uint64_t rest = 0;

    for (uint32_t i = 0; i < ACCOUNT_IDS; i++) {
        if (handlers[i] == NULL) {
            continue;
        }
        if (shown == ACCOUNT_ROWS_MAX) {
            more++;
            rest += handlers[i]->ticks;
            continue;
        }
        shown++;
        account_label(bench, kind, i, text);
        add_row(rows, text, handlers[i]->ticks);
    }
    if (more > 0) {
        snprintf(text, sizeof(text), "%zu more %s", more,
                 kind == ACCOUNT_VECTOR ? "interrupts" : "DPCs");
        add_row(rows, text, rest);
    }
}

void account_rows_of(const struct accounting *accounting, struct account_rows *rows)
{
    *rows = (struct account_rows){0};
    add_threads(rows, accounting);
    add_faults(rows, accounting);
    add_handlers(rows, accounting->bench, accounting->vectors, ACCOUNT_VECTOR);
    add_handlers(rows, accounting->bench, accounting->dpcs, ACCOUNT_DPC);
    add_row(rows, "dispatch", accounting->dispatch);
    add_row(rows, "tracer", accounting->tracer);
    add_row(rows, "unknown", accounting->unknown);
}

void account_rows_free(struct account_rows *rows)
{
    free(rows->row);
}

/* ---- sampling ---- */

static int by_error(const void *left, const void *right)
{
    const struct account_sampled *a = left;
    const struct account_sampled *b = right;
    const double error_a = fabs(a->by_samples - a->by_events);
    const double error_b = fabs(b->by_samples - b->by_events);

    if (error_a != error_b) {
        return error_a > error_b ? -1 : 1;
    }
    return a->thread->id < b->thread->id ? -1 : a->thread->id > b->thread->id;
}

struct account_sampled *account_sampling_of(const struct accounting *accounting, size_t *count)
{
    const uint64_t known = accounting->elapsed - accounting->unknown;

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
