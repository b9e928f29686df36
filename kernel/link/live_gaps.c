/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/live_gaps.h"

#include <stdio.h>
#include <string.h>

#include "kernel/link/names.h"

#define PART            64
#define SECONDS_MAX     60
#define OCTAVE_TEXT_MAX 20 /* number of digits of a 64-bit number */

/* Writes the histogram as text such as "3:17,0,5": the first element that is not 0, then the counts
 * up to the last that is not 0. Writes "" if all are 0. Returns false if the text is longer than a
 * record. */
static bool octaves_text(const uint64_t octaves[LIVE_OCTAVES], char text[RECORD_LINE_MAX])
{
    size_t first = 0;
    size_t end = LIVE_OCTAVES;

    text[0] = '\0';
    while (end > 0 && octaves[end - 1] == 0) {
        end--;
    }
    while (first < end && octaves[first] == 0) {
        first++;
    }
    if (first == end) {
        return true;
    }
    size_t length = (size_t)snprintf(text, RECORD_LINE_MAX, "%zu:", first);

    for (size_t i = first; i < end; i++) {
        if (length + OCTAVE_TEXT_MAX + 2 > RECORD_LINE_MAX) {
            return false;
        }
        length += (size_t)snprintf(text + length, RECORD_LINE_MAX - length, "%s%lu",
                                   i > first ? "," : "", (unsigned long)octaves[i]);
    }
    return true;
}

bool live_gaps_write(struct record_writer *writer, const char *bench, unsigned pass,
                     const struct live_gaps *live)
{
    char text[RECORD_LINE_MAX];
    const bool fits = octaves_text(live->octaves, text);

    record_begin(writer, RECORD_LIVE);
    record_text(writer, FIELD_BENCH, bench);
    if (pass > 0) {
        record_unsigned(writer, FIELD_PASS, pass);
    }
    record_unsigned(writer, FIELD_PROCESSOR, live->processor);
    record_unsigned(writer, FIELD_ELAPSED, live->elapsed);
    record_unsigned(writer, FIELD_TOTAL, live->total);
    record_unsigned(writer, FIELD_OVER, live->over);
    record_unsigned(writer, FIELD_STOLEN, live->stolen);
    record_unsigned(writer, FIELD_LARGEST, live->largest);
    record_unsigned(writer, FIELD_LARGEST_AT, live->largest_at);
    record_text(writer, FIELD_OCTAVES, text);
    return fits && !writer->truncated;
}

/* Reads a decimal number that ends at `stop` or at the end of the text, and moves *at to its end.
 * Returns false if there is no such number. */
static bool read_number(const char **at, char stop, uint64_t *value)
{
    const char *c = *at;

    *value = 0;
    do {
        const unsigned digit = (unsigned)*c - '0';

        if (digit > 9 || __builtin_mul_overflow(*value, (uint64_t)10, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit, value)) {
            return false;
        }
        c++;
    } while (*c != stop && *c != '\0');
    *at = c;
    return true;
}

static bool read_octaves(const char *text, uint64_t octaves[LIVE_OCTAVES])
{
    uint64_t first;

    if (text[0] == '\0') {
        return true;
    }
    if (!read_number(&text, ':', &first) || *text != ':') {
        return false;
    }
    do {
        text++;
        if (first >= LIVE_OCTAVES || !read_number(&text, ',', &octaves[first])) {
            return false;
        }
        first++;
    } while (*text == ',');
    return true;
}

bool live_gaps_read(const struct record *record, struct live_gaps *live)
{
    const char *octaves = record_value(record, FIELD_OCTAVES);
    uint64_t processor;

    *live = (struct live_gaps){0};
    if (octaves == NULL || !read_octaves(octaves, live->octaves) ||
        !record_value_up_to(record, FIELD_PROCESSOR, UINT32_MAX, &processor) ||
        !record_value_unsigned(record, FIELD_ELAPSED, &live->elapsed) ||
        !record_value_unsigned(record, FIELD_TOTAL, &live->total) ||
        !record_value_unsigned(record, FIELD_OVER, &live->over) ||
        !record_value_unsigned(record, FIELD_STOLEN, &live->stolen) ||
        !record_value_unsigned(record, FIELD_LARGEST, &live->largest) ||
        !record_value_unsigned(record, FIELD_LARGEST_AT, &live->largest_at)) {
        return false;
    }
    live->processor = (uint32_t)processor;
    return (live->over > 0) == (live->largest > 0) && live->stolen >= live->largest;
}

bool live_gaps_due(uint64_t elapsed, uint64_t last, uint64_t hz)
{
    const uint64_t longest = SECONDS_MAX * hz;
    uint64_t interval = elapsed / PART;

    interval = interval < hz ? hz : interval;
    interval = interval > longest ? longest : interval;
    return elapsed - last >= interval;
}
