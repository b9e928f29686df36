/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/live_window.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define IDS (ACCOUNT_NO_THREAD + 1)

void window_init(struct live_window *window, uint64_t ticks)
{
    *window = (struct live_window){.step = (ticks + WINDOW_STEPS - 1) / WINDOW_STEPS};
    for (size_t i = 0; i < ACCOUNT_KINDS; i++) {
        window->slots[i] = alloc_zeroed(IDS * sizeof(*window->slots[i]));
    }
}

void window_free(struct live_window *window)
{
    for (size_t i = 0; i < ACCOUNT_KINDS; i++) {
        free(window->slots[i]);
    }
    free(window->rows);
}

static void clear_step(struct live_window *window, uint64_t step)
{
    for (size_t i = 0; i < window->row_count; i++) {
        window->rows[i].ticks[step % WINDOW_SLOTS] = 0;
    }
    window->switches[step % WINDOW_SLOTS] = 0;
}

/* The window's end moves on to this TSC. */
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

static struct window_row *row_of(struct live_window *window, uint32_t bench, enum account_kind kind,
                                 uint32_t id)
{
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

static void turn_to_bench(struct live_window *window, uint32_t bench)
{
    window->slots_of = bench;
    for (size_t i = 0; i < ACCOUNT_KINDS; i++) {
        memset(window->slots[i], 0, IDS * sizeof(*window->slots[i]));
    }
    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        if (row->bench == bench) {
            window->slots[row->kind][row->id < IDS ? row->id : IDS - 1] = (uint32_t)i + 1;
        }
    }
}

void window_add(struct live_window *window, uint32_t bench, const struct account_segment *segment)
{
    uint64_t from = segment->from;

    if (segment->to <= from || segment->to / window->step + WINDOW_STEPS < window->newest) {
        return;
    }
    if (bench != window->slots_of) {
        turn_to_bench(window, bench);
    }
    struct window_row *row = row_of(window, bench, segment->kind, segment->id);

    move_to(window, segment->to);
    if (from / window->step + WINDOW_STEPS < window->newest) {
        from = (window->newest - WINDOW_STEPS) * window->step;
    }
    while (from < segment->to) {
        const uint64_t step = from / window->step;
        const uint64_t border = (step + 1) * window->step;
        const uint64_t to = border < segment->to ? border : segment->to;

        row->ticks[step % WINDOW_SLOTS] += to - from;
        from = to;
    }
}

void window_switch(struct live_window *window, uint64_t tsc)
{
    if (tsc / window->step + WINDOW_STEPS < window->newest) {
        return;
    }
    move_to(window, tsc);
    window->switches[tsc / window->step % WINDOW_SLOTS]++;
}

static uint64_t sum(const uint64_t slots[WINDOW_SLOTS])
{
    uint64_t total = 0;

    for (size_t i = 0; i < WINDOW_SLOTS; i++) {
        total += slots[i];
    }
    return total;
}

uint64_t window_row_ticks(const struct window_row *row)
{
    return sum(row->ticks);
}

uint64_t window_switches(const struct live_window *window)
{
    return sum(window->switches);
}
