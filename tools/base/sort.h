/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting of numbers, in the order in which a stable qsort() leaves them, without a call for every
 * comparison.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value and where it was. */
struct sort_placed {
    double value;
    size_t index;
};

/* What a comparison returns for two numbers of one type: negative where `a` comes first. */
#define SORT_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

void sort_integers(int64_t *items, size_t count);
/* None of them is NAN. */
void sort_reals(double *items, size_t count);
/* By value; equal ones stay in their order. */
void sort_placed(struct sort_placed *items, size_t count);
/* Any items of `size` bytes by their int64_t `at` bytes from the begin, rising or falling; equal
 * ones stay in their order. */
void sort_by(void *items, size_t count, size_t size, size_t at, bool falling);
/* Any items of `size` bytes, in the order of `compare` as qsort() takes it. Equal ones stay in
 * their order, which qsort() promises nowhere. */
void sort_stable(void *items, size_t count, size_t size,
                 int (*compare)(const void *left, const void *right));
