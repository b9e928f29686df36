/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/series_assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/base/checksum.h"
#include "tools/run/series.h"

/* Of no samples the CRC is 0. */
bool series_claim_read(const struct record *record, struct series_claim *claim)
{
    uint64_t stream;
    uint64_t batch;
    uint64_t n;
    uint64_t crc = 0;

    claim->has_crc = record_value(record, FIELD_CRC) != NULL;
    if (!record_value_up_to(record, FIELD_STREAM, UINT16_MAX, &stream) || stream == 0 ||
        !record_value_up_to(record, FIELD_N, UINT32_MAX, &n) ||
        (claim->has_crc && !record_value_up_to(record, FIELD_CRC, UINT32_MAX, &crc)) ||
        (n == 0 && crc != 0) || !record_value_up_to(record, FIELD_BATCH, UINT16_MAX, &batch) ||
        batch == 0 || batch >= stream) {
        return false;
    }
    claim->stream = (uint16_t)stream;
    claim->batch = (uint16_t)batch;
    claim->n = (uint32_t)n;
    claim->crc = (uint32_t)crc;
    return true;
}

const char *series_range_text(char text[SERIES_RANGE_TEXT], const char *noun, uint32_t from,
                              uint32_t to)
{
    if (to - from == 1) {
        snprintf(text, SERIES_RANGE_TEXT, "%s %" PRIu32, noun, from);
    } else {
        snprintf(text, SERIES_RANGE_TEXT, "%ss %" PRIu32 "..%" PRIu32, noun, from, to - 1);
    }
    return text;
}

static void append_range(struct run_series *series, size_t *capacity, uint32_t first,
                         uint32_t count)
{
    struct run_range *last =
        series->range_count > 0 ? &series->ranges[series->range_count - 1] : NULL;

    if (count == 0) {
        return;
    }
    if (last != NULL && last->first + last->count == first) {
        last->count += count;
        return;
    }
    series->ranges =
        alloc_append(series->ranges, &series->range_count, capacity, sizeof(*series->ranges));
    series->ranges[series->range_count - 1] = (struct run_range){.first = first, .count = count};
}

static void drop_samples(struct run_series *series)
{
    samples_free(series);
    free(series->ranges);
    series->ranges = NULL;
    series->range_count = 0;
}

void series_begin(struct series_filling *filling, struct run *run, struct run_series *series,
                  const char *name, const struct series_claim *claim, bool in_file)
{
    *filling = (struct series_filling){.run = run, .claim = claim, .name = name, .series = series};
    samples_open(&filling->writer, in_file);
}

bool series_put(struct series_filling *filling, uint32_t first, const int64_t *samples,
                size_t count)
{
    append_range(filling->series, &filling->range_capacity, first, (uint32_t)count);
    filling->sample = first + (uint32_t)count;
    filling->crc = checksum_crc32c(filling->crc, samples, count * sizeof(samples[0]));
    return samples_add(&filling->writer, samples, count);
}

void series_end(struct series_filling *filling, bool ok, bool mixed)
{
    struct run_series *series = filling->series;

    if (!samples_close(&filling->writer, series) || !ok) {
        run_add_loss(filling->run,
                     "%s: the samples cannot be read back from a temporary file: all left out",
                     filling->name);
        drop_samples(series);
        return;
    }
    if (mixed && !run_series_whole(series) && series->range_count > 0) {
        run_add_loss(filling->run, "%s: not whole in a log of two runs: all left out",
                     filling->name);
        drop_samples(series);
    }
    series->crc = filling->claim->has_crc ? filling->claim->crc : filling->crc;
    if (run_series_whole(series) && filling->crc != series->crc) {
        run_add_loss(filling->run, "%s: CRC of the samples is wrong: all left out", filling->name);
        drop_samples(series);
    }
}

void series_drop(struct run *run, struct run_series *series, const char *name)
{
    run_add_loss(run, "%s: CRC of the batch is wrong: all left out", name);
    drop_samples(series);
}
