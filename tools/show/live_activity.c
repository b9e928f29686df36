/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the last seconds of a run in progress for `tare watch` (live.h): processors, processes
 * with their threads, disks and the network.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/network/host/paths.h"
#include "bench/network/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/show/live.h"
#include "tools/trace/trace_reader.h"

#define BENCH_WIDTH   10
#define LABEL_WIDTH   35 /* of a process or a thread, after the bench */
#define LABEL_MAX     (LABEL_WIDTH + ACCOUNT_NAME_MAX)
#define AROUND_ROWS   6 /* besides processors, groups and the table of disks */
#define SMALL_ROWS    30
#define CHARTS_MAX    4 /* processors with a chart on a small screen; more have a number only */
#define IN_A_LINE     5 /* of these numbers */
#define SECTOR_BYTES  512
#define KIB           1024
#define NS_PER_SECOND 1e9
#define NO_PROCESS    UINT32_MAX /* the group of interrupts, deferred calls, dispatch and tracer */

/* A group of accounts: a process of a bench, or what is no thread. Or one of its accounts. */
struct line {
    const struct window_row *row; /* NULL: the group */
    uint32_t bench, process;
    uint64_t ticks, requests;
    size_t threads; /* of a group: those that ran in the window */
};

struct activity {
    const struct run *run;
    const struct live_window *window;
    uint64_t traced;    /* ticks of all processors */
    uint64_t longest;   /* ticks of the processor that was traced most */
    struct line *lines; /* those with most ticks first, a group before its accounts */
    size_t count, capacity, groups;
};

/* ---- processors ---- */

static uint64_t of_processor(const struct live_window *window, uint32_t kind, uint32_t cpu)
{
    return window_sum(window, WINDOW_ANY, kind, cpu, WINDOW_ALL);
}

/* Prints how busy a processor was in each step; a blank if that is not known. */
static void put_chart(FILE *out, const struct live_window *window, uint32_t cpu)
{
    for (unsigned ago = WINDOW_STEPS; ago-- > 0;) {
        const uint64_t step = window->newest + WINDOW_SLOTS - ago;
        const uint64_t busy = window_sum(window, WINDOW_ANY, WINDOW_BUSY, cpu, step);
        const uint64_t known = busy + window_sum(window, WINDOW_ANY, WINDOW_IDLE, cpu, step);

        if (known > 0) {
            chart_cell(out, (double)busy / (double)known);
        } else {
            fputc(' ', out);
        }
    }
}

/* Prints the processors that were traced. Returns the number of lines. */
static size_t put_processors(FILE *out, const struct live_window *window, size_t rows)
{
    uint32_t list[RUN_PROCESSORS_MAX];
    size_t count = 0;

    for (uint32_t cpu = 0; cpu < RUN_PROCESSORS_MAX; cpu++) {
        list[count] = cpu;
        count += of_processor(window, WINDOW_TRACED, cpu) > 0;
    }
    const bool charts = count <= CHARTS_MAX || rows > SMALL_ROWS;

    for (size_t i = 0; i < count; i++) {
        fprintf(out, "CPU %2" PRIu32 " %6.2f %%", list[i],
                live_percent(of_processor(window, WINDOW_BUSY, list[i]),
                             of_processor(window, WINDOW_TRACED, list[i])));
        if (charts) {
            fputs(" |", out);
            put_chart(out, window, list[i]);
        }
        fputc(charts || (i + 1) % IN_A_LINE == 0 || i + 1 == count ? '\n' : ' ', out);
    }
    return charts ? count : (count + IN_A_LINE - 1) / IN_A_LINE;
}

/* ---- processes and threads ---- */

static bool is_of(const struct line *line, const struct line *group)
{
    return line->bench == group->bench && line->process == group->process;
}

static struct line *add_line(struct activity *activity, const struct line *line)
{
    struct line *added = ALLOC_NEXT(activity->lines, activity->count, activity->capacity);

    *added = *line;
    return added;
}

static void add_account(struct activity *activity, const struct window_row *row, uint64_t ticks)
{
    const bool is_thread = row->kind == ACCOUNT_THREAD;
    const struct line line = {
        .row = row,
        .bench = row->bench,
        .process = is_thread || row->kind == ACCOUNT_FAULT ? row->now : NO_PROCESS,
        .ticks = ticks,
        .requests = is_thread ? window_sum(activity->window, row->bench, WINDOW_REQUESTS, row->id,
                                           WINDOW_ALL)
                              : 0,
    };
    struct line *group = NULL;

    for (size_t i = 0; i < activity->count && group == NULL; i++) {
        struct line *one = &activity->lines[i];

        group = one->row == NULL && is_of(&line, one) ? one : NULL;
    }
    if (group == NULL) {
        group = add_line(activity, &(struct line){.bench = line.bench, .process = line.process});
        activity->groups++;
    }
    group->ticks += ticks;
    group->requests += line.requests;
    group->threads += is_thread;
    add_line(activity, &line);
}

static int most_first(const void *left, const void *right)
{
    return SORT_ORDER(((const struct line *)right)->ticks, ((const struct line *)left)->ticks);
}

static struct activity read_activity(const struct live_state *state)
{
    const struct live_window *window = state->window;
    struct activity activity = {.run = state->run, .window = window};

    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];
        const uint64_t ticks = row->kind < ACCOUNT_KINDS ? window_row_sum(row) : 0;
        const bool is_idle = row->kind == ACCOUNT_THREAD && row->id == TRACE_IDLE_THREAD;

        activity.traced += ticks;
        if (ticks > 0 && row->kind != ACCOUNT_UNKNOWN && !is_idle) {
            add_account(&activity, row, ticks);
        }
    }
    for (uint32_t cpu = 0; cpu < RUN_PROCESSORS_MAX; cpu++) {
        const uint64_t ticks = of_processor(window, WINDOW_TRACED, cpu);

        activity.longest = ticks > activity.longest ? ticks : activity.longest;
    }
    sort_stable(activity.lines, activity.count, sizeof(*activity.lines), most_first);
    return activity;
}

static void put_group(FILE *out, const struct activity *activity, const struct line *group)
{
    const struct run_bench *bench = &activity->run->benches[group->bench];
    const char *name = run_object_name(bench, OBJECT_NAME_PROCESS, group->process);
    char label[LABEL_MAX] = "interrupts, dispatch, tracer";

    if (group->process != NO_PROCESS) {
        snprintf(label, sizeof(label), "process %" PRIu32 " %.12s, threads: %zu", group->process,
                 name != NULL          ? name
                 : group->process == 0 ? "kernel"
                                       : "without a name",
                 group->threads);
    }
    live_put_clean(out, bench->name, BENCH_WIDTH);
    fputc(' ', out);
    live_put_share(out, label, LABEL_WIDTH, group->ticks, activity->traced, group->requests);
}

static void put_account(FILE *out, const struct activity *activity, const struct line *line)
{
    const struct window_row *row = line->row;
    char label[ACCOUNT_LABEL_MAX];

    account_label(&activity->run->benches[row->bench], (enum account_kind)row->kind, row->id,
                  label);
    fprintf(out, "%*s", BENCH_WIDTH + 3, "");
    live_put_share(out, label, LABEL_WIDTH - 2, line->ticks, activity->traced, line->requests);
}

/* Prints the groups, and their largest accounts: at least one of each group, as many as there is
 * room for of the first. Groups that do not fit are added up. */
static void put_groups(FILE *out, const struct activity *activity, size_t rows)
{
    const size_t groups = 2 * activity->groups <= rows ? activity->groups : (rows - 1) / 2;
    size_t left = rows - groups - (groups < activity->groups); /* for accounts */
    struct line rest = {0};
    size_t shown = 0;

    fprintf(out, "%-*s %-*s    share  requests\n", BENCH_WIDTH, "bench", LABEL_WIDTH,
            "process, its threads");
    for (size_t i = 0; i < activity->count; i++) {
        const struct line *group = &activity->lines[i];

        if (group->row != NULL) {
            continue;
        }
        if (shown == groups) {
            rest.ticks += group->ticks;
            rest.requests += group->requests;
            continue;
        }
        put_group(out, activity, group);
        shown++;
        for (size_t k = i + 1; k < activity->count && left + shown > groups; k++) {
            if (activity->lines[k].row != NULL && is_of(&activity->lines[k], group)) {
                put_account(out, activity, &activity->lines[k]);
                left--;
            }
        }
    }
    if (groups < activity->groups) {
        fprintf(out, "%-*s ", BENCH_WIDTH, "and");
        live_put_share(out, "others", LABEL_WIDTH, rest.ticks, activity->traced, rest.requests);
    }
}

/* ---- disks ---- */

static uint64_t of_disk(const struct live_window *window, const struct window_row *row,
                        uint32_t kind)
{
    return window_sum(window, row->bench, kind, row->id, WINDOW_ALL);
}

static void add_disk(struct table *table, const struct activity *activity,
                     const struct window_row *row)
{
    const struct live_window *window = activity->window;
    const struct run_bench *bench = &activity->run->benches[row->bench];
    const double hz = (double)activity->run->verdict.hz;
    const char *name = run_object_name(bench, OBJECT_NAME_DEVICE, row->id);
    const uint64_t failed = of_disk(window, row, WINDOW_FAILED);
    const uint64_t done = failed + of_disk(window, row, WINDOW_GOOD);
    const double kib = (double)of_disk(window, row, WINDOW_SECTORS) * SECTOR_BYTES / KIB;
    const double ns = (double)of_disk(window, row, WINDOW_DURATION) * NS_PER_SECOND / hz;
    char mean[DURATION_MAX];

    table_line(table, "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32, bench->name,
               name != NULL ? name : "without a name", window_row_sum(row), failed, row->now);
    table_known(table, row->awaited > 0, (int64_t)row->awaited - 1);
    table_format(table, "%.0f\t%.0f", kib, kib * hz / (double)activity->longest);
    table_text(table, done > 0 ? duration_text(ns / (double)done, mean) : NULL);
}

/* Makes the table of the disks with an event. */
static void read_disks(struct table *table, const struct activity *activity)
{
    const struct live_window *window = activity->window;

    table_open(table, "llrrrrrrr",
               "bench\tdisk\trequests\tfailed\topen\tawaited\tKiB\tKiB/s\tmean");
    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        if (row->kind == WINDOW_ISSUED &&
            window_row_sum(row) + of_disk(window, row, WINDOW_DURATION) > 0) {
            add_disk(table, activity, row);
        }
    }
}

/* ---- network ---- */

/* Prints the frames of the path that a bench counted last, if there is one. The trace has no events
 * of frames. */
static void put_network(FILE *out, const struct run *run)
{
    int64_t sent;
    int64_t received;

    for (size_t i = run->bench_count * NETWORK_PATHS; i-- > 0;) {
        const struct run_bench *bench = &run->benches[i / NETWORK_PATHS];
        const char *path = network_paths[i % NETWORK_PATHS];

        if (path_fact(bench, FACT_FRAMES_SENT, path, &sent) &&
            path_fact(bench, FACT_FRAMES_RECEIVED, path, &received)) {
            fprintf(out,
                    "network    not traced; %.20s, path %s, in all: %" PRId64
                    " frames sent, %" PRId64 " received\n",
                    bench->name, path, sent, received);
            return;
        }
    }
    fputs("network    not traced; a bench counts its frames at its end\n", out);
}

void live_activity_view(FILE *out, const struct live_state *state, unsigned seconds, size_t rows)
{
    const struct live_window *window = state->window;
    const double hz = (double)state->run->verdict.hz;
    struct activity activity = read_activity(state);
    const double traced_s = (double)activity.longest / hz;
    struct table disks;

    read_disks(&disks, &activity);
    fprintf(out, "last %u s, up to TSC second %.3f: %.3f s of them traced\n", seconds,
            (double)window->latest / hz, traced_s);
    fprintf(out, "busy %.2f %%   idle %.2f %%   unknown %.2f %%   %.0f switches per second\n",
            live_percent(of_processor(window, WINDOW_BUSY, WINDOW_ANY), activity.traced),
            live_percent(of_processor(window, WINDOW_IDLE, WINDOW_ANY), activity.traced),
            live_percent(of_processor(window, ACCOUNT_UNKNOWN, WINDOW_ANY), activity.traced),
            traced_s > 0 ? (double)of_processor(window, WINDOW_SWITCHES, WINDOW_ANY) / traced_s
                         : 0);
    const size_t taken = AROUND_ROWS + put_processors(out, window, rows) + disks.rows;

    fputc('\n', out);
    put_groups(out, &activity, rows > taken + 2 ? rows - taken : 2);
    fputc('\n', out);
    if (disks.rows > 1) {
        table_print(&disks, out, 0);
    } else {
        table_free(&disks);
        fputs("disk       no event of a request\n", out);
    }
    put_network(out, state->run);
    free(activity.lines);
}
