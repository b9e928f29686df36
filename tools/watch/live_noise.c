/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/watch/live_noise.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"

#define HEAD_ROWS     4
#define SPARK_WIDTH   16
#define TEXT_MAX      32
#define PERCENT       100
#define NS_PER_SECOND 1e9

void live_noise_free(struct live_noise *noise)
{
    free(noise->lane);
    *noise = (struct live_noise){0};
}

/* Where the processor's lane is or belongs. */
static size_t place_of(const struct live_noise *noise, uint32_t processor)
{
    size_t i = 0;

    while (i < noise->count && noise->lane[i].processor < processor) {
        i++;
    }
    return i;
}

static void set_lane(struct live_noise *noise, const struct live_gaps *gaps)
{
    const size_t at = place_of(noise, gaps->processor);

    if (at < noise->count && noise->lane[at].processor == gaps->processor) {
        noise->lane[at] = *gaps;
        return;
    }
    if (noise->count == LIVE_NOISE_LANES_MAX) {
        return;
    }
    if (noise->lane == NULL) {
        noise->lane = alloc_zeroed(LIVE_NOISE_LANES_MAX * sizeof(*noise->lane));
    }
    memmove(noise->lane + at + 1, noise->lane + at, (noise->count - at) * sizeof(*noise->lane));
    noise->lane[at] = *gaps;
    noise->count++;
}

void live_noise_take(struct live_noise *noise, const struct record *record)
{
    const char *bench = record_value(record, FIELD_BENCH);
    struct live_gaps gaps;

    if (strcmp(record->name, RECORD_LIVE) != 0 || bench == NULL ||
        strlen(bench) >= LIVE_NOISE_NAME_MAX || !live_gaps_read(record, &gaps)) {
        return;
    }
    if (strcmp(noise->bench, bench) != 0) {
        noise->count = 0;
        snprintf(noise->bench, sizeof(noise->bench), "%s", bench);
    }
    set_lane(noise, &gaps);
}

/* ---- as lines ---- */

static const char *time_text(uint64_t ticks, uint64_t hz, char text[TEXT_MAX])
{
    char duration[DURATION_MAX];

    if (hz > 0) {
        snprintf(text, TEXT_MAX, "%s",
                 duration_text((double)ticks * NS_PER_SECOND / (double)hz, duration));
    } else {
        snprintf(text, TEXT_MAX, "%" PRIu64, ticks);
    }
    return text;
}

/* A digit for each octave from the first that is not empty: the digits of its count, from 1 to 9; a
 * point where it is empty. */
static void spark_of(const struct live_gaps *gaps, char text[SPARK_WIDTH + 1])
{
    size_t first = 0;
    size_t length = 0;

    while (first < LIVE_OCTAVES && gaps->octaves[first] == 0) {
        first++;
    }
    for (size_t i = first; i < LIVE_OCTAVES && length < SPARK_WIDTH; i++) {
        const uint64_t count = gaps->octaves[i];
        const int digits = count > 0 ? (int)log10((double)count) + 1 : 0;

        text[length++] = digits == 0 ? '.' : (char)('0' + (digits > 9 ? 9 : digits));
    }
    while (length > 0 && text[length - 1] == '.') {
        length--;
    }
    text[length] = '\0';
}

static void add_lane(struct table *table, const struct live_gaps *gaps, uint64_t hz)
{
    char text[TEXT_MAX];
    char spark[SPARK_WIDTH + 1];
    const double seconds = hz > 0 ? (double)gaps->elapsed / (double)hz : 0;

    table_row(table);
    table_signed(table, gaps->processor);
    table_text(table, gaps->over > 0 ? time_text(gaps->largest, hz, text) : NULL);
    table_text(table, gaps->over > 0 ? time_text(gaps->largest_at, hz, text) : NULL);
    table_format(table, "%" PRIu64, gaps->over);
    if (seconds > 0) {
        table_format(table, "%.3g", (double)gaps->over / seconds);
    } else {
        table_text(table, NULL);
    }
    if (gaps->elapsed > 0) {
        table_format(table, "%.3g", 1e6 * (double)gaps->stolen / (double)gaps->elapsed);
    } else {
        table_text(table, NULL);
    }
    spark_of(gaps, spark);
    table_text(table, spark);
}

static void put_progress(FILE *out, const struct live_noise *noise, uint64_t hz)
{
    const struct live_gaps *gaps = &noise->lane[0];
    char elapsed[TEXT_MAX];
    char total[TEXT_MAX];

    fprintf(out, "%s: watched %s", noise->bench, time_text(gaps->elapsed, hz, elapsed));
    if (gaps->total > 0) {
        fprintf(out, " of %s, %.1f %%", time_text(gaps->total, hz, total),
                PERCENT * (double)gaps->elapsed / (double)gaps->total);
    }
    fprintf(out, ", %zu processor%s\n\n", noise->count, noise->count == 1 ? "" : "s");
}

static int worst_first(const void *left, const void *right)
{
    const struct live_gaps *a = left;
    const struct live_gaps *b = right;

    if (a->largest != b->largest) {
        return a->largest > b->largest ? -1 : 1;
    }
    return (a->processor > b->processor) - (a->processor < b->processor);
}

void live_noise_view(FILE *out, const struct live_noise *noise, const struct run *run, size_t rows)
{
    static const char *const heads[] = {"processor", "worst gap", "at",     "gaps",
                                        "a second",  "ppm",       "octaves"};
    const size_t room = rows > HEAD_ROWS ? rows - HEAD_ROWS : 1;
    struct live_gaps *lanes = alloc_zeroed((noise->count + 1) * sizeof(*lanes));
    const size_t shown = noise->count < room ? noise->count : room;
    struct table table;

    memcpy(lanes, noise->lane, noise->count * sizeof(*lanes));
    if (shown < noise->count) {
        sort_stable(lanes, noise->count, sizeof(*lanes), worst_first);
    }
    put_progress(out, noise, run->verdict.hz);
    table_head(&table, "rrrrrrl", heads);
    for (size_t i = 0; i < shown; i++) {
        add_lane(&table, &lanes[i], run->verdict.hz);
    }
    table_print(&table, out, 0);
    if (shown < noise->count) {
        fprintf(out, "the worst %zu of %zu\n", shown, noise->count);
    }
    free(lanes);
}
