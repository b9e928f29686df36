/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows the input events of a bench: a summary, and the details that the user asks for. */
#include "bench/interactive/host/view_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/measure/interactive_summary.h"
#include "kernel/input/event.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/present/view.h"

#define TRANSITIONS_MAX 20 /* transitions in the list */

/* The list of all input events of a bench. */

#define LATE_NS        1e6 /* a later event is marked as late; sending a byte takes about as long */
#define INPUT_TEXT_MAX 32

/* The marks of an event, with their meaning, in the order of marks_of(). */
static const struct {
    char letter;
    const char *meaning;
} marks[] = {
    {'C', "cold caches"},
    {'L', "more than 1 ms late"},
    {'M', "planned, but never came"},
    {'U', "not planned"},
    {'D', "came in another order"},
    {'E', "end unknown"},
    {'S', "shares samples of the idle loop with another"},
};
#define MARKS (sizeof(marks) / sizeof(marks[0]))

struct sheet {
    const struct view *view;
    const struct interactive *interactive;
    const bool *shown; /* for each event, whether it is shown; NULL: all are */
    struct table table;
    bool has_intended, has_elongation, has_stamps; /* true if any event that is shown has it */
    bool marked[MARKS];                            /* marks that occur */
};

static bool is_shown(const struct sheet *sheet, size_t event)
{
    return sheet->shown == NULL || sheet->shown[event];
}

/* Writes the input, such as "a", "a up", "left down", "left up" or "move". Returns `text`. */
static const char *input_text(const struct interactive_event *event, char text[INPUT_TEXT_MAX])
{
    static const char *const buttons[BUTTONS] = {
        [BUTTON_LEFT] = "left", [BUTTON_RIGHT] = "right", [BUTTON_MIDDLE] = "middle"};
    const bool up = event->kind == INPUT_KEY_UP || event->kind == INPUT_BUTTON_UP;
    const bool is_key = event->kind == INPUT_KEY_DOWN || event->kind == INPUT_KEY_UP;
    const char *name = is_key ? key_name(event->code) : NULL;

    if (event->kind >= INPUT_KINDS) {
        snprintf(text, INPUT_TEXT_MAX, "kind %u", event->kind);
    } else if (event->kind == INPUT_MOVE) {
        snprintf(text, INPUT_TEXT_MAX, "move");
    } else if (!is_key && event->code < BUTTONS) {
        snprintf(text, INPUT_TEXT_MAX, "%s %s", buttons[event->code], up ? "up" : "down");
    } else if (name != NULL) {
        snprintf(text, INPUT_TEXT_MAX, "%.16s%s", name, up ? " up" : "");
    } else {
        snprintf(text, INPUT_TEXT_MAX, "code %02Xh%s", event->code, up ? " up" : "");
    }
    return text;
}

/* ---- cells ---- */

static void add_ticks(struct sheet *sheet, bool known, int64_t ticks)
{
    cell_span(&sheet->table, sheet->view, known, (double)ticks);
}

/* Adds a time in milliseconds, also for virtual time; in ticks if the length of a tick is unknown.
 */
static void add_moment(struct sheet *sheet, bool known, uint64_t tsc)
{
    const int64_t since = (int64_t)(tsc - sheet->interactive->begin);

    if (known && sheet->view->ns_per_tick > 0) {
        table_format(&sheet->table, "%.3f", (double)since * sheet->view->ns_per_tick / 1e6);
    } else {
        table_known(&sheet->table, known, since);
    }
}

static void marks_of(const struct sheet *sheet, const struct interactive_event *event,
                     bool set[MARKS])
{
    const bool late =
        event->has_intended && event->has_arrival && event->arrival > event->intended &&
        (double)(event->arrival - event->intended) * sheet->view->ns_per_tick > LATE_NS;
    const bool of_event[MARKS] = {
        event->cold,
        late,
        !event->came,
        event->came && !event->planned && sheet->interactive->planned > 0,
        event->displaced,
        event->came && !event->has_done,
        event->has_elongation && event->shared,
    };

    memcpy(set, of_event, sizeof(of_event));
}

static void add_event(struct sheet *sheet, const struct interactive_event *event)
{
    struct table *table = &sheet->table;
    uint64_t response;
    uint64_t service;
    uint64_t stamps;
    const bool has_response = interactive_response(event, &response);
    const bool has_service = interactive_service(event, &service);
    const bool has_stamps = interactive_traditional(event, &stamps);
    char text[INPUT_TEXT_MAX];
    char letters[MARKS + 1] = "";
    bool set[MARKS];
    size_t used = 0;

    table_row(table);
    table_known(table, event->number != 0, event->number);
    table_text(table, input_text(event, text));
    if (sheet->has_intended) {
        add_moment(sheet, event->has_intended, event->intended);
    }
    add_moment(sheet, event->has_arrival, event->arrival);
    add_ticks(sheet, has_response, (int64_t)response);
    add_ticks(sheet, has_service, (int64_t)service);
    add_ticks(sheet, event->has_busy, (int64_t)event->busy);
    if (sheet->has_elongation) {
        add_ticks(sheet, event->has_elongation, event->elongation);
    }
    if (sheet->has_stamps) {
        add_ticks(sheet, has_stamps, (int64_t)stamps);
    }
    table_known(table, event->has_posted, (int64_t)event->waiting);
    marks_of(sheet, event, set);
    for (size_t i = 0; i < MARKS; i++) {
        if (set[i]) {
            sheet->marked[i] = true;
            letters[used++] = marks[i].letter;
        }
    }
    table_text(table, letters);
}

/* Prints the meaning of the marks that occur. */
static void print_legend(const struct sheet *sheet)
{
    char text[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < MARKS; i++) {
        if (sheet->marked[i]) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%c %s",
                                     used > 0 ? "; " : "", marks[i].letter, marks[i].meaning);
        }
    }
    if (used > 0) {
        print_paragraph(sheet->view->out, "%s", text);
    }
}

/* Opens the table with the columns that some event fills. */
static void open_list(struct sheet *sheet)
{
    char alignment[TABLE_COLUMNS_MAX];

    for (size_t i = 0; i < sheet->interactive->count; i++) {
        const struct interactive_event *event = &sheet->interactive->events[i];

        if (is_shown(sheet, i)) {
            sheet->has_intended |= event->has_intended;
            sheet->has_elongation |= event->has_elongation;
            sheet->has_stamps |= event->has_stamps;
        }
    }
    snprintf(alignment, sizeof(alignment), "rl%srrrr%s%srl", sheet->has_intended ? "r" : "",
             sheet->has_elongation ? "r" : "", sheet->has_stamps ? "r" : "");
    table_open(&sheet->table, alignment, "nr\tinput");
    if (sheet->has_intended) {
        table_text(&sheet->table, "due");
    }
    table_format(&sheet->table, "arrival\tresponse\tservice\tbusy");
    if (sheet->has_elongation) {
        table_text(&sheet->table, "idle");
    }
    if (sheet->has_stamps) {
        table_text(&sheet->table, "stamps");
    }
    table_format(&sheet->table, "queue\t");
}

/* Lists events. `shown` says for each event whether to list it; NULL: all. */
static void view_input_list(const struct view *view, const struct interactive *interactive,
                            const bool *shown)
{
    struct sheet sheet = {.view = view, .interactive = interactive, .shown = shown};

    print_paragraph(
        view->out,
        "each event%s. due, arrival: %s since the start of the trace; response: from when the "
        "event was due to its effect; service: from the arrival of the event to its effect; busy: "
        "the part of service in which the processor was busy; idle: excess of the idle loop's "
        "samples that contain the event; stamps: latency by the application's own time stamps; "
        "queue: length of the queue, including this event",
        span_note(view), view->ns_per_tick > 0 ? "ms" : "ticks");
    open_list(&sheet);
    for (size_t i = 0; i < interactive->count; i++) {
        if (is_shown(&sheet, i)) {
            add_event(&sheet, &interactive->events[i]);
        }
    }
    view_table(view, &sheet.table);
    print_legend(&sheet);
}

/* ---- summary ---- */

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

void cell_subset(struct table *table, const struct view *view, size_t n, size_t all, double ticks)
{
    char text[AMOUNT_MAX];

    if (n == 0 || n == all) {
        cell_span(table, view, n > 0, ticks);
    } else {
        table_format(table, "%s (%zu)", span_text(view, ticks, text), n);
    }
}

/* Adds the median of each measure. */
static void add_medians(struct table *table, const struct view *view,
                        const struct interactive_summary *summary)
{
    static const enum interactive_summary_row shown[] = {
        SUMMARY_RESPONSE, SUMMARY_SERVICE, SUMMARY_BUSY, SUMMARY_ELONGATION, SUMMARY_TRADITIONAL};
    char name[INTERACTIVE_CLASS_MAX];

    table_line(table, "%s\t%zu", interactive_class_name(&summary->of, name), summary->events);
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        const struct statistics *statistics = &summary->measures[shown[i]].statistics;

        cell_subset(table, view, statistics->n, summary->events, (double)statistics->median);
    }
}

static void print_medians(const struct view *view, const struct interactive *interactive)
{
    struct table table;
    size_t count;
    struct interactive_summary *summaries = interactive_summaries(interactive, &count);

    table_open(&table, "lrrrrrr", "kind\tevents\tresponse\tservice\tbusy\tidle loop\tstamps");
    for (size_t i = 0; i < count; i++) {
        add_medians(&table, view, &summaries[i]);
    }
    free(summaries);
    print_paragraph(view->out,
                    "medians by kind%s; in brackets the number of events, if not all have the "
                    "value; --events lists each event",
                    span_note(view));
    view_table(view, &table);
}

/* Prints the medians of actions by class. An action can have an idle-loop value even if its events
 * share samples with each other. */
static void print_actions(const struct view *view, const struct latency_groups *groups)
{
    static const enum measure shown[] = {MEASURE_RESPONSE, MEASURE_SERVICE, MEASURE_IDLE};
    struct table table;

    table_open(&table, "lrrrr", "class\tactions\tresponse\tservice\tidle loop");
    for (size_t g = 0; g < groups->count; g++) {
        table_line(&table, "%s\t%zu", groups->item[g].label, groups->item[g].actions);
        for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
            const struct latency_events *events = &groups->item[g].of[shown[i]];

            cell_subset(&table, view, events->count, groups->item[g].actions,
                        (double)statistics_median(events->latencies, events->count));
        }
    }
    print_paragraph(view->out,
                    "medians of actions by class%s; in brackets the number of actions, if not all "
                    "have the value",
                    span_note(view));
    view_table(view, &table);
}

static void print_share(const struct view *view, const struct think_wait *think_wait)
{
    char text[AMOUNT_MAX];

    if (!think_wait->present || think_wait->elapsed == 0) {
        return;
    }
    const double elapsed = (double)think_wait->elapsed;
    char shares[3][NUMBER_MAX];

    print_paragraph(
        view->out,
        "the user waited %s of %s; estimated from CPU activity alone %s, from CPU and "
        "queue %s (--fsm)",
        share_text((double)think_wait_waited(think_wait) / elapsed, shares[0]),
        amount_text(view, (int64_t)think_wait->elapsed, UNIT_TICK, text),
        share_text((double)think_wait->machines[MACHINE_PROCESSOR].wait / elapsed, shares[1]),
        share_text((double)think_wait->machines[MACHINE_PROCESSOR_QUEUE].wait / elapsed,
                   shares[2]));
}

void view_input_summary(const struct view *view, const struct run_bench *bench)
{
    const struct input_reading *input = input_of(bench);
    const struct think_wait *think_wait = input_think_wait(view->run, bench);
    struct latency_groups groups;

    latency_groups_of(&groups, &input->interactive, &input->actions,
                      &(struct latency_wish){.by_class = true});
    if (input->good && input->interactive.present) {
        print_count(view, &input->interactive);
        print_medians(view, &input->interactive);
    }
    if (input->good && groups.count > 0) {
        print_actions(view, &groups);
    }
    latency_groups_free(&groups);
    if (think_wait != NULL) {
        print_share(view, think_wait);
    }
}

bool view_has_input(const struct run_bench *bench)
{
    return input_expected(bench);
}

/* Returns, for each event, whether its action takes longer than the user's limit. The caller must
 * free it. NULL: all events are shown. */
static bool *shown_events(const struct interactive *interactive, const struct actions *actions,
                          const struct latency_wish *wish)
{
    const enum measure measure = measure_chosen();

    if (!wish->has_above) {
        return NULL;
    }
    bool *shown = alloc_zeroed(interactive->count * sizeof(*shown));

    for (size_t i = 0; i < interactive->count; i++) {
        const struct action *action =
            actions->of[i] != ACTION_NONE ? &actions->actions[actions->of[i]] : NULL;

        shown[i] =
            action != NULL && action->known[measure] && action->latency[measure] > wish->above;
    }
    return shown;
}

static const char *print_wishes(const struct view *view, const struct run_bench *bench,
                                const struct interactive *interactive,
                                const struct actions *actions, const struct input_wish *wish)
{
    const bool needs_rate = wish->interarrival_count > 0 || measure_choice()->has_above;
    const bool has_rate = view->ns_per_tick > 0;
    const struct latency_wish chosen = latency_wish_chosen(view->ns_per_tick);
    struct latency_groups groups;

    latency_groups_of(&groups, interactive, actions, &chosen);
    if (wish->events) {
        bool *shown = shown_events(interactive, actions, &chosen);

        print_count(view, interactive);
        view_input_list(view, interactive, shown);
        view_interactive(view, bench, interactive, actions);
        view_latency(view, bench, actions, &groups, wish);
        free(shown);
    }
    if (wish->by_action) {
        view_actions(view, interactive, actions);
    }
    if (wish->interarrival_count > 0 && has_rate) {
        view_interarrivals(view, &groups, wish);
    }
    if (wish->longest > 0) {
        view_longest(view, actions, wish->longest);
    }
    latency_groups_free(&groups);
    return needs_rate && !has_rate ? "the length of a tick is unknown" : NULL;
}

static const char *show_events(const struct view *view, const struct run_bench *bench,
                               const struct input_wish *wish)
{
    const struct input_reading *input = wish->events ? input_explained(bench) : input_of(bench);

    if (!(wish->events ? input->explained : input->good)) {
        return "its trace cannot be read";
    }
    if (!input->interactive.present) {
        return "no input event came, and none was planned";
    }
    return print_wishes(view, bench, &input->interactive, &input->actions, wish);
}

const char *view_input(const struct view *view, const struct run_bench *bench,
                       const struct input_wish *wish)
{
    const char *why = NULL;

    if (wish->events || wish->by_action || wish->interarrival_count > 0 || wish->longest > 0) {
        why = show_events(view, bench, wish);
    }
    if (wish->fsm) {
        const struct think_wait *think_wait = input_think_wait(view->run, bench);

        if (think_wait != NULL) {
            view_think_wait(view, think_wait, TRANSITIONS_MAX);
        } else if (why == NULL) {
            why = "its trace cannot be read";
        }
    }
    if (why != NULL) {
        fprintf(view->out, "\n  not all can be shown: %s\n", why);
    }
    return why;
}
