/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/host/measure/call_rule.h"

#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"

/* Number of events to look back for the one that a mark belongs to. Event numbers start again in
 * each phase. */
#define LOOK_BACK 256

static void see_event(void *context, const struct accounting *accounting,
                      const struct trace_event *event)
{
    struct call_marks *marks = context;

    (void)accounting;
    if (event->id != TRACE_ID_mark) {
        return;
    }
    const char *name = run_object_name(marks->bench, OBJECT_NAME_MARK, (uint32_t)event->field[0]);

    if (name == NULL || strcmp(name, MARK_NAME_EFFECT) != 0) {
        return;
    }
    struct call_mark *mark =
        alloc_next(&marks->mark, &marks->count, &marks->capacity, sizeof(*mark));

    *mark = (struct call_mark){event->tsc, event->field[1]};
}

struct account_observer call_marks_observer(struct call_marks *marks)
{
    return (struct account_observer){.context = marks, .event = see_event};
}

static struct call_rule_row *row_of(struct call_rule *rule, const struct interactive_phase *phase,
                                    uint8_t kind)
{
    for (size_t i = 0; i < rule->count; i++) {
        if (rule->rows[i].phase == phase && rule->rows[i].kind == kind) {
            return &rule->rows[i];
        }
    }
    struct call_rule_row *row =
        alloc_next(&rule->rows, &rule->count, &rule->capacity, sizeof(*row));

    *row = (struct call_rule_row){.phase = phase, .kind = kind};
    return row;
}

static void add_error(struct call_rule *rule, const struct interactive *interactive,
                      const struct interactive_event *event, const struct call_mark *mark)
{
    struct call_rule_row *row = row_of(rule, interactive_phase_of(interactive, event), event->kind);

    row->effects =
        alloc_grow(row->effects, &row->effect_capacity, row->n + 1, sizeof(*row->effects));
    row->effects[row->n] = (int64_t)(mark->tsc - event->arrival);
    row->errors = alloc_append(row->errors, &row->n, &row->capacity, sizeof(*row->errors));
    row->errors[row->n - 1] = (int64_t)(event->done - mark->tsc);
}

/* Returns the latest event with the mark's number that was taken before the mark, or NULL. `next`
 * is the first event that was taken later. */
static const struct interactive_event *event_of(const struct interactive *interactive, size_t next,
                                                const struct call_mark *mark)
{
    for (size_t i = 1; i <= LOOK_BACK && i <= next; i++) {
        const struct interactive_event *event = &interactive->events[next - i];

        if (event->came && event->number == mark->number) {
            return event->has_taken && event->done_by_call && event->has_arrival ? event : NULL;
        }
    }
    return NULL;
}

static void join(struct call_rule *rule, const struct interactive *interactive,
                 const struct call_marks *marks)
{
    size_t next = 0;

    for (size_t i = 0; i < marks->count; i++) {
        while (next < interactive->count &&
               (!interactive->events[next].has_taken ||
                interactive->events[next].taken <= marks->mark[i].tsc)) {
            next++;
        }
        const struct interactive_event *event = event_of(interactive, next, &marks->mark[i]);

        if (event != NULL) {
            add_error(rule, interactive, event, &marks->mark[i]);
        }
    }
}

static int by_phase(const void *left, const void *right)
{
    const struct call_rule_row *a = left;
    const struct call_rule_row *b = right;

    if (a->phase != b->phase) {
        return a->phase < b->phase ? -1 : 1;
    }
    return (int)a->kind - (int)b->kind;
}

void call_rule_of(struct call_rule *rule, const struct interactive *interactive,
                  const struct call_marks *marks)
{
    *rule = (struct call_rule){0};
    join(rule, interactive, marks);
    if (rule->count > 1) {
        sort_stable(rule->rows, rule->count, sizeof(*rule->rows), by_phase);
    }
    for (size_t i = 0; i < rule->count; i++) {
        struct call_rule_row *row = &rule->rows[i];

        statistics_of(row->errors, row->n, &row->error);
        statistics_of(row->effects, row->n, &row->effect);
    }
}

void call_rule_free(struct call_rule *rule)
{
    for (size_t i = 0; i < rule->count; i++) {
        free(rule->rows[i].errors);
        free(rule->rows[i].effects);
    }
    free(rule->rows);
}
