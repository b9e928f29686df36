/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/document/rows.h"

size_t rows_length(const struct text *text, size_t start, size_t columns)
{
    const size_t length = text_length(text);
    size_t count = 0;

    while (count < columns && start + count < length && text_at(text, start + count) != '\n') {
        count++;
    }
    return count;
}

size_t rows_next(const struct text *text, size_t start, size_t columns)
{
    const size_t count = rows_length(text, start, columns);

    if (count == columns) {
        return start + count;
    }
    return start + count < text_length(text) ? start + count + 1 : ROWS_NONE;
}

size_t rows_before(const struct text *text, size_t start, size_t columns)
{
    if (start == 0) {
        return ROWS_NONE;
    }
    size_t row = start - 1;

    while (row > 0 && text_at(text, row - 1) != '\n') {
        row--;
    }
    for (size_t next = rows_next(text, row, columns); next < start;
         next = rows_next(text, row, columns)) {
        row = next;
    }
    return row;
}
