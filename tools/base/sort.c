/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

/* up to this many items are sorted by insertion, which is faster for few items */
#define FEW      16
#define ITEM_MAX sizeof(struct sort_placed)

/* In the functions below, `size` and `is_less` are constants of each caller. Inlined, they cost
 * neither a call nor a loop. */
#define IN_LINE static inline __attribute__((always_inline))

typedef bool less_function(const void *left, const void *right);

IN_LINE void insert_few(char *items, size_t count, size_t size, less_function *is_less)
{
    char item[ITEM_MAX];

    for (size_t i = 1; i < count; i++) {
        size_t at = i;

        memcpy(item, items + i * size, size);
        for (; at > 0 && is_less(item, items + (at - 1) * size); at--) {
            memcpy(items + at * size, items + (at - 1) * size, size);
        }
        memcpy(items + at * size, item, size);
    }
}

/* Merges two sorted parts of `from`: [0, middle) and [middle, end). */
IN_LINE void merge(const char *from, size_t middle, size_t end, char *to, size_t size,
                   less_function *is_less)
{
    size_t left = 0;
    size_t right = middle;

    for (; left < middle && right < end; to += size) {
        const size_t is_right = is_less(from + right * size, from + left * size);

        memcpy(to, from + (is_right ? right : left) * size, size);
        right += is_right;
        left += 1 - is_right;
    }
    memcpy(to, from + left * size, (middle - left) * size);
    memcpy(to + (middle - left) * size, from + right * size, (end - right) * size);
}

/* Sorts in passes that merge from the items to a copy and back. */
IN_LINE void sort(char *items, size_t count, size_t size, less_function *is_less)
{
    for (size_t at = 0; at < count; at += FEW) {
        insert_few(items + at * size, count - at < FEW ? count - at : FEW, size, is_less);
    }
    if (count <= FEW) {
        return;
    }
    char *copy = alloc_checked(malloc(count * size));
    char *from = items;
    char *to = copy;

    for (size_t width = FEW; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            const size_t end = count - at < 2 * width ? count - at : 2 * width;

            merge(from + at * size, end < width ? end : width, end, to + at * size, size, is_less);
        }
        char *swapped = from;

        from = to;
        to = swapped;
    }
    if (from != items) {
        memcpy(items, from, count * size);
    }
    free(copy);
}

IN_LINE bool less_integer(const void *left, const void *right)
{
    int64_t a, b;

    memcpy(&a, left, sizeof(a));
    memcpy(&b, right, sizeof(b));
    return a < b;
}

IN_LINE bool less_real(const void *left, const void *right)
{
    double a, b;

    memcpy(&a, left, sizeof(a));
    memcpy(&b, right, sizeof(b));
    return a < b;
}

IN_LINE bool less_placed(const void *left, const void *right)
{
    struct sort_placed a, b;

    memcpy(&a, left, sizeof(a));
    memcpy(&b, right, sizeof(b));
    return a.value < b.value;
}

void sort_integers(int64_t *items, size_t count)
{
    sort((char *)items, count, sizeof(*items), less_integer);
}

void sort_reals(double *items, size_t count)
{
    sort((char *)items, count, sizeof(*items), less_real);
}

double *sort_copy(const double *items, size_t count)
{
    double *sorted = alloc_zeroed(count * sizeof(*sorted));

    memcpy(sorted, items, count * sizeof(*sorted));
    sort_reals(sorted, count);
    return sorted;
}

void sort_placed(struct sort_placed *items, size_t count)
{
    sort((char *)items, count, sizeof(*items), less_placed);
}

void sort_by(void *items, size_t count, size_t size, size_t at, bool falling)
{
    struct keyed {
        int64_t key;
        size_t index;
    } *keys = alloc_zeroed(count * sizeof(*keys));
    char *list = items;
    bool ordered = true;

    for (size_t i = 0; i < count; i++) {
        memcpy(&keys[i].key, list + i * size + at, sizeof(keys[i].key));
        keys[i].key = falling ? ~keys[i].key : keys[i].key; /* the complement reverses the order */
        keys[i].index = i;
        ordered = ordered && (i == 0 || keys[i - 1].key <= keys[i].key);
    }
    if (!ordered) {
        char *copy = alloc_zeroed(count * size);

        sort((char *)keys, count, sizeof(*keys), less_integer);
        memcpy(copy, items, count * size);
        for (size_t i = 0; i < count; i++) {
            memcpy(list + i * size, copy + keys[i].index * size, size);
        }
        free(copy);
    }
    free(keys);
}

/* Merges the sorted halves [0, middle) and [middle, count). `room` has space for the first half. */
static void merge_halves(char *items, size_t middle, size_t count, size_t size, char *room,
                         int (*compare)(const void *, const void *))
{
    const char *left = room;
    const char *const left_end = room + middle * size;
    const char *right = items + middle * size;
    const char *const right_end = items + count * size;

    memcpy(room, items, middle * size);
    for (char *to = items; left < left_end; to += size) {
        if (right < right_end && compare(right, left) < 0) {
            memcpy(to, right, size);
            right += size;
        } else {
            memcpy(to, left, size);
            left += size;
        }
    }
}

static void sort_part(char *items, size_t count, size_t size, char *room,
                      int (*compare)(const void *, const void *))
{
    const size_t middle = count / 2;

    if (count < 2) {
        return;
    }
    sort_part(items, middle, size, room, compare);
    sort_part(items + middle * size, count - middle, size, room, compare);
    if (compare(items + middle * size, items + (middle - 1) * size) >= 0) {
        return; /* already in order, as are most lists of times */
    }
    merge_halves(items, middle, count, size, room, compare);
}

void sort_stable(void *items, size_t count, size_t size,
                 int (*compare)(const void *left, const void *right))
{
    char *room = alloc_zeroed(count / 2 * size + 1);

    sort_part(items, count, size, room, compare);
    free(room);
}
