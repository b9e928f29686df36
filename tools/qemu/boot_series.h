/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of several boots that show how boots vary. They are of one image, or of two in the
 * order A B B A A B B A ..., so that slow drifts affect both alike.
 *
 * Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct boot_series {
    unsigned repeat;  /* boots of each side, at least 1 */
    bool interleaved; /* there are two sides */
};

size_t boot_series_count(const struct boot_series *series);

/* Returns whether boot `index`, from 0, is of side b. */
bool boot_series_is_b(const struct boot_series *series, size_t index);
/* Returns the boot's number among those of its side, from 1. */
unsigned boot_series_number(const struct boot_series *series, size_t index);

/* Returns the boot's file: "DIR/NAME.EXT" with its number, and with its side if there are two:
 * "DIR/NAME-3.EXT", "DIR/NAME-b-3.EXT". The caller frees it. */
char *boot_series_name(const struct boot_series *series, size_t index, const char *path);
