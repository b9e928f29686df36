/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/series_assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/link/frame.h"
#include "kernel/link/names.h"
#include "kernel/link/residual.h"
#include "tools/base/alloc.h"
#include "tools/base/checksum.h"
#include "tools/run/series.h"

#define SAMPLES_PER_FRAME_MAX (FRAME_PAYLOAD_MAX - RESIDUAL_PREFIX)

/* Of a series that has frames by itself. */
static bool read_own_frames(const struct record *record, struct series_claim *claim)
{
    uint64_t frames;

    if (!record_value_up_to(record, FIELD_FRAMES, UINT32_MAX, &frames) ||
        !record_value_signed(record, FIELD_NOMINAL, &claim->nominal)) {
        return false;
    }
    claim->batch = 0;
    claim->frames = (uint32_t)frames;
    return claim->n <= frames * SAMPLES_PER_FRAME_MAX &&
           (claim->n > 0 ? frames <= claim->n : frames <= 1);
}

static bool read_batch(const struct record *record, struct series_claim *claim)
{
    uint64_t batch;

    if (!record_value_up_to(record, FIELD_BATCH, UINT16_MAX, &batch) || batch == 0 ||
        batch >= claim->stream) {
        return false;
    }
    claim->batch = (uint16_t)batch;
    claim->frames = 0;
    claim->nominal = 0;
    return true;
}

/* Of no samples the CRC is 0. */
bool series_claim_read(const struct record *record, struct series_claim *claim)
{
    uint64_t stream;
    uint64_t n;
    uint64_t crc = 0;

    claim->has_crc = record_value(record, FIELD_CRC) != NULL;
    if (!record_value_up_to(record, FIELD_STREAM, UINT16_MAX, &stream) || stream == 0 ||
        !record_value_up_to(record, FIELD_N, UINT32_MAX, &n) ||
        (claim->has_crc && !record_value_up_to(record, FIELD_CRC, UINT32_MAX, &crc)) ||
        (!claim->has_crc && record_value(record, FIELD_BATCH) == NULL) || (n == 0 && crc != 0)) {
        return false;
    }
    claim->stream = (uint16_t)stream;
    claim->n = (uint32_t)n;
    claim->crc = (uint32_t)crc;
    return record_value(record, FIELD_BATCH) != NULL ? read_batch(record, claim)
                                                     : read_own_frames(record, claim);
}

/* Can a frame with samples [first, first + count) stand here? Each lost frame before or behind it
 * held at least one sample, and at most as many as its payload has bytes. */
static bool fits(const struct series_filling *filling, uint32_t seq, uint64_t first, uint64_t count)
{
    const struct series_claim *claim = filling->claim;
    const uint64_t lost = seq - filling->frame;
    const uint64_t behind = claim->frames - 1 - seq;
    const uint64_t end = first + count;

    return first >= filling->sample + lost &&
           first <= filling->sample + lost * SAMPLES_PER_FRAME_MAX && end + behind <= claim->n &&
           end + behind * SAMPLES_PER_FRAME_MAX >= claim->n && (count > 0 || claim->n == 0);
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

/* Frames up to `frame` and samples up to `sample` are lost. */
static void add_lost_samples(struct series_filling *filling, uint32_t frame, uint32_t sample)
{
    char frames[SERIES_RANGE_TEXT];
    char samples[SERIES_RANGE_TEXT] = "no sample";

    if (sample > filling->sample) {
        series_range_text(samples, "sample", filling->sample, sample);
    }
    run_add_loss(filling->run, "%s: %s lost: %s missing", filling->name,
                 series_range_text(frames, "frame", filling->frame, frame), samples);
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

/* False where a file does not give back what it took. */
static bool add_frame(struct series_filling *filling, struct spool *spool,
                      const struct sample_frame *frame)
{
    const struct series_claim *claim = filling->claim;
    uint8_t spooled[FRAME_PAYLOAD_MAX];
    int64_t samples[SAMPLES_PER_FRAME_MAX];
    uint32_t first;

    if (frame->payload == NULL && !spool_read(spool, frame->at, spooled, frame->length)) {
        return false;
    }
    const ptrdiff_t taken =
        residual_decode(frame->payload != NULL ? frame->payload : spooled, frame->length,
                        claim->nominal, &first, samples, SAMPLES_PER_FRAME_MAX);

    if (taken < 0 || frame->seq >= claim->frames ||
        !fits(filling, frame->seq, first, (uint64_t)taken)) {
        run_add_loss(filling->run, "%s: frame %" PRIu32 " contradicts the series: left out",
                     filling->name, frame->seq);
        return true;
    }
    if (frame->seq > filling->frame) {
        add_lost_samples(filling, frame->seq, first);
    }
    filling->frame = frame->seq + 1;
    return series_put(filling, first, samples, (size_t)taken);
}

void series_assemble(struct run *run, struct run_series *series, const char *name,
                     const struct series_claim *claim, struct spool *spool,
                     const struct sample_frame *frames, size_t count, bool in_file, bool mixed)
{
    struct series_filling filling;
    bool ok = true;

    series_begin(&filling, run, series, name, claim, in_file);
    for (size_t i = 0; i < count && ok; i++) {
        ok = add_frame(&filling, spool, &frames[i]);
    }
    if (ok && filling.frame < claim->frames) {
        add_lost_samples(&filling, claim->frames, claim->n);
    }
    series_end(&filling, ok, mixed);
}
