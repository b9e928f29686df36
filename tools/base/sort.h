/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stable sorting of numbers without a function call for each comparison, and searching.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value and its index before sorting. */
struct sort_placed {
    double value;
    size_t index;
};

/* Result of a comparison function for two numbers of one type: negative if `a` comes first. */
#define SORT_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Returns whether a condition on the index `i` holds for any of `count` items. It is not asked for
 * items after the first one for which it holds. */
#define SEARCH_ANY(i, count, condition)                \
    ({                                                 \
        bool any = false;                              \
                                                       \
        for (size_t i = 0; i < (count) && !any; i++) { \
            any = (condition);                         \
        }                                              \
        any;                                           \
    })

/* Searches by halves: returns for how many of the first `count` items of an array a condition on
 * the index `i` holds. It must hold for no item after one for which it does not. */
#define SEARCH_COUNT(i, count, condition)                 \
    ({                                                    \
        size_t below = 0;                                 \
                                                          \
        for (size_t above = (count); below < above;) {    \
            const size_t i = below + (above - below) / 2; \
                                                          \
            if (condition) {                              \
                below = i + 1;                            \
            } else {                                      \
                above = i;                                \
            }                                             \
        }                                                 \
        below;                                            \
    })

void sort_integers(int64_t *items, size_t count);
/* Sorts numbers. None of them may be NAN. */
void sort_reals(double *items, size_t count);
/* Returns a sorted copy; the caller frees it. */
double *sort_copy(const double *items, size_t count);
/* Sorts by value; equal items keep their order. */
void sort_placed(struct sort_placed *items, size_t count);
/* Sorts items of `size` bytes by the int64_t that is `at` bytes from the start of each, rising or
 * falling. Equal items keep their order. */
void sort_by(void *items, size_t count, size_t size, size_t at, bool falling);
/* Sorts items of `size` bytes with a comparison function as for qsort(). Equal items keep their
 * order, which qsort() does not guarantee. */
void sort_stable(void *items, size_t count, size_t size,
                 int (*compare)(const void *left, const void *right));
