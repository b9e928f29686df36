/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the events of a run: which were counted, by which counter, and why others were not. */
#include <stdlib.h>
#include <string.h>

#include "bench/counters/host/view_counts.h"
#include "kernel/plan/number.h"
#include "kernel/pmu/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/view.h"

#define WIDTH_MAX 24 /* longest name that widens the column */
#define TEXT_MAX  512

/* Returns whether firmware left a value in the select register. A text that is not a number counts
 * as a value. */
static bool was_left_programmed(const struct run_counter *counter)
{
    uint64_t found;

    return counter->found != NULL && (!parse_unsigned(counter->found, &found) || found != 0);
}

/* Returns why the counter cannot be used, in words. */
static const char *meaning_of(const struct run_counter *counter)
{
    static const struct {
        const char *state;
        const char *meaning;
    } known[] = {
        {COUNTER_STATE_FAULTS, "its registers cannot be accessed"},
        {COUNTER_STATE_HELD, "something else keeps using it"},
        {COUNTER_STATE_FORGETS, "it ignores writes"},
        {COUNTER_STATE_DEAD, "it never counts"},
        {COUNTER_STATE_ALONE, "it does not count while all others do"},
        {COUNTER_STATE_WRONG, "it counts another event than it is set to"},
        {COUNTER_STATE_UNREADABLE, "it cannot be read by RDPMC"},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(counter->state, known[i].state) == 0) {
            return known[i].meaning;
        }
    }
    return counter->state;
}

static void print_counters(const struct view *view)
{
    const struct run *run = view->run;
    /* two for each counter: why it cannot be used, and what firmware left in it */
    const size_t room = 2 * run->counter_count;
    struct remark *remarks = alloc_zeroed(room * sizeof(*remarks));
    char(*texts)[TEXT_MAX] = alloc_zeroed(room * sizeof(*texts));
    size_t usable = 0;
    size_t count = 0;
    char text[TEXT_MAX];

    for (size_t i = 0; i < run->counter_count; i++) {
        const struct run_counter *counter = &run->counters[i];

        if (strcmp(counter->state, COUNTER_STATE_USABLE) == 0) {
            usable++;
            continue;
        }
        snprintf(texts[count], TEXT_MAX, "%s%s%s", meaning_of(counter),
                 counter->reason != NULL ? "; " : "",
                 counter->reason != NULL ? counter->reason : "");
        remarks[count] = (struct remark){counter->state, counter->name, texts[count]};
        count++;
    }
    for (size_t i = 0; i < run->counter_count; i++) {
        const struct run_counter *counter = &run->counters[i];

        if (was_left_programmed(counter)) {
            snprintf(texts[count], TEXT_MAX, "left it programmed with %s", counter->found);
            remarks[count] = (struct remark){"firmware", counter->name, texts[count]};
            count++;
        }
    }
    snprintf(text, sizeof(text), "%zu of %zu counters", usable, run->counter_count);
    print_labelled(view->out, "usable", text);
    print_remarks(view->out, remarks, count);
    free(remarks);
    free(texts);
}

static bool is_counted(const struct run_event *event)
{
    return strcmp(event->state, EVENT_STATE_COUNTED) == 0;
}

/* Returns what counts the event: the name of a counter, or another source. */
static const char *counted_by(const struct run_event *event)
{
    static const struct {
        const char *source;
        const char *text;
    } others[] = {
        {COUNTED_BY_ICOUNT, "virtual time"},
        {COUNTED_BY_MSR34, "MSR 34h"},
        {COUNTED_BY_PLUGIN, "QEMU plugin"},
        {COUNTED_BY_PLUGIN_MODEL, "QEMU plugin, modelled"},
    };

    for (size_t i = 0; event->source != NULL && i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(event->source, others[i].source) == 0) {
            return others[i].text;
        }
    }
    return event->counter != NULL ? event->counter : event->source;
}

static void print_counted(const struct view *view)
{
    const struct run *run = view->run;
    struct table table;

    table_open(&table, "lrll", "event\tpass\tcounted by\tcode");
    for (size_t i = 0; i < run->event_count; i++) {
        const struct run_event *event = &run->events[i];

        if (!is_counted(event)) {
            continue;
        }
        table_line(&table, "%s", event->name);
        table_known(&table, event->pass != 0, event->pass);
        table_text(&table, counted_by(event));
        table_text(&table, event->code);
    }
    table_print(&table, view->out, 2);
}

/* Writes what must be known about an event before its count is trusted; empty if nothing. */
static void describe(const struct run_event *event, char text[TEXT_MAX])
{
    const bool virtual_time =
        event->source != NULL && strcmp(event->source, COUNTED_BY_ICOUNT) == 0;
    const char *manual =
        virtual_time ? "from virtual time, in which the TSC counts instructions" : event->manual;

    snprintf(text, TEXT_MAX, "%s%s%s", manual != NULL ? manual : "",
             manual != NULL && event->note != NULL ? "; " : "",
             event->note != NULL ? event->note : "");
}

static bool is_first_of_name(const struct run *run, size_t index)
{
    return !SEARCH_ANY(i, index, strcmp(run->events[i].name, run->events[index].name) == 0);
}

/* Prints one description a line. */
static void print_descriptions(const struct view *view)
{
    const struct run *run = view->run;
    int width = 10;
    size_t count = 0;
    char text[TEXT_MAX];

    for (size_t i = 0; i < run->event_count; i++) {
        const int length = (int)strlen(run->events[i].name);

        width =
            is_counted(&run->events[i]) && length > width && length <= WIDTH_MAX ? length : width;
    }
    for (size_t i = 0; i < run->event_count; i++) {
        describe(&run->events[i], text);
        if (is_counted(&run->events[i]) && text[0] != '\0' && is_first_of_name(run, i)) {
            fputs(count++ == 0 ? "\n" : "", view->out);
            print_field(view->out, width, run->events[i].name, text);
        }
    }
}

static void print_absent_events(const struct view *view)
{
    const struct run *run = view->run;
    struct remark *remarks = alloc_zeroed(run->event_count * sizeof(*remarks));
    size_t count = 0;

    for (size_t i = 0; i < run->event_count; i++) {
        const struct run_event *event = &run->events[i];

        if (!is_counted(event)) {
            remarks[count++] = (struct remark){
                "n/a", event->name, event->reason != NULL ? event->reason : "no reason given"};
        }
    }
    print_remarks(view->out, remarks, count);
    free(remarks);
}

void view_events(const struct view *view)
{
    const struct run *run = view->run;
    size_t counted = 0;

    if (run->counter_count + run->event_count == 0) {
        return;
    }
    fputs("\nevent counters\n", view->out);
    if (run->counter_count > 0) {
        print_counters(view);
    }
    print_absent_events(view);
    for (size_t i = 0; i < run->event_count; i++) {
        counted += is_counted(&run->events[i]);
    }
    if (counted > 0) {
        fputs(run->counter_count + run->event_count > counted ? "\n" : "", view->out);
        print_counted(view);
    }
    print_descriptions(view);
}
