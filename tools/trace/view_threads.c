/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints each thread of a trace: its states, its wake-ups and the slowest of them; and the locks.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "kernel/run/names.h"
#include "kernel/task/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/view.h"
#include "tools/trace/view_trace.h"

#define NAME_WIDTH 14 /* leaves enough space for the other columns */
#define TEXT_MAX   TABLE_CELL_MAX
#define WHO_WIDTH  24 /* leaves enough space for the other columns */

struct sheet {
    const struct view *view;
    const struct accounting *accounting;
    struct account_thread **threads; /* by number */
    size_t count;
    struct table table;
    const struct account_thread *named; /* thread named last in the table of causes */
};

static int by_id(const void *left, const void *right)
{
    const struct account_thread *a = *(struct account_thread *const *)left;
    const struct account_thread *b = *(struct account_thread *const *)right;

    return SORT_ORDER(a->id, b->id);
}

static void add_name(struct sheet *sheet, const struct account_thread *thread)
{
    char name[ACCOUNT_NAME_MAX];

    account_name(sheet->accounting->bench, ACCOUNT_THREAD, thread->id, name);
    table_format(&sheet->table, "%.*s", NAME_WIDTH, name);
}

static void add_time(struct sheet *sheet, uint64_t ticks)
{
    char text[AMOUNT_MAX];

    table_text(&sheet->table, amount_text(sheet->view, (int64_t)ticks, UNIT_TICK, text));
}

static void print_states(struct sheet *sheet)
{
    bool unknown = false;

    table_open(&sheet->table, "rlrrrrrrr",
               "id\tthread\tprio\tlife\trunning\theld up\tfaults\tready\twaiting");
    for (size_t i = 0; i < sheet->count; i++) {
        const struct account_thread *thread = sheet->threads[i];

        const uint64_t times[] = {thread->life,
                                  thread->running,
                                  thread->interrupted,
                                  thread->fault,
                                  account_ready_ticks(thread),
                                  account_waiting_ticks(thread)};

        table_line(&sheet->table, "%" PRIu32, thread->id);
        add_name(sheet, thread);
        table_known(&sheet->table, thread->described, thread->first_priority);
        for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
            add_time(sheet, times[k]);
        }
        unknown = unknown || thread->unknown > 0;
    }
    print_paragraph(sheet->view->out,
                    "states of threads, which sum to their lives%s; held up: on the processor, but "
                    "interrupted; faults: waits for pages",
                    unknown ? " and unknown time" : "");
    view_table(sheet->view, &sheet->table);
}

/* Adds a cause. The thread's name is in front of its first cause only. */
static void add_cause(struct sheet *sheet, const struct account_thread *thread, const char *state,
                      const char *cause, uint64_t ticks)
{
    char text[AMOUNT_MAX];

    if (ticks == 0) {
        return;
    }
    table_row(&sheet->table);
    if (sheet->named != thread) {
        add_name(sheet, thread);
    } else {
        table_text(&sheet->table, "");
    }
    sheet->named = thread;
    table_format(&sheet->table, "%s%s%s\t%" PRIu64 "\t%s", state, cause[0] != '\0' ? ": " : "",
                 cause, ticks, length_text(sheet->view, (int64_t)ticks, text));
    table_share(&sheet->table, (double)ticks / (double)thread->life);
}

static void add_causes(struct sheet *sheet, const struct account_thread *thread)
{
    for (size_t i = 0; i < READY_CAUSES; i++) {
        add_cause(sheet, thread, "ready", account_ready_name((enum account_ready)i),
                  thread->ready[i]);
    }
    char times[32];

    snprintf(times, sizeof(times), "%" PRIu64 " times", thread->faults);
    add_cause(sheet, thread, "page fault", times, thread->fault);
    for (uint32_t i = 0; i < ACCOUNT_REASONS; i++) {
        char reason[ACCOUNT_NAME_MAX];

        add_cause(sheet, thread, "waiting", account_reason_name(i, reason), thread->waiting[i]);
    }
    add_cause(sheet, thread, "unknown", "", thread->unknown);
}

static void print_causes(struct sheet *sheet)
{
    table_open(&sheet->table, "llrrr", "thread\twhy not running\tticks\t%s\tof its lifetime",
               length_unit(sheet->view));
    for (size_t i = 0; i < sheet->count; i++) {
        add_causes(sheet, sheet->threads[i]);
    }
    fputs("\n  why threads did not run\n\n", sheet->view->out);
    table_print(&sheet->table, sheet->view->out, 2);
}

static void print_wakes(struct sheet *sheet)
{
    table_open(&sheet->table, "lrrrrrrr",
               "thread\tswitches\tpreempted\twake-ups\tmin\tmean\tmax\tcharged");
    for (size_t i = 0; i < sheet->count; i++) {
        const struct account_thread *thread = sheet->threads[i];

        table_row(&sheet->table);
        add_name(sheet, thread);
        table_format(&sheet->table, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, thread->switches,
                     thread->preemptions, thread->wakeups);
        if (thread->wake.n > 0) {
            table_format(&sheet->table, "%" PRIu64 "\t%.1f\t%" PRIu64, thread->wake.min,
                         (double)thread->wake.total / (double)thread->wake.n, thread->wake.max);
        } else {
            table_format(&sheet->table, "-\t-\t-");
        }
        table_known(&sheet->table, sheet->accounting->clock_ticks > 0, (int64_t)thread->charged);
    }
    print_paragraph(
        sheet->view->out,
        "switches to each thread, how often an interrupt took the processor from it, and delays of "
        "its wake-ups from ready to running, in ticks; charged: clock ticks");
    view_table(sheet->view, &sheet->table);
}

static const char *lock_name(const struct run_bench *bench, uint32_t id, char text[TEXT_MAX])
{
    const char *name = run_object_name(bench, OBJECT_NAME_LOCK, id);

    if (name != NULL) {
        snprintf(text, TEXT_MAX, "%s", name);
    } else {
        snprintf(text, TEXT_MAX, "lock %" PRIu32, id);
    }
    return text;
}

static void add_lock(struct sheet *sheet, const struct account_lock *lock)
{
    char name[TEXT_MAX];
    char thread[ACCOUNT_NAME_MAX];

    table_named_row(&sheet->table, lock_name(sheet->accounting->bench, lock->id, name));
    table_format(&sheet->table, "%" PRIu64 "\t%" PRIu64, lock->acquired, lock->wait.n);
    if (lock->wait.n == 0) {
        table_format(&sheet->table, "-\t-\t-\t-");
        return;
    }
    add_time(sheet, lock->wait.total);
    add_time(sheet, lock->wait.total / lock->wait.n);
    add_time(sheet, lock->wait.max);
    table_text(&sheet->table, account_name(sheet->accounting->bench, ACCOUNT_THREAD,
                                           lock->longest_thread, thread));
}

static void print_locks(struct sheet *sheet)
{
    if (sheet->accounting->lock_count == 0) {
        return;
    }
    table_open(&sheet->table, "lrrrrrl", "lock\tacquired\twaits\twaited\tmean\tlongest\tof");
    for (size_t i = 0; i < sheet->accounting->lock_count; i++) {
        add_lock(sheet, sheet->accounting->locks[i]);
    }
    fputs("\n  locks (mutexes, semaphores, pipes)\n\n", sheet->view->out);
    table_print(&sheet->table, sheet->view->out, 2);
}

void view_threads(const struct view *view, const struct accounting *accounting)
{
    struct sheet sheet = {.view = view, .accounting = accounting};

    sheet.threads = alloc_zeroed((accounting->thread_count + 1) * sizeof(struct account_thread *));
    for (size_t i = 0; i < accounting->thread_count; i++) {
        if (accounting->threads[i]->life > 0) {
            sheet.threads[sheet.count++] = accounting->threads[i];
        }
    }
    if (sheet.count == 0) {
        fputs("\n  no thread is known\n", view->out);
        free(sheet.threads);
        return;
    }
    sort_stable(sheet.threads, sheet.count, sizeof(struct account_thread *), by_id);
    print_states(&sheet);
    print_causes(&sheet);
    print_wakes(&sheet);
    print_locks(&sheet);
    free(sheet.threads);
}

/* ---- delays of a thread ---- */

uint32_t view_find_thread(const struct run_bench *bench, const char *thread)
{
    uint64_t number;

    for (size_t i = 0; i < bench->object_count; i++) {
        const struct run_object *object = &bench->objects[i];

        if (strcmp(object->kind, OBJECT_NAME_THREAD) == 0 && object->name != NULL &&
            strcmp(object->name, thread) == 0) {
            return object->id;
        }
    }
    if (strcmp(thread, NAME_OF_IDLE_THREAD) == 0) {
        return TRACE_IDLE_THREAD;
    }
    if (strcmp(thread, NAME_OF_BENCH_THREAD) == 0) {
        return TRACE_BENCH_THREAD;
    }
    return parse_unsigned(thread, &number) && number < ACCOUNT_NO_THREAD ? (uint32_t)number
                                                                         : ACCOUNT_NO_THREAD;
}

static const char *who(const struct run_bench *bench, const struct delay_link *link,
                       char text[TEXT_MAX])
{
    return link->kind == ACCOUNT_KINDS ? "others"
                                       : account_label(bench, link->kind, link->id, text);
}

static const char *why(const struct run_bench *bench, const struct delay_link *link,
                       char text[TEXT_MAX])
{
    static const char *const texts[DELAY_WHYS] = {
        [DELAY_HIGHER] = "has higher priority",
        [DELAY_FIRST] = "same priority, came first",
        [DELAY_LOWER] = "lower priority, still runs",
        [DELAY_INVERSION] = "priority inversion",
        [DELAY_HOLDER_WAITS] = "the holder is waiting too",
        [DELAY_SELF] = "before its wait began",
        [DELAY_INTERRUPT] = "handler",
        [DELAY_DEFERRED] = "deferred call",
        [DELAY_DISPATCH] = "between two threads",
        [DELAY_TRACER] = "recording of these events",
        [DELAY_QUANTUM] = "same priority, its quantum",
        [DELAY_IPI] = "does not know of it yet",
        [DELAY_OTHERS] = "further links, combined",
    };
    char lock[TEXT_MAX];

    if (link->why == DELAY_HOLDS || link->why == DELAY_HANDS_ON) {
        snprintf(text, TEXT_MAX, "%s %.*s", link->why == DELAY_HOLDS ? "holds" : "hands on",
                 ACCOUNT_NAME_MAX, lock_name(bench, link->lock, lock));
        return text;
    }
    return texts[link->why];
}

const char *view_by_whom(const struct run_bench *bench, uint32_t by, char text[TABLE_CELL_MAX])
{
    const uint32_t kind = by & TRACE_BY_KIND;
    const struct delay_link link = {
        .kind = kind == TRACE_BY_VECTOR ? ACCOUNT_VECTOR
                : kind == TRACE_BY_DPC  ? ACCOUNT_DPC
                                        : ACCOUNT_THREAD,
        .id = by & ~TRACE_BY_KIND,
    };

    return who(bench, &link, text);
}

static void print_head(const struct view *view, const struct run_bench *bench,
                       const struct delay *delay)
{
    char name[ACCOUNT_NAME_MAX];
    char text[TEXT_MAX];
    char what[256];
    char length[AMOUNT_MAX];
    char begin[AMOUNT_MAX];
    char part[24] = "";
    char line[512];

    if (delay->for_lock) {
        snprintf(what, sizeof(what), "wait for %.*s, held by %s", ACCOUNT_NAME_MAX,
                 lock_name(bench, delay->lock, text),
                 account_name(bench, ACCOUNT_THREAD, delay->holder, name));
    } else {
        snprintf(what, sizeof(what), "wake-up by %s", view_by_whom(bench, delay->by, text));
    }
    if (run_part_processors(bench, 0) < bench->trace_count) {
        snprintf(part, sizeof(part), " in part %" PRIu32, delay->part);
    }
    snprintf(line, sizeof(line), "delay %" PRIu64 ", %s: %s, from %s on%s", delay->number, what,
             amount_text(view, (int64_t)(delay->to - delay->from), UNIT_TICK, length),
             amount_text(view, (int64_t)(delay->from - delay->origin), UNIT_TICK, begin), part);
    fputs("\n  ", view->out);
    print_wrapped(view->out, line, 2, 4);
}

static void print_chain(const struct view *view, const struct run_bench *bench,
                        const struct delay *delay)
{
    struct table table;
    uint64_t sum = 0;
    char text[TEXT_MAX];

    table_open(&table, "llrr", "who\twhy\tticks\t%s", length_unit(view));
    for (size_t i = 0; i < delay->link_count; i++) {
        const struct delay_link *link = &delay->links[i];

        char cpu[24] = "";

        if (link->cpu > 0) {
            snprintf(cpu, sizeof(cpu), ", CPU %" PRIu32, link->cpu - 1);
        }
        table_line(&table, "%.*s%s", WHO_WIDTH, who(bench, link, text), cpu);
        table_text(&table, why(bench, link, text));
        table_format(&table, "%" PRIu64 "\t%s", link->ticks,
                     length_text(view, (int64_t)link->ticks, text));
        sum += link->ticks;
    }
    table_line(&table, "sum\t\t%" PRIu64 "\t%s", sum, length_text(view, (int64_t)sum, text));
    table_print(&table, view->out, 4);
    if (delay->folded) {
        fputs("    the chain is longer: repeated links are added to the last equal one\n",
              view->out);
    }
}

void view_delays(const struct view *view, const struct run_bench *bench,
                 const struct delays *delays)
{
    char name[ACCOUNT_NAME_MAX];

    account_name(bench, ACCOUNT_THREAD, delays->thread, name);
    if (delays->count == 0) {
        fprintf(view->out, "\n  %s was never woken%s\n", name,
                delays->cut > 0 ? ", as far as the trace shows" : "");
        return;
    }
    print_paragraph(view->out,
                    "who delayed %s: the slowest %zu of %" PRIu64 " delays: wake-ups (%" PRIu64
                    ") and waits for locks held by another thread (%" PRIu64 ")",
                    name, delays->count, delays->seen, delays->seen - delays->lock_waits,
                    delays->lock_waits);
    if (delays->cut > 0) {
        fprintf(view->out, "  %" PRIu64 " more were cut off by gaps or ends of the trace\n",
                delays->cut);
    }
    for (size_t i = 0; i < delays->count; i++) {
        print_head(view, bench, &delays->slowest[i]);
        print_chain(view, bench, &delays->slowest[i]);
    }
}
