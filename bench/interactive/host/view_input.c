/* SPDX-License-Identifier: BSD-2-Clause */
/* The input events of a bench: in short, and what is asked for of them. */
#include "bench/interactive/host/view_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_summary.h"
#include "kernel/input/event.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/present/view.h"

#define TRANSITIONS_MAX 20 /* of the list */

/* Each input event of a bench. */

#define LATE_NS        1e6 /* behind its moment; a byte takes about as long on the wire */
#define INPUT_TEXT_MAX 32
#define LARGE          1e6 /* instructions: without decimals from here on */

struct sheet {
    const struct view *view;
    const struct interactive *interactive;
    const bool *shown; /* NULL: all */
    struct table table;
};

static bool is_shown(const struct sheet *sheet, size_t event)
{
    return sheet->shown == NULL || sheet->shown[event];
}

/* "a", "a up", "left down", "left up", "move". */
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
    const double each = sheet->view->ticks_per_instruction;
    char text[AMOUNT_MAX];

    if (known && each > 0 && (double)ticks >= LARGE * each) {
        table_format(&sheet->table, "%.0f", (double)ticks / each);
    } else {
        table_text(&sheet->table, known ? span_text(sheet->view, (double)ticks, text) : NULL);
    }
}

static void add_number(struct sheet *sheet, const struct interactive_event *event)
{
    if (event->number != 0) {
        table_format(&sheet->table, "%" PRIu32, event->number);
    } else {
        table_text(&sheet->table, NULL);
    }
}

static void add_input(struct sheet *sheet, const struct interactive_event *event)
{
    char text[INPUT_TEXT_MAX];

    table_text(&sheet->table, input_text(event, text));
}

/* A moment, in milliseconds, also of virtual time. */
static void add_moment(struct sheet *sheet, bool known, uint64_t tsc)
{
    const int64_t since = (int64_t)(tsc - sheet->interactive->begin);

    if (known && sheet->view->ns_per_tick > 0) {
        table_format(&sheet->table, "%.3f", (double)since * sheet->view->ns_per_tick / 1e6);
    } else if (known) {
        table_signed(&sheet->table, since);
    } else {
        table_text(&sheet->table, NULL);
    }
}

static bool has_intended(const struct interactive_event *event)
{
    return event->has_intended;
}

static void add_intended(struct sheet *sheet, const struct interactive_event *event)
{
    add_moment(sheet, event->has_intended, event->intended);
}

static void add_arrival(struct sheet *sheet, const struct interactive_event *event)
{
    add_moment(sheet, event->has_arrival, event->arrival);
}

static void add_response(struct sheet *sheet, const struct interactive_event *event)
{
    uint64_t ticks;
    const bool known = interactive_response(event, &ticks);

    add_ticks(sheet, known, (int64_t)ticks);
}

static void add_service(struct sheet *sheet, const struct interactive_event *event)
{
    uint64_t ticks;
    const bool known = interactive_service(event, &ticks);

    add_ticks(sheet, known, (int64_t)ticks);
}

static void add_busy(struct sheet *sheet, const struct interactive_event *event)
{
    add_ticks(sheet, event->has_busy, (int64_t)event->busy);
}

static bool has_elongation(const struct interactive_event *event)
{
    return event->has_elongation;
}

static void add_elongation(struct sheet *sheet, const struct interactive_event *event)
{
    add_ticks(sheet, event->has_elongation, event->elongation);
}

static bool has_stamps(const struct interactive_event *event)
{
    return event->has_stamps;
}

static void add_stamps(struct sheet *sheet, const struct interactive_event *event)
{
    uint64_t ticks;
    const bool known = interactive_traditional(event, &ticks);

    add_ticks(sheet, known, (int64_t)ticks);
}

static void add_waiting(struct sheet *sheet, const struct interactive_event *event)
{
    if (event->has_posted) {
        table_format(&sheet->table, "%zu", event->waiting);
    } else {
        table_text(&sheet->table, NULL);
    }
}

static bool is_late(const struct sheet *sheet, const struct interactive_event *event)
{
    return event->has_intended && event->has_arrival && event->arrival > event->intended &&
           (double)(event->arrival - event->intended) * sheet->view->ns_per_tick > LATE_NS;
}

static bool is_cold(const struct sheet *sheet, const struct interactive_event *event)
{
    (void)sheet;
    return event->cold;
}

static bool is_missing(const struct sheet *sheet, const struct interactive_event *event)
{
    (void)sheet;
    return !event->came;
}

static bool is_unplanned(const struct sheet *sheet, const struct interactive_event *event)
{
    return event->came && !event->planned && sheet->interactive->planned > 0;
}

static bool is_displaced(const struct sheet *sheet, const struct interactive_event *event)
{
    (void)sheet;
    return event->displaced;
}

static bool is_endless(const struct sheet *sheet, const struct interactive_event *event)
{
    (void)sheet;
    return event->came && !event->has_done;
}

static bool is_shared(const struct sheet *sheet, const struct interactive_event *event)
{
    (void)sheet;
    return event->has_elongation && event->shared;
}

/* One letter each, and what it stands for. */
static const struct {
    char letter;
    const char *meaning;
    bool (*is_set)(const struct sheet *sheet, const struct interactive_event *event);
} marks[] = {
    {'C', "cold caches", is_cold},
    {'L', "late, above 1 ms", is_late},
    {'M', "missing", is_missing},
    {'U', "unplanned", is_unplanned},
    {'D', "displaced", is_displaced},
    {'E', "endless", is_endless},
    {'S', "shares samples of the idle loop with another", is_shared},
};
#define MARKS (sizeof(marks) / sizeof(marks[0]))

static void add_marks(struct sheet *sheet, const struct interactive_event *event)
{
    char text[MARKS + 1] = "";
    size_t used = 0;

    for (size_t i = 0; i < MARKS; i++) {
        if (marks[i].is_set(sheet, event)) {
            text[used++] = marks[i].letter;
        }
    }
    table_text(&sheet->table, text);
}

/* Of the marks that some event has. */
static void print_legend(const struct sheet *sheet)
{
    const struct interactive *interactive = sheet->interactive;
    char text[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < MARKS; i++) {
        size_t at = 0;

        while (at < interactive->count &&
               !(is_shown(sheet, at) && marks[i].is_set(sheet, &interactive->events[at]))) {
            at++;
        }
        if (at < interactive->count) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%c %s",
                                     used > 0 ? "; " : "", marks[i].letter, marks[i].meaning);
        }
    }
    if (used > 0) {
        print_paragraph(sheet->view->out, "%s", text);
    }
}

/* ---- columns ---- */

static const struct {
    const char *head;
    char alignment;
    bool (*has)(const struct interactive_event *event); /* NULL: the column is always there */
    void (*add)(struct sheet *sheet, const struct interactive_event *event);
} columns[] = {
    {"nr", 'r', NULL, add_number},
    {"input", 'l', NULL, add_input},
    {"due", 'r', has_intended, add_intended},
    {"arrival", 'r', NULL, add_arrival},
    {"response", 'r', NULL, add_response},
    {"service", 'r', NULL, add_service},
    {"busy", 'r', NULL, add_busy},
    {"idle", 'r', has_elongation, add_elongation},
    {"stamps", 'r', has_stamps, add_stamps},
    {"queue", 'r', NULL, add_waiting},
    {"", 'l', NULL, add_marks},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool is_column(const struct sheet *sheet, size_t column)
{
    const struct interactive *interactive = sheet->interactive;

    for (size_t i = 0; i < interactive->count && columns[column].has != NULL; i++) {
        if (is_shown(sheet, i) && columns[column].has(&interactive->events[i])) {
            return true;
        }
    }
    return columns[column].has == NULL;
}

/* `shown`: of each event, whether it is to be in the list; NULL: all are. */
static void view_input_list(const struct view *view, const struct interactive *interactive,
                            const bool *shown)
{
    struct sheet sheet = {.view = view, .interactive = interactive, .shown = shown};
    size_t present[COLUMNS] = {0};
    const char *heads[COLUMNS];
    char alignment[COLUMNS + 1];
    size_t count = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        if (is_column(&sheet, i)) {
            present[count] = i;
            heads[count] = columns[i].head;
            alignment[count++] = columns[i].alignment;
        }
    }
    alignment[count] = '\0';
    print_paragraph(
        view->out,
        "each event%s; due, arrival: %s since the begin of the trace. "
        "response: from due to its effect, service: from its arrival. busy: of "
        "service, the processor. idle: elongation of the idle loop's samples that hold it. "
        "stamps: the application's own. queue: length with it",
        span_note(view), view->ns_per_tick > 0 ? "ms" : "ticks");
    table_head(&sheet.table, alignment, heads);
    for (size_t i = 0; i < interactive->count; i++) {
        if (!is_shown(&sheet, i)) {
            continue;
        }
        table_row(&sheet.table);
        for (size_t k = 0; k < count; k++) {
            columns[present[k]].add(&sheet, &interactive->events[i]);
        }
    }
    fputc('\n', view->out);
    table_print(&sheet.table, view->out, 2);
    print_legend(&sheet);
}

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

/* Of actions the medians, by class: what the events of a click share is known of it. */
static void print_actions(const struct view *view, const struct latency_groups *groups)
{
    static const char *const heads[] = {"class", "actions", "response", "service", "idle loop"};
    static const enum measure shown[] = {MEASURE_RESPONSE, MEASURE_SERVICE, MEASURE_IDLE};
    struct table table;
    char text[AMOUNT_MAX];

    table_head(&table, "lrrrr", heads);
    for (size_t g = 0; g < groups->count; g++) {
        table_row(&table);
        table_text(&table, groups->item[g].label);
        table_format(&table, "%zu", groups->item[g].actions);
        for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
            const struct latency_events *events = &groups->item[g].of[shown[i]];
            struct statistics statistics;

            statistics_of(events->latencies, events->count, &statistics);
            table_text(&table,
                       events->count > 0 ? span_text(view, (double)statistics.median, text) : NULL);
        }
    }
    print_paragraph(view->out, "medians of actions by class%s", span_note(view));
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
                    "the user waited %.4f %% of %s; estimated from CPU activity alone %.4f %%, "
                    "from CPU and queue %.4f %% (--fsm)",
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

    struct actions actions;
    struct latency_groups groups;
    const bool good = interactive_read(&interactive, bench);

    const bool joined = actions_read(&actions, &interactive, bench);

    latency_groups_of(&groups, &interactive, &actions, &(struct latency_wish){.by_class = true});
    if (good && interactive.present) {
        print_count(view, &interactive);
        print_medians(view, &interactive);
    }
    if (good && joined && groups.count > 0) {
        print_actions(view, &groups);
    }
    latency_groups_free(&groups);
    actions_free(&actions);
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

/* Events whose action takes longer than was asked for. To be freed; NULL: all. */
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

static void print_events(const struct view *view, const struct run_bench *bench,
                         const struct interactive *interactive, const struct actions *actions,
                         const struct latency_groups *groups, const struct input_wish *wish)
{
    const struct latency_wish above = latency_wish_chosen(view->ns_per_tick);
    bool *shown = shown_events(interactive, actions, &above);

    print_count(view, interactive);
    view_input_list(view, interactive, shown);
    view_interactive(view, bench, interactive, actions);
    view_latency(view, bench, actions, groups, wish);
    free(shown);
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
        print_events(view, bench, interactive, actions, &groups, wish);
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
    struct interactive interactive;
    struct actions actions;
    const char *why;

    const bool good = interactive_read(&interactive, bench);

    if (!actions_read(&actions, &interactive, bench) || !good) {
        why = "its trace cannot be read";
    } else if (!interactive.present) {
        why = "no input event came, and none was planned";
    } else {
        why = print_wishes(view, bench, &interactive, &actions, wish);
    }
    actions_free(&actions);
    interactive_free(&interactive);
    return why;
}

static const char *show_fsm(const struct view *view, const struct run_bench *bench)
{
    struct think_wait think_wait;
    const char *why = NULL;

    if (!think_wait_read(&think_wait, bench, latency_perceptible(view->ns_per_tick))) {
        why = "its trace cannot be read";
    } else {
        view_think_wait(view, &think_wait, TRANSITIONS_MAX);
    }
    think_wait_free(&think_wait);
    return why;
}

const char *view_input(const struct view *view, const struct run_bench *bench,
                       const struct input_wish *wish)
{
    const char *events = NULL;
    const char *fsm = NULL;

    if (wish->events || wish->interarrival_count > 0 || wish->longest > 0) {
        events = show_events(view, bench, wish);
    }
    if (wish->fsm) {
        fsm = show_fsm(view, bench);
    }
    const char *why = events != NULL ? events : fsm;

    if (why != NULL) {
        fprintf(view->out, "\n  not all can be shown: %s\n", why);
    }
    return why;
}
