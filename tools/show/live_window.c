/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/live_window.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/trace/trace_reader.h"

#define IDS (ACCOUNT_NO_THREAD + 1)

void window_init(struct live_window *window, uint64_t ticks)
{
    *window = (struct live_window){.step = (ticks + WINDOW_STEPS - 1) / WINDOW_STEPS};
    for (size_t i = 0; i < WINDOW_KINDS; i++) {
        window->slots[i] = alloc_zeroed(IDS * sizeof(*window->slots[i]));
    }
}

void window_free(struct live_window *window)
{
    for (size_t i = 0; i < WINDOW_KINDS; i++) {
        free(window->slots[i]);
    }
    free(window->rows);
}

static void clear_step(struct live_window *window, uint64_t step)
{
    for (size_t i = 0; i < window->row_count; i++) {
        window->rows[i].sums[step % WINDOW_SLOTS] = 0;
    }
}

/* Moves the end of the window to this TSC. */
static void move_to(struct live_window *window, uint64_t tsc)
{
    const uint64_t step = tsc / window->step;

    if (tsc > window->latest) {
        window->latest = tsc;
    }
    if (step > window->newest + WINDOW_SLOTS) {
        window->newest = step - WINDOW_SLOTS;
    }
    while (window->newest < step) {
        window->newest++;
        clear_step(window, window->newest);
    }
}

static bool is_before(const struct live_window *window, uint64_t tsc)
{
    return tsc / window->step + WINDOW_STEPS < window->newest;
}

static void turn_to_bench(struct live_window *window, uint32_t bench)
{
    window->slots_of = bench;
    for (size_t i = 0; i < WINDOW_KINDS; i++) {
        memset(window->slots[i], 0, IDS * sizeof(*window->slots[i]));
    }
    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        if (row->bench == bench) {
            window->slots[row->kind][row->id < IDS ? row->id : IDS - 1] = (uint32_t)i + 1;
        }
    }
}

static struct window_row *row_of(struct live_window *window, uint32_t bench, uint32_t kind,
                                 uint32_t id)
{
    if (bench != window->slots_of) {
        turn_to_bench(window, bench);
    }
    uint32_t *slot = &window->slots[kind][id < IDS ? id : IDS - 1];

    if (*slot == 0) {
        window->rows = alloc_append(window->rows, &window->row_count, &window->row_capacity,
                                    sizeof(*window->rows));
        window->rows[window->row_count - 1].bench = bench;
        window->rows[window->row_count - 1].kind = kind;
        window->rows[window->row_count - 1].id = id;
        *slot = (uint32_t)window->row_count;
    }
    return &window->rows[*slot - 1];
}

static void add_ticks(struct window_row *row, const struct live_window *window, uint64_t from,
                      uint64_t to)
{
    if (is_before(window, from)) {
        from = (window->newest - WINDOW_STEPS) * window->step;
    }
    while (from < to) {
        const uint64_t step = from / window->step;
        const uint64_t border = (step + 1) * window->step;
        const uint64_t end = border < to ? border : to;

        row->sums[step % WINDOW_SLOTS] += end - from;
        from = end;
    }
}

struct window_row *window_add(struct live_window *window, uint32_t bench, uint32_t cpu,
                              const struct account_segment *segment)
{
    const uint32_t use = segment->kind == ACCOUNT_UNKNOWN ? WINDOW_UNKNOWN
                         : segment->kind == ACCOUNT_THREAD && segment->id == TRACE_IDLE_THREAD
                             ? WINDOW_IDLE
                             : WINDOW_BUSY;

    if (segment->to > segment->from && !is_before(window, segment->to)) {
        move_to(window, segment->to);
        add_ticks(row_of(window, bench, use, cpu), window, segment->from, segment->to);
        add_ticks(row_of(window, bench, segment->kind, segment->id), window, segment->from,
                  segment->to);
    }
    return row_of(window, bench, segment->kind, segment->id);
}

struct window_row *window_count(struct live_window *window, uint32_t bench, uint32_t kind,
                                uint32_t id, uint64_t tsc, uint64_t count)
{
    struct window_row *row = row_of(window, bench, kind, id);

    if (!is_before(window, tsc)) {
        move_to(window, tsc);
        row->sums[tsc / window->step % WINDOW_SLOTS] += count;
    }
    return row;
}

uint64_t window_row_sum(const struct window_row *row)
{
    uint64_t total = 0;

    for (size_t i = 0; i < WINDOW_SLOTS; i++) {
        total += row->sums[i];
    }
    return total;
}

uint64_t window_kind_sum(const struct live_window *window, uint32_t kind)
{
    uint64_t total = 0;

    for (size_t i = 0; i < window->row_count; i++) {
        total += window->rows[i].kind == kind ? window_row_sum(&window->rows[i]) : 0;
    }
    return total;
}

uint64_t window_id_sum(const struct live_window *window, uint32_t kind, uint32_t id)
{
    uint64_t total = 0;

    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        total += row->kind == kind && row->id == id ? window_row_sum(row) : 0;
    }
    return total;
}

uint64_t window_step_sum(const struct live_window *window, uint32_t kind, uint32_t id, unsigned ago)
{
    uint64_t total = 0;

    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        if (row->kind == kind && row->id == id) {
            total += row->sums[(window->newest + WINDOW_SLOTS - ago) % WINDOW_SLOTS];
        }
    }
    return total;
}

const struct window_row *window_find(const struct live_window *window, uint32_t bench,
                                     uint32_t kind, uint32_t id)
{
    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        if (row->bench == bench && row->kind == kind && row->id == id) {
            return row;
        }
    }
    return NULL;
}
