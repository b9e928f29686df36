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
#include "tools/base/texts.h"
#include "tools/show/live.h"
#include "tools/trace/trace_reader.h"

#define BENCH_WIDTH   10
#define NAME_WIDTH    20
#define BAR_WIDTH     16
#define LABEL_MAX     (BENCH_WIDTH + ACCOUNT_NAME_MAX)
#define HEAD_ROWS     4 /* besides a line for each processor */
#define CHARTS_MAX    4 /* processors with a chart on a small screen; more get a number only */
#define IN_A_LINE     5 /* of these numbers */
#define SMALL_ROWS    30
#define SECTOR_BYTES  512
#define KIB           1024
#define NS_PER_SECOND 1e9
#define NO_PROCESS    UINT32_MAX /* the group of what is no thread */

/* A process of a bench, or what is no thread: interrupts, deferred calls, dispatch, tracer. */
struct group {
    uint32_t bench, process;
    uint64_t ticks, requests;
    size_t threads; /* that ran in the window */
};

/* An account of a group. */
struct item {
    const struct window_row *row;
    uint64_t ticks, requests;
};

struct activity {
    const struct run *run;
    const struct live_window *window;
    uint64_t traced;      /* ticks of all processors */
    uint64_t seen;        /* ticks of the processor that was traced most */
    struct group *groups; /* those with most ticks first */
    size_t group_count, group_capacity;
    struct item *items; /* likewise */
    size_t item_count, item_capacity;
};

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* ---- processors ---- */

static uint64_t processor_ticks(const struct live_window *window, uint32_t cpu)
{
    return window_id_sum(window, WINDOW_BUSY, cpu) + window_id_sum(window, WINDOW_IDLE, cpu) +
           window_id_sum(window, WINDOW_UNKNOWN, cpu);
}

/* Lists the processors with traced time. Returns their number. */
static size_t list_processors(const struct live_window *window, uint32_t list[RUN_PROCESSORS_MAX])
{
    size_t count = 0;

    for (uint32_t cpu = 0; cpu < RUN_PROCESSORS_MAX; cpu++) {
        if (processor_ticks(window, cpu) > 0) {
            list[count++] = cpu;
        }
    }
    return count;
}

/* Prints how busy a processor was in each step; a blank if that is not known. */
static void put_chart(FILE *out, const struct live_window *window, uint32_t cpu)
{
    for (unsigned ago = WINDOW_STEPS; ago-- > 0;) {
        const uint64_t busy = window_step_sum(window, WINDOW_BUSY, cpu, ago);
        const uint64_t known = busy + window_step_sum(window, WINDOW_IDLE, cpu, ago);

        if (known > 0) {
            chart_cell(out, (double)busy / (double)known);
        } else {
            fputc(' ', out);
        }
    }
}

/* Prints the processors. Returns the number of lines. */
static size_t put_processors(FILE *out, const struct live_window *window, size_t rows)
{
    uint32_t list[RUN_PROCESSORS_MAX];
    const size_t count = list_processors(window, list);
    const bool charts = count <= CHARTS_MAX || rows > SMALL_ROWS;

    for (size_t i = 0; i < count; i++) {
        const uint64_t busy = window_id_sum(window, WINDOW_BUSY, list[i]);

        fprintf(out, "CPU %2" PRIu32 " %6.2f %%", list[i],
                percent(busy, processor_ticks(window, list[i])));
        if (charts) {
            fputs(" |", out);
            put_chart(out, window, list[i]);
        }
        fputs(charts || (i + 1) % IN_A_LINE == 0 || i + 1 == count ? "\n" : " ", out);
    }
    return charts ? count : (count + IN_A_LINE - 1) / IN_A_LINE;
}

/* ---- processes and threads ---- */

static bool is_idle(const struct window_row *row)
{
    return row->kind == ACCOUNT_THREAD && row->id == TRACE_IDLE_THREAD;
}

static struct group *group_of(struct activity *activity, const struct window_row *row)
{
    const bool is_thread = row->kind == ACCOUNT_THREAD || row->kind == ACCOUNT_FAULT;
    const uint32_t process = is_thread ? row->now : NO_PROCESS;

    for (size_t i = 0; i < activity->group_count; i++) {
        struct group *group = &activity->groups[i];

        if (group->bench == row->bench && group->process == process) {
            return group;
        }
    }
    activity->groups = alloc_append(activity->groups, &activity->group_count,
                                    &activity->group_capacity, sizeof(*activity->groups));
    struct group *group = &activity->groups[activity->group_count - 1];

    group->bench = row->bench;
    group->process = process;
    return group;
}

static void add_item(struct activity *activity, const struct window_row *row, uint64_t ticks)
{
    const struct window_row *requests =
        row->kind == ACCOUNT_THREAD
            ? window_find(activity->window, row->bench, WINDOW_REQUESTS, row->id)
            : NULL;
    struct group *group = group_of(activity, row);
    const struct item item = {row, ticks, requests != NULL ? window_row_sum(requests) : 0};

    activity->items = alloc_append(activity->items, &activity->item_count, &activity->item_capacity,
                                   sizeof(*activity->items));
    activity->items[activity->item_count - 1] = item;
    group->ticks += ticks;
    group->requests += item.requests;
    group->threads += row->kind == ACCOUNT_THREAD;
}

static int group_first(const void *left, const void *right)
{
    return SORT_ORDER(((const struct group *)right)->ticks, ((const struct group *)left)->ticks);
}

static int item_first(const void *left, const void *right)
{
    return SORT_ORDER(((const struct item *)right)->ticks, ((const struct item *)left)->ticks);
}

static struct activity read_activity(const struct live_state *state)
{
    const struct live_window *window = state->window;
    struct activity activity = {.run = state->run, .window = window};

    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];
        const uint64_t ticks = row->kind < ACCOUNT_KINDS ? window_row_sum(row) : 0;

        activity.traced += ticks;
        if (ticks > 0 && row->kind != ACCOUNT_UNKNOWN && !is_idle(row)) {
            add_item(&activity, row, ticks);
        }
    }
    for (uint32_t cpu = 0; cpu < RUN_PROCESSORS_MAX; cpu++) {
        const uint64_t ticks = processor_ticks(window, cpu);

        activity.seen = ticks > activity.seen ? ticks : activity.seen;
    }
    sort_stable(activity.groups, activity.group_count, sizeof(*activity.groups), group_first);
    sort_stable(activity.items, activity.item_count, sizeof(*activity.items), item_first);
    return activity;
}

/* Is the item in one of the first `groups` groups? */
static bool is_in(const struct activity *activity, const struct item *item, size_t groups)
{
    struct activity all = *activity;

    return (size_t)(group_of(&all, item->row) - activity->groups) < groups;
}

static size_t count_items(const struct activity *activity, size_t groups)
{
    size_t count = 0;

    for (size_t i = 0; i < activity->item_count; i++) {
        count += is_in(activity, &activity->items[i], groups);
    }
    return count;
}

/* Prints the share of the time, the requests to disks, and a bar. */
static void put_share(FILE *out, const struct activity *activity, uint64_t ticks, uint64_t requests)
{
    fprintf(out, "%7.2f %%", percent(ticks, activity->traced));
    if (requests > 0) {
        fprintf(out, "%9" PRIu64 "  ", requests);
    } else {
        fprintf(out, "%11s", "");
    }
    chart_bar(out, activity->traced > 0 ? (double)ticks / (double)activity->traced : 0,
              BAR_WIDTH + terminal_width() - TERMINAL_WIDTH);
    fputc('\n', out);
}

static void put_group(FILE *out, const struct activity *activity, const struct group *group)
{
    const struct run_bench *bench = &activity->run->benches[group->bench];
    const char *name = run_object_name(bench, OBJECT_NAME_PROCESS, group->process);
    const char *many = group->threads == 1 ? "" : "s";
    char label[LABEL_MAX];

    live_put_clean(out, bench->name, BENCH_WIDTH);
    if (group->process == NO_PROCESS) {
        snprintf(label, sizeof(label), " kernel       interrupts and so on");
    } else if (group->process == 0) {
        snprintf(label, sizeof(label), " kernel       %zu thread%s", group->threads, many);
    } else {
        snprintf(label, sizeof(label), " process %3" PRIu32 "  %.30s, %zu thread%s", group->process,
                 name != NULL ? name : "without a name", group->threads, many);
    }
    live_put_clean(out, label, NAME_WIDTH + 14);
    put_share(out, activity, group->ticks, group->requests);
}

static void put_item(FILE *out, const struct activity *activity, const struct item *item)
{
    static const char *const kinds[ACCOUNT_KINDS] = {
        [ACCOUNT_THREAD] = "thread", [ACCOUNT_FAULT] = "fault of", [ACCOUNT_VECTOR] = "vector",
        [ACCOUNT_DPC] = "DPC",       [ACCOUNT_DISPATCH] = "",      [ACCOUNT_TRACER] = "",
    };
    const struct window_row *row = item->row;
    const struct run_bench *bench = &activity->run->benches[row->bench];
    char name[ACCOUNT_NAME_MAX];

    fprintf(out, "%*s%-8s ", BENCH_WIDTH + 2, "", kinds[row->kind]);
    if (kinds[row->kind][0] != '\0') {
        fprintf(out, "%3" PRIu32 "  ", row->id);
    } else {
        fprintf(out, "%5s", "");
    }
    live_put_clean(out, account_name(bench, (enum account_kind)row->kind, row->id, name),
                   NAME_WIDTH - 2);
    put_share(out, activity, item->ticks, item->requests);
}

/* Chooses how many groups to show in so many lines, so that half of the lines are for items. One
 * line is kept for the other groups if there are any. */
static size_t choose_groups(const struct activity *activity, size_t rows)
{
    size_t groups = activity->group_count < rows / 2 ? activity->group_count : rows / 2;

    while (groups < activity->group_count &&
           groups + 1 + count_items(activity, groups + 1) + (groups + 1 < activity->group_count) <=
               rows) {
        groups++;
    }
    return groups;
}

static void put_groups(FILE *out, const struct activity *activity, size_t rows)
{
    const size_t groups = choose_groups(activity, rows);
    const bool has_rest = groups < activity->group_count;
    size_t left = rows - groups - has_rest; /* lines for items */
    bool *shown = alloc_zeroed(activity->item_count * sizeof(*shown) + 1);
    uint64_t rest = 0;
    uint64_t rest_requests = 0;

    fprintf(out, "%-*s %-*s    share  requests\n", BENCH_WIDTH, "bench", NAME_WIDTH + 13,
            "process, its threads");
    for (size_t i = 0; i < activity->item_count && left > 0; i++) {
        shown[i] = is_in(activity, &activity->items[i], groups);
        left -= shown[i];
    }
    for (size_t i = 0; i < activity->group_count; i++) {
        const struct group *group = &activity->groups[i];

        if (i >= groups) {
            rest += group->ticks;
            rest_requests += group->requests;
            continue;
        }
        put_group(out, activity, group);
        for (size_t k = 0; k < activity->item_count; k++) {
            struct activity all = *activity;

            if (shown[k] && group_of(&all, activity->items[k].row) == group) {
                put_item(out, activity, &activity->items[k]);
            }
        }
    }
    if (has_rest) {
        fprintf(out, "%-*s %-*s", BENCH_WIDTH, "and", NAME_WIDTH + 13, "others");
        put_share(out, activity, rest, rest_requests);
    }
    free(shown);
}

/* ---- disks ---- */

static uint64_t sum_of(const struct live_window *window, const struct window_row *of, uint32_t kind)
{
    const struct window_row *row = window_find(window, of->bench, kind, of->id);

    return row != NULL ? window_row_sum(row) : 0;
}

static void add_disk(struct table *table, const struct activity *activity,
                     const struct window_row *row)
{
    const struct live_window *window = activity->window;
    const struct run_bench *bench = &activity->run->benches[row->bench];
    const double hz = (double)activity->run->verdict.hz;
    const bool has_blocks = row->kind == WINDOW_ISSUED;
    const uint32_t device = has_blocks ? row->id : row->id / IO_KINDS;
    const struct window_row *awaited =
        window_find(window, row->bench, WINDOW_RAISED, device * IO_KINDS + IO_SYNCHRONOUS);
    const char *name = run_object_name(bench, OBJECT_NAME_DEVICE, device);

    table_row(table);
    table_text(table, bench->name);
    table_text(table, name != NULL ? name : "without a name");
    table_format(table, "%" PRIu64, window_row_sum(row));
    if (has_blocks) {
        const uint64_t failed = sum_of(window, row, WINDOW_FAILED);
        const uint64_t done = failed + sum_of(window, row, WINDOW_GOOD);
        const double kib = (double)sum_of(window, row, WINDOW_SECTORS) * SECTOR_BYTES / KIB;
        const double ns = (double)sum_of(window, row, WINDOW_DURATION) / hz * NS_PER_SECOND;
        char mean[DURATION_MAX];

        table_format(table, "%" PRIu64 "\t%" PRIu32, failed, row->now);
        table_known(table, awaited != NULL, awaited != NULL ? awaited->now : 0);
        table_format(table, "%.0f\t%.0f", kib, kib * hz / (double)activity->seen);
        table_text(table, done > 0 ? duration_text(ns / (double)done, mean) : NULL);
    }
}

/* Is this the row of a disk that did something? A device that only states how many requests it has
 * counts if a thread waited for one. */
static bool is_active_disk(const struct live_window *window, const struct window_row *row)
{
    if (row->kind == WINDOW_ISSUED) {
        return row->now > 0 || window_row_sum(row) + sum_of(window, row, WINDOW_GOOD) +
                                       sum_of(window, row, WINDOW_FAILED) >
                                   0;
    }
    return row->kind == WINDOW_RAISED && window_row_sum(row) > 0 &&
           window_find(window, row->bench, WINDOW_ISSUED, row->id / IO_KINDS) == NULL;
}

static size_t count_disks(const struct live_window *window)
{
    size_t count = 0;

    for (size_t i = 0; i < window->row_count; i++) {
        count += is_active_disk(window, &window->rows[i]);
    }
    return count;
}

static void put_disks(FILE *out, const struct activity *activity, size_t shown)
{
    const struct live_window *window = activity->window;
    const size_t count = count_disks(window);
    struct table table;

    if (count == 0) {
        fputs("disk       no event of a request\n", out);
        return;
    }
    table_open(&table, "llrrrrrrr",
               "bench\tdisk\trequests\tfailed\topen\tawaited\tKiB\tKiB/s\tmean");
    for (size_t i = 0, done = 0; i < window->row_count && done < shown; i++) {
        if (is_active_disk(window, &window->rows[i])) {
            add_disk(&table, activity, &window->rows[i]);
            done++;
        }
    }
    table_print(&table, out, 0);
    if (shown < count) {
        fprintf(out, "and %zu more disks\n", count - shown);
    }
}

/* ---- network ---- */

/* Prints the frames of the path that a bench counted last, if there is one. The trace has no events
 * of frames. */
static void put_network(FILE *out, const struct run *run)
{
    int64_t sent, received;

    for (size_t i = run->bench_count; i > 0; i--) {
        for (size_t k = NETWORK_PATHS; k > 0; k--) {
            const struct run_bench *bench = &run->benches[i - 1];
            const char *path = network_paths[k - 1];

            if (path_fact(bench, FACT_FRAMES_SENT, path, &sent) &&
                path_fact(bench, FACT_FRAMES_RECEIVED, path, &received)) {
                fprintf(out,
                        "network    %.20s, path %s: %" PRId64 " frames sent, %" PRId64
                        " received, in the whole bench\n",
                        bench->name, path, sent, received);
                return;
            }
        }
    }
    fputs("network    no event of frames is traced; a bench counts them at its end\n", out);
}

void live_activity_view(FILE *out, const struct live_state *state, unsigned seconds, size_t rows)
{
    const struct live_window *window = state->window;
    const double hz = (double)state->run->verdict.hz;
    struct activity activity = read_activity(state);
    const uint64_t idle = window_kind_sum(window, WINDOW_IDLE);
    const uint64_t unknown = window_kind_sum(window, WINDOW_UNKNOWN);
    const double traced_s = (double)activity.seen / hz;
    const size_t count = count_disks(window);
    const size_t disks = rows > SMALL_ROWS || count <= 3 ? count : 2;

    fprintf(out, "last %u s, up to TSC second %.3f: %.3f s of them traced\n", seconds,
            (double)window->latest / hz, traced_s);
    fprintf(out, "busy %.2f %%   idle %.2f %%   unknown %.2f %%   ",
            percent(window_kind_sum(window, WINDOW_BUSY), activity.traced),
            percent(idle, activity.traced), percent(unknown, activity.traced));
    fprintf(out, "%.0f switches per second\n",
            traced_s > 0 ? (double)window_kind_sum(window, WINDOW_SWITCHES) / traced_s : 0);
    const size_t taken =
        HEAD_ROWS + put_processors(out, window, rows) + 3 + disks + (disks < count);

    fputc('\n', out);
    put_groups(out, &activity, rows > taken + 2 ? rows - taken : 2);
    fputc('\n', out);
    put_disks(out, &activity, disks);
    put_network(out, state->run);
    free(activity.groups);
    free(activity.items);
}
