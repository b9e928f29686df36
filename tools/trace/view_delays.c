/* SPDX-License-Identifier: BSD-2-Clause */
/* The slowest wake-ups of a thread, and who had the processor meanwhile. */
#include <inttypes.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "kernel/run/names.h"
#include "kernel/task/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/present/view.h"
#include "tools/trace/view_trace.h"

#define TEXT_MAX  96 /* of whom or why */
#define WHO_WIDTH 24 /* what leaves room for the other columns */

uint32_t view_find_thread(const struct run_bench *bench, const char *thread)
{
    uint64_t number;

    for (size_t i = 0; i < bench->object_count; i++) {
        const struct run_object *object = &bench->objects[i];

        if (strcmp(object->kind, OBJECT_NAME_THREAD) == 0 && object->name != NULL &&
            strcmp(object->name, thread) == 0) {
            return object->id;
        }
    }
    if (strcmp(thread, NAME_OF_IDLE_THREAD) == 0) {
        return TRACE_IDLE_THREAD;
    }
    if (strcmp(thread, NAME_OF_BENCH_THREAD) == 0) {
        return TRACE_BENCH_THREAD;
    }
    return parse_unsigned(thread, &number) && number < ACCOUNT_NO_THREAD ? (uint32_t)number
                                                                         : ACCOUNT_NO_THREAD;
}

static const char *lock_name(const struct run_bench *bench, uint32_t id, char text[TEXT_MAX])
{
    const char *name = run_object_name(bench, OBJECT_NAME_LOCK, id);

    if (name != NULL) {
        snprintf(text, TEXT_MAX, "%.*s", ACCOUNT_NAME_MAX, name);
    } else {
        snprintf(text, TEXT_MAX, "lock %" PRIu32, id);
    }
    return text;
}

static const char *who(const struct run_bench *bench, const struct delay_link *link,
                       char text[TEXT_MAX])
{
    return link->kind == ACCOUNT_KINDS ? "others"
                                       : account_label(bench, link->kind, link->id, text);
}

static const char *why(const struct run_bench *bench, const struct delay_link *link,
                       char text[TEXT_MAX])
{
    static const char *const texts[DELAY_WHYS] = {
        [DELAY_HIGHER] = "has higher priority",
        [DELAY_FIRST] = "same priority, came first",
        [DELAY_LOWER] = "lower priority, still runs",
        [DELAY_INVERSION] = "inversion of priorities",
        [DELAY_HOLDER_WAITS] = "the holder waits as well",
        [DELAY_SELF] = "on its way into the wait",
        [DELAY_INTERRUPT] = "handler",
        [DELAY_DEFERRED] = "deferred call",
        [DELAY_DISPATCH] = "on the way to the next thread",
        [DELAY_TRACER] = "records of all these events",
        [DELAY_OTHERS] = "more than there is room for",
    };
    char lock[TEXT_MAX];

    if (link->why == DELAY_HOLDS || link->why == DELAY_HANDS_ON) {
        snprintf(text, TEXT_MAX, "%s %.*s", link->why == DELAY_HOLDS ? "holds" : "hands on",
                 ACCOUNT_NAME_MAX, lock_name(bench, link->lock, lock));
        return text;
    }
    return texts[link->why];
}

/* "interrupt lapic_timer", of TRACE_BY. */
static const char *by_whom(const struct run_bench *bench, uint32_t by, char text[TEXT_MAX])
{
    const uint32_t kind = by & TRACE_BY_KIND;
    const struct delay_link link = {
        .kind = kind == TRACE_BY_VECTOR ? ACCOUNT_VECTOR
                : kind == TRACE_BY_DPC  ? ACCOUNT_DPC
                                        : ACCOUNT_THREAD,
        .id = by & ~TRACE_BY_KIND,
    };

    return who(bench, &link, text);
}

static void print_head(const struct view *view, const struct run_bench *bench,
                       const struct delay *delay)
{
    char amount[AMOUNT_MAX];
    char name[ACCOUNT_NAME_MAX];
    char text[TEXT_MAX];
    char line[512];
    size_t used;

    if (delay->for_lock) {
        used = (size_t)snprintf(line, sizeof(line), "delay %" PRIu64 ", wait for %s, held by %s",
                                delay->number, lock_name(bench, delay->lock, text),
                                account_name(bench, ACCOUNT_THREAD, delay->holder, name));
    } else {
        used = (size_t)snprintf(line, sizeof(line), "delay %" PRIu64 ", wake-up by %s",
                                delay->number, by_whom(bench, delay->by, text));
    }
    used +=
        (size_t)snprintf(line + used, sizeof(line) - used, ": %s",
                         amount_text(view, (int64_t)(delay->to - delay->from), UNIT_TICK, amount));
    used += (size_t)snprintf(
        line + used, sizeof(line) - used, ", from %s on",
        amount_text(view, (int64_t)(delay->from - delay->origin), UNIT_TICK, amount));
    if (bench->trace_count > 1) {
        snprintf(line + used, sizeof(line) - used, " in part %" PRIu32, delay->part);
    }
    fputs("\n  ", view->out);
    print_wrapped(view->out, line, 2, 4);
}

static void print_chain(const struct view *view, const struct run_bench *bench,
                        const struct delay *delay)
{
    struct table table;
    uint64_t sum = 0;
    char text[TEXT_MAX];

    table_init(&table, "llrr");
    table_row(&table);
    table_text(&table, "who");
    table_text(&table, "why");
    table_text(&table, "ticks");
    table_text(&table, length_unit(view));
    for (size_t i = 0; i < delay->link_count; i++) {
        const struct delay_link *link = &delay->links[i];

        table_row(&table);
        table_format(&table, "%.*s", WHO_WIDTH, who(bench, link, text));
        table_text(&table, why(bench, link, text));
        table_format(&table, "%" PRIu64, link->ticks);
        table_text(&table, length_text(view, (int64_t)link->ticks, text));
        sum += link->ticks;
    }
    table_row(&table);
    table_text(&table, "sum");
    table_text(&table, "");
    table_format(&table, "%" PRIu64, sum);
    table_text(&table, length_text(view, (int64_t)sum, text));
    table_print(&table, view->out, 4);
    if (delay->folded) {
        fputs("    the chain is longer: who comes in it again is added to where it came last\n",
              view->out);
    }
}

void view_delays(const struct view *view, const struct run_bench *bench,
                 const struct delays *delays)
{
    char name[ACCOUNT_NAME_MAX];

    account_name(bench, ACCOUNT_THREAD, delays->thread, name);
    if (delays->count == 0) {
        fprintf(view->out, "\n  %s was never woken%s\n", name,
                delays->cut > 0 ? ", as far as the trace shows" : "");
        return;
    }
    print_paragraph(
        view->out,
        "who delayed %s: the slowest %zu of %" PRIu64 " delays, that is wake-ups (%" PRIu64
        ") and waits for locks that somebody held (%" PRIu64 ")",
        name, delays->count, delays->seen, delays->seen - delays->lock_waits, delays->lock_waits);
    if (delays->cut > 0) {
        fprintf(view->out, "  %" PRIu64 " more were cut by gaps or ends of the trace\n",
                delays->cut);
    }
    for (size_t i = 0; i < delays->count; i++) {
        print_head(view, bench, &delays->slowest[i]);
        print_chain(view, bench, &delays->slowest[i]);
    }
}
