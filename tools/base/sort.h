/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stable sorting of numbers without a function call for each comparison.
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

void sort_integers(int64_t *items, size_t count);
/* Sorts numbers. None of them may be NAN. */
void sort_reals(double *items, size_t count);
/* Sorts by value; equal items keep their order. */
void sort_placed(struct sort_placed *items, size_t count);
/* Sorts items of `size` bytes by the int64_t that is `at` bytes from the start of each, rising or
 * falling. Equal items keep their order. */
void sort_by(void *items, size_t count, size_t size, size_t at, bool falling);
/* Sorts items of `size` bytes with a comparison function as for qsort(). Equal items keep their
 * order, which qsort() does not guarantee. */
void sort_stable(void *items, size_t count, size_t size,
                 int (*compare)(const void *left, const void *right));
