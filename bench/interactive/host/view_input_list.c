/* SPDX-License-Identifier: BSD-2-Clause */
/* Each input event of a bench. */
#include <inttypes.h>

#include "bench/interactive/host/view_input.h"
#include "kernel/input/event.h"
#include "tools/present/view.h"

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

void view_input_list(const struct view *view, const struct interactive *interactive,
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
