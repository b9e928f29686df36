/* SPDX-License-Identifier: BSD-2-Clause */
/* The input events of a bench: in short, and what is asked for of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/bench/interactive/interactive_summary.h"
#include "tools/bench/interactive/view_input.h"
#include "tools/present/view.h"

/* ---- in short ---- */

static void print_count(const struct view *view, const struct interactive *interactive)
{
    char text[256] = "";
    size_t used = 0;

    if (interactive->planned > 0) {
        used = (size_t)snprintf(text, sizeof(text), " of %zu planned%s", interactive->planned,
                                interactive->matched == 0 ? ""
                                : interactive->in_order   ? ", in order"
                                                          : ", not all in order");
    }
    if (interactive->missing > 0) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, ", %zu never came",
                                 interactive->missing);
    }
    if (interactive->unplanned > 0 && interactive->planned > 0) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, ", and %zu unplanned",
                                 interactive->unplanned);
    }
    if (interactive->has_arrival_error &&
        interactive->arrival_error_min == interactive->arrival_error_max) {
        snprintf(text + used, sizeof(text) - used,
                 "; each arrived %" PRId64 " ticks after it was written",
                 interactive->arrival_error_min);
    } else if (interactive->has_arrival_error) {
        snprintf(text + used, sizeof(text) - used,
                 "; they arrived %" PRId64 " to %" PRId64 " ticks after they were written",
                 interactive->arrival_error_min, interactive->arrival_error_max);
    }
    print_paragraph(view->out, "input events: %zu came%s", interactive->arrived, text);
}

/* Of each measure the median. */
static void add_medians(struct table *table, const struct view *view,
                        const struct interactive_summary *summary)
{
    static const enum interactive_summary_row shown[] = {
        SUMMARY_RESPONSE, SUMMARY_SERVICE, SUMMARY_BUSY, SUMMARY_ELONGATION, SUMMARY_TRADITIONAL};
    char name[INTERACTIVE_CLASS_MAX];
    char text[AMOUNT_MAX];

    table_row(table);
    table_text(table, interactive_class_name(&summary->of, name));
    table_format(table, "%zu", summary->events);
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        const struct statistics *statistics = &summary->measures[shown[i]].statistics;

        table_text(table,
                   statistics->n > 0 ? span_text(view, (double)statistics->median, text) : NULL);
    }
}

static void print_medians(const struct view *view, const struct interactive *interactive)
{
    static const char *const heads[] = {"kind", "events",    "response", "service",
                                        "busy", "idle loop", "stamps"};
    struct table table;
    size_t count;
    struct interactive_summary *summaries = interactive_summaries(interactive, &count);

    table_head(&table, "lrrrrrr", heads);
    for (size_t i = 0; i < count; i++) {
        add_medians(&table, view, &summaries[i]);
    }
    free(summaries);
    print_paragraph(view->out, "medians by kind%s; --events shows each", span_note(view));
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void print_share(const struct view *view, const struct think_wait *think_wait)
{
    char text[AMOUNT_MAX];

    if (!think_wait->present || think_wait->elapsed == 0) {
        return;
    }
    print_paragraph(view->out,
                    "the user waited %.4f %% of %s; by the processor alone it would be %.4f %%, by "
                    "processor and queue %.4f %% (--fsm)",
                    100 * (double)think_wait_waited(think_wait) / (double)think_wait->elapsed,
                    amount_text(view, (int64_t)think_wait->elapsed, UNIT_TICK, text),
                    100 * (double)think_wait->machines[MACHINE_PROCESSOR].wait /
                        (double)think_wait->elapsed,
                    100 * (double)think_wait->machines[MACHINE_PROCESSOR_QUEUE].wait /
                        (double)think_wait->elapsed);
}

void view_input_summary(const struct view *view, const struct run_bench *bench)
{
    struct interactive interactive;
    struct think_wait think_wait;

    if (interactive_read(&interactive, bench) && interactive.present) {
        print_count(view, &interactive);
        print_medians(view, &interactive);
    }
    if (think_wait_read(&think_wait, bench, latency_perceptible(view->ns_per_tick))) {
        print_share(view, &think_wait);
    }
    think_wait_free(&think_wait);
    interactive_free(&interactive);
}

/* ---- all ---- */

bool view_has_input(const struct run_bench *bench)
{
    if (run_find_series(bench, SERIES_INTENDED) != NULL &&
        run_find_series(bench, SERIES_SENT) != NULL) {
        return true;
    }
    for (size_t i = 0; i < bench->object_count && bench->trace_count > 0; i++) {
        if (strcmp(bench->objects[i].kind, OBJECT_NAME_QUEUE) == 0) {
            return true;
        }
    }
    return false;
}

static const char *print_wishes(const struct view *view, const struct run_bench *bench,
                                const struct interactive *interactive,
                                const struct input_wish *wish)
{
    const bool has_rate = view->ns_per_tick > 0;
    struct latency_events events;

    latency_events_of(&events, interactive);
    if (wish->events) {
        print_count(view, interactive);
        view_input_list(view, interactive);
        view_interactive(view, bench, interactive);
        view_latency(view, bench, &events, wish);
    }
    if (wish->interarrival_count > 0 && has_rate) {
        view_interarrivals(view, &events, wish);
    }
    latency_events_free(&events);
    return wish->interarrival_count > 0 && !has_rate ? "how long a tick is, is not known" : NULL;
}

static const char *show_events(const struct view *view, const struct run_bench *bench,
                               const struct input_wish *wish)
{
    struct interactive interactive;
    const char *why;

    if (!interactive_read(&interactive, bench)) {
        why = "its trace cannot be read";
    } else if (!interactive.present) {
        why = "no input event came, and none was planned";
    } else {
        why = print_wishes(view, bench, &interactive, wish);
    }
    interactive_free(&interactive);
    return why;
}

static const char *show_fsm(const struct view *view, const struct run_bench *bench,
                            const struct input_wish *wish)
{
    struct think_wait think_wait;
    const char *why = NULL;

    if (!think_wait_read(&think_wait, bench, latency_perceptible(view->ns_per_tick))) {
        why = "its trace cannot be read";
    } else {
        view_think_wait(view, &think_wait, wish->transitions);
    }
    think_wait_free(&think_wait);
    return why;
}

const char *view_input(const struct view *view, const struct run_bench *bench,
                       const struct input_wish *wish)
{
    const char *events = NULL;
    const char *fsm = NULL;

    if (wish->events || wish->interarrival_count > 0) {
        events = show_events(view, bench, wish);
    }
    if (wish->fsm) {
        fsm = show_fsm(view, bench, wish);
    }
    const char *why = events != NULL ? events : fsm;

    if (why != NULL) {
        fprintf(view->out, "\n  not all can be shown: %s\n", why);
    }
    return why;
}
