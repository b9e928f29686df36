/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of each traced bench: which thread ran when, where all ticks went, and how long things
 * took. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/trace/shared_walk.h"
#include "tools/trace/trace_timeline.h"
#include "tools/trace/view_trace.h"

#define SECTION       "Threads and interrupts"
#define TEXT_MAX      160
#define LANE_NAME_MAX ACCOUNT_LABEL_MAX
#define THREADS_MAX   12 /* threads with a lane, and rows of delays */
#define SAMPLED_MAX   8  /* groups of bars */
#define SAMPLES_MIN   10 /* clock ticks; fewer are no useful sample */
#define TIMELINE_STEPS                                                                             \
    20000                     /* of the whole time: of more records what is shorter joins its like \
                               */
#define COLOURS          7    /* of threads and "idle" */
#define IDLE_COLOUR      3    /* the lightest grey of a picture */
#define NAMED_SPANS      5000 /* in a figure with more, "other threads" have no names */
#define INTERVALS_WANTED 1000
#define PARTS            6 /* of where the time went */

/* Ticks of all traced benches together. */
struct whereabouts {
    uint64_t part[PARTS];
    size_t benches;
};

struct drawing {
    struct figures *figures;
    const struct run *run;
    const struct run_bench *bench;
    const struct accounting *accounting;
    const struct disk_requests *requests;
    struct view view;
    struct figure_scale scale; /* of times since the start */
};

static const char *title_of(const struct drawing *drawing, const char *what, char title[TEXT_MAX])
{
    snprintf(title, TEXT_MAX, "%.40s: %s", drawing->bench->name, what);
    return title;
}

static struct figure *add_figure(const struct drawing *drawing, enum figure_kind kind,
                                 const char *what, const char *id)
{
    char title[TEXT_MAX];

    return figure_add(drawing->figures, kind, SECTION, title_of(drawing, what, title), "%s-%s",
                      drawing->bench->name, id);
}

/* Adds a table as a figure and frees it. */
static struct figure *add_table(const struct drawing *drawing, struct table *table,
                                const char *what, const char *id)
{
    char title[TEXT_MAX];

    return figure_add_table(drawing->figures, SECTION, title_of(drawing, what, title), table,
                            "%s-%s", drawing->bench->name, id);
}

/* ---- time line ---- */

/* Orders lanes: threads, disks, interrupts, deferred calls. */
static int lane_rank(const struct timeline_lane *lane)
{
    if (lane->is_disk) {
        return 1;
    }
    return lane->kind == ACCOUNT_THREAD ? 0 : 2 + (int)lane->kind;
}

static int by_lane_order(const void *left, const void *right)
{
    const struct timeline_lane *a = *(const struct timeline_lane *const *)left;
    const struct timeline_lane *b = *(const struct timeline_lane *const *)right;

    if (lane_rank(a) != lane_rank(b)) {
        return SORT_ORDER(lane_rank(a), lane_rank(b));
    }
    return a->id != b->id ? SORT_ORDER(a->id, b->id) : SORT_ORDER(a->slot, b->slot);
}

static int by_activity(const void *left, const void *right)
{
    const struct timeline_lane *a = *(const struct timeline_lane *const *)left;
    const struct timeline_lane *b = *(const struct timeline_lane *const *)right;

    return a->active != b->active ? SORT_ORDER(b->active, a->active) : SORT_ORDER(a->id, b->id);
}

/* Writes the name of a disk: "disk model". */
static void name_disk(const struct drawing *drawing, uint32_t index, char name[LANE_NAME_MAX])
{
    char own[ACCOUNT_NAME_MAX];

    disk_name(drawing->bench, &drawing->requests->disks[index], own);
    snprintf(name, LANE_NAME_MAX, "%s%s", strncmp(own, "disk", 4) == 0 ? "" : "disk ", own);
}

/* Writes the name of a lane: "bench", "interrupt lapic_timer", "disk model", or "disk model, 2nd"
 * for a further request outstanding at the same time. */
static void name_lane(const struct drawing *drawing, const struct timeline_lane *lane,
                      char name[LANE_NAME_MAX])
{
    static const char *const more[TIMELINE_DISK_LANES] = {
        "", ", 2nd", ", 3rd", ", 4th", ", 5th", ", 6th", ", 7th", ", 8th",
    };
    char own[LANE_NAME_MAX];

    if (lane->is_disk) {
        name_disk(drawing, lane->id, own);
        snprintf(name, LANE_NAME_MAX, "%.60s%s", own, more[lane->slot]);
    } else if (lane->kind == ACCOUNT_THREAD) {
        account_name(drawing->bench, lane->kind, lane->id, name);
    } else {
        account_label(drawing->bench, lane->kind, lane->id, name);
    }
}

/* Chooses the lanes to show: the most active threads, all handlers and all disks. Returns the
 * number of active threads that are left out. */
static size_t choose_lanes(struct figure *figure, const struct drawing *drawing,
                           struct trace_timeline *timeline)
{
    struct timeline_lane **lanes =
        alloc_zeroed((timeline->lane_count + 1) * sizeof(struct timeline_lane *));
    size_t count = 0;
    size_t threads = 0;
    size_t left_out = 0;
    char name[LANE_NAME_MAX];

    for (size_t i = 0; i < timeline->lane_count; i++) {
        timeline->lanes[i].shown = SIZE_MAX;
        if (timeline->lanes[i].active > 0 && !timeline->lanes[i].is_processor) {
            lanes[count++] = &timeline->lanes[i];
        }
    }
    sort_stable(lanes, count, sizeof(struct timeline_lane *), by_activity);
    const size_t active = count;

    count = 0;
    for (size_t i = 0; i < active; i++) {
        const bool is_thread = lane_rank(lanes[i]) == 0;

        threads += is_thread;
        left_out += is_thread && threads > THREADS_MAX;
        if (!is_thread || threads <= THREADS_MAX) {
            lanes[count++] = lanes[i];
        }
    }
    sort_stable(lanes, count, sizeof(struct timeline_lane *), by_lane_order);
    for (size_t i = 0; i < count; i++) {
        name_lane(drawing, lanes[i], name);
        lanes[i]->shown = figure_add_lane(figure, name);
    }
    free(lanes);
    return left_out;
}

/* Adds the states that occur to the legend, always in the same order. */
static void add_states(struct figure *figure, const struct trace_timeline *timeline)
{
    bool occurs[TIMELINE_STATES] = {false};

    for (size_t i = 0; i < timeline->span_count; i++) {
        if (!timeline->lanes[timeline->spans[i].lane].is_processor) {
            occurs[timeline->spans[i].state] = true;
        }
    }
    for (size_t i = 0; i < TIMELINE_STATES; i++) {
        if (occurs[i]) {
            figure_add_state(figure, timeline_state_text((enum timeline_state)i));
        }
    }
}

/* Describes the lanes of disks; writes nothing if there are none. */
static void describe_disks(const struct drawing *drawing, const struct trace_timeline *timeline,
                           char *text, size_t size)
{
    uint64_t endless = 0;
    char crowded[64] = "";
    char open[96] = "";

    for (size_t i = 0; i < drawing->requests->disk_count; i++) {
        endless += drawing->requests->disks[i].outstanding + drawing->requests->disks[i].lost;
    }
    if (timeline->crowded_out > 0) {
        snprintf(crowded, sizeof(crowded), "; %" PRIu64 " more had no free lane",
                 timeline->crowded_out);
    }
    if (endless > 0) {
        snprintf(open, sizeof(open),
                 "; %" PRIu64 " without a completion are drawn up to the last known event",
                 endless);
    }
    if (drawing->requests->request_count > 0) {
        snprintf(text, size,
                 "; requests of a disk from issue to completion, each in the first free lane, "
                 "successive ones in two shades%s%s",
                 crowded, open);
    }
}

static void add_timeline(const struct drawing *drawing, struct trace_timeline *timeline)
{
    char joined[128] = "";
    char length[AMOUNT_MAX];
    char more[64] = "";
    char disks[320] = "";
    struct figure *figure = add_figure(drawing, FIGURE_TIMELINE, "threads over time", "threads");
    const size_t left_out = choose_lanes(figure, drawing, timeline);

    figure_axes(figure, figure_time_label(drawing->run), drawing->scale.unit, NULL, NULL);
    add_states(figure, timeline);
    for (size_t i = 0; i < timeline->span_count; i++) {
        const struct timeline_span *span = &timeline->spans[i];
        const size_t lane = timeline->lanes[span->lane].shown;

        if (lane != SIZE_MAX) {
            figure_add_span(figure, (uint32_t)lane,
                            figure_add_state(figure, timeline_state_text(span->state)),
                            (double)span->begin * drawing->scale.per_tick,
                            (double)span->end * drawing->scale.per_tick);
        }
    }
    if (left_out > 0) {
        snprintf(more, sizeof(more), "; %zu less active threads are omitted", left_out);
    }
    if (timeline->least > 0) {
        snprintf(joined, sizeof(joined),
                 "; spans shorter than %s are joined with neighbours of the same state",
                 amount_text(&drawing->view, (int64_t)timeline->least, UNIT_TICK, length));
    }
    describe_disks(drawing, timeline, disks, sizeof(disks));
    figure_how(
        figure,
        "By %" PRIu64 " events of the trace: a thread's states from switch to switch, including "
        "interrupts in between; handlers from entry to exit%s%s%s%s%s",
        drawing->accounting->events,
        drawing->accounting->part > 1 ? "; parts of the trace follow each other without a gap" : "",
        drawing->accounting->unknown > 0 ? "; where nothing is drawn, events were lost" : "", disks,
        joined, more);
}

/* ---- processors ---- */

/* Adds the legend: the threads that ran longest, and "idle". Returns the state of each thread, plus
 * 1; 0: none of these. The caller frees it. */
static uint32_t *choose_states(struct figure *figure, const struct drawing *drawing,
                               const struct trace_timeline *timeline)
{
    uint32_t *states = alloc_zeroed(ACCOUNT_NO_THREAD * sizeof(*states));
    uint64_t *ran = alloc_zeroed(ACCOUNT_NO_THREAD * sizeof(*ran));
    char name[ACCOUNT_NAME_MAX];

    for (size_t i = 0; i < timeline->lane_count; i++) {
        const struct timeline_lane *lane = &timeline->lanes[i];

        ran[lane->id] += lane->is_processor && lane->id != TRACE_IDLE_THREAD ? lane->active : 0;
    }
    for (size_t i = 0; i < COLOURS; i++) {
        uint32_t most = TRACE_IDLE_THREAD;

        for (uint32_t id = 0; id < ACCOUNT_NO_THREAD && i != IDLE_COLOUR; id++) {
            most = ran[id] > ran[most] ? id : most;
        }
        ran[most] = 0;
        states[most] = 1 + figure_add_state(figure, most == TRACE_IDLE_THREAD
                                                        ? timeline_state_text(TIMELINE_IDLE)
                                                        : account_name(drawing->bench,
                                                                       ACCOUNT_THREAD, most, name));
    }
    free(ran);
    return states;
}

static void add_processors(const struct drawing *drawing, const struct trace_timeline *timeline)
{
    struct figure *figure =
        add_figure(drawing, FIGURE_TIMELINE, "CPUs over time, by thread", "processors");
    uint32_t *states = choose_states(figure, drawing, timeline);
    char name[ACCOUNT_NAME_MAX];

    figure_axes(figure, figure_time_label(drawing->run), drawing->scale.unit, NULL, NULL);
    for (size_t i = 0; i < drawing->accounting->cpu_count; i++) {
        figure_add_lane(figure, processor_text(drawing->accounting->cpus[i].cpu, name));
    }
    for (size_t i = 0; i < timeline->span_count; i++) {
        const struct timeline_span *span = &timeline->spans[i];
        const struct timeline_lane *lane = &timeline->lanes[span->lane];

        if (lane->is_processor) {
            const uint32_t state = states[lane->id];

            figure_add_span(figure, lane->slot,
                            state > 0 ? state - 1 : figure_add_state(figure, "other threads"),
                            (double)span->begin * drawing->scale.per_tick,
                            (double)span->end * drawing->scale.per_tick);
            if (state == 0 && timeline->span_count <= NAMED_SPANS) {
                figure_name_span(figure,
                                 account_name(drawing->bench, ACCOUNT_THREAD, lane->id, name));
            }
        }
    }
    free(states);
    figure_how(figure, "Which thread each CPU ran, from switch to switch, including interrupts in "
                       "between. The threads that ran longest have colours of their own");
}

static void add_busy(const struct drawing *drawing, const struct trace_timeline *timeline)
{
    const struct accounting *accounting = drawing->accounting;
    struct figure *figure =
        add_figure(drawing, FIGURE_HEAT, "share of time in which each CPU was busy", "busy");
    char text[TEXT_MAX];

    snprintf(text, sizeof(text), "%s [%s]", figure_time_label(drawing->run), drawing->scale.unit);
    figure_axes(figure, text, NULL, NULL, NULL);
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        figure_add_row(figure, processor_text(accounting->cpus[i].cpu, text));
    }
    for (size_t i = 0; i < TIMELINE_INTERVALS; i++) {
        snprintf(text, sizeof(text), "%.3g",
                 (double)(i * timeline->interval) * drawing->scale.per_tick);
        figure_add_column(figure, text);
    }
    for (size_t i = 0; i < accounting->cpu_count * TIMELINE_INTERVALS; i++) {
        const struct timeline_interval *of = timeline->processors[i / TIMELINE_INTERVALS];
        const size_t at = i % TIMELINE_INTERVALS;

        if (of != NULL && of[at].known > 0) {
            figure_set_value(figure, i / TIMELINE_INTERVALS, at,
                             100 - 100 * (double)of[at].idle / (double)of[at].known);
        }
    }
    figure_how(figure,
               "Share, in %%, of each of %d intervals in which the CPU ran a thread other than its "
               "idle thread, by the trace. Interrupts count as what they interrupt",
               TIMELINE_INTERVALS);
}

static void add_ready(const struct drawing *drawing, const struct trace_timeline *timeline)
{
    struct figure *figure =
        add_figure(drawing, FIGURE_STEPS, "threads that were ready, but did not run", "ready");
    struct figure_series *series = figure_add_series(figure, "ready threads");

    figure_axes(figure, figure_time_label(drawing->run), drawing->scale.unit, "threads", NULL);
    for (size_t i = 0; i < TIMELINE_INTERVALS; i++) {
        figure_add_point(series, (double)(i * timeline->interval) * drawing->scale.per_tick,
                         (double)timeline->ready[i] / (double)timeline->interval);
    }
    figure_how(figure,
               "Mean number of ready threads of all CPUs in each of %d intervals, by the trace. "
               "Where events were lost, they are not counted",
               TIMELINE_INTERVALS);
}

/* ---- accounts ---- */

static void add_account(const struct drawing *drawing, struct table *table, const char *name,
                        uint64_t ticks)
{
    const uint64_t elapsed = drawing->accounting->total;
    char text[AMOUNT_MAX];

    table_line(table, "%s\t%" PRIu64 "\t%s", name, ticks,
               span_text(&drawing->view, (double)ticks, text));
    table_share(table, (double)ticks / (double)elapsed);
}

static void add_accounts(const struct drawing *drawing)
{
    const struct accounting *accounting = drawing->accounting;
    struct account_rows rows;
    struct table table;

    table_open(&table, "lrrr", "account\tticks\t%s\tshare",
               drawing->view.ticks_per_instruction > 0 ? "instructions" : "time");
    account_rows_of(accounting, &rows);
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.row[i].ticks > 0) {
            add_account(drawing, &table, rows.row[i].label, rows.row[i].ticks);
        }
    }
    free(rows.row);
    add_account(drawing, &table, "elapsed", accounting->total);
    figure_how(add_table(drawing, &table, "where every tick went", "accounts"),
               "Event-driven accounting of %zu part%s of a trace, %" PRIu64
               " records: each tick belongs to one account. The elapsed time minus the sum of all "
               "accounts is %" PRId64
               " ticks. Interrupts are net: without nested interrupts and the tracer's time",
               (size_t)accounting->part, accounting->part == 1 ? "" : "s", accounting->events,
               (int64_t)(accounting->total - accounting_sum(accounting)));
}

/* ---- sampling ---- */

static void add_sampling(const struct drawing *drawing)
{
    const struct accounting *accounting = drawing->accounting;
    size_t count;
    struct account_sampled *sampled = account_sampling_of(accounting, &count);
    const size_t shown = count < SAMPLED_MAX ? count : SAMPLED_MAX;
    char name[ACCOUNT_NAME_MAX];

    if (sampled == NULL || accounting->clock_ticks < SAMPLES_MIN) {
        free(sampled);
        return;
    }
    struct figure *figure =
        add_figure(drawing, FIGURE_BARS, "sampled versus exact CPU time", "sampling");

    figure_axes(figure, NULL, NULL, "share of the processor", "%");
    for (size_t i = 0; i < shown; i++) {
        figure_add_group(figure,
                         account_name(drawing->bench, ACCOUNT_THREAD, sampled[i].thread->id, name));
    }
    struct figure_series *series = figure_add_series(figure, "charged by clock ticks (sampling)");

    for (size_t i = 0; i < shown; i++) {
        figure_add_point(series, (double)i, 100 * sampled[i].by_samples);
    }
    series = figure_add_series(figure, "charged by the events of the trace");
    for (size_t i = 0; i < shown; i++) {
        figure_add_point(series, (double)i, 100 * sampled[i].by_events);
    }
    figure_how(
        figure,
        "Each of %" PRIu64 " clock ticks is charged to the thread that it interrupts (classic "
        "sampling). By the events of the trace, each thread is charged exactly "
        "the time that it ran, without interrupts and the tracer. Largest "
        "errors first%s",
        accounting->clock_ticks, shown < count ? "; threads with smaller errors are left out" : "");
    free(sampled);
}

/* ---- how long things took ---- */

static void add_spread(const struct drawing *drawing, struct table *table, const char *whose,
                       const char *what, const struct account_spread *spread)
{
    const struct view *view = &drawing->view;
    char text[AMOUNT_MAX];

    if (spread->n == 0) {
        return;
    }
    table_line(table, "%s\t%s\t%" PRIu64, whose, what, spread->n);
    table_text(table, span_text(view, (double)spread->min, text));
    table_text(table, span_text(view, (double)spread->total / (double)spread->n, text));
    table_text(table, span_text(view, (double)spread->max, text));
    table_text(table, span_text(view, (double)spread->total, text));
}

static void add_handlers(const struct drawing *drawing, struct table *table)
{
    const struct account_handler *handler;
    char name[ACCOUNT_LABEL_MAX];

    for (size_t at = 0; (handler = account_next_handler(drawing->accounting, &at)) != NULL;) {
        account_label(drawing->bench, handler->kind, handler->id, name);
        add_spread(drawing, table, name, "run time", &handler->net);
        add_spread(drawing, table, name, "queued", &handler->queued);
    }
}

static void add_waits(const struct drawing *drawing, struct table *table)
{
    const struct accounting *accounting = drawing->accounting;
    char name[ACCOUNT_LABEL_MAX];
    size_t shown = 0;

    for (size_t i = 0; i < accounting->thread_count && shown < THREADS_MAX; i++) {
        const struct account_thread *thread = accounting->threads[i];

        if (thread->wake.n > 0) {
            account_label(drawing->bench, ACCOUNT_THREAD, thread->id, name);
            add_spread(drawing, table, name, "from ready to running", &thread->wake);
            shown++;
        }
    }
    shown = 0;
    for (size_t i = 0; i < accounting->lock_count && shown < THREADS_MAX; i++) {
        const struct account_lock *lock = accounting->locks[i];
        char own[ACCOUNT_NAME_MAX];

        if (lock->wait.n > 0) {
            const char *lock_name =
                account_object_name(drawing->bench, OBJECT_NAME_LOCK, lock->id, own);

            snprintf(name, sizeof(name), "lock %.60s", lock_name != NULL ? lock_name : "");
            add_spread(drawing, table, name, "waited for", &lock->wait);
            shown++;
        }
    }
}

static void add_disks(const struct drawing *drawing, struct table *table)
{
    char name[LANE_NAME_MAX];

    for (size_t i = 0; i < drawing->requests->disk_count; i++) {
        name_disk(drawing, (uint32_t)i, name);
        add_spread(drawing, table, name, "from issue to completion",
                   &drawing->requests->disks[i].time);
    }
}

static void add_durations(const struct drawing *drawing)
{
    const char *note = span_note(&drawing->view);
    struct table table;

    table_open(&table, "llrrrrr", "object\tinterval\tn\tmin%s\tmean%s\tmax%s\ttotal%s", note, note,
               note, note);
    add_waits(drawing, &table);
    add_handlers(drawing, &table);
    add_disks(drawing, &table);
    add_spread(drawing, &table, "timers", "past their deadline", &drawing->accounting->timer_late);
    figure_how(add_table(drawing, &table,
                         "delays of wake-ups, interrupts, deferred calls and disks", "delays"),
               "By the trace, for events that are completely in it. Run time includes entry and "
               "exit of the interrupt, but not nested interrupts and the tracer");
}

/* ---- availability ---- */

/* Returns the interval: the shortest of 1, 2, 5, 10, ... units that gives at most INTERVALS_WANTED
 * intervals. */
static uint64_t interval_of(const struct view *view, uint64_t elapsed)
{
    static const double steps[] = {1, 2, 5};
    const double unit = view->ns_per_tick > 0 ? 1e4 / view->ns_per_tick : 1;
    double length = unit;

    for (size_t i = 1; (double)elapsed / length > INTERVALS_WANTED; i++) {
        const size_t decade = i / 3;

        length = unit * steps[i % 3] * pow(10, (double)decade);
    }
    return length >= 1 ? (uint64_t)llround(length) : 1;
}

static void add_availability(const struct drawing *drawing, const struct availability *availability)
{
    char text[AMOUNT_MAX];
    struct figure *figure =
        add_figure(drawing, FIGURE_STEPS, "share of time in which the processor was busy", "busy");
    struct figure_series *series = figure_add_series(figure, "busy");
    uint64_t begin = 0;

    figure_axes(figure, figure_time_label(drawing->run), drawing->scale.unit, "busy", "%");
    for (size_t i = 0; i < availability->count; i++) {
        figure_add_point(series, (double)begin * drawing->scale.per_tick,
                         100 * availability_busy(&availability->intervals[i]));
        begin += availability->intervals[i].ticks;
    }
    figure_how(figure,
               "Share of each interval of %s in which the processor was not idle, by the trace; "
               "the tracer's own time counts as busy",
               amount_text(&drawing->view, (int64_t)availability->length, UNIT_TICK, text));
}

/* ---- time of all benches ---- */

static const char *const part_names[PARTS] = {
    "threads", "page faults", "interrupts and dispatch", "tracer", "unknown", "idle",
};

static void add_whereabouts(struct whereabouts *where, const struct accounting *accounting)
{
    uint64_t part[PARTS] = {0, 0, accounting->dispatch, accounting->tracer, accounting->unknown};
    const struct account_handler *handler;

    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];

        part[thread->id == TRACE_IDLE_THREAD ? PARTS - 1 : 0] += thread->running;
        part[1] += thread->fault;
    }
    for (size_t at = 0; (handler = account_next_handler(accounting, &at)) != NULL;) {
        part[2] += handler->ticks;
    }
    for (size_t i = 0; i < PARTS; i++) {
        where->part[i] += part[i];
    }
    where->benches++;
}

static void draw_whereabouts(struct figures *figures, const struct run *run,
                             const struct whereabouts *where)
{
    struct view view;
    char text[AMOUNT_MAX];
    char name[TEXT_MAX];
    uint64_t all = 0;
    double begin = 0;

    for (size_t i = 0; i < PARTS; i++) {
        all += where->part[i];
    }
    if (all == 0) {
        return;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_TIMELINE, FIGURE_SECTION_KEY, "Where the time went", "key-time");

    view_init(&view, NULL, run);
    snprintf(name, sizeof(name), "%zu bench%s", where->benches, where->benches == 1 ? "" : "es");
    const uint32_t lane = figure_add_lane(figure, name);

    figure_axes(figure, "share", "%", NULL, NULL);
    figure_how(figure, "All ticks of the traced benches, %s",
               amount_text(&view, (int64_t)all, UNIT_TICK, text));
    for (size_t i = 0; i < PARTS; i++) {
        const double share = 100 * (double)where->part[i] / (double)all;

        if (where->part[i] > 0) {
            snprintf(name, sizeof(name), "%s %.3g %%", part_names[i], share);
            figure_add_span(figure, lane, figure_add_state(figure, name), begin, begin + share);
            begin += share;
        }
    }
}

/* ---- all figures ---- */

/* A processor that was never idle, or always, needs no figure: the accounts show it. */
static bool availability_varies(const struct availability *availability)
{
    double least = INFINITY;
    double most = -INFINITY;

    for (size_t i = 0; i < availability->count; i++) {
        const double busy = availability_busy(&availability->intervals[i]);

        least = busy < least ? busy : least; /* false for NaN, which stands for unknown */
        most = busy > most ? busy : most;
    }
    return least < most;
}

static uint64_t elapsed_of(const struct run_bench *bench)
{
    uint64_t elapsed = 0;

    for (size_t i = 0, end; i < bench->trace_count; i = end) {
        end = i + run_part_processors(bench, i);
        const struct run_trace part = run_part_bounds(&bench->traces[i], end - i);

        elapsed += part.end > part.begin ? part.end - part.begin : 0;
    }
    return elapsed;
}

static void add_all(struct drawing *drawing, struct trace_timeline *timeline,
                    const struct availability *availability)
{
    if (drawing->accounting->cpu_count > 1) {
        add_processors(drawing, timeline);
        add_busy(drawing, timeline);
        add_ready(drawing, timeline);
    }
    add_timeline(drawing, timeline);
    add_accounts(drawing);
    add_sampling(drawing);
    add_durations(drawing);
    /* If the idle loop ran, figures_idle.c draws the same from its samples. */
    if (run_find_series(drawing->bench, SERIES_IDLE) == NULL &&
        drawing->accounting->cpu_count == 1 && availability_varies(availability)) {
        add_availability(drawing, availability);
    }
}

struct threads_read {
    struct trace_timeline timeline;
    struct availability availability;
};

static size_t seat(void *state, const struct run_bench *bench, const struct walk_wish *wish,
                   struct account_observer *observers)
{
    struct threads_read *read = state;
    const uint64_t elapsed = elapsed_of(bench);
    struct view view;

    view_init(&view, NULL, wish->run);
    timeline_init(&read->timeline,
                  run_trace_records(bench) > TIMELINE_STEPS ? elapsed / TIMELINE_STEPS : 0);
    read->timeline.interval = elapsed / TIMELINE_INTERVALS + 1;
    availability_init(&read->availability, interval_of(&view, elapsed));
    observers[0] = timeline_observer(&read->timeline);
    observers[1] = availability_observer(&read->availability);
    return 2;
}

static void end(void *state, const struct walk *walk)
{
    timeline_add_requests(&((struct threads_read *)state)->timeline, &walk->requests);
}

static void forget(void *state)
{
    struct threads_read *read = state;

    availability_free(&read->availability);
    timeline_free(&read->timeline);
}

static const struct trace_reading threads_trace = {.use = WALK_PAGE,
                                                   .size = sizeof(struct threads_read),
                                                   .seat = seat,
                                                   .end = end,
                                                   .free = forget};

static void figures_of_bench(struct figures *figures, const struct run *run,
                             const struct run_bench *bench, struct whereabouts *where)
{
    const struct walk *walk =
        walk_for(bench, WALK_PAGE, &(struct walk_wish){.run = run, .disks = true});
    struct threads_read *read = walk->state[WALK_PAGE];
    const struct accounting *accounting = &walk->accounting;
    struct drawing drawing = {.figures = figures,
                              .run = run,
                              .bench = bench,
                              .accounting = accounting,
                              .requests = &walk->requests};
    char title[TEXT_MAX];

    view_init(&drawing.view, NULL, run);
    if (walk->good && accounting->events > 0) {
        drawing.scale = figure_time_scale(run, (double)accounting->elapsed);
        add_all(&drawing, &read->timeline, &read->availability);
        add_whereabouts(where, accounting);
    } else {
        figure_add_absent(
            figures, SECTION, title_of(&drawing, "threads over time", title), bench->name, "%s",
            walk->good ? "no event of its trace arrived" : "its trace cannot be read");
    }
}

void figures_threads(struct figures *figures, const struct run *run)
{
    struct whereabouts where = {0};

    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (bench->trace_count > 0 && bench == run_find_bench(run, bench->name)) {
            figures_of_bench(figures, run, bench, &where);
        }
    }
    draw_whereabouts(figures, run, &where);
}

PLUGIN_REGISTER(figures_threads) = {
    .order = 360, .figures = figures_threads, .trace = &threads_trace};
