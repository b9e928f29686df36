/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/held_frames.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"

static int compare_frames(const void *left, const void *right)
{
    const struct held_frame *a = left;
    const struct held_frame *b = right;

    if (a->stream != b->stream) {
        return a->stream < b->stream ? -1 : 1;
    }
    return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Returns the first of the sorted frames that does not come before this one. */
static size_t find_place(const struct held_frame *sorted, size_t count,
                         const struct held_frame *frame)
{
    return SEARCH_COUNT(i, count, compare_frames(&sorted[i], frame) < 0);
}

/* Merges the frames from `first` on with those before; both parts are sorted. */
static void merge_frames(struct held_frame *frames, size_t first, size_t count)
{
    const size_t added = count - first;
    struct held_frame *later = alloc_zeroed(added * sizeof(*later));
    size_t left = first;
    size_t end = count;

    memcpy(later, frames + first, added * sizeof(*later));
    for (size_t i = added; i-- > 0;) {
        const size_t at = find_place(frames, left, &later[i]);

        end -= left - at;
        memmove(frames + end, frames + at, (left - at) * sizeof(*frames));
        frames[--end] = later[i];
        left = at;
    }
    free(later);
}

const struct held_frame *frame_order_of(struct frame_order *order, const struct held_frame *frames,
                                        size_t count)
{
    const size_t sorted = order->count;
    const size_t added = count - sorted;

    order->frames = alloc_grow(order->frames, &order->capacity, count + 1, sizeof(*order->frames));
    if (added == 0) {
        return order->frames;
    }
    memcpy(order->frames + sorted, frames + sorted, added * sizeof(*order->frames));
    sort_stable(order->frames + sorted, added, sizeof(*order->frames), compare_frames);
    order->count = count;
    if (sorted > 0 && compare_frames(&order->frames[sorted - 1], &order->frames[sorted]) > 0) {
        merge_frames(order->frames, sorted, order->count);
    }
    return order->frames;
}

const struct held_frame *frame_order_stream(const struct held_frame *sorted, size_t total,
                                            uint16_t stream, size_t *count)
{
    const size_t first = find_place(sorted, total, &(struct held_frame){.stream = stream});
    const struct held_frame last = {.stream = stream, .seq = UINT32_MAX};
    size_t end = first + find_place(sorted + first, total - first, &last);

    end += end < total && compare_frames(&sorted[end], &last) == 0;
    *count = end - first;
    return sorted + first;
}

/* Returns how many of these frames, at least one, follow each other without a hole. */
static size_t unbroken(const struct held_frame *frames, size_t count)
{
    size_t low = 1;
    size_t high = count;

    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;

        if (frames[middle - 1].seq - frames[0].seq == middle - 1) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

size_t frame_order_holes(struct decoder_range *ranges, size_t used, size_t capacity,
                         uint16_t stream, const struct held_frame *frames, size_t count,
                         uint64_t expected)
{
    uint64_t next = 0;

    for (size_t i = 0; used < capacity && next < expected;) {
        const bool more = i < count && frames[i].seq < expected;
        const uint64_t seq = more ? frames[i].seq : expected;
        const size_t held = more ? unbroken(frames + i, count - i) : 1;

        if (seq > next) {
            ranges[used++] = (struct decoder_range){stream, (uint32_t)next, (uint32_t)(seq - next)};
        }
        next = more ? (uint64_t)frames[i + held - 1].seq + 1 : expected;
        i += held;
    }
    return used;
}
