/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boots one after the other, to show how they vary: of one image, or of two in the order
 * A B B A A B B A ..., in which what drifts slowly meets both alike.
 *
 * Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct boot_series {
    unsigned repeat;  /* boots of each side, 1 or more */
    bool interleaved; /* there are two sides */
};

size_t boot_series_count(const struct boot_series *series);

/* Of boot `index`, from 0: is it side b's? */
bool boot_series_is_b(const struct boot_series *series, size_t index);
/* Its number among the boots of its side, from 1. */
unsigned boot_series_number(const struct boot_series *series, size_t index);

/* Its file: "DIR/NAME.EXT" with number, and side where there are two: "DIR/NAME-3.EXT",
 * "DIR/NAME-b-3.EXT". The caller frees it. */
char *boot_series_name(const struct boot_series *series, size_t index, const char *path);
