/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws when the user waited: strips by several machines, and a table of times. */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/interactive/host/figures_input.h"
#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/view_input.h"
#include "tools/base/alloc.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define SECTION "Think and wait"
#define PERCENT 100.0

struct reading {
    const struct run_bench *bench;
    const struct think_wait *think_wait;
};

struct readings {
    struct reading *item;
    size_t count, capacity;
};

/* ---- strips ---- */

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
    [SHADE_WAIT] = "wait",          [SHADE_QUEUED] = "input arrived",
    [SHADE_WORK] = "input at work", [SHADE_IO] = "synchronous I/O",
    [SHADE_BUSY] = "background",    [SHADE_UNKNOWN] = "unknown",
};

/* Shades by state: whether the user waits, why the user waits or what the processor does meanwhile,
 * and by the claim of a machine that knows less. */
static const enum shade by_wait[THINK_WAIT_STATES] = {
    [WAIT_QUEUED... WAIT_IO_IDLE] = SHADE_WAIT,
    [THINK_UNKNOWN] = SHADE_UNKNOWN,
};
static const enum shade by_cause[THINK_WAIT_STATES] = {
    [THINK_BUSY] = SHADE_BUSY,
    [WAIT_QUEUED... WAIT_QUEUED_IDLE] = SHADE_QUEUED,
    [WAIT_WORK... WAIT_WORK_IDLE] = SHADE_WORK,
    [WAIT_IO... WAIT_IO_IDLE] = SHADE_IO,
    [THINK_UNKNOWN] = SHADE_UNKNOWN,
};
static const enum shade by_claim[] = {[CLAIM_WAIT] = SHADE_WAIT, [CLAIM_UNKNOWN] = SHADE_UNKNOWN};

static const struct strip_lane {
    const char *name;
    enum think_wait_machine machine;
    const enum shade *shades;
} strip_lanes[] = {
    {"by the trace", MACHINE_COMPLETE, by_wait},
    {"why", MACHINE_COMPLETE, by_cause},
    {"processor alone", MACHINE_PROCESSOR, by_claim},
    {"processor, queue", MACHINE_PROCESSOR_QUEUE, by_claim},
    {"processor, calls", MACHINE_PROCESSOR_CALLS, by_claim},
};

/* Names the shades that occur in any bench, so that they have the same numbers in all figures. */
static void name_shades(struct figure *figure, const struct readings *readings)
{
    bool occurs[SHADE_UNKNOWN + 1] = {false};

    for (size_t i = 0; i < readings->count; i++) {
        for (unsigned state = 0; state < THINK_WAIT_STATES; state++) {
            const bool any = readings->item[i].think_wait->visits[state] > 0;

            occurs[by_cause[state]] |= any;
            occurs[SHADE_WAIT] |= any && state != THINK_IDLE && state != THINK_UNKNOWN;
        }
    }
    for (unsigned shade = SHADE_WAIT; shade <= SHADE_UNKNOWN; shade++) {
        if (occurs[shade]) {
            figure_add_state(figure, shade_names[shade]);
        }
    }
}

/* Adds a lane. Successive intervals of the same shade become one span; thinking is left blank. */
static void add_lane(struct figure *figure, const struct think_wait *think_wait, uint32_t lane,
                     const struct strip_lane *strip, double per_tick)
{
    const struct think_wait_spans *spans = &think_wait->spans[strip->machine];

    for (size_t first = 0, next; first < spans->count; first = next) {
        const enum shade shade = strip->shades[spans->span[first].claim];

        next = first + 1;
        while (next < spans->count && spans->span[next].from == spans->span[next - 1].to &&
               strip->shades[spans->span[next].claim] == shade) {
            next++;
        }
        if (shade != SHADE_NONE) {
            figure_add_span(figure, lane, figure_add_state(figure, shade_names[shade]),
                            (double)(spans->span[first].from - think_wait->begin) * per_tick,
                            (double)(spans->span[next - 1].to - think_wait->begin) * per_tick);
        }
    }
}

/* Draws the strip of a bench, with a lane for each machine. */
static void add_strip(struct figures *figures, const struct run *run,
                      const struct readings *readings, size_t index)
{
    const struct think_wait *think_wait = readings->item[index].think_wait;
    const struct figure_scale time = figure_time_scale(run, (double)think_wait->elapsed);
    struct figure *figure =
        figure_add_of(figures, FIGURE_TIMELINE, SECTION, readings->item[index].bench,
                      "think and wait", "think-wait");
    bool cut = false;

    figure_axes(figure, figure_time_label(run), time.unit, NULL, NULL);
    name_shades(figure, readings);
    for (size_t i = 0; i < sizeof(strip_lanes) / sizeof(strip_lanes[0]); i++) {
        add_lane(figure, think_wait, figure_add_lane(figure, strip_lanes[i].name), &strip_lanes[i],
                 time.per_tick);
        cut = cut || think_wait->spans[strip_lanes[i].machine].cut;
    }
    figure_how(
        figure,
        "blank: the user thinks. By the trace, the user waits from the arrival of an input "
        "until its effect, and while synchronous I/O is outstanding. Below: the waits that state "
        "machines report which know only the processor, the processor and the queue, or the "
        "processor and the calls of the message API%s",
        cut ? "; there are too many intervals, only the first are shown" : "");
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

static void add_waits(struct figure *figure, const struct view *view, const struct run_bench *bench,
                      const struct think_wait *think_wait)
{
    figure_cell(figure, "%s", bench->name);
    figure_amount(figure, view, true, (int64_t)think_wait->elapsed);
    figure_amount(figure, view, true, (int64_t)think_wait_waited(think_wait));
    figure_cell(figure, "%" PRIu64, think_wait->waits);
    figure_amount(figure, view, think_wait->waits > 0, (int64_t)think_wait->longest);
    if (view->ns_per_tick > 0) {
        figure_cell(figure, "%" PRIu64, think_wait->noticed);
    } else {
        figure_cell(figure, "n/a");
    }
    for (size_t machine = 0; machine < THINK_WAIT_MACHINES; machine++) {
        add_share(figure, think_wait->machines[machine].wait, think_wait->elapsed);
    }
}

/* Reads the benches that can be shown. A bench made for input events that cannot be shown gets an
 * absent figure with the reason. */
static void read_all(struct readings *readings, struct figures *figures, const struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (!input_is_shown(run, bench)) {
            continue;
        }
        const struct think_wait *waits =
            bench->trace_count > 0 ? input_think_wait(run, bench) : NULL;

        if (waits != NULL && waits->present) {
            *ALLOC_NEXT(readings->item, readings->count, readings->capacity) =
                (struct reading){bench, waits};
        } else if (input_is_interactive(bench)) {
            figure_absent(figure_add_of(figures, FIGURE_ABSENT, SECTION, bench, "think and wait",
                                        "think-wait"),
                          "%s",
                          waits != NULL
                              ? "its trace contains no input in a queue and no synchronous I/O"
                          : bench->trace_count > 0 ? "its trace cannot be read"
                          : bench->reason != NULL  ? bench->reason
                                                   : "its trace is missing");
        }
    }
}

static void add_tables(struct figures *figures, const struct run *run,
                       const struct readings *readings)
{
    struct view view;

    view_init(&view, NULL, run);
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, SECTION, "Time that users wait", "think-wait-times");

    figure_how(
        figure,
        "waits by the trace of each bench. The last three columns show the waits that state "
        "machines with less knowledge report: they know only whether the processor is busy, or "
        "also whether the queue holds an input, or also which calls return an input");
    figure_open(figure, "lrrrrrrrrr",
                "bench\telapsed\twaited\twaits\tlongest\tabove 100 ms\tshare\tby processor only\t"
                "by processor and queue\tby processor and calls");
    for (size_t i = 0; i < readings->count; i++) {
        add_waits(figure, &view, readings->item[i].bench, readings->item[i].think_wait);
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
    free(readings.item);
}

PLUGIN_REGISTER(figures_think_wait) = {.order = 340, .figures = figures_think_wait};
