/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws figures 1 to 12 and tables 1 and 2 of Endo et al. (OSDI '96), in the paper's order, with
 * its axes and units: the tab "Paper" of the report. Each item is a section of the tab. An item
 * whose bench is not in the run states which bench gives it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/claims.h"
#include "bench/interactive/host/figures_input.h"
#include "bench/interactive/host/figures_paper.h"
#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/measure/longest.h"
#include "bench/interactive/host/view_input.h"
#include "bench/interactive/names.h"
#include "bench/interactive/window/names.h"
#include "kernel/input/event.h"
#include "kernel/link/names.h"
#include "kernel/pmu/names.h"
#include "tools/base/number.h"
#include "tools/trace/reconcile.h"

#define TITLE_MAX 128
#define SHOWN_MAX (FIGURES_PAPER_RUNS * SYSTEMS)
#define NS_PER_MS 1e6
#define NS_PER_S  1e9

#define AROUND_KEY    2   /* figure 1: idle samples before and after that of the key */
#define IDLE_MS       250 /* figure 3 */
#define IDLE_FROM     4   /* part of the phase before that time */
#define MARGIN_MS     100 /* figure 4: time before and after the click */
#define WINDOW_MS     10
#define MAGNIFIED_S   2  /* figure 5b */
#define LONG_MS       50 /* figures 8 and 12 */
#define CLASS_WARM_UP "warm_up"

enum { SERVER, IN_KERNEL, SEGMENTED, SYSTEMS };

static const struct {
    const char *structure, *name;
} systems[SYSTEMS] = {{STRUCTURE_NAME_SERVER, "server (NT 3.51)"},
                      {STRUCTURE_NAME_IN_KERNEL, "in_kernel (NT 4.0)"},
                      {STRUCTURE_NAME_SEGMENTED, "segmented (Windows 95)"}};

struct sheet;

struct item {
    const char *name; /* as in the claims */
    const char *title;
    const char *bench;
    const char *driver;   /* the phases of this driver are shown */
    size_t systems;       /* the first of `systems`; 0: the whole bench */
    double above_ms;      /* only longer actions are shown */
    enum measure measure; /* unless the user chose one; MEASURE_IDLE: it needs samples */
    /* Returns NULL on success, otherwise the reason why nothing was drawn. */
    const char *(*draw)(const struct sheet *sheet);
};

/* What is needed to draw one item. Curves and groups are by run, and of each run by system. */
struct sheet {
    struct figures *figures;
    const struct run *run;
    const struct item *item;
    const struct input_bench *input;
    char section[TITLE_MAX];
    struct curves curves;
    struct latency_groups groups;
    struct latency_group shown[SHOWN_MAX];
    const struct input_bench *inputs[SHOWN_MAX]; /* the bench of each group */
    size_t system[SHOWN_MAX];
    size_t first; /* groups of the first run */
    size_t runs;
};

/* The runs that tables and curves show besides the first one. */
static const struct run *others;
static size_t other_count;

void figures_paper_runs(const struct run *runs, size_t count)
{
    others = runs;
    other_count = count;
}

/* ---- what all items share ---- */

/* Adds a figure of the item, with id "paper-figure-7b" and a title that names the driver. */
static struct figure *add(const struct sheet *sheet, enum figure_kind kind, const char *part,
                          const char *title)
{
    char whole[2 * TITLE_MAX];
    char structure[LONGEST_SYSTEM_MAX] = "";
    const char *number = sheet->item->name;
    const char *driver =
        sheet->groups.count > 0 ? longest_driver(sheet->shown[0].phase->name, structure) : "";

    snprintf(whole, sizeof(whole), "%c%s%s: %s%s%s", number[0] == 'f' ? 'F' : 'T', number + 1, part,
             title, driver[0] != '\0' ? ", driver " : "", driver);
    return figure_add(sheet->figures, kind, sheet->section, whole, "paper-%s%s", number, part);
}

static double seconds(const struct sheet *sheet, double ticks)
{
    return ticks * run_ns_per_tick(sheet->run) / NS_PER_S;
}

static double milliseconds(const struct sheet *sheet, double ticks)
{
    return ticks * run_ns_per_tick(sheet->run) / NS_PER_MS;
}

static const struct latency_events *events_of(const struct sheet *sheet, size_t group)
{
    return &sheet->shown[group].of[sheet->curves.measure];
}

/* Returns the group of a system by the driver or, if there is none, its first group. */
static const struct latency_group *group_of(const struct latency_groups *groups, size_t system,
                                            const char *driver)
{
    const struct latency_group *found = NULL;

    for (size_t g = groups->count; g-- > 0;) {
        const struct latency_group *group = &groups->item[g];
        char structure[LONGEST_SYSTEM_MAX];

        if (group->phase != NULL && group->phase->name != NULL) {
            const char *its = longest_driver(group->phase->name, structure);

            if (strcmp(structure, systems[system].structure) == 0) {
                found = group;
                if (strcmp(its, driver) == 0) {
                    return group;
                }
            }
        }
    }
    return found;
}

/* Adds the groups of one run, named as the paper's systems. */
static void show_run(struct sheet *sheet, const struct input_bench *input,
                     const struct latency_groups *groups)
{
    for (size_t system = 0; system < sheet->item->systems; system++) {
        const struct latency_group *group = group_of(groups, system, sheet->item->driver);
        const size_t at = sheet->groups.count;

        if (group != NULL) {
            char *label = sheet->shown[at].label;

            sheet->shown[at] = *group;
            sheet->inputs[at] = input;
            sheet->system[at] = system;
            sheet->groups.count++;
            snprintf(label, LATENCY_LABEL_MAX, "%s", systems[system].name);
            if (sheet->runs > 0) {
                snprintf(label, LATENCY_LABEL_MAX, "%s, run %zu", systems[system].name,
                         sheet->runs + 1);
            }
        }
    }
    sheet->first = sheet->runs == 0 ? sheet->groups.count : sheet->first;
    sheet->runs++;
}

/* Returns the longest latency that is shown, in ticks. */
static double longest_shown(const struct sheet *sheet)
{
    const struct latency_event *event = latency_longest_of(&sheet->groups, sheet->curves.measure);

    return event != NULL ? (double)event->latency : 0;
}

/* ---- figure 1: samples of the idle loop ---- */

/* Returns the first warm event after the first one that shares no sample with another. */
static const struct interactive_event *lone_event(const struct interactive *interactive)
{
    for (size_t i = 1; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (event->has_elongation && !event->shared && event->has_stamps && !event->cold) {
            return event;
        }
    }
    return NULL;
}

static const char *draw_samples(const struct sheet *sheet)
{
    const struct interactive_event *event = lone_event(sheet->input->interactive);
    struct reconcile reconcile;

    reconcile_init(&reconcile, sheet->input->bench);
    if (event == NULL) {
        return "no key is alone in its samples of the idle loop";
    }
    const size_t first = event->sample > AROUND_KEY ? event->sample - AROUND_KEY : 0;
    const size_t end = event->sample + event->samples + AROUND_KEY;
    struct figure *figure =
        add(sheet, FIGURE_HISTOGRAM, "", "samples of the idle loop around a key");
    double at = 0;

    figure_axes(figure, "elapsed time", "ms", "length of the sample", "ms");
    figure_how(figure,
               "each box is a sample, as wide and as high as it is long; a sample without the key "
               "takes %.3f ms, those with the key take %.3f ms more, and the application's own "
               "stamps find %.3f ms; %s; event %" PRIu32 " of %zu",
               milliseconds(sheet, (double)reconcile.shortest),
               milliseconds(sheet, (double)event->elongation),
               milliseconds(sheet, (double)(event->stamp_to - event->stamp_from)),
               figure_time_label(sheet->run), event->number, sheet->input->interactive->arrived);
    for (size_t i = first; i < end && i < reconcile.series->ranges[0].count; i++) {
        const double length = milliseconds(sheet, (double)reconcile.series->samples[i]);
        char name[TITLE_MAX];

        snprintf(name, sizeof(name), "%c: %.2f ms", (int)('A' + (i - first) % 26), length);
        figure_add_range(figure_add_series(figure, name), at + length / 2, length, at, at + length);
        at += length;
    }
    return NULL;
}

/* ---- figure 2: think and wait ---- */

/* Fills the diagram: above each other are the states in which the processor is idle, and busy. */
static void add_states(const struct sheet *sheet, struct figure *figure,
                       const struct think_wait *think_wait)
{
    static const enum think_wait_state states[] = {THINK_IDLE,   THINK_BUSY,     WAIT_QUEUED_IDLE,
                                                   WAIT_QUEUED,  WAIT_WORK_IDLE, WAIT_WORK,
                                                   WAIT_IO_IDLE, WAIT_IO};
    static const char *const names[] = {"think", "wait: queue", "wait: work", "wait: I/O"};
    const size_t count = sizeof(states) / sizeof(states[0]);

    for (size_t i = 0; i < count; i++) {
        char text[TITLE_MAX];

        snprintf(text, sizeof(text), "%s,\nCPU %s\n%.2f %%", names[i / 2],
                 i % 2 == 0 ? "idle" : "busy",
                 100 * (double)think_wait->ticks[states[i]] / (double)think_wait->elapsed);
        figure_add_row(figure, text);
        figure_add_column(figure, think_wait_state_name(states[i]));
    }
    for (size_t i = 0; i < count * count; i++) {
        const size_t row = i / count;
        const size_t column = i % count;

        figure_set_value(figure, row, column,
                         (double)think_wait->matrix[states[row]][states[column]]);
    }
    figure_how(figure,
               "share of %.1f s in each state, number of transitions; %" PRIu64
               " waits of together "
               "%.3f s; left out: %.3f s in which the state is unknown",
               seconds(sheet, (double)think_wait->elapsed), think_wait->waits,
               seconds(sheet, (double)think_wait_waited(think_wait)),
               seconds(sheet, (double)think_wait->ticks[THINK_UNKNOWN]));
}

static const char *draw_states(const struct sheet *sheet)
{
    const struct think_wait *think_wait = input_think_wait(sheet->run, sheet->input->bench);
    const bool read = think_wait != NULL && think_wait->present && think_wait->elapsed > 0;

    if (read) {
        add_states(sheet, add(sheet, FIGURE_STATES, "", "states of think and wait"), think_wait);
    }
    return read ? NULL : "its trace contains no input in a queue";
}

/* ---- figures 3 and 4: utilisation ---- */

static const char *draw_idle(const struct sheet *sheet)
{
    const uint64_t length = (uint64_t)latency_threshold(IDLE_MS, run_ns_per_tick(sheet->run));

    for (size_t i = 0; i < sheet->first; i++) {
        const struct interactive_phase *phase = sheet->shown[i].phase;
        const char part[] = {(char)('a' + i), '\0'};
        struct figure *figure = add(sheet, FIGURE_STEPS, part, sheet->shown[i].label);

        figure_how(figure,
                   "the part of each sample that the idle loop did not get, for %d ms from a "
                   "quarter of the phase on",
                   IDLE_MS);
        figure_add_utilisation(figure, sheet->run, sheet->input->bench,
                               phase->from + (phase->to - phase->from) / IDLE_FROM, length, 0);
    }
    return NULL;
}

static const char *draw_maximize(const struct sheet *sheet)
{
    const struct latency_event *longest =
        latency_longest_of(&sheet->input->groups, MEASURE_RESPONSE);
    const uint64_t margin = (uint64_t)latency_threshold(MARGIN_MS, run_ns_per_tick(sheet->run));

    if (longest == NULL) {
        return "the end of the click is unknown";
    }
    for (size_t i = 0; i < 2; i++) {
        struct figure *figure = i == 0 ? add(sheet, FIGURE_STEPS, "a", "each sample of 1 ms")
                                       : add(sheet, FIGURE_STEPS, "b", "averaged over 10 ms");

        figure_add_utilisation(figure, sheet->run, sheet->input->bench,
                               (uint64_t)longest->begin - margin,
                               (uint64_t)longest->latency + 2 * margin, i == 0 ? 0 : WINDOW_MS);
        figure_how(figure,
                   "the longest click of %zu comes at %d ms; the spikes are steps of the outline",
                   sheet->input->actions->count, MARGIN_MS);
    }
    return NULL;
}

/* ---- figures 5 and 12: events over time ---- */

/* Draws the actions of a group that begin in [from, to), in seconds since its first one. Returns
 * the units of axis y in a tick. */
static double draw_events(const struct sheet *sheet, size_t group, struct figure *figure,
                          double from, double to)
{
    struct latency_group part = sheet->shown[group];
    struct latency_groups only = {.item = &part, .count = 1, .begin = part.begin};
    struct curves curves = sheet->curves;
    struct latency_events *events = &part.of[curves.measure];
    const struct latency_events *all = events_of(sheet, group);
    size_t first = 0;
    size_t end = 0;

    for (size_t i = 0; i < all->count; i++) {
        const double at = seconds(sheet, (double)((uint64_t)all->events[i].begin - part.begin));

        first += at < from;
        end += at < to;
    }
    events->events += first;
    events->latencies += first;
    events->count = end - first;
    curves.groups = &only;
    const double per_tick = curves_profile(figure, &curves, part.elapsed);
    const double unit =
        figure_time_scale(sheet->run, (double)part.elapsed).per_tick / seconds(sheet, 1);

    figure_axis_holds(&figure->x, from * unit, to * unit);
    return per_tick;
}

static const char *draw_raw_data(const struct sheet *sheet)
{
    const int64_t threshold = latency_threshold(THRESHOLD_DEFAULT_MS, run_ns_per_tick(sheet->run));
    const double elapsed = seconds(sheet, (double)sheet->shown[0].elapsed);
    const double middle = floor(elapsed / 2);

    for (size_t i = 0; i < 2; i++) {
        struct figure *figure = i == 0 ? add(sheet, FIGURE_STICKS, "a", "the whole task")
                                       : add(sheet, FIGURE_STICKS, "b", "two seconds, magnified");

        const double per_tick = draw_events(sheet, 0, figure, i == 0 ? 0 : middle,
                                            i == 0 ? elapsed : fmin(middle + MAGNIFIED_S, elapsed));

        figure_threshold(figure, per_tick * (double)threshold, "0.1 s");
    }
    return NULL;
}

static const char *draw_time_series(const struct sheet *sheet)
{
    uint64_t elapsed = 0;

    for (size_t i = 0; i < sheet->groups.count; i++) {
        elapsed = sheet->shown[i].elapsed > elapsed ? sheet->shown[i].elapsed : elapsed;
    }
    for (size_t i = 0; i < sheet->first; i++) {
        const char part[] = {(char)('a' + i), '\0'};
        struct figure *figure = add(sheet, FIGURE_STICKS, part, sheet->shown[i].label);

        const double per_tick = draw_events(sheet, i, figure, 0, seconds(sheet, (double)elapsed));

        figure_axis_holds(&figure->y, 0, per_tick * longest_shown(sheet));
    }
    return NULL;
}

/* ---- figures 7, 8 and 11 ---- */

static const char *draw_summary(const struct sheet *sheet)
{
    struct latency_groups first = sheet->groups;
    struct curves of_first = sheet->curves;

    first.count = sheet->first; /* the histograms of several runs would hide each other */
    of_first.groups = &first;
    curves_histogram(add(sheet, FIGURE_HISTOGRAM, "a", "number of actions by latency"), &of_first,
                     LATENCY_LINEAR);
    curves_cumulative(add(sheet, FIGURE_STEPS, "b", "cumulative latency by latency"),
                      &sheet->curves);
    curves_cumulative(add(sheet, FIGURE_LINES, "c", "cumulative latency by number of actions"),
                      &sheet->curves);
    return NULL;
}

/* ---- mean and deviation ---- */

struct spread {
    size_t n;
    double mean, squares;
};

static void extend(struct spread *spread, double value)
{
    if (isfinite(value)) {
        const double distance = value - spread->mean;

        spread->n++;
        spread->mean += distance / (double)spread->n;
        spread->squares += distance * (value - spread->mean);
    }
}

static double deviation_of(const struct spread *spread)
{
    return spread->n > 1 ? sqrt(spread->squares / (double)(spread->n - 1)) : NAN;
}

/* Adds a cell with the mean and, for several runs, the deviation. */
static void add_spread(struct figure *figure, const struct spread *spread, int decimals)
{
    if (spread->n == 0) {
        figure_cell(figure, "n/a");
    } else if (spread->n == 1) {
        figure_cell(figure, "%.*f", decimals, spread->mean);
    } else {
        figure_cell(figure, "%.*f ± %.*f", decimals, spread->mean, decimals, deviation_of(spread));
    }
}

static const char *over_runs(const struct sheet *sheet)
{
    return sheet->runs > 1 ? "; mean ± standard deviation over the runs" : "";
}

/* ---- figures 6, 9 and 10: bars ---- */

/* Returns the value of an action for a bar, or NAN if it does not belong to the bar. */
typedef double value_function(const struct sheet *sheet, const struct input_bench *input,
                              const struct action *action, size_t bar);

static struct spread spread_of(const struct sheet *sheet, size_t group, value_function *value,
                               size_t bar)
{
    const struct actions *actions = sheet->inputs[group]->actions;
    struct spread spread = {0};

    for (size_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->actions[i];

        if (action->phase == sheet->shown[group].phase && !action->cold) {
            extend(&spread, value(sheet, sheet->inputs[group], action, bar));
        }
    }
    return spread;
}

/* Draws a bar with its deviation for each name and system. Returns the least number of values of a
 * bar. */
static size_t draw_bars(const struct sheet *sheet, struct figure *figure, const char *const *names,
                        size_t count, value_function *value)
{
    size_t least = SIZE_MAX;

    for (size_t bar = 0; bar < count; bar++) {
        figure_add_group(figure, names[bar]);
    }
    for (size_t i = 0; i < sheet->groups.count; i++) {
        struct figure_series *series = figure_add_series(figure, sheet->shown[i].label);

        for (size_t bar = 0; bar < count; bar++) {
            const struct spread spread = spread_of(sheet, i, value, bar);
            const double mean = spread.n > 0 ? spread.mean : NAN;
            const double deviation = deviation_of(&spread);

            least = spread.n < least ? spread.n : least;
            figure_add_range(series, (double)bar, mean, mean - deviation, mean + deviation);
        }
    }
    figure_choose_scale(figure);
    return least;
}

/* What figures 9 and 10 show: events as they are counted, and last weighted time. */
static const struct {
    const char *event, *name;
} counts[] = {{"", "weighted (model)"},
              {COUNT_INSTRUCTIONS, "instructions"},
              {COUNT_ITLB_MISSES, "code TLB misses"},
              {COUNT_DTLB_MISSES, "data TLB misses"},
              {COUNT_SEGMENT_LOADS, "segment loads"},
              {COUNT_MISALIGNED, "unaligned accesses"}};

static double simple_event(const struct sheet *sheet, const struct input_bench *input,
                           const struct action *action, size_t bar)
{
    const unsigned kind = input->interactive->events[action->first].kind;
    const enum measure measure = sheet->curves.measure;

    return kind == (bar == 0 ? INPUT_KEY_DOWN : INPUT_BUTTON_DOWN) && action->known[measure] &&
                   strcmp(input->actions->classes[action->class], CLASS_WARM_UP) != 0
               ? milliseconds(sheet, (double)action->latency[measure])
               : NAN;
}

static const char *draw_simple(const struct sheet *sheet)
{
    static const char *const names[] = {"key stroke", "mouse click"};
    struct figure *figure = add(sheet, FIGURE_BARS, "", "latency of simple events");

    figure_axes(figure, NULL, NULL, measure_label(sheet->curves.measure), "ms");
    figure_how(figure,
               "mean and standard deviation of %zu trials or more with warm caches; %s; %s; down "
               "and up are one action",
               draw_bars(sheet, figure, names, 2, simple_event),
               measure_label(sheet->curves.measure), figure_time_label(sheet->run));
    return NULL;
}

/* Returns a count, or the cycles of weighted time, of one of the repeated operations. */
static double counted(const struct sheet *sheet, const struct input_bench *input,
                      const struct action *action, size_t bar)
{
    const struct interactive *interactive = input->interactive;
    const char *class = input->actions->classes[action->class];

    if (strcmp(class, BENCH_PAGE_DOWN) != 0 && strcmp(class, CLASS_START_EDIT) != 0) {
        return NAN;
    }
    for (size_t i = 0; i < interactive->counted_count && action->counts != NULL; i++) {
        if (strcmp(interactive->counted[i], counts[bar].event) == 0) {
            return action->counts[i].known ? (double)action->counts[i].value : NAN;
        }
    }
    return counts[bar].event[0] == '\0' && action->known[MEASURE_WEIGHTED]
               ? (double)action->latency[MEASURE_WEIGHTED] / run_ticks_per_instruction(sheet->run)
               : NAN;
}

static const char *draw_counts(const struct sheet *sheet)
{
    const char *names[sizeof(counts) / sizeof(counts[0])];
    const size_t count = sizeof(counts) / sizeof(counts[0]);
    size_t trials = 0;

    for (size_t i = 0; i < count; i++) {
        names[i] = counts[i].name;
        trials = i == 0 ? spread_of(sheet, 0, counted, 1).n : trials;
    }
    if (trials == 0) {
        return "the run has no counts of its actions: tare boot --count p5";
    }
    struct figure *figure = add(sheet, FIGURE_BARS, "", "hardware events of the operation");

    draw_bars(sheet, figure, names, count, counted);
    figure_axes(figure, NULL, NULL, "mean per operation", NULL);
    figure_how(figure,
               "mean and standard deviation of %zu operations, from arrival to end; weighted "
               "(model): instructions plus penalties, a separate time base. The paper: 10 trials "
               "for each counter",
               trials);
    return NULL;
}

/* ---- tables ---- */

/* Returns the seconds of a system's first action of a class by a measure, over the runs. */
static struct spread seconds_of(const struct sheet *sheet, enum measure measure, size_t system,
                                const char *class)
{
    struct spread spread = {0};

    for (size_t g = 0; g < sheet->groups.count; g++) {
        const struct latency_events *events = &sheet->shown[g].of[measure];
        bool found = sheet->system[g] != system;

        for (size_t i = 0; i < events->count && !found; i++) {
            found = strcmp(sheet->inputs[g]->actions->classes[events->events[i].class], class) == 0;
            extend(&spread, found ? seconds(sheet, (double)events->latencies[i]) : NAN);
        }
    }
    return spread;
}

static void add_ratio(struct figure *figure, const struct spread *above, const struct spread *below)
{
    add_spread(figure, &(struct spread){above->n > 0 && below->n > 0, above->mean / below->mean, 0},
               2);
}

static const char *draw_long_events(const struct sheet *sheet)
{
    static const struct {
        const char *class, *name;
        double server, in_kernel; /* seconds, in the paper */
    } rows[] = {
        {ACTION_NAME_SAVE, "save document", 8.082, 9.580},
        {ACTION_NAME_START, "start the program", 7.166, 5.773},
        {ACTION_NAME_EDIT_1, "start edit session (first time)", 7.050, 5.844},
        {ACTION_NAME_OPEN, "open document", 5.680, 4.151},
        {ACTION_NAME_EDIT_2, "start edit session (second object)", 2.897, 2.009},
        {ACTION_NAME_EDIT_3, "start edit session (third object)", 2.697, 1.305},
    };
    struct figure *figure = add(sheet, FIGURE_TABLE, "", "events over one second in the paper");
    size_t longer = 0;

    figure_open(figure, "lrrrrrrr",
                "latency (s)\tserver\tin_kernel\tratio\tweighted (model) ratio\tNT 3.51\tNT 4.0\t"
                "ratio, paper");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct spread spread[2][SYSTEMS];

        for (size_t system = SERVER; system <= IN_KERNEL; system++) {
            spread[0][system] = seconds_of(sheet, sheet->curves.measure, system, rows[i].class);
            spread[1][system] = seconds_of(sheet, MEASURE_WEIGHTED, system, rows[i].class);
        }
        figure_cell(figure, "%s", rows[i].name);
        add_spread(figure, &spread[0][SERVER], 3);
        add_spread(figure, &spread[0][IN_KERNEL], 3);
        add_ratio(figure, &spread[0][SERVER], &spread[0][IN_KERNEL]);
        add_ratio(figure, &spread[1][SERVER], &spread[1][IN_KERNEL]);
        figure_cell(figure, "%.3f\t%.3f\t%.2f", rows[i].server, rows[i].in_kernel,
                    rows[i].server / rows[i].in_kernel);
    }
    for (size_t i = 0; i < events_of(sheet, 0)->count; i++) {
        longer += seconds(sheet, (double)events_of(sheet, 0)->latencies[i]) > 1;
    }
    figure_how(figure, "%s; %s; of %zu actions of %s, %zu take more than a second%s",
               measure_label(sheet->curves.measure), figure_time_label(sheet->run),
               events_of(sheet, 0)->count, sheet->shown[0].label, longer, over_runs(sheet));
    return NULL;
}

/* Adds a row of table 2: the number of events, mean and deviation of the intervals between them.
 * With `longest` above 0, the threshold is such that this many events of a group are above it. */
static void add_intervals(const struct sheet *sheet, struct figure *figure, double ms,
                          size_t longest)
{
    struct spread spread[4] = {{0}};

    for (size_t g = 0; g < sheet->groups.count; g++) {
        const struct latency_events *events = events_of(sheet, g);
        int64_t threshold = latency_threshold(ms, run_ns_per_tick(sheet->run));
        struct latency_interarrival found;
        struct latency_curve curve;

        latency_curve_init(&curve, events->latencies, events->count);
        if (longest > 0) {
            threshold = longest < curve.n ? curve.sorted[curve.n - 1 - longest] : 0;
        }
        latency_curve_free(&curve);
        latency_interarrivals(events->events, events->count, threshold, &found);
        extend(&spread[0], milliseconds(sheet, (double)threshold));
        extend(&spread[1], (double)found.events);
        extend(&spread[2], seconds(sheet, found.mean));
        extend(&spread[3], seconds(sheet, found.deviation));
    }
    for (int i = 0; i < 4; i++) {
        add_spread(figure, &spread[i], i != 1 || sheet->runs > 1);
    }
}

static const char *draw_intervals(const struct sheet *sheet)
{
    static const struct {
        double ms, events, mean, deviation; /* in the paper */
    } rows[] = {{100, 101, 3.1, 3.1}, {110, 26, 12.4, 10.6}, {120, 8, 41.1, 48.8}};
    struct figure *figure = add(sheet, FIGURE_TABLE, "", "intervals between long events");

    figure_open(figure, "rrrrrrr",
                "threshold (ms)\tevents above\tmean interval (s)\tdeviation (s)\tevents, paper\t"
                "mean, paper\tdeviation, paper");
    figure_how(figure,
               "%s; %s; %zu actions of %s; intervals from start to start; first the paper's "
               "thresholds, then thresholds with the paper's numbers of events above them%s",
               measure_label(sheet->curves.measure), figure_time_label(sheet->run),
               events_of(sheet, 0)->count, sheet->shown[0].label, over_runs(sheet));
    for (size_t i = 0; i < 6; i++) {
        add_intervals(sheet, figure, rows[i % 3].ms, i < 3 ? 0 : (size_t)rows[i % 3].events);
        figure_cell(figure, "%.0f\t%.1f\t%.1f", rows[i % 3].events, rows[i % 3].mean,
                    rows[i % 3].deviation);
    }
    return NULL;
}

/* ---- the tab ---- */

#define OF(bench) #bench /* the name of a bench, as PLUGIN_OF() takes it */

static const struct item items[] = {
    {"figure 1", "Validation of the idle loop", OF(echo), "", 0, 0, MEASURE_IDLE, draw_samples},
    {"figure 2", "States of think and wait", OF(background), "", 0, 0, MEASURE_RESPONSE,
     draw_states},
    {"figure 3", "Three idle systems", OF(profile), "hand", SYSTEMS, 0, MEASURE_IDLE, draw_idle},
    {"figure 4", "Window maximize (NT 4.0)", OF(maximize), "", 0, 0, MEASURE_IDLE, draw_maximize},
    {"figure 5", "Raw data of the writer (Word on NT 3.51)", OF(writer), "test", 1, 0, MEASURE_CALL,
     draw_raw_data},
    {"figure 6", "Simple interactive events", OF(desktop), "hand", SYSTEMS, 0, MEASURE_IDLE,
     draw_simple},
    {"figure 7", "Event latency of the editor (Notepad)", OF(editor), "test", SYSTEMS, 0,
     MEASURE_CALL, draw_summary},
    {"figure 8", "Event latency of the presentation (Powerpoint)", OF(slides), "test", 2, LONG_MS,
     MEASURE_CALL, draw_summary},
    {"table 1", "Long events of the presentation (Powerpoint)", OF(slides), "test", 2, 0,
     MEASURE_CALL, draw_long_events},
    {"figure 9", "Counters during page down", BENCH_PAGE_DOWN, "test", SYSTEMS, 0, MEASURE_CALL,
     draw_counts},
    {"figure 10", "Counters during the start of an edit session", BENCH_OBJECT_EDIT, "test",
     SYSTEMS, 0, MEASURE_CALL, draw_counts},
    {"figure 11", "Event latency of the writer (Word)", OF(writer), "test", 2, 0, MEASURE_CALL,
     draw_summary},
    {"table 2", "Intervals between long events of the writer (Word)", OF(writer), "test", 1, 0,
     MEASURE_CALL, draw_intervals},
    {"figure 12", "Long events over time (Powerpoint)", OF(slides), "test", 2, LONG_MS,
     MEASURE_CALL, draw_time_series},
};

static const struct input_bench *find_bench(const struct input_benches *benches, const char *name)
{
    for (size_t i = 0; i < benches->count; i++) {
        if (strcmp(benches->item[i].bench->name, name) == 0) {
            return &benches->item[i];
        }
    }
    return NULL;
}

/* Draws the item with the actions of all runs. Returns NULL on success, otherwise the reason. */
static const char *draw_item(struct sheet *sheet, const struct input_bench *const *inputs,
                             size_t count)
{
    const struct latency_wish wish = {
        .has_above = sheet->item->above_ms > 0,
        .above = latency_threshold(sheet->item->above_ms, run_ns_per_tick(sheet->run))};
    struct latency_groups groups[FIGURES_PAPER_RUNS];
    const char *why = "no phase of the bench has such actions";

    sheet->groups.item = sheet->shown;
    for (size_t i = 0; i < count; i++) {
        latency_groups_of(&groups[i], inputs[i]->interactive, inputs[i]->actions, &wish);
        show_run(sheet, inputs[i], &groups[i]);
    }
    if (sheet->item->systems == 0 || (sheet->first > 0 && longest_shown(sheet) > 0)) {
        why = sheet->item->draw(sheet);
    }
    while (count > 0) {
        latency_groups_free(&groups[--count]);
    }
    return why;
}

/* Reads the item's bench in the other runs, and draws the item. */
static const char *read_item(struct sheet *sheet)
{
    struct input_bench extra[FIGURES_PAPER_RUNS];
    const struct input_bench *inputs[FIGURES_PAPER_RUNS] = {sheet->input};
    struct reconcile reconcile;
    size_t count = 1;

    if (sheet->input == NULL || sheet->input->why != NULL || run_ns_per_tick(sheet->run) <= 0) {
        return sheet->input == NULL        ? "the run lacks its bench"
               : sheet->input->why != NULL ? sheet->input->why
                                           : "the rate of the TSC is unknown";
    }
    reconcile_init(&reconcile, sheet->input->bench);
    if (sheet->item->measure == MEASURE_IDLE && !reconcile.present) {
        return reconcile.why != NULL ? reconcile.why : "it published no samples of the idle loop";
    }
    for (size_t i = 0; i < other_count && sheet->item->systems > 0; i++) {
        const struct run_bench *bench = run_find_bench(&others[i], sheet->item->bench);

        if (bench != NULL) {
            input_bench_read(&extra[count], &others[i], bench);
            inputs[count] = &extra[count];
            count++;
        }
    }
    const char *why = draw_item(sheet, inputs, count);

    while (--count > 0) {
        input_bench_free(&extra[count]);
    }
    return why;
}

/* Adds a table of the claims about an item; of those about the text with `item` NULL. */
static void add_claims(struct figures *figures, const struct claims *claims, const char *item,
                       const char *section)
{
    struct figure *figure = NULL;
    size_t shown = 0;

    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->item[i];
        char value[NUMBER_MAX];

        if (item != NULL ? strcmp(claim->item, item) != 0
                         : strncmp(claim->item, "section", strlen("section")) != 0) {
            continue;
        }
        if (shown++ == 0) {
            figure = figure_add(figures, FIGURE_TABLE, section, "What the paper says",
                                "paper-%s-claims", item != NULL ? item : "text");
            figure_open(figure, "llrrl", "claim\tverdict\tvalue\tn\texpected");
        }
        figure_cell(
            figure, "%s%s%s%s%s\t%s", item == NULL ? claim->item : "", item == NULL ? ": " : "",
            claim->says, claim->because != NULL ? " Because: " : "",
            claim->because != NULL ? claim->because : "", claim_verdict_name(claim->verdict));
        if (claim->known) {
            figure_cell(figure, "%s\t%" PRIu64, number_text(claim->value, value), claim->n);
        } else {
            figure_cell(figure, "n/a\tn/a");
        }
        figure_cell(figure, "%s",
                    claim->expects != NULL    ? claim->expects
                    : claim->needs[0] != '\0' ? claim->needs
                                              : "");
    }
    if (shown > 0) {
        figure_how(figure, "%zu of %zu claims: tare show --claims", shown, claims->count);
    }
}

static const char *info_of(const struct run *run, const char *key)
{
    const char *value = run_pair_value(&run->info, key);

    return value != NULL ? value : "unknown";
}

static void cite(struct figures *figures, const struct run *run)
{
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, "Paper: To cite", "BibTeX", "paper-citation");

    figure_open(figure, "l", "entries");
    figure_cell(figure, "%s",
                "@inproceedings{endo1996,\n  author = {Yasuhiro Endo and Zheng Wang and J. Bradley "
                "Chen and Margo Seltzer},\n  title = {Using Latency to Evaluate Interactive System "
                "Performance},\n  booktitle = {USENIX Symposium on Operating Systems Design and "
                "Implementation (OSDI)},\n  year = {1996},\n}");
    figure_cell(figure,
                "@misc{tare-%s,\n  title = {Run of tare %s, %s},\n  note = {image sha256 %s},\n}",
                info_of(run, INFO_RUN), info_of(run, INFO_VERSION), info_of(run, INFO_DATE),
                info_of(run, "image.sha256"));
}

void figures_paper(struct figures *figures, const struct run *run,
                   const struct input_benches *benches)
{
    struct claims claims = {0};
    size_t present = 0;

    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        present += find_bench(benches, items[i].bench) != NULL;
    }
    if (present == 0) {
        return;
    }
    /* A few benches answer a few claims only; tare show --claims has these. */
    if (present == sizeof(items) / sizeof(items[0]) && !claims_check(&claims, NULL, run)) {
        figure_add_absent(figures, "Paper: Claims", "Claims of the paper", "paper-claims", "%s",
                          claims.error);
        claims.count = 0;
    }
    /* weighted time is no time of the paper's axes */
    const bool is_time = measure_choice()->given && measure_chosen() != MEASURE_WEIGHTED;

    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        const struct item *item = &items[i];
        struct sheet sheet = {.figures = figures,
                              .run = run,
                              .item = item,
                              .input = find_bench(benches, item->bench)};

        sheet.curves = (struct curves){run, &sheet.groups,
                                       is_time ? measure_chosen() : item->measure, item->above_ms};
        snprintf(sheet.section, sizeof(sheet.section), "Paper: %c%s. %s",
                 item->name[0] == 'f' ? 'F' : 'T', item->name + 1, item->title);
        const char *why = read_item(&sheet);

        if (why != NULL) {
            sheet.groups.count = 0;
            figure_absent(add(&sheet, FIGURE_ABSENT, "", item->title),
                          "%s; bench %s gives it (tare boot --profile paper)", why, item->bench);
        }
        add_claims(figures, &claims, item->name, sheet.section);
    }
    add_claims(figures, &claims, NULL, "Paper: Claims of the text");
    claims_free(&claims);
    cite(figures, run);
}
