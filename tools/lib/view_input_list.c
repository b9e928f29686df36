/* SPDX-License-Identifier: BSD-2-Clause */
/* Each input event of a bench. */
#include <inttypes.h>

#include "kernel/input/key.h"
#include "tools/lib/views.h"

#define LATE_NS        1e6 /* behind its moment; a byte takes about as long on the wire */
#define INPUT_TEXT_MAX 32

struct sheet {
    const struct view *view;
    const struct interactive *interactive;
    struct table table;
};

/* "a", "a up", "button left", "move". */
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
        snprintf(text, INPUT_TEXT_MAX, "button %s%s", buttons[event->code], up ? " up" : "");
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
    char text[AMOUNT_MAX];

    table_text(&sheet->table, known ? span_text(sheet->view, (double)ticks, text) : NULL);
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

static void add_marks(struct sheet *sheet, const struct interactive_event *event)
{
    const struct {
        bool set;
        const char *text;
    } marks[] = {
        {event->cold, "cold"},
        {is_late(sheet, event), "late"},
        {!event->came, "missing"},
        {event->came && !event->planned && sheet->interactive->planned > 0, "unplanned"},
        {event->displaced, "displaced"},
        {event->came && !event->has_done, "endless"},
        {event->has_elongation && event->shared, "shared"},
    };
    char text[TABLE_CELL_MAX] = "";
    size_t used = 0;

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (marks[i].set) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? " " : "",
                                     marks[i].text);
        }
    }
    table_text(&sheet->table, text);
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
    {"idle loop", 'r', has_elongation, add_elongation},
    {"stamps", 'r', has_stamps, add_stamps},
    {"queue", 'r', NULL, add_waiting},
    {"", 'r', NULL, add_marks},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool is_column(const struct sheet *sheet, size_t column)
{
    const struct interactive *interactive = sheet->interactive;

    for (size_t i = 0; i < interactive->count && columns[column].has != NULL; i++) {
        if (columns[column].has(&interactive->events[i])) {
            return true;
        }
    }
    return columns[column].has == NULL;
}

void view_input_list(const struct view *view, const struct interactive *interactive)
{
    struct sheet sheet = {.view = view, .interactive = interactive};
    size_t shown[COLUMNS] = {0};
    const char *heads[COLUMNS];
    char alignment[COLUMNS + 1];
    size_t count = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        if (is_column(&sheet, i)) {
            shown[count] = i;
            heads[count] = columns[i].head;
            alignment[count++] = columns[i].alignment;
        }
    }
    alignment[count] = '\0';
    print_paragraph(view->out,
                    "each event%s; due, arrival: %s since the begin of the trace. "
                    "response: from due to its effect, service: from its arrival. busy: of "
                    "service, the processor. idle loop: elongation of the samples that hold it. "
                    "stamps: the application's own. queue: length with it",
                    span_note(view), view->ns_per_tick > 0 ? "ms" : "ticks");
    table_head(&sheet.table, alignment, heads);
    for (size_t i = 0; i < interactive->count; i++) {
        table_row(&sheet.table);
        for (size_t k = 0; k < count; k++) {
            columns[shown[k]].add(&sheet, &interactive->events[i]);
        }
    }
    fputc('\n', view->out);
    table_print(&sheet.table, view->out, 2);
}
