/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/boot_series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/stats/permutation.h"

#define ADDED_MAX 32 /* room for side and number, in characters */

size_t boot_series_count(const struct boot_series *series)
{
    return (size_t)series->repeat * (series->interleaved ? 2 : 1);
}

char *boot_series_draw(const struct boot_series *series)
{
    const size_t count = boot_series_count(series);
    char *order = alloc_zeroed(count + 1);
    bool *is_b = alloc_zeroed(count * sizeof(*is_b));
    uint64_t seed = series->seed;

    permutation_draw(&seed, is_b, count, series->interleaved ? series->repeat : 0);
    for (size_t i = 0; i < count; i++) {
        order[i] = is_b[i] ? 'b' : 'a';
    }
    free(is_b);
    return order;
}

bool boot_series_is_b(const struct boot_series *series, size_t index)
{
    return series->order[index] == 'b';
}

unsigned boot_series_number(const struct boot_series *series, size_t index)
{
    unsigned number = 1;

    for (size_t i = 0; i < index; i++) {
        number += series->order[i] == series->order[index];
    }
    return number;
}

/* Returns where the extension begins, or the length of the path if there is none. */
static size_t stem_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot != NULL && dot > name ? (size_t)(dot - path) : strlen(path);
}

char *boot_series_name(const struct boot_series *series, size_t index, const char *path)
{
    const size_t size = strlen(path) + ADDED_MAX;
    const int stem = (int)stem_length(path);
    char *name = alloc_zeroed(size);

    snprintf(name, size, "%.*s%s-%u%s", stem, path,
             !series->interleaved              ? ""
             : boot_series_is_b(series, index) ? "-b"
                                               : "-a",
             boot_series_number(series, index), path + stem);
    return name;
}
