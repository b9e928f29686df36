/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/live_window.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/trace/trace_reader.h"

#define IDS         (ACCOUNT_NO_THREAD + 1)
#define SLOTS_BYTES (WINDOW_KINDS * sizeof(((struct live_window *)NULL)->slots[0]))

void window_init(struct live_window *window, uint64_t ticks)
{
    *window = (struct live_window){.step = (ticks + WINDOW_STEPS - 1) / WINDOW_STEPS,
                                   .slots = alloc_zeroed(SLOTS_BYTES)};
}

void window_free(struct live_window *window)
{
    free(window->slots);
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
    memset(window->slots, 0, SLOTS_BYTES);
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
        *ALLOC_NEXT(window->rows, window->row_count, window->row_capacity) =
            (struct window_row){.bench = bench, .kind = kind, .id = id};
        *slot = (uint32_t)window->row_count;
    }
    return &window->rows[*slot - 1];
}

static void add_ticks(struct window_row *row, const struct live_window *window,
                      const struct account_segment *segment)
{
    const uint64_t begin =
        is_before(window, segment->from) ? (window->newest - WINDOW_STEPS) * window->step : 0;

    for (uint64_t from = begin > 0 ? begin : segment->from; from < segment->to;) {
        const uint64_t step = from / window->step;
        const uint64_t border = (step + 1) * window->step;
        const uint64_t to = border < segment->to ? border : segment->to;

        row->sums[step % WINDOW_SLOTS] += to - from;
        from = to;
    }
}

struct window_row *window_add(struct live_window *window, uint32_t bench, uint32_t cpu,
                              const struct account_segment *segment)
{
    const bool is_idle = segment->kind == ACCOUNT_THREAD && segment->id == TRACE_IDLE_THREAD;
    const uint32_t use = is_idle ? WINDOW_IDLE : WINDOW_BUSY;

    if (segment->to > segment->from && !is_before(window, segment->to)) {
        move_to(window, segment->to);
        add_ticks(row_of(window, bench, WINDOW_TRACED, cpu), window, segment);
        add_ticks(row_of(window, bench, segment->kind, segment->id), window, segment);
        if (segment->kind != ACCOUNT_UNKNOWN) {
            add_ticks(row_of(window, bench, use, cpu), window, segment);
        }
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

uint64_t window_sum(const struct live_window *window, uint32_t bench, uint32_t kind, uint32_t id,
                    uint64_t step)
{
    uint64_t total = 0;

    for (size_t i = 0; i < window->row_count; i++) {
        const struct window_row *row = &window->rows[i];

        if (row->kind == kind && (bench == WINDOW_ANY || bench == row->bench) &&
            (id == WINDOW_ANY || id == row->id)) {
            total += step == WINDOW_ALL ? window_row_sum(row) : row->sums[step % WINDOW_SLOTS];
        }
    }
    return total;
}
