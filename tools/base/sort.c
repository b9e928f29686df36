/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

/* up to this many items are sorted by insertion, which is faster for few items */
#define FEW      32
#define ITEM_MAX sizeof(struct sort_placed)
#define DIGITS   sizeof(uint64_t)
#define VALUES   256 /* of a digit */

/* In the functions below, `size` and `real` are constants of each caller. Inlined, they cost
 * neither a call nor a loop. */
#define IN_LINE static inline __attribute__((always_inline))

/* Returns a number that rises with the key at the start of the item: a double, or an int64_t. */
IN_LINE uint64_t key_of(const char *item, bool real)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t key;

    memcpy(&key, item, sizeof(key));
    if (real && key > sign) {
        return ~key;
    }
    return real && key == sign ? sign : key ^ sign; /* -0 equals 0 */
}

IN_LINE void sort_few(char *items, size_t count, size_t size, bool real)
{
    char item[ITEM_MAX];

    for (size_t i = 1; i < count; i++) {
        size_t at = i;

        memcpy(item, items + i * size, size);
        for (; at > 0 && key_of(item, real) < key_of(items + (at - 1) * size, real); at--) {
            memcpy(items + at * size, items + (at - 1) * size, size);
        }
        memcpy(items + at * size, item, size);
    }
}

/* Sorts by one digit after the other, from the lowest, and leaves out those that all keys share. */
IN_LINE void sort(char *items, size_t count, size_t size, bool real)
{
    size_t places[DIGITS][VALUES] = {0};

    if (count <= FEW) {
        sort_few(items, count, size, real);
        return;
    }
    char *copy = alloc_checked(malloc(count * size));
    char *from = items;
    char *to = copy;

    for (size_t i = 0; i < count; i++) {
        const uint64_t key = key_of(items + i * size, real);

        for (size_t digit = 0; digit < DIGITS; digit++) {
            places[digit][key >> 8 * digit & (VALUES - 1)]++;
        }
    }
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t *place = places[digit];

        if (place[key_of(items, real) >> 8 * digit & (VALUES - 1)] == count) {
            continue;
        }
        for (size_t value = 0, before = 0; value < VALUES; value++) {
            before += place[value];
            place[value] = before - place[value];
        }
        for (size_t i = 0; i < count; i++) {
            const char *item = from + i * size;

            memcpy(to + place[key_of(item, real) >> 8 * digit & (VALUES - 1)]++ * size, item, size);
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

void sort_integers(int64_t *items, size_t count)
{
    sort((char *)items, count, sizeof(*items), false);
}

void sort_reals(double *items, size_t count)
{
    sort((char *)items, count, sizeof(*items), true);
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
    sort((char *)items, count, sizeof(*items), true);
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

        sort((char *)keys, count, sizeof(*keys), false);
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
