/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/spelling.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t spelling_distance(const char *one, const char *other)
{
    const size_t rows = strlen(one);
    const size_t columns = strlen(other);
    /* for one row: distances from the first `row` letters of `one` to each prefix of `other` */
    size_t distances[SPELLING_WORD_MAX + 1];

    if (rows > SPELLING_WORD_MAX || columns > SPELLING_WORD_MAX) {
        return SIZE_MAX;
    }
    for (size_t column = 0; column <= columns; column++) {
        distances[column] = column;
    }
    for (size_t row = 1; row <= rows; row++) {
        size_t diagonal = distances[0];

        distances[0] = row;
        for (size_t column = 1; column <= columns; column++) {
            const size_t replaced = diagonal + (one[row - 1] != other[column - 1]);

            diagonal = distances[column];
            distances[column] =
                least(replaced, 1 + least(distances[column], distances[column - 1]));
        }
    }
    return distances[columns];
}

void spelling_begin(struct spelling *spelling, const char *given)
{
    *spelling = (struct spelling){given, NULL, SIZE_MAX};
}

void spelling_offer(struct spelling *spelling, const char *known)
{
    const size_t distance = spelling_distance(spelling->given, known);

    if (distance < spelling->distance) {
        spelling->distance = distance;
        spelling->nearest = known;
    }
}

const char *spelling_nearest(const struct spelling *spelling)
{
    const bool near =
        spelling->distance <= SPELLING_NEAR && spelling->distance < strlen(spelling->given);

    return near ? spelling->nearest : NULL;
}
