/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/series.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tools/base/alloc.h"
#include "tools/base/checksum.h"
#include "tools/base/spool.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are hashed as they lie");

void samples_open(struct samples_writer *writer, bool in_file)
{
    memset(writer, 0, sizeof(*writer));
    writer->spool = in_file ? spool_create() : NULL;
}

/* Moves the contents of the file to the heap; further samples go there too. */
static bool move_to_heap(struct samples_writer *writer)
{
    writer->capacity = writer->count;
    writer->heap = alloc_zeroed(writer->count * sizeof(*writer->heap));
    const bool ok =
        spool_read(writer->spool, 0, writer->heap, writer->count * sizeof(*writer->heap));

    spool_release(writer->spool);
    writer->spool = NULL;
    return ok;
}

bool samples_add(struct samples_writer *writer, const int64_t *samples, size_t count)
{
    uint64_t at;

    if (writer->spool != NULL) {
        if (spool_append(writer->spool, samples, count * sizeof(*samples), &at)) {
            writer->count += count;
            return true;
        }
        if (!move_to_heap(writer)) {
            return false;
        }
    }
    writer->heap =
        alloc_grow(writer->heap, &writer->capacity, writer->count + count, sizeof(*writer->heap));
    memcpy(writer->heap + writer->count, samples, count * sizeof(*samples));
    writer->count += count;
    return true;
}

bool samples_close(struct samples_writer *writer, struct run_series *series)
{
    const size_t size = writer->count * sizeof(*writer->heap);
    bool ok = true;

    if (writer->spool != NULL) {
        series->samples = size > 0 ? spool_map(writer->spool, size) : NULL;
        series->mapped = series->samples != NULL ? size : 0;
        ok = series->samples != NULL || move_to_heap(writer);
    }
    if (series->mapped == 0) {
        series->samples = writer->heap;
    }
    series->received = writer->count;
    spool_release(writer->spool);
    memset(writer, 0, sizeof(*writer));
    if (!ok) {
        samples_free(series);
    }
    return ok;
}

/* Releases whole pages only; a partly covered page at the ends may stay. */
void samples_forget(const struct run_series *series, size_t first, size_t count)
{
    const size_t page = 4096 / sizeof(*series->samples);
    const size_t begin = first / page * page;

    if (series->mapped > 0 && count > 0) {
        madvise(series->samples + begin, (first + count - begin) * sizeof(*series->samples),
                MADV_DONTNEED);
    }
}

void samples_free(struct run_series *series)
{
    if (series->mapped > 0) {
        munmap(series->samples, series->mapped);
    } else {
        free(series->samples);
    }
    series->samples = NULL;
    series->mapped = 0;
    series->received = 0;
}

void series_leave_out(struct run_series *series, uint32_t n)
{
    size_t received = 0;
    size_t r = 0;

    if (n >= series->n) {
        return;
    }
    for (; r < series->range_count && series->ranges[r].first < n; r++) {
        struct run_range *range = &series->ranges[r];

        range->count = range->count < n - range->first ? range->count : n - range->first;
        received += range->count;
    }
    series->range_count = r;
    series->received = received;
    series->left_out += series->n - n;
    series->n = n;
}

bool run_series_whole(const struct run_series *series)
{
    return series->received == series->n;
}

uint32_t run_series_crc(const struct run_series *series)
{
    const size_t stretch = 65536;
    uint32_t crc = 0;

    for (size_t first = 0, count; first < series->received; first += count) {
        count = series->received - first < stretch ? series->received - first : stretch;
        crc = checksum_crc32c(crc, series->samples + first, count * sizeof(*series->samples));
        samples_forget(series, first, count);
    }
    return crc;
}

bool run_series_sample(const struct run_series *series, uint32_t index, int64_t *value)
{
    size_t before = 0;

    for (size_t r = 0; r < series->range_count; r++) {
        const struct run_range range = series->ranges[r];

        if (index >= range.first && index - range.first < range.count) {
            *value = series->samples[before + (index - range.first)];
            return true;
        }
        before += range.count;
    }
    return false;
}

bool run_walk_to(struct run_walk *walk, uint32_t index, int64_t *value)
{
    const struct run_series *series = walk->series;

    while (walk->range < series->range_count) {
        const struct run_range range = series->ranges[walk->range];

        if (index < range.first) {
            return false;
        }
        if (index - range.first < range.count) {
            *value = series->samples[walk->before + (index - range.first)];
            return true;
        }
        walk->before += range.count;
        walk->range++;
    }
    return false;
}
