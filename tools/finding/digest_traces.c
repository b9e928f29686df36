/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the traces of a run as rows: input events, actions, disk requests, interrupts and deferred
 * calls, their counts, and the CPU-time accounts of every tick. */
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/names.h"
#include "kernel/input/event.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/finding/digest_tables.h"
#include "tools/trace/account_check.h"
#include "tools/trace/accounting.h"
#include "tools/trace/disk_requests.h"

enum row_kind {
    ROW_ACTION,
    ROW_INPUT,
    ROW_DISK,
    ROW_INTERRUPT,
    ROW_DPC,
    ROW_KINDS,
};
static const char *const kind_texts[ROW_KINDS] = {"action", "input", "disk", "interrupt", "dpc"};

struct row {
    enum row_kind kind;
    uint32_t id; /* number of a class, an input's kind, a disk, a vector or a DPC */
    uint64_t at; /* ticks since the start of the trace */
    bool has_length;
    uint64_t length;
};

struct row_count {
    enum row_kind kind;
    uint32_t id;
    uint64_t n, kept;
    bool has_length;
    uint64_t total, longest, longest_at; /* in ticks, of the rows with a length */
};

#define NESTED_MAX 64 /* handlers nested in each other */

struct open_handler {
    enum row_kind kind;
    uint32_t id;
    uint64_t entered;
};

struct rows {
    const struct run_bench *bench;
    const struct actions *actions;
    const struct disk_requests *disks;
    uint64_t begin; /* TSC at the start of the trace */
    struct row *item;
    size_t count, capacity;
    struct row_count *counts;
    size_t counts_count, counts_capacity;
    struct nest {
        struct open_handler open[NESTED_MAX];
        size_t depth;
    } * on; /* by processor, as accounting.cpus */
};

static struct row_count *count_of(struct rows *rows, enum row_kind kind, uint32_t id)
{
    for (size_t i = 0; i < rows->counts_count; i++) {
        if (rows->counts[i].kind == kind && rows->counts[i].id == id) {
            return &rows->counts[i];
        }
    }
    *ALLOC_NEXT(rows->counts, rows->counts_count, rows->counts_capacity) =
        (struct row_count){.kind = kind, .id = id};
    return &rows->counts[rows->counts_count - 1];
}

static void add(struct rows *rows, const struct row *row)
{
    struct row_count *count = count_of(rows, row->kind, row->id);

    count->n++;
    if (row->has_length) {
        if (!count->has_length || row->length > count->longest) {
            count->longest = row->length;
            count->longest_at = row->at;
        }
        count->has_length = true;
        count->total += row->length;
    }
    if (rows->count < DIGEST_EVENTS_MAX) {
        *ALLOC_NEXT(rows->item, rows->count, rows->capacity) = *row;
        count->kept++;
    }
}

/* ---- input ---- */

static void add_inputs(struct rows *rows, const struct interactive *interactive)
{
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        struct row row = {.kind = ROW_INPUT, .id = event->kind};

        if (event->came && event->has_arrival) {
            row.at = event->arrival - rows->begin;
            row.has_length = interactive_service(event, &row.length);
            add(rows, &row);
        }
    }
}

static void add_actions(struct rows *rows, const struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->actions[i];

        add(rows, &(struct row){.kind = ROW_ACTION,
                                .id = action->class,
                                .at = action->begin - rows->begin,
                                .has_length = action->known[MEASURE_RESPONSE],
                                .length = (uint64_t)action->latency[MEASURE_RESPONSE]});
    }
}

/* ---- handlers and disks ---- */

static void observe_event(void *context, const struct accounting *accounting,
                          const struct trace_event *event)
{
    struct rows *rows = context;
    struct nest *nest = &rows->on[accounting->on];
    const bool is_dpc = event->id == TRACE_ID_dpc_entry || event->id == TRACE_ID_dpc_exit;
    const struct open_handler now = {is_dpc ? ROW_DPC : ROW_INTERRUPT, (uint32_t)event->field[0],
                                     event->tsc};

    if (event->id == TRACE_ID_isr_entry || event->id == TRACE_ID_dpc_entry) {
        nest->depth = nest->depth < NESTED_MAX ? nest->depth : 0;
        nest->open[nest->depth++] = now;
    } else if ((event->id == TRACE_ID_isr_exit || event->id == TRACE_ID_dpc_exit) &&
               nest->depth > 0) {
        const struct open_handler *open = &nest->open[--nest->depth];

        if (open->kind == now.kind && open->id == now.id) {
            add(rows, &(struct row){.kind = open->kind,
                                    .id = open->id,
                                    .at = open->entered - rows->begin,
                                    .has_length = true,
                                    .length = event->tsc - open->entered});
        }
    }
}

static void observe_unknown(void *context, const struct accounting *accounting)
{
    struct rows *rows = context;

    rows->on[accounting->on].depth = 0;
}

static void add_requests(struct rows *rows, const struct disk_requests *requests)
{
    for (size_t i = 0; i < requests->request_count; i++) {
        const struct disk_request *request = &requests->requests[i];

        add(rows, &(struct row){.kind = ROW_DISK,
                                .id = request->disk,
                                .at = request->issued - rows->begin,
                                .has_length = request->end == REQUEST_COMPLETED,
                                .length = request->to - request->from});
    }
}

/* ---- rows ---- */

static const char *name_of(const struct rows *rows, enum row_kind kind, uint32_t id,
                           char text[ACCOUNT_NAME_MAX])
{
    const char *name = NULL;

    switch (kind) {
    case ROW_ACTION:
        return rows->actions->classes[id];
    case ROW_INPUT:
        name = input_kind_name(id);
        return name != NULL ? name : "unknown";
    case ROW_DISK:
        return disk_name(rows->bench, &rows->disks->disks[id], text);
    case ROW_INTERRUPT:
        return account_name(rows->bench, ACCOUNT_VECTOR, id, text);
    default:
        return account_name(rows->bench, ACCOUNT_DPC, id, text);
    }
}

static int by_time(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;

    if (a->at != b->at) {
        return a->at < b->at ? -1 : 1;
    }
    return a->kind != b->kind ? (int)a->kind - (int)b->kind : (a->id > b->id) - (a->id < b->id);
}

static bool put_rows(struct row_sink *sink, struct rows *rows)
{
    const struct run_bench *bench = rows->bench;
    char text[ACCOUNT_NAME_MAX];
    bool ok = true;

    if (rows->count > 0) {
        sort_stable(rows->item, rows->count, sizeof(*rows->item), by_time);
    }
    for (size_t i = 0; i < rows->count && ok; i++) {
        const struct row *row = &rows->item[i];
        const int64_t length = (int64_t)row->length;

        ok = row_put(sink, &digest_tables[DIGEST_EVENT], "tuttuo", bench->name,
                     (uint64_t)bench->pass, kind_texts[row->kind],
                     name_of(rows, row->kind, row->id, text), row->at,
                     row->has_length ? &length : NULL);
    }
    for (size_t i = 0; i < rows->counts_count && ok; i++) {
        const struct row_count *count = &rows->counts[i];
        const int64_t of[] = {(int64_t)count->total, (int64_t)count->longest,
                              (int64_t)count->longest_at};
        const bool known = count->has_length;

        ok = row_put(sink, &digest_tables[DIGEST_COUNT], "tuttuuooo", bench->name,
                     (uint64_t)bench->pass, kind_texts[count->kind],
                     name_of(rows, count->kind, count->id, text), count->n, count->kept,
                     known ? &of[0] : NULL, known ? &of[1] : NULL, known ? &of[2] : NULL);
    }
    return ok;
}

static void read_rows(struct rows *rows, struct accounting *accounting,
                      struct disk_requests *requests)
{
    const struct run_bench *bench = rows->bench;
    const struct account_observer observers[] = {
        {.context = rows, .event = observe_event, .unknown = observe_unknown},
        disk_requests_observer(requests),
    };

    if (accounting_read(accounting, bench, observers, sizeof(observers) / sizeof(observers[0]))) {
        disk_requests_end(requests, accounting);
        add_requests(rows, requests);
    }
}

/* ---- accounts ---- */

static const char *const account_texts[ACCOUNT_KINDS] = {
    [ACCOUNT_THREAD] = "thread",   [ACCOUNT_FAULT] = "page fault",  [ACCOUNT_VECTOR] = "interrupt",
    [ACCOUNT_DPC] = "dpc",         [ACCOUNT_DISPATCH] = "dispatch", [ACCOUNT_TRACER] = "tracer",
    [ACCOUNT_UNKNOWN] = "unknown",
};

struct account {
    struct row_sink *sink;
    const struct run_bench *bench;
    const char *source; /* "trace" or "image" */
    uint64_t elapsed;
};

static bool put_account(const struct account *to, enum account_kind kind, uint32_t id,
                        uint64_t ticks, const int64_t *entries)
{
    char text[ACCOUNT_NAME_MAX];
    const bool named = kind == ACCOUNT_THREAD || kind == ACCOUNT_FAULT || kind == ACCOUNT_VECTOR ||
                       kind == ACCOUNT_DPC;
    const char *name = named ? account_name(to->bench, kind, id, text) : account_texts[kind];

    return row_put(to->sink, &digest_tables[DIGEST_ACCOUNT], "tutttuou", to->bench->name,
                   (uint64_t)to->bench->pass, to->source, account_texts[kind], name, ticks, entries,
                   to->elapsed);
}

static bool put_handlers(const struct account *to, enum account_kind kind,
                         struct account_handler *const handlers[ACCOUNT_IDS])
{
    bool ok = true;

    for (uint32_t i = 0; i < ACCOUNT_IDS && ok; i++) {
        if (handlers[i] != NULL) {
            const int64_t entries = (int64_t)handlers[i]->net.n;

            ok = put_account(to, kind, i, handlers[i]->ticks, &entries);
        }
    }
    return ok;
}

static bool put_consistency(struct row_sink *sink, const struct accounting *accounting)
{
    const struct account to = {sink, accounting->bench, "trace", accounting->total};
    bool ok = true;

    for (size_t i = 0; i < accounting->thread_count && ok; i++) {
        const struct account_thread *thread = accounting->threads[i];
        const int64_t switches = (int64_t)thread->switches;
        const int64_t faults = (int64_t)thread->faults;

        ok = put_account(&to, ACCOUNT_THREAD, thread->id, thread->running, &switches) &&
             (thread->fault == 0 ||
              put_account(&to, ACCOUNT_FAULT, thread->id, thread->fault, &faults));
    }
    return ok && put_handlers(&to, ACCOUNT_VECTOR, accounting->vectors) &&
           put_handlers(&to, ACCOUNT_DPC, accounting->dpcs) &&
           put_account(&to, ACCOUNT_DISPATCH, 0, accounting->dispatch, NULL) &&
           put_account(&to, ACCOUNT_TRACER, 0, accounting->tracer, NULL) &&
           put_account(&to, ACCOUNT_UNKNOWN, 0, accounting->unknown, NULL);
}

/* Adds to a line those of the same thread or handler on other processors, and removes them. */
static const struct account_line *join_lines(struct account_memory *memory, size_t at)
{
    struct account_line *sum = &memory->lines[at];

    for (size_t i = memory->count; i-- > at + 1;) {
        const struct account_line *other = &memory->lines[i];

        if (other->kind == sum->kind && other->id == sum->id) {
            sum->ticks += other->ticks;
            sum->entries += other->entries;
            memory->lines[i] = memory->lines[--memory->count];
        }
    }
    return sum;
}

/* Writes the account that the image keeps without records. With `counts`, also writes the numbers
 * of interrupts and deferred calls, for a trace that is too long to be read for them. */
static bool put_image(struct row_sink *sink, const struct run_bench *bench, bool counts)
{
    struct account_memory memory;
    char text[ACCOUNT_NAME_MAX];
    bool ok = true;

    account_memory_read(&memory, bench, NULL);
    const struct account to = {sink, bench, "image", memory.elapsed};

    for (size_t i = 0; i < memory.count && ok; i++) {
        const struct account_line *line = join_lines(&memory, i);
        const int64_t entries = (int64_t)line->entries;
        const int64_t ticks = (int64_t)line->ticks;
        const int64_t *const unknown = NULL;

        ok = put_account(&to, line->kind, line->id, line->ticks, &entries);
        if (ok && counts && line->kind != ACCOUNT_THREAD) {
            ok = row_put(sink, &digest_tables[DIGEST_COUNT], "tuttuuooo", bench->name,
                         (uint64_t)bench->pass, account_texts[line->kind],
                         account_name(bench, line->kind, line->id, text), line->entries,
                         (uint64_t)0, &ticks, unknown, unknown);
        }
    }
    account_memory_free(&memory);
    return ok;
}

static bool put_traces(struct row_sink *sink, const struct run_bench *bench)
{
    struct rows rows = {.bench = bench, .begin = bench->traces[0].begin};
    struct accounting accounting = {0};
    struct disk_requests requests = {0};
    const struct actions none = {0};

    rows.on = alloc_zeroed(run_processors(bench) * sizeof(*rows.on));
    rows.actions = &none;
    rows.disks = &requests;
    if (bench->group != NULL && strcmp(bench->group, GROUP_INTERACTIVE) == 0) {
        const struct input_reading *input = input_of(bench);

        rows.actions = &input->actions;
        if (input->good) {
            add_actions(&rows, &input->actions);
            add_inputs(&rows, &input->interactive);
        }
    }
    read_rows(&rows, &accounting, &requests);
    const bool ok =
        put_rows(sink, &rows) && (accounting.bench == NULL || put_consistency(sink, &accounting));

    free(rows.on);
    free(rows.item);
    free(rows.counts);
    accounting_free(&accounting);
    disk_requests_free(&requests);
    return ok;
}

/* Writes the number of records of a trace that is too long to be read. */
static bool put_unread(struct row_sink *sink, const struct run_bench *bench)
{
    const int64_t *const unknown = NULL;

    return row_put(sink, &digest_tables[DIGEST_COUNT], "tuttuuooo", bench->name,
                   (uint64_t)bench->pass, "trace", "records", run_trace_records(bench), (uint64_t)0,
                   unknown, unknown, unknown);
}

bool digest_traces(const struct run *run, const struct digest_sizes *sizes, struct row_sink *sink)
{
    bool ok = true;

    for (size_t i = 0; i < run->bench_count && ok; i++) {
        const struct run_bench *bench = &run->benches[i];
        const bool is_read = bench->trace_count > 0 && run_trace_records(bench) <= sizes->records;

        const bool is_unread = bench->trace_count > 0 && !is_read;

        ok = (!is_read || put_traces(sink, bench)) && (!is_unread || put_unread(sink, bench)) &&
             put_image(sink, bench, is_unread);
    }
    return ok;
}
