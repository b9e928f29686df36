/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/busy.h"

#include <stdlib.h>

#include "tools/base/alloc.h"

#define NEAR 4 /* stretches */

/* ---- as an observer ---- */

static struct busy_stretch *last_of(const struct busy_time *busy)
{
    return busy->count > 0 ? &busy->stretches[busy->count - 1] : NULL;
}

/* Extends the last interval if it is of the same kind and ends at `from`; otherwise adds a new one,
 * unless the interval is empty. */
static void add(struct busy_time *busy, uint64_t from, uint64_t to, bool unknown)
{
    struct busy_stretch *last = last_of(busy);

    if (from >= to) {
        return;
    }
    if (last != NULL && last->to == from && last->unknown == unknown) {
        last->to = to;
        return;
    }
    const struct busy_stretch before = last != NULL ? *last : (struct busy_stretch){0};
    const uint64_t length = before.to - before.from;

    busy->stretches =
        alloc_append(busy->stretches, &busy->count, &busy->capacity, sizeof(*busy->stretches));
    *last_of(busy) = (struct busy_stretch){
        .from = from,
        .to = to,
        .unknown = unknown,
        .busy_before = before.busy_before + (before.unknown ? 0 : length),
        .unknown_before = before.unknown_before + (before.unknown ? length : 0),
    };
}

/* Lays an interval over the last ones, which other processors may have filled already. */
static void overlay(struct busy_time *busy, uint64_t from, uint64_t to, bool unknown)
{
    size_t first = busy->count;

    while (first > 0 && busy->stretches[first - 1].to > from) {
        first--;
    }
    const size_t count = busy->count - first;

    if (count == 0) {
        add(busy, from, to, unknown);
        return;
    }
    struct busy_stretch *later = alloc_zeroed(count * sizeof(*later));

    for (size_t i = 0; i < count; i++) {
        later[i] = busy->stretches[first + i];
    }
    busy->count = first;
    for (size_t i = 0; i < count; i++) {
        const struct busy_stretch *other = &later[i];
        const uint64_t begin = from > other->from ? from : other->from;
        const uint64_t last = to < other->to ? to : other->to;
        const uint64_t end = last > begin ? last : begin;

        add(busy, from, to < other->from ? to : other->from, unknown);
        add(busy, other->from, begin, other->unknown);
        add(busy, begin, end, other->unknown || unknown);
        add(busy, end, other->to, other->unknown);
        from = other->to;
    }
    add(busy, from, to, unknown);
    free(later);
}

static void see_part(void *context, const struct accounting *accounting,
                     const struct run_trace *trace)
{
    struct busy_time *busy = context;

    (void)accounting;
    if (!busy->begun) {
        busy->begin = trace->begin;
        busy->end = trace->begin;
        busy->begun = true;
    } else if (trace->begin > busy->end) {
        add(busy, busy->end, trace->begin, true);
        busy->end = trace->begin;
    }
    busy->floor = busy->end;
}

/* Parts of a log may overlap. What was read first is kept. */
static void see_segment(void *context, const struct accounting *accounting,
                        const struct account_segment *segment)
{
    struct busy_time *busy = context;
    const uint64_t from = segment->from > busy->floor ? segment->from : busy->floor;

    (void)accounting;
    if (segment->to <= from) {
        return;
    }
    if (segment->kind != ACCOUNT_THREAD || segment->id != TRACE_IDLE_THREAD) {
        overlay(busy, from, segment->to, segment->kind == ACCOUNT_UNKNOWN);
    }
    busy->end = segment->to > busy->end ? segment->to : busy->end;
}

struct account_observer busy_observer(struct busy_time *busy)
{
    return (struct account_observer){
        .context = busy,
        .part = see_part,
        .segment = see_segment,
    };
}

void busy_free(struct busy_time *busy)
{
    free(busy->stretches);
}

/* ---- look-ups ---- */

/* Returns the last interval that begins at or before `at`, or NULL if there is none. */
static const struct busy_stretch *stretch_at(const struct busy_time *busy, uint64_t at)
{
    static size_t last; /* the last answer of any look-up: times mostly rise, by little */
    size_t low = last < busy->count && busy->stretches[last].from <= at ? last : 0;
    size_t high = low + NEAR < busy->count && at < busy->stretches[low + NEAR].from ? low + NEAR
                                                                                    : busy->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (busy->stretches[middle].from <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    last = low > 0 ? low - 1 : 0;
    return low > 0 ? &busy->stretches[low - 1] : NULL;
}

/* Sums the busy and the unknown ticks before `at`. */
static void sum_before(const struct busy_time *busy, uint64_t at, uint64_t *ticks,
                       uint64_t *unknown)
{
    const struct busy_stretch *stretch = stretch_at(busy, at);

    *ticks = 0;
    *unknown = 0;
    if (stretch == NULL) {
        return;
    }
    const uint64_t length = (at < stretch->to ? at : stretch->to) - stretch->from;

    *ticks = stretch->busy_before + (stretch->unknown ? 0 : length);
    *unknown = stretch->unknown_before + (stretch->unknown ? length : 0);
}

bool busy_between(const struct busy_time *busy, uint64_t from, uint64_t to, uint64_t *ticks)
{
    uint64_t before;
    uint64_t behind;
    uint64_t unknown_before;
    uint64_t unknown_behind;

    *ticks = 0;
    if (!busy->begun || from > to || from < busy->begin || to > busy->end) {
        return false;
    }
    sum_before(busy, from, &before, &unknown_before);
    sum_before(busy, to, &behind, &unknown_behind);
    *ticks = behind - before;
    return unknown_behind == unknown_before;
}

bool busy_episode(const struct busy_time *busy, uint64_t at, uint64_t *from, uint64_t *to)
{
    const struct busy_stretch *stretch = stretch_at(busy, at);

    if (stretch == NULL || stretch->unknown || at >= stretch->to) {
        return false;
    }
    *from = stretch->from;
    *to = stretch->to;
    return true;
}
