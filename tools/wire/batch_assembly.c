/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/batch_assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/link/coded.h"
#include "kernel/link/names.h"
#include "kernel/link/series_codec.h"
#include "tools/base/alloc.h"
#include "tools/base/checksum.h"
#include "tools/base/sort.h"
#include "tools/run/series.h"
#include "tools/wire/trace_assembly.h"

/* Reads a CRC that may be absent. */
static bool claim_crc(const struct record *record, bool *has_crc, uint32_t *crc)
{
    *has_crc = record_value(record, FIELD_CRC) != NULL;
    *crc = 0;
    return !*has_crc || claim_number(record, FIELD_CRC, crc);
}

/* The CRC of no samples is 0. */
bool series_claim_read(const struct record *record, struct series_claim *claim)
{
    return claim_stream(record, FIELD_STREAM, &claim->stream) &&
           claim_number(record, FIELD_N, &claim->n) &&
           claim_crc(record, &claim->has_crc, &claim->crc) && (claim->n > 0 || claim->crc == 0) &&
           claim_stream(record, FIELD_BATCH, &claim->batch) && claim->batch < claim->stream;
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

/* A series that is being filled. */
struct series_filling {
    struct run *run;
    const struct series_claim *claim;
    const char *name; /* text with which losses begin */
    struct run_series *series;
    struct samples_writer writer;
    uint32_t sample; /* all samples before this one are handled */
    uint32_t crc;    /* CRC of the samples so far */
    size_t range_capacity;
};

/* Begins to fill a series. The samples go to a file if `in_file`, otherwise to the heap. */
static void series_begin(struct series_filling *filling, struct run *run, struct run_series *series,
                         const char *name, const struct series_claim *claim, bool in_file)
{
    *filling = (struct series_filling){.run = run, .claim = claim, .name = name, .series = series};
    samples_open(&filling->writer, in_file);
}

/* Adds samples [first, first + count); no earlier ones may follow. Returns false if a file cannot
 * be read back. */
static bool series_put(struct series_filling *filling, uint32_t first, const int64_t *samples,
                       size_t count)
{
    append_range(filling->series, &filling->range_capacity, first, (uint32_t)count);
    filling->sample = first + (uint32_t)count;
    filling->crc = checksum_crc32c(filling->crc, samples, count * sizeof(samples[0]));
    return samples_add(&filling->writer, samples, count);
}

/* Ends a series. `ok`: every series_put() succeeded. In a log of two runs (`mixed`), an incomplete
 * series gets no samples, because they may belong to the other run. */
static void series_end(struct series_filling *filling, bool ok, bool mixed)
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
        run_add_loss(filling->run, "%s: incomplete in a log of two runs: all left out",
                     filling->name);
        drop_samples(series);
    }
    series->crc = filling->claim->has_crc ? filling->claim->crc : filling->crc;
    if (run_series_whole(series) && filling->crc != series->crc) {
        run_add_loss(filling->run, "%s: CRC of the samples is wrong: all left out", filling->name);
        drop_samples(series);
    }
}

bool batch_claim_read(const struct record *record, struct batch_claim *claim)
{
    *claim = (struct batch_claim){.has_record = true};
    return claim_stream(record, FIELD_STREAM, &claim->stream) &&
           claim_number(record, FIELD_FRAMES, &claim->frames) &&
           claim_number(record, FIELD_SERIES, &claim->series) &&
           claim->series <= UINT16_MAX - (uint32_t)claim->stream &&
           (claim->series > 0 || claim->frames == 0) &&
           claim_crc(record, &claim->has_crc, &claim->crc);
}

/* Progress of the assembly of a batch. */
struct cursor {
    struct run *run;
    const struct batch_claim *claim;
    const struct batch_member *members; /* members that have samples */
    size_t count;
    struct spool *spool;
    bool mixed;
    size_t member; /* current member; all before it are handled */
    bool open;     /* the current member is being filled */
    bool ok;       /* what was written to files for it could be read back */
    struct series_filling filling;
    uint32_t frame; /* all frames before this one are handled */
    bool named;     /* a loss has named the lost frames before the current one */
};

/* Contents of a frame. */
struct content {
    struct series_part parts[SERIES_CODEC_PARTS_MAX];
    size_t count;
    int64_t samples[SERIES_CODEC_SAMPLES_MAX];
};

/* Returns the first member of this stream or a later one. */
static size_t find_member(const struct cursor *cursor, uint16_t stream)
{
    return SEARCH_COUNT(i, cursor->count, cursor->members[i].claim->stream < stream);
}

static bool is_member(const struct cursor *cursor, size_t member, uint16_t stream)
{
    return member < cursor->count && cursor->members[member].claim->stream == stream;
}

static uint32_t filled(const struct cursor *cursor)
{
    return cursor->open ? cursor->filling.sample : 0;
}

/* Are samples missing between the last one filled in and this sample? */
static bool has_gap(const struct cursor *cursor, size_t member, uint32_t sample)
{
    if (member == cursor->member) {
        return sample > filled(cursor);
    }
    return filled(cursor) < cursor->members[cursor->member].claim->n ||
           member > cursor->member + 1 || sample > 0;
}

/* Does the part continue the same series, or begin a later one? */
static bool comes_next(const struct series_part *before, const struct series_part *part)
{
    return part->stream == before->stream ? part->first == before->first + before->count
                                          : part->stream > before->stream && part->first == 0;
}

/* Can these parts follow each other and what was filled before? */
static bool fits(const struct cursor *cursor, uint32_t seq, const struct content *content)
{
    for (size_t i = 0; i < content->count; i++) {
        const struct series_part *part = &content->parts[i];
        const size_t member = find_member(cursor, part->stream);
        const bool known = is_member(cursor, member, part->stream);
        const uint64_t end = (uint64_t)part->first + part->count;
        const uint64_t n = known ? cursor->members[member].claim->n : UINT32_MAX;

        const bool goes_on = i + 1 < content->count && part[1].stream == part->stream;

        if (part->stream <= cursor->claim->stream || part->count == 0 || end > n ||
            (i > 0 && !comes_next(&part[-1], part)) ||
            (known && i + 1 < content->count && !goes_on && end < n)) {
            return false;
        }
    }
    const uint16_t stream = content->count > 0 ? content->parts[0].stream : 0;
    const size_t member = find_member(cursor, stream);
    const uint32_t sample = is_member(cursor, member, stream) ? content->parts[0].first : 0;

    return content->count > 0 && member >= cursor->member &&
           (member > cursor->member || sample >= filled(cursor)) &&
           (seq > cursor->frame || !has_gap(cursor, member, sample));
}

/* Records as lost the samples of the current member up to `sample`, and the frames up to `frame`.
 */
static void lose(struct cursor *cursor, uint32_t sample, uint32_t frame)
{
    const struct batch_member *member = &cursor->members[cursor->member];
    const uint16_t batch = cursor->claim->stream;
    char frames[SERIES_RANGE_TEXT];
    char samples[SERIES_RANGE_TEXT];

    if (!cursor->open) {
        series_begin(&cursor->filling, cursor->run, member->series, member->name, member->claim,
                     member->in_file);
        cursor->open = true;
        cursor->ok = true;
    }
    if (cursor->filling.sample >= sample || !cursor->ok) {
        return;
    }
    series_range_text(samples, "sample", cursor->filling.sample, sample);
    cursor->named = true;
    if (frame > cursor->frame) {
        run_add_loss(cursor->run, "%s: %s of batch %u lost: %s missing", member->name,
                     series_range_text(frames, "frame", cursor->frame, frame), batch, samples);
    } else {
        run_add_loss(cursor->run, "%s: no frame of batch %u has %s", member->name, batch, samples);
    }
    cursor->filling.sample = sample;
}

/* Advances to a sample of a member. Everything before it that was not filled is missing. */
static void advance(struct cursor *cursor, size_t member, uint32_t sample, uint32_t frame)
{
    while (cursor->member < member) {
        lose(cursor, cursor->members[cursor->member].claim->n, frame);
        series_end(&cursor->filling, cursor->ok, cursor->mixed);
        cursor->open = false;
        cursor->member++;
    }
    if (member < cursor->count) {
        lose(cursor, sample, frame);
    }
}

/* Names the lost frames up to this one, if no known series misses samples because of them. */
static void name_frames(struct cursor *cursor, uint32_t frame)
{
    char frames[SERIES_RANGE_TEXT];

    if (frame > cursor->frame && !cursor->named) {
        run_add_loss(cursor->run, "batch %u: %s lost: no record describes the series",
                     cursor->claim->stream,
                     series_range_text(frames, "frame", cursor->frame, frame));
    }
    cursor->named = false;
}

static void put(struct cursor *cursor, uint32_t seq, const struct content *content)
{
    const int64_t *samples = content->samples;

    for (size_t i = 0; i < content->count; i++) {
        const struct series_part *part = &content->parts[i];
        const size_t member = find_member(cursor, part->stream);

        if (is_member(cursor, member, part->stream)) {
            advance(cursor, member, part->first, seq);
            cursor->ok =
                cursor->ok && series_put(&cursor->filling, part->first, samples, part->count);
        } else {
            advance(cursor, member, 0, seq);
        }
        samples += part->count;
    }
    name_frames(cursor, seq);
    cursor->frame = seq + 1;
}

/* Decodes a frame. Returns false if it is malformed or cannot be read back. */
static bool decode(const struct cursor *cursor, struct series_codec *codec,
                   const struct sample_frame *frame, struct content *content)
{
    uint8_t spooled[FRAME_PAYLOAD_MAX];

    if (frame->length < CODED_TAG_BYTES ||
        (frame->payload == NULL && !spool_read(cursor->spool, frame->at, spooled, frame->length))) {
        return false;
    }
    const uint8_t *payload = frame->payload != NULL ? frame->payload : spooled;
    const ptrdiff_t count =
        series_decode(codec, payload + CODED_TAG_BYTES, frame->length - CODED_TAG_BYTES,
                      content->parts, content->samples);

    content->count = count > 0 ? (size_t)count : 0;
    return count >= 0;
}

/* Checks the CRC of a batch, which covers all its series. It proves nothing if one of them is
 * incomplete or its record is lost. `records` is the number of series records, with or without
 * samples. */
static void check_crc(const struct cursor *cursor, size_t records)
{
    uint32_t crc = 0;

    if (!cursor->claim->has_crc || records != cursor->claim->series) {
        return;
    }
    for (size_t i = 0; i < cursor->count; i++) {
        if (!run_series_whole(cursor->members[i].series)) {
            return;
        }
        crc = coded_batch_crc(crc, cursor->members[i].series->crc);
    }
    for (size_t i = 0; i < cursor->count && crc != cursor->claim->crc; i++) {
        run_add_loss(cursor->run, "%s: CRC of the batch is wrong: all left out",
                     cursor->members[i].name);
        drop_samples(cursor->members[i].series);
    }
}

/* Completes series without samples, and copies the others. Returns the number of the others. */
static size_t take_members(struct run *run, const struct batch_member *members, size_t count,
                           struct batch_member *with_samples)
{
    size_t taken = 0;

    for (size_t i = 0; i < count; i++) {
        if (members[i].claim->n > 0) {
            with_samples[taken++] = members[i];
        } else {
            struct series_filling filling;

            series_begin(&filling, run, members[i].series, members[i].name, members[i].claim,
                         false);
            series_end(&filling, true, false);
        }
    }
    return taken;
}

void batch_assemble(struct run *run, const struct batch_claim *claim,
                    const struct batch_member *members, size_t count, struct spool *spool,
                    const struct sample_frame *frames, size_t frame_count, bool mixed)
{
    struct batch_member *with_samples = alloc_zeroed((count + 1) * sizeof(*with_samples));
    struct series_codec *codec = alloc_zeroed(sizeof(*codec));
    struct content *content = alloc_zeroed(sizeof(*content));
    struct cursor cursor = {
        .run = run, .claim = claim, .members = with_samples, .spool = spool, .mixed = mixed};

    cursor.count = take_members(run, members, count, with_samples);
    for (size_t i = 0; i < frame_count; i++) {
        const uint32_t seq = frames[i].seq;

        if ((claim->has_record && seq >= claim->frames) ||
            !decode(&cursor, codec, &frames[i], content) || !fits(&cursor, seq, content)) {
            run_add_loss(run, "batch %u: frame %" PRIu32 " contradicts its series: left out",
                         claim->stream, seq);
        } else {
            put(&cursor, seq, content);
        }
    }
    const uint32_t end = claim->has_record ? claim->frames : cursor.frame;

    advance(&cursor, cursor.count, 0, end);
    name_frames(&cursor, end);
    check_crc(&cursor, count);
    free(content);
    free(codec);
    free(with_samples);
}
