/* SPDX-License-Identifier: BSD-2-Clause */
/* When the user waited: strips by three machines, and tables of times and transitions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/bench/interactive/figures_input.h"
#include "tools/bench/interactive/view_input.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define SECTION   "Think and wait"
#define TEXT_MAX  512
#define NAME_SIZE 64
#define PERCENT   100.0

struct reading {
    const struct run_bench *bench;
    struct think_wait think_wait;
};

struct readings {
    struct reading *item;
    size_t count, capacity;
};

/* ---- strips: figure 2 ---- */

enum shade {
    SHADE_NONE,
    SHADE_WAIT,
    SHADE_QUEUED,
    SHADE_WORK,
    SHADE_IO,
    SHADE_BUSY,
    SHADE_UNKNOWN
};

static const char *const shade_names[] = {
    [SHADE_WAIT] = "wait",          [SHADE_QUEUED] = "input queued", [SHADE_WORK] = "input at work",
    [SHADE_IO] = "synchronous I/O", [SHADE_BUSY] = "background",     [SHADE_UNKNOWN] = "unknown",
};

/* Why the user waits, or what the processor does meanwhile. */
static enum shade shade_of_cause(unsigned claim)
{
    static const enum shade shades[THINK_WAIT_STATES] = {
        [THINK_IDLE] = SHADE_NONE,
        [THINK_BUSY] = SHADE_BUSY,
        [WAIT_QUEUED] = SHADE_QUEUED,
        [WAIT_QUEUED_IDLE] = SHADE_QUEUED,
        [WAIT_WORK] = SHADE_WORK,
        [WAIT_WORK_IDLE] = SHADE_WORK,
        [WAIT_IO] = SHADE_IO,
        [WAIT_IO_IDLE] = SHADE_IO,
        [THINK_UNKNOWN] = SHADE_UNKNOWN,
    };

    return shades[claim];
}

static enum shade shade_of_state(unsigned claim)
{
    if (claim == THINK_UNKNOWN) {
        return SHADE_UNKNOWN;
    }
    return think_wait_waits((enum think_wait_state)claim) ? SHADE_WAIT : SHADE_NONE;
}

static enum shade shade_of_claim(unsigned claim)
{
    static const enum shade shades[] = {
        [CLAIM_THINK] = SHADE_NONE, [CLAIM_WAIT] = SHADE_WAIT, [CLAIM_UNKNOWN] = SHADE_UNKNOWN};

    return shades[claim];
}

static const struct strip_lane {
    const char *name;
    enum think_wait_machine machine;
    enum shade (*shade_of)(unsigned claim);
} strip_lanes[] = {
    {"by the trace", MACHINE_COMPLETE, shade_of_state},
    {"why", MACHINE_COMPLETE, shade_of_cause},
    {"processor alone", MACHINE_PROCESSOR, shade_of_claim},
    {"processor, queue", MACHINE_PROCESSOR_QUEUE, shade_of_claim},
};

/* Those that occur in any bench, so that they have the same numbers in all. */
static void name_shades(struct figure *figure, const struct readings *readings)
{
    bool occurs[SHADE_UNKNOWN + 1] = {false};

    for (size_t i = 0; i < readings->count; i++) {
        for (unsigned state = 0; state < THINK_WAIT_STATES; state++) {
            const bool any = readings->item[i].think_wait.visits[state] > 0;

            occurs[shade_of_cause(state)] |= any;
            occurs[SHADE_WAIT] |= any && state != THINK_IDLE && state != THINK_UNKNOWN;
        }
    }
    for (unsigned shade = SHADE_WAIT; shade <= SHADE_UNKNOWN; shade++) {
        if (occurs[shade]) {
            figure_add_state(figure, shade_names[shade]);
        }
    }
}

/* Stretches that follow each other in one shade are one span; thinking is left blank. */
static void add_lane(struct figure *figure, const struct think_wait *think_wait,
                     const struct strip_lane *strip, double per_tick)
{
    const struct think_wait_spans *spans = &think_wait->spans[strip->machine];
    const uint32_t lane = figure_add_lane(figure, strip->name);

    for (size_t first = 0, next; first < spans->count; first = next) {
        const enum shade shade = strip->shade_of(spans->span[first].claim);

        next = first + 1;
        while (next < spans->count && spans->span[next].from == spans->span[next - 1].to &&
               strip->shade_of(spans->span[next].claim) == shade) {
            next++;
        }
        if (shade != SHADE_NONE) {
            figure_add_span(
                figure, lane, figure_add_state(figure, shade_names[shade]),
                (double)(int64_t)(spans->span[first].from - think_wait->begin) * per_tick,
                (double)(int64_t)(spans->span[next - 1].to - think_wait->begin) * per_tick);
        }
    }
}

static void add_strip(struct figures *figures, const struct run *run,
                      const struct readings *readings, size_t index)
{
    const struct run_bench *bench = readings->item[index].bench;
    const struct think_wait *think_wait = &readings->item[index].think_wait;
    const struct figure_scale time = figure_time_scale(run, (double)think_wait->elapsed);
    char title[RUN_LABEL_MAX];
    bool cut = false;

    snprintf(title, sizeof(title), "%s: think and wait", bench->name);
    struct figure *figure =
        figure_add(figures, FIGURE_TIMELINE, SECTION, title, "%s-think-wait", bench->name);

    figure_axes(figure, figure_time_label(run), time.unit, NULL, NULL);
    name_shades(figure, readings);
    for (size_t i = 0; i < sizeof(strip_lanes) / sizeof(strip_lanes[0]); i++) {
        add_lane(figure, think_wait, &strip_lanes[i], time.per_tick);
        cut = cut || think_wait->spans[strip_lanes[i].machine].cut;
    }
    figure_how(figure,
               "blank: the user thinks. By the trace the user waits while an input is queued or "
               "at work, or synchronous I/O is outstanding; below, the same by machines that "
               "know only the processor, or processor and queue%s",
               cut ? "; of too many stretches only the first are shown" : "");
}

/* ---- tables ---- */

static void add_share(struct figure *figure, uint64_t ticks, uint64_t elapsed)
{
    if (elapsed > 0) {
        figure_cell(figure, "%.3f %%", PERCENT * (double)ticks / (double)elapsed);
    } else {
        figure_cell(figure, "n/a");
    }
}

static void add_amount(struct figure *figure, const struct view *view, uint64_t ticks)
{
    char text[AMOUNT_MAX];

    figure_cell(figure, "%s", amount_text(view, (int64_t)ticks, UNIT_TICK, text));
}

static void add_waits(struct figure *figure, const struct view *view, const struct run_bench *bench,
                      const struct think_wait *think_wait)
{
    figure_cell(figure, "%s", bench->name);
    add_amount(figure, view, think_wait->elapsed);
    add_amount(figure, view, think_wait_waited(think_wait));
    figure_cell(figure, "%" PRIu64, think_wait->waits);
    if (think_wait->waits > 0) {
        add_amount(figure, view, think_wait->longest);
    } else {
        figure_cell(figure, "n/a");
    }
    if (view->ns_per_tick > 0) {
        figure_cell(figure, "%" PRIu64, think_wait->noticed);
    } else {
        figure_cell(figure, "n/a");
    }
    for (size_t machine = 0; machine < THINK_WAIT_MACHINES; machine++) {
        add_share(figure, think_wait->machines[machine].wait, think_wait->elapsed);
    }
}

/* "wait_work 83, think_idle 2": to where, and how often. */
static void add_targets(struct figure *figure, const struct think_wait *think_wait, size_t from)
{
    char text[TEXT_MAX] = "";
    size_t used = 0;

    for (size_t to = 0; to < THINK_WAIT_STATES; to++) {
        const uint64_t count = think_wait->matrix[from][to];

        if (count > 0 && used < sizeof(text)) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %" PRIu64,
                                     used > 0 ? ", " : "",
                                     think_wait_state_name((enum think_wait_state)to), count);
        }
    }
    figure_cell(figure, "%s", text);
}

static void add_states(struct figure *figure, const struct view *view,
                       const struct run_bench *bench, const struct think_wait *think_wait)
{
    for (size_t state = 0; state < THINK_WAIT_STATES; state++) {
        if (think_wait->visits[state] == 0) {
            continue;
        }
        figure_cell(figure, "%s", bench->name);
        figure_cell(figure, "%s", think_wait_state_name((enum think_wait_state)state));
        figure_cell(figure, "%" PRIu64, think_wait->visits[state]);
        add_amount(figure, view, think_wait->ticks[state]);
        add_share(figure, think_wait->ticks[state], think_wait->elapsed);
        add_targets(figure, think_wait, state);
    }
}

static struct figure *begin_waits(struct figures *figures)
{
    static const char *const heads[] = {"bench", "elapsed",         "waited",
                                        "waits", "longest",         "above 100 ms",
                                        "share", "processor alone", "processor, queue"};
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, SECTION, "Time that users wait", "think-wait-times");

    figure_how(figure, "by the trace of each bench; the last two columns: what machines would "
                       "call wait that know only whether the processor is busy, and whether the "
                       "queue holds an input");
    figure_table(figure, "lrrrrrrrr", heads);
    return figure;
}

static struct figure *begin_states(struct figures *figures)
{
    static const char *const heads[] = {"bench", "state", "visits", "time", "share", "goes to"};
    struct figure *figure = figure_add(figures, FIGURE_TABLE, SECTION,
                                       "Times and transitions of the states", "think-wait-states");

    figure_how(figure, "each tick of a trace is in exactly one state; goes to: the states that "
                       "followed, and how often");
    figure_table(figure, "llrrrl", heads);
    return figure;
}

/* ---- all ---- */

/* NULL, or why there is nothing to be shown. */
static const char *read_bench(struct reading *reading, const struct run *run,
                              const struct run_bench *bench)
{
    const uint64_t perceptible = latency_perceptible(run_ns_per_tick(run));

    *reading = (struct reading){.bench = bench};
    if (bench->trace_count == 0) {
        return bench->reason != NULL ? bench->reason : "its trace is missing";
    }
    if (!think_wait_read(&reading->think_wait, bench, perceptible)) {
        return "its trace cannot be read";
    }
    if (!reading->think_wait.present) {
        return "its trace reports no input in a queue and no synchronous I/O";
    }
    return NULL;
}

static void add_absent(struct figures *figures, const struct run_bench *bench, const char *why)
{
    char title[NAME_SIZE];
    char id[NAME_SIZE];

    snprintf(title, sizeof(title), "%s: think and wait", bench->name);
    snprintf(id, sizeof(id), "%s-think-wait", bench->name);
    figure_add_absent(figures, SECTION, title, id, "%s", why);
}

/* Those that can be shown; the others of input events are absent. */
static void read_all(struct readings *readings, struct figures *figures, const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        struct reading reading;

        if (!input_is_shown(run, bench)) {
            continue;
        }
        const char *why = read_bench(&reading, run, bench);

        if (why == NULL) {
            readings->item = alloc_append(readings->item, &readings->count, &readings->capacity,
                                          sizeof(*readings->item));
            readings->item[readings->count - 1] = reading;
            continue;
        }
        if (input_is_interactive(bench)) {
            add_absent(figures, bench, why);
        }
        think_wait_free(&reading.think_wait);
    }
}

static void add_tables(struct figures *figures, const struct run *run,
                       const struct readings *readings)
{
    struct view view;

    view_init(&view, NULL, run);
    struct figure *figure = begin_waits(figures);

    for (size_t i = 0; i < readings->count; i++) {
        add_waits(figure, &view, readings->item[i].bench, &readings->item[i].think_wait);
    }
    figure = begin_states(figures);
    for (size_t i = 0; i < readings->count; i++) {
        add_states(figure, &view, readings->item[i].bench, &readings->item[i].think_wait);
    }
}

void figures_think_wait(struct figures *figures, const struct run *run)
{
    struct readings readings = {0};

    read_all(&readings, figures, run);
    if (readings.count > 0) {
        add_tables(figures, run, &readings);
    }
    for (size_t i = 0; i < readings.count; i++) {
        add_strip(figures, run, &readings, i);
    }
    for (size_t i = 0; i < readings.count; i++) {
        think_wait_free(&readings.item[i].think_wait);
    }
    free(readings.item);
}

READING_REGISTER(figures_think_wait) = {.order = 340, .figures = figures_think_wait};
