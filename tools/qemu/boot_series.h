/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of several boots that show how boots vary. They are of one side (image and plan), or of
 * two in random order, so that a drift of the machine affects both alike.
 *
 * Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boot_series {
    unsigned repeat;  /* boots of each side, at least 1 */
    bool interleaved; /* there are two sides */
    uint64_t seed;    /* seed of the order */
    char *order;      /* side of each boot, such as "abba", from boot_series_draw() */
};

size_t boot_series_count(const struct boot_series *series);

/* Draws the order of the boots from the seed: each with as many boots of each side is equally
 * likely. The caller frees it. */
char *boot_series_draw(const struct boot_series *series);

/* Returns whether boot `index`, from 0, is of side b. */
bool boot_series_is_b(const struct boot_series *series, size_t index);
/* Returns the boot's number among those of its side, from 1. */
unsigned boot_series_number(const struct boot_series *series, size_t index);

/* Returns the boot's file: "DIR/NAME.EXT" with its number, and with its side if there are two:
 * "DIR/NAME-3.EXT", "DIR/NAME-b-3.EXT". The caller frees it. */
char *boot_series_name(const struct boot_series *series, size_t index, const char *path);
