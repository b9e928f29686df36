/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the paper's figures of latency (Endo et al. 1996, figures 4, 5, 7 and 12, table 2). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/host/view_input.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/view.h"

#define CHART_COLUMNS 60
#define CHART_ROWS    8
#define CHART_LEFT    13 /* width of what a chart writes before its first column */
#define BAR_WIDTH     40
#define LABEL_MAX     32
#define WINDOWS_SHOWN 3 /* fewest windows for a chart */
#define MARGIN        8 /* margin before and after an event, as 1/MARGIN of its length */

struct sheet {
    const struct view *view;
    const struct latency_groups *groups;
    const struct latency_group *group; /* the group that is shown */
    const struct latency_events *events;
    const char *const *classes;
    const struct input_wish *wish;
    enum measure measure;
    const char *label; /* name of the measure */
};

/* ---- units ---- */

/* Returns units per tick. Lengths are shown in instructions, in nanoseconds (as a duration), or in
 * ticks. */
static double units_per_tick(const struct view *view)
{
    if (view->ticks_per_instruction > 0) {
        return 1 / view->ticks_per_instruction;
    }
    return view->ns_per_tick > 0 ? view->ns_per_tick : 1;
}

const char *measure_note(const struct view *view, enum measure measure)
{
    return measure == MEASURE_WEIGHTED && view->ticks_per_instruction > 0 ? " (cycles of the model)"
                                                                          : span_note(view);
}

/* Prints "0 ... end" below a chart. */
static void print_ends(const struct view *view, size_t columns, const char *end)
{
    fprintf(view->out, "%*s0%*s\n", CHART_LEFT, "", (int)columns - 1, end);
}

/* ---- the profile: figures 5 and 12 ---- */

/* Sets each column to the longest of the events that began in it. */
static void fill_profile(const struct sheet *sheet, uint64_t elapsed, double top,
                         double heights[CHART_COLUMNS])
{
    memset(heights, 0, CHART_COLUMNS * sizeof(*heights));
    for (size_t i = 0; i < sheet->events->count; i++) {
        const struct latency_event *event = &sheet->events->events[i];
        const double part =
            (double)(int64_t)((uint64_t)event->begin - sheet->group->begin) / (double)elapsed;
        const double height = (double)event->latency / top;

        if (part >= 0 && part < 1) {
            double *column = &heights[(size_t)(part * CHART_COLUMNS)];

            *column = height > *column ? height : *column;
        }
    }
}

static void print_profile(const struct sheet *sheet, int64_t longest)
{
    const struct view *view = sheet->view;
    const uint64_t elapsed = sheet->group->elapsed + 1;
    const double units = units_per_tick(view);
    const double top = chart_top((double)longest * units) / units; /* ticks */
    double heights[CHART_COLUMNS];
    char most[AMOUNT_MAX];
    char half[AMOUNT_MAX];
    const char *labels[CHART_ROWS + 1] = {[0] = "0",
                                          [CHART_ROWS / 2] = span_text(view, top / 2, half),
                                          [CHART_ROWS] = span_text(view, top, most)};
    char end[AMOUNT_MAX];

    fill_profile(sheet, elapsed, top, heights);
    print_paragraph(view->out,
                    "latency profile: %s%s of the actions by the time when they began; each column "
                    "shows the longest",
                    sheet->label, measure_note(view, sheet->measure));
    fputc('\n', view->out);
    chart_labelled(view->out, heights, CHART_COLUMNS, labels, CHART_ROWS);
    print_ends(view, CHART_COLUMNS, amount_text(view, (int64_t)elapsed, UNIT_TICK, end));
}

/* ---- histogram: figure 7, first graph ---- */

static void print_histogram(const struct sheet *sheet)
{
    const struct view *view = sheet->view;
    struct latency_bin bins[LATENCY_BINS_MAX];
    const double units = units_per_tick(view);
    const size_t count = latency_histogram(sheet->events->latencies, sheet->events->count, units,
                                           LATENCY_COARSE, bins);
    uint64_t most = 1;
    char from[AMOUNT_MAX];
    char to[AMOUNT_MAX];

    for (size_t i = 0; i < count; i++) {
        most = bins[i].n > most ? bins[i].n : most;
    }
    print_paragraph(view->out, "histogram: %s%s; bars are logarithmic", sheet->label,
                    measure_note(view, sheet->measure));
    fprintf(view->out, "\n  %10s  %10s  %7s\n", "from", "below", "actions");
    for (size_t i = 0; i < count; i++) {
        fprintf(view->out, "  %10s  %10s  %7" PRIu64, span_text(view, bins[i].from / units, from),
                span_text(view, bins[i].to / units, to), bins[i].n);
        if (bins[i].n > 0) {
            fputs("  ", view->out);
            chart_bar(view->out, (1 + log10((double)bins[i].n)) / (1 + log10((double)most)),
                      BAR_WIDTH);
        }
        fputc('\n', view->out);
    }
}

/* ---- cumulative latency: figure 7, second and third graph ---- */

static void print_by_latency(const struct sheet *sheet, const struct latency_curve *curve)
{
    const struct view *view = sheet->view;
    const int64_t longest = curve->sorted[curve->n - 1];
    double shares[CHART_COLUMNS];
    char half[AMOUNT_MAX];
    char most[AMOUNT_MAX];
    char end[AMOUNT_MAX];

    for (size_t i = 0; i < CHART_COLUMNS; i++) {
        const double upto = (double)longest * (double)(i + 1) / CHART_COLUMNS;

        shares[i] = latency_share_upto(curve, i + 1 == CHART_COLUMNS ? longest : (int64_t)upto);
    }
    print_paragraph(view->out,
                    "cumulative latency by latency%s: the share of all %s due to actions up to "
                    "that length; half is due to actions of up to %s, 80 %% to those of up to %s",
                    measure_note(view, sheet->measure), sheet->label,
                    span_text(view, (double)latency_at_share(curve, 0.5), half),
                    span_text(view, (double)latency_at_share(curve, 0.8), most));
    fputc('\n', view->out);
    chart_columns(view->out, shares, CHART_COLUMNS, 1, CHART_ROWS);
    print_ends(view, CHART_COLUMNS, span_text(view, (double)longest, end));
}

static void print_by_events(const struct sheet *sheet, const struct latency_curve *curve)
{
    const struct view *view = sheet->view;
    double shares[CHART_COLUMNS];
    char total[AMOUNT_MAX];
    char end[LABEL_MAX];

    for (size_t i = 0; i < CHART_COLUMNS; i++) {
        shares[i] = latency_share_of(curve, curve->n * (i + 1) / CHART_COLUMNS);
    }
    print_paragraph(view->out,
                    "cumulative latency by number of actions, the shortest first: share of all "
                    "%s, in total %s",
                    sheet->label, span_text(view, curve->sums[curve->n - 1], total));
    fputc('\n', view->out);
    chart_columns(view->out, shares, CHART_COLUMNS, 1, CHART_ROWS);
    snprintf(end, sizeof(end), "%zu", curve->n);
    print_ends(view, CHART_COLUMNS, end);
}

/* ---- utilisation: figure 4 ---- */

/* Draws the windows around the longest event. Each column shows the busiest of its windows. */
static void print_around(const struct sheet *sheet, const struct idle_windows *windows)
{
    const struct view *view = sheet->view;
    const struct latency_event *event = latency_longest_of(sheet->groups, sheet->measure);
    const int64_t window = windows->window;
    const __int128 margin = (__int128)(event->latency / MARGIN) + window;
    const __int128 begin = (__int128)event->begin - (__int128)windows->begin;
    const __int128 last = (begin + event->latency + margin) / window;
    const int64_t first = begin > margin ? (int64_t)((begin - margin) / window) : 0;
    const int64_t end = last < (__int128)windows->count ? (int64_t)last : (int64_t)windows->count;
    double columns[CHART_COLUMNS] = {0};
    char from[AMOUNT_MAX];
    char to[AMOUNT_MAX];

    if (event->latency / WINDOWS_SHOWN < window || first >= end) {
        return;
    }
    const size_t shown = (size_t)(end - first);
    const size_t count = shown < CHART_COLUMNS ? shown : CHART_COLUMNS;

    for (size_t i = 0; i < shown; i++) {
        const size_t column = i * count / shown;
        const double busy = windows->windows[(size_t)first + i];

        columns[column] = busy > columns[column] ? busy : columns[column];
    }
    print_paragraph(view->out, "around the longest action, in windows of %g ms%s; from %s to %s",
                    windows->ms, shown > CHART_COLUMNS ? ", each column shows the busiest" : "",
                    amount_text(view, first * window, UNIT_TICK, from),
                    amount_text(view, end * window, UNIT_TICK, to));
    fputc('\n', view->out);
    chart_columns(view->out, columns, count, 1, CHART_ROWS);
}

static void print_utilisation(const struct sheet *sheet, const struct run_bench *bench)
{
    static const double lengths[] = {10, 1};
    struct idle_windows windows[sizeof(lengths) / sizeof(lengths[0])];
    const size_t count = sizeof(lengths) / sizeof(lengths[0]);
    struct table table;

    for (size_t i = 0; i < count; i++) {
        const char *why = idle_windows_of(&windows[i], bench, lengths[i], sheet->view->ns_per_tick);

        if (why != NULL) {
            print_paragraph(sheet->view->out, "utilisation by the idle loop's samples: n/a, %s",
                            why);
            return; /* what one length lacks, the first lacks as well, so nothing must be freed */
        }
    }
    table_open(&table, "rrrrr", "window\twindows\tmean\tmax\tall idle");
    for (size_t i = 0; i < count; i++) {
        table_line(&table, "%g ms\t%zu", windows[i].ms, windows[i].count);
        table_share(&table, windows[i].mean);
        table_share(&table, windows[i].most);
        table_format(&table, "%zu", windows[i].idle);
    }
    print_paragraph(sheet->view->out, "utilisation by the idle loop's samples alone%s, averaged",
                    run_processors(bench) > 1 ? ", on processor 0" : "");
    view_table(sheet->view, &table);
    for (size_t i = 0; i < count; i++) {
        print_around(sheet, &windows[i]);
        idle_windows_free(&windows[i]);
    }
}

/* ---- responsiveness: section 3.1 ---- */

/* Copies the actions of one class whose first event is of one kind to `list`. Returns how many. */
static size_t of_class(const struct latency_events *events, unsigned class, unsigned kind,
                       struct latency_event *list)
{
    size_t count = 0;

    for (size_t i = 0; i < events->count; i++) {
        if (events->events[i].class == class && events->events[i].kind == kind) {
            list[count++] = events->events[i];
        }
    }
    return count;
}

static bool is_usual(unsigned kind)
{
    return kind == INPUT_KEY_DOWN || kind == INPUT_BUTTON_DOWN || kind == INPUT_MOVE;
}

static void add_responsiveness(struct table *table, const struct sheet *sheet, unsigned class,
                               unsigned kind, struct latency_event *list)
{
    const struct view *view = sheet->view;
    const char *name = sheet->classes[class];
    const double ms = thresholds_of(&sheet->wish->thresholds, kind, name);
    const size_t count = of_class(sheet->events, class, kind, list);
    struct latency_responsiveness responsiveness;
    char text[DURATION_MAX];
    char beyond[DURATION_MAX];

    if (count == 0) {
        return;
    }
    latency_respond(list, count, latency_threshold(ms, view->ns_per_tick), &responsiveness);
    table_row(table);
    if (sheet->groups->count > 1) {
        table_text(table, sheet->group->label);
    }
    table_format(table, "%s%s%s\t%zu\t%s\t%zu\t%s", name, is_usual(kind) ? "" : ", ",
                 is_usual(kind) ? "" : input_kind_name(kind), count, duration_text(ms * 1e6, text),
                 responsiveness.events,
                 duration_text(responsiveness.excess * view->ns_per_tick, beyond));
}

static void print_responsiveness(struct sheet *sheet, const struct actions *actions)
{
    const bool several = sheet->groups->count > 1;
    struct table table;

    table_open(&table, several ? "llrrrr" : "lrrrr",
               several ? "phase\tclass\tactions\tthreshold\tabove\tsum beyond"
                       : "class\tactions\tthreshold\tabove\tsum beyond");
    for (size_t g = 0; g < sheet->groups->count; g++) {
        sheet->group = &sheet->groups->item[g];
        sheet->events = &sheet->group->of[sheet->measure];
        struct latency_event *list = alloc_zeroed(sheet->events->count * sizeof(*list));

        for (unsigned class = 0; class < actions->class_count; class ++) {
            for (unsigned kind = 0; kind < INPUT_KINDS; kind++) {
                add_responsiveness(&table, sheet, class, kind, list);
            }
        }
        free(list);
    }
    print_paragraph(sheet->view->out,
                    "responsiveness: the %s beyond the threshold of the class, summed over the "
                    "actions (--threshold)",
                    sheet->label);
    view_table(sheet->view, &table);
    for (size_t i = 0; i < sheet->wish->thresholds.class_count; i++) {
        const char *name = sheet->wish->thresholds.classes[i].name;
        unsigned class = 0;

        while (class < actions->class_count && strcmp(actions->classes[class], name) != 0) {
            class ++;
        }
        if (class == actions->class_count) {
            print_paragraph(sheet->view->out, "no action here is of class %s", name);
        }
    }
}

/* ---- interarrival: table 2 ---- */

static void add_interarrival(struct table *table, const struct sheet *sheet, double ms)
{
    const struct view *view = sheet->view;
    struct latency_interarrival interarrival;
    char text[AMOUNT_MAX];

    latency_interarrivals(sheet->events->events, sheet->events->count,
                          latency_threshold(ms, view->ns_per_tick), &interarrival);
    table_row(table);
    if (sheet->groups->count > 1) {
        table_text(table, sheet->group->label);
    }
    table_format(table, "%s\t%zu of %zu", duration_text(ms * 1e6, text), interarrival.events,
                 sheet->events->count);
    for (size_t i = 0; i < 2; i++) {
        const double ticks = i == 0 ? interarrival.mean : interarrival.deviation;

        table_text(table, isnan(ticks) ? "n/a" : duration_text(ticks * view->ns_per_tick, text));
    }
}

void view_interarrivals(const struct view *view, const struct latency_groups *groups,
                        const struct input_wish *wish)
{
    const bool several = groups->count > 1;
    struct sheet sheet = {.view = view,
                          .groups = groups,
                          .wish = wish,
                          .measure = measure_chosen(),
                          .label = measure_label(measure_chosen())};
    struct table table;

    table_open(&table, several ? "lrrrr" : "rrrr",
               several ? "phase\tthreshold\tactions above\tmean interarrival\tstandard deviation"
                       : "threshold\tactions above\tmean interarrival\tstandard deviation");
    for (size_t g = 0; g < groups->count; g++) {
        sheet.group = &groups->item[g];
        sheet.events = &sheet.group->of[sheet.measure];
        for (size_t i = 0; i < wish->interarrival_count; i++) {
            add_interarrival(&table, &sheet, wish->interarrival_ms[i]);
        }
    }
    print_paragraph(view->out,
                    "intervals between actions whose %s is above a threshold, from start to start",
                    sheet.label);
    view_table(view, &table);
}

/* Prints the heading of a group, such as "server, 820 actions in 12.3 s". */
static void print_group(const struct sheet *sheet)
{
    const struct latency_group *group = sheet->group;
    char elapsed[AMOUNT_MAX];
    char less[128] = "";
    size_t used = 0;

    if (sheet->events->endless > 0) {
        used = (size_t)snprintf(less, sizeof(less), "; unknown for %zu", sheet->events->endless);
    }
    if (sheet->events->below > 0) {
        snprintf(less + used, sizeof(less) - used, "; %zu left out by --above",
                 sheet->events->below);
    }
    print_paragraph(sheet->view->out, "%s%s%zu action%s in %s%s", group->label,
                    group->label[0] != '\0' ? ": " : "", group->actions,
                    group->actions == 1 ? "" : "s",
                    amount_text(sheet->view, (int64_t)group->elapsed, UNIT_TICK, elapsed), less);
}

static void print_curves(struct sheet *sheet)
{
    struct latency_curve curve;

    for (size_t g = 0; g < sheet->groups->count; g++) {
        sheet->group = &sheet->groups->item[g];
        sheet->events = &sheet->group->of[sheet->measure];
        const struct latency_event *longest = latency_longest(sheet->events);

        print_group(sheet);
        if (longest != NULL && longest->latency > 0) {
            print_profile(sheet, longest->latency);
            print_histogram(sheet);
            latency_curve_init(&curve, sheet->events->latencies, sheet->events->count);
            print_by_latency(sheet, &curve);
            print_by_events(sheet, &curve);
            latency_curve_free(&curve);
        }
    }
}

void view_latency(const struct view *view, const struct run_bench *bench,
                  const struct actions *actions, const struct latency_groups *groups,
                  const struct input_wish *wish)
{
    struct sheet sheet = {.view = view,
                          .groups = groups,
                          .classes = actions->classes,
                          .wish = wish,
                          .measure = measure_chosen(),
                          .label = measure_label(measure_chosen())};

    if (latency_longest_of(groups, sheet.measure) == NULL) {
        print_paragraph(view->out, "latencies: n/a, the %s is known for no action%s", sheet.label,
                        measure_choice()->has_above ? ", or is never above the limit of --above"
                                                    : "");
        return;
    }
    print_curves(&sheet);
    print_utilisation(&sheet, bench);
    if (view->ns_per_tick > 0) {
        print_responsiveness(&sheet, actions);
    }
}
