/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/sort.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

/* So many items are sorted by insertion, which is faster for few. */
#define FEW 16

#define BY_VALUE(a, b)  ((a) < (b))
#define BY_PLACED(a, b) ((a).value < (b).value)

/* insert_NAME: sorts a few; merge_NAME: merges two sorted stretches of `from`; NAME: sorts, in
 * passes that merge from the items to their copy and back. */
#define DEFINE_SORT(NAME, TYPE, IS_LESS)                                            \
    static void insert_##NAME(TYPE *items, size_t count)                            \
    {                                                                               \
        for (size_t i = 1; i < count; i++) {                                        \
            const TYPE item = items[i];                                             \
            size_t at = i;                                                          \
                                                                                    \
            for (; at > 0 && IS_LESS(item, items[at - 1]); at--) {                  \
                items[at] = items[at - 1];                                          \
            }                                                                       \
            items[at] = item;                                                       \
        }                                                                           \
    }                                                                               \
                                                                                    \
    static void merge_##NAME(const TYPE *from, size_t middle, size_t end, TYPE *to) \
    {                                                                               \
        size_t left = 0;                                                            \
        size_t right = middle;                                                      \
                                                                                    \
        while (left < middle && right < end) {                                      \
            const size_t is_right = IS_LESS(from[right], from[left]);               \
                                                                                    \
            *to++ = from[is_right ? right : left];                                  \
            right += is_right;                                                      \
            left += 1 - is_right;                                                   \
        }                                                                           \
        memcpy(to, from + left, (middle - left) * sizeof(*to));                     \
        memcpy(to + (middle - left), from + right, (end - right) * sizeof(*to));    \
    }                                                                               \
                                                                                    \
    void NAME(TYPE *items, size_t count)                                            \
    {                                                                               \
        for (size_t at = 0; at < count; at += FEW) {                                \
            insert_##NAME(items + at, count - at < FEW ? count - at : FEW);         \
        }                                                                           \
        if (count <= FEW) {                                                         \
            return;                                                                 \
        }                                                                           \
        TYPE *copy = alloc_checked(malloc(count * sizeof(*copy)));                  \
        TYPE *from = items;                                                         \
        TYPE *to = copy;                                                            \
                                                                                    \
        for (size_t width = FEW; width < count; width *= 2) {                       \
            for (size_t at = 0; at < count; at += 2 * width) {                      \
                const size_t end = count - at < 2 * width ? count - at : 2 * width; \
                                                                                    \
                merge_##NAME(from + at, end < width ? end : width, end, to + at);   \
            }                                                                       \
            TYPE *swapped = from;                                                   \
                                                                                    \
            from = to;                                                              \
            to = swapped;                                                           \
        }                                                                           \
        if (from != items) {                                                        \
            memcpy(items, from, count * sizeof(*items));                            \
        }                                                                           \
        free(copy);                                                                 \
    }

DEFINE_SORT(sort_integers, int64_t, BY_VALUE)
DEFINE_SORT(sort_reals, double, BY_VALUE)
DEFINE_SORT(sort_placed, struct sort_placed, BY_PLACED)
