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

bool series_claim_read(const struct record *record, struct series_claim *claim)
{
    uint64_t stream;
    uint64_t n;
    uint64_t frames;
    uint64_t crc;

    if (!record_value_up_to(record, FIELD_STREAM, UINT16_MAX, &stream) || stream == 0 ||
        !record_value_up_to(record, FIELD_N, UINT32_MAX, &n) ||
        !record_value_up_to(record, FIELD_FRAMES, UINT32_MAX, &frames) ||
        !record_value_up_to(record, FIELD_CRC, UINT32_MAX, &crc) ||
        !record_value_signed(record, FIELD_NOMINAL, &claim->nominal)) {
        return false;
    }
    /* Of no samples the CRC is 0. */
    if (n > frames * SAMPLES_PER_FRAME_MAX || (n > 0 ? frames > n : frames > 1 || crc != 0)) {
        return false;
    }
    claim->stream = (uint16_t)stream;
    claim->n = (uint32_t)n;
    claim->frames = (uint32_t)frames;
    claim->crc = (uint32_t)crc;
    return true;
}

/* Where the assembly of one series stands: frames and samples before these are dealt with. */
struct cursor {
    uint32_t frame;
    uint32_t sample;
};

/* Can a frame with samples [first, first + count) stand here? Each lost frame before or behind it
 * held at least one sample, and at most as many as its payload has bytes. */
static bool fits(const struct series_claim *claim, struct cursor cursor, uint32_t seq,
                 uint64_t first, uint64_t count)
{
    const uint64_t lost = seq - cursor.frame;
    const uint64_t behind = claim->frames - 1 - seq;
    const uint64_t end = first + count;

    return first >= cursor.sample + lost && first <= cursor.sample + lost * SAMPLES_PER_FRAME_MAX &&
           end + behind <= claim->n && end + behind * SAMPLES_PER_FRAME_MAX >= claim->n &&
           (count > 0 || claim->n == 0);
}

static void add_lost_samples(struct run *run, const char *name, struct cursor from,
                             struct cursor to)
{
    char frames[48];
    char samples[48];

    if (to.frame - from.frame == 1) {
        snprintf(frames, sizeof(frames), "frame %" PRIu32, from.frame);
    } else {
        snprintf(frames, sizeof(frames), "frames %" PRIu32 "..%" PRIu32, from.frame, to.frame - 1);
    }
    if (to.sample - from.sample == 1) {
        snprintf(samples, sizeof(samples), "sample %" PRIu32, from.sample);
    } else {
        snprintf(samples, sizeof(samples), "samples %" PRIu32 "..%" PRIu32, from.sample,
                 to.sample - 1);
    }
    if (to.sample == from.sample) {
        run_add_loss(run, "%s: %s lost: no sample missing", name, frames);
        return;
    }
    run_add_loss(run, "%s: %s lost: %s missing", name, frames, samples);
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

/* What goes into a series, and how far it is. */
struct filling {
    struct run *run;
    const struct series_claim *claim;
    const char *name; /* with which losses begin */
    struct run_series *series;
    struct samples_writer writer;
    struct cursor cursor;
    uint32_t crc; /* of the samples so far */
    size_t range_capacity;
};

/* False where a file does not give back what it took. */
static bool add_frame(struct filling *filling, struct spool *spool,
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
        !fits(claim, filling->cursor, frame->seq, first, (uint64_t)taken)) {
        run_add_loss(filling->run, "%s: frame %" PRIu32 " contradicts the series: left out",
                     filling->name, frame->seq);
        return true;
    }
    if (frame->seq > filling->cursor.frame) {
        add_lost_samples(filling->run, filling->name, filling->cursor,
                         (struct cursor){frame->seq, first});
    }
    append_range(filling->series, &filling->range_capacity, first, (uint32_t)taken);
    filling->cursor = (struct cursor){frame->seq + 1, first + (uint32_t)taken};
    filling->crc = checksum_crc32c(filling->crc, samples, (size_t)taken * sizeof(samples[0]));
    return samples_add(&filling->writer, samples, (size_t)taken);
}

/* False as above. */
static bool add_frames(struct filling *filling, struct spool *spool,
                       const struct sample_frame *frames, size_t count)
{
    bool ok = true;

    for (size_t i = 0; i < count && ok; i++) {
        ok = add_frame(filling, spool, &frames[i]);
    }
    return samples_close(&filling->writer, filling->series) && ok;
}

void series_assemble(struct run *run, struct run_series *series, const char *name,
                     const struct series_claim *claim, struct spool *spool,
                     const struct sample_frame *frames, size_t count, bool in_file, bool mixed)
{
    struct filling filling = {.run = run, .claim = claim, .name = name, .series = series};

    samples_open(&filling.writer, in_file);
    if (!add_frames(&filling, spool, frames, count)) {
        run_add_loss(run, "%s: the samples cannot be read back from a temporary file: all left out",
                     name);
        drop_samples(series);
        return;
    }
    if (filling.cursor.frame < claim->frames) {
        add_lost_samples(run, name, filling.cursor, (struct cursor){claim->frames, claim->n});
    }
    if (mixed && !run_series_whole(series) && series->range_count > 0) {
        run_add_loss(run, "%s: not whole in a log of two runs: all left out", name);
        drop_samples(series);
    }
    if (run_series_whole(series) && filling.crc != claim->crc) {
        run_add_loss(run, "%s: CRC of the samples is wrong: all left out", name);
        drop_samples(series);
    }
}
