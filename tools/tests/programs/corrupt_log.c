/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeded corruptions of a log: whatever happened to its bytes, no sample is wrong, and the frames
 * that are lost are named, no more and no less. What is lost is found by looking for the clean
 * log's frames between delimiters, without the decoder.
 *
 *     corrupt_log [--seeds N] [--first N] [LOG]
 *
 *     LOG        of one run and without loss, in either format; otherwise a made-up one
 *     --seeds N  how many corruptions (default 10000)
 *     --first N  the first of the seeds (default 1)
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/text_codec.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/tests/support/log_builder.h"
#include "tools/wire/decoder.h"

#define STREAMS   65536
#define FRAMES    20000
#define RANGES    4096
#define STEPS_MAX 4
#define SAMPLES   5000
#define MARK      2 /* characters of "[#" and of "#]" */
#define QUARTET   4 /* characters of base64 that go together */

/* A frame as it stands between two delimiters. */
struct wire {
    uint8_t type;
    uint16_t stream;
    uint32_t seq;
    const uint8_t *bytes;
    size_t length;
};

struct clean {
    enum frame_format format;
    uint8_t *bytes;
    size_t length;
    struct wire *frames; /* by their bytes */
    size_t count;
    uint32_t meta;            /* META frames */
    uint32_t claims[STREAMS]; /* frames of each stream */
    struct run run;
};

struct piece {
    uint8_t *bytes;
    size_t length;
};

/* Where a frame's bytes are, or what may be one's: without delimiters. */
struct body {
    size_t begin, end;
    size_t next; /* where to look on */
};

static struct clean clean, other;
static uint64_t state;

static uint64_t draw(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dull >> 16;
}

static size_t below(size_t limit)
{
    return limit == 0 ? 0 : (size_t)(draw() % limit);
}

static int compare_bytes(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length)
{
    const int order = memcmp(a, b, a_length < b_length ? a_length : b_length);

    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_wires(const void *left, const void *right)
{
    const struct wire *a = left;
    const struct wire *b = right;

    return compare_bytes(a->bytes, a->length, b->bytes, b->length);
}

/* The clean frame of exactly these bytes, or NULL. */
static const struct wire *find_wire(const uint8_t *bytes, size_t length)
{
    const struct wire wanted = {.bytes = bytes, .length = length};

    return bsearch(&wanted, clean.frames, clean.count, sizeof(wanted), compare_wires);
}

/* The next piece between two 00h, or behind the last. */
static bool next_binary(const uint8_t *bytes, size_t length, struct body *body)
{
    if (body->next > length) {
        return false;
    }
    const uint8_t *end = memchr(bytes + body->next, 0, length - body->next);

    body->begin = body->next;
    body->end = end != NULL ? (size_t)(end - bytes) : length;
    body->next = body->end + 1;
    return true;
}

/* The next piece between a "[#", the last one, and a "#]". */
static bool next_text(const uint8_t *bytes, size_t length, struct body *body)
{
    while (body->next < length) {
        const size_t from = body->next;
        const uint8_t *end = memmem(bytes + from, length - from, "#]", MARK);

        if (end == NULL) {
            return false;
        }
        body->end = (size_t)(end - bytes);
        body->next = body->end + MARK;
        const size_t least = body->end > FRAME_WIRE_MAX ? body->end - FRAME_WIRE_MAX : 0;

        for (size_t at = body->end; at >= least + MARK; at--) {
            if (memcmp(bytes + at - MARK, "[#", MARK) == 0) {
                body->begin = at;
                return true;
            }
        }
    }
    return false;
}

static bool next_body(const uint8_t *bytes, size_t length, struct body *body)
{
    return clean.format == FRAME_TEXT ? next_text(bytes, length, body)
                                      : next_binary(bytes, length, body);
}

static bool decode_body(const uint8_t *bytes, size_t length, struct frame *frame)
{
    return clean.format == FRAME_TEXT ? frame_decode_text((const char *)bytes, length, frame)
                                      : frame_decode_binary(bytes, length, frame);
}

static void append(struct piece *piece, const void *bytes, size_t length)
{
    piece->bytes = realloc(piece->bytes, piece->length + length + 1);
    if (piece->bytes == NULL) {
        abort();
    }
    memcpy(piece->bytes + piece->length, bytes, length);
    piece->length += length;
}

static void find_frames(struct clean *log)
{
    struct body body = {0};

    log->frames = alloc_zeroed(FRAMES * sizeof(*log->frames));
    while (next_body(log->bytes, log->length, &body)) {
        const uint8_t *bytes = log->bytes + body.begin;
        struct frame frame;

        if (log->count == FRAMES || !decode_body(bytes, body.end - body.begin, &frame)) {
            continue;
        }
        log->frames[log->count++] =
            (struct wire){frame.type, frame.stream, frame.seq, bytes, body.end - body.begin};
        if (frame.type == FRAME_META) {
            log->meta++;
        } else if (frame.type != FRAME_END) {
            log->claims[frame.stream]++;
        }
    }
    qsort(log->frames, log->count, sizeof(*log->frames), compare_wires);
}

static bool prepare(struct clean *log)
{
    struct decoder *decoder = decoder_create();

    find_frames(log);
    decoder_push(decoder, log->bytes, log->length);
    const bool whole = decoder_complete(decoder);

    run_init(&log->run);
    decoder_finish(decoder, &log->run);
    decoder_destroy(decoder);
    return whole && log->run.losses.count == 0;
}

static bool read_log(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t bytes[65536];
    struct piece log = {0};
    size_t length;

    while (file != NULL && (length = fread(bytes, 1, sizeof(bytes), file)) > 0) {
        append(&log, bytes, length);
    }
    if (file != NULL) {
        fclose(file);
    }
    clean.bytes = log.bytes;
    clean.length = log.length;
    clean.format =
        log.length > 0 && memchr(log.bytes, 0, log.length) == NULL ? FRAME_TEXT : FRAME_BINARY;
    return log.length > 0;
}

static void make_log(struct clean *log, uint64_t seed, const char *id)
{
    struct log_builder builder;

    log->format = clean.format;
    log_init(&builder, log->format);
    builder.run = id;
    log_plausible(&builder, SAMPLES, seed);
    log->bytes = log_wire(&builder, true, &log->length);
    log_free(&builder);
}

/* What a line, a disk or a person does to a log. */
static void splice(struct piece *log, size_t at, size_t removed, const void *bytes, size_t added)
{
    uint8_t *copy = alloc_zeroed(log->length - removed + added + 1);

    memcpy(copy, log->bytes, at);
    memcpy(copy + at, bytes, added);
    memcpy(copy + at + added, log->bytes + at + removed, log->length - at - removed);
    free(log->bytes);
    log->bytes = copy;
    log->length = log->length - removed + added;
}

static void corrupt_bytes(struct piece *log, unsigned kind)
{
    const size_t count = 1 + below(30);

    for (size_t i = 0; i < count && log->length > 0; i++) {
        const size_t at = below(log->length);
        const uint8_t byte = log->bytes[at];

        if (kind == 0) {
            log->bytes[at] = (uint8_t)(byte ^ 1u << below(8));
        } else if (kind == 1) {
            splice(log, at, 1, "", 0);
        } else {
            splice(log, at, 0, &byte, 1);
        }
    }
}

/* A piece is moved to another place, or comes twice. */
static void move_piece(struct piece *log, bool stays)
{
    const size_t from = below(log->length);
    const size_t length = below(log->length - from < 6000 ? log->length - from : 6000);
    uint8_t *bytes = alloc_zeroed(length + 1);

    memcpy(bytes, log->bytes + from, length);
    if (!stays) {
        splice(log, from, length, "", 0);
    }
    splice(log, below(log->length + 1), 0, bytes, length);
    free(bytes);
}

static void insert_noise(struct piece *log, bool text)
{
    uint8_t noise[2000];
    const size_t length = 1 + below(sizeof(noise));

    for (size_t i = 0; i < length; i++) {
        noise[i] = text ? (uint8_t)(i % 40 == 39 ? '\n' : ' ' + below(95)) : (uint8_t)draw();
    }
    splice(log, below(log->length + 1), 0, noise, length);
}

static void corrupt_once(struct piece *log)
{
    const unsigned kind = (unsigned)below(10);
    const size_t at = below(log->length);
    const size_t rest = log->length - at;

    if (kind < 3) {
        corrupt_bytes(log, kind);
    } else if (kind < 5) {
        splice(log, at, below(rest < 3000 ? rest : 3000), "", 0);
    } else if (kind == 5) {
        move_piece(log, false);
    } else if (kind == 6) {
        move_piece(log, true);
    } else if (kind == 7) {
        splice(log, 0, at / 2, "", 0);
    } else if (kind == 8) {
        log->length -= rest / 2;
    } else {
        insert_noise(log, draw() % 2 == 0);
    }
}

/* The beginning of the log and the end of another run's. */
static void join_halves(struct piece *log)
{
    const size_t from = below(other.length - 200);

    log->length = 200 + below(log->length - 200);
    append(log, other.bytes + from, other.length - from);
}

static bool series_is_of(const struct run *truth, const struct run_bench *bench,
                         const struct run_series *series)
{
    const struct run_bench *true_bench = run_find_pass(truth, bench->name, bench->pass);
    const struct run_series *whole =
        true_bench != NULL ? run_find_series(true_bench, series->name) : NULL;
    size_t at = 0;

    for (size_t r = 0; r < series->range_count; r++) {
        const struct run_range range = series->ranges[r];

        if (whole == NULL || (uint64_t)range.first + range.count > whole->received) {
            return false;
        }
        for (uint32_t i = 0; i < range.count; i++) {
            if (series->samples[at++] != whole->samples[range.first + i]) {
                return false;
            }
        }
    }
    return at == series->received;
}

static bool samples_are_true(const struct run *run, bool joined)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        for (size_t k = 0; k < run->benches[i].series_count; k++) {
            const struct run_series *series = &run->benches[i].series[k];

            if (!series_is_of(&clean.run, &run->benches[i], series) &&
                !(joined && series_is_of(&other.run, &run->benches[i], series))) {
                return false;
            }
        }
    }
    return true;
}

/* What of the clean log is still there: certainly, as a piece between two delimiters, and perhaps,
 * as the end of one. */
struct presence {
    bool certain[FRAMES];
    bool possible[FRAMES];
};

static void look_for_binary(const struct piece *log, struct presence *presence)
{
    size_t start = 0;

    for (size_t i = 0; i < log->length; i++) {
        if (log->bytes[i] != 0) {
            continue;
        }
        const size_t length = i - start;
        const struct wire *whole = find_wire(log->bytes + start, length);

        if (whole != NULL) {
            presence->certain[whole - clean.frames] = true;
        }
        for (size_t skip = 0; skip < length; skip++) {
            const bool begins =
                skip == 0 || log->bytes[start + skip - 1] == '\n' || skip >= FRAME_WIRE_MAX;
            const struct wire *tail =
                begins ? find_wire(log->bytes + start + skip, length - skip) : NULL;

            if (tail != NULL) {
                presence->possible[tail - clean.frames] = true;
            }
        }
        start = i + 1;
    }
}

/* Some bits of the last characters mean nothing: there are others for the same bytes. */
static const struct wire *find_alike(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < clean.count && length >= QUARTET; i++) {
        const struct wire *wire = &clean.frames[i];

        if (wire->length == length && memcmp(wire->bytes, bytes, length - QUARTET) == 0) {
            return wire;
        }
    }
    return NULL;
}

/* Behind a line end, and after text alone for so long that a reader of the log is in step. */
static bool begins_line(const struct piece *log, size_t at)
{
    const size_t span = at < FRAME_WIRE_MAX + 1 ? at : FRAME_WIRE_MAX + 1;

    return at == 0 || (log->bytes[at - 1] == '\n' && frame_is_text(log->bytes + at - span, span));
}

static void look_for_text(const struct piece *log, struct presence *presence)
{
    struct body body = {0};

    while (next_text(log->bytes, log->length, &body)) {
        const uint8_t *bytes = log->bytes + body.begin;
        const size_t length = body.end - body.begin;
        const struct wire *whole = find_wire(bytes, length);
        const struct wire *alike = whole != NULL ? whole : find_alike(bytes, length);

        if (alike != NULL) {
            presence->possible[alike - clean.frames] = true;
        }
        if (whole != NULL && begins_line(log, body.begin - MARK)) {
            presence->certain[whole - clean.frames] = true;
        }
    }
}

static void look_for_frames(const struct piece *log, struct presence *presence)
{
    memset(presence, 0, sizeof(*presence));
    if (clean.format == FRAME_TEXT) {
        look_for_text(log, presence);
    } else {
        look_for_binary(log, presence);
    }
}

/* Is what the decoder holds what is there? */
static bool holds_what_is_there(const struct decoder *decoder, const struct presence *presence)
{
    for (size_t i = 0; i < clean.count; i++) {
        const struct wire *wire = &clean.frames[i];
        const bool held = wire->type == FRAME_END ? decoder_ended(decoder)
                                                  : decoder_holds(decoder, wire->stream, wire->seq);

        if ((presence->certain[i] && !held) || (held && !presence->possible[i])) {
            printf("stream %u frame %" PRIu32 ": %s\n", wire->stream, wire->seq,
                   held ? "held, but is not there" : "there, but not held");
            return false;
        }
    }
    return true;
}

/* Of how many frames a stream is known to be, by what the decoder holds. */
static uint32_t expected_frames(const struct decoder *decoder, const bool *described,
                                uint16_t stream)
{
    uint32_t expected = 0;

    if (stream != 0) {
        return described[stream] ? clean.claims[stream] : 0;
    }
    for (uint32_t seq = 0; seq < clean.meta; seq++) {
        expected = decoder_holds(decoder, 0, seq) ? seq + 1 : expected;
    }
    return decoder_ended(decoder) ? clean.meta : expected;
}

/* The records of a META frame; returns their bytes. */
static size_t read_text(const struct frame *frame, char text[TEXT_CODEC_RAW_MAX])
{
    static struct text_codec codec;

    const ptrdiff_t length = text_decode(&codec, frame->payload + CODED_TAG_BYTES,
                                         frame->length - CODED_TAG_BYTES, text, TEXT_CODEC_RAW_MAX);

    return length > 0 ? (size_t)length : 0;
}

static bool describes_frames(const struct record *record)
{
    return strcmp(record->name, "trace") == 0 || strcmp(record->name, "batch") == 0;
}

/* Which streams' records arrived. */
static void find_described(const struct decoder *decoder, bool *described)
{
    for (size_t i = 0; i < clean.count; i++) {
        const struct wire *wire = &clean.frames[i];
        struct frame frame;

        if (wire->type != FRAME_META || !decoder_holds(decoder, 0, wire->seq) ||
            !decode_body(wire->bytes, wire->length, &frame)) {
            continue;
        }
        char text[TEXT_CODEC_RAW_MAX];
        char *at = text;
        char *const end = text + read_text(&frame, text);

        while (at < end) {
            char *line_end = memchr(at, '\n', (size_t)(end - at));
            struct record record;
            uint64_t stream;

            if (line_end == NULL) {
                break;
            }
            if (record_parse(at, (size_t)(line_end - at), &record) && describes_frames(&record) &&
                record_value_up_to(&record, "stream", STREAMS - 1, &stream)) {
                described[stream] = true;
            }
            at = line_end + 1;
        }
    }
}

static uint8_t type_of(uint16_t stream)
{
    for (size_t i = 0; i < clean.count; i++) {
        if (clean.frames[i].stream == stream && clean.frames[i].type != FRAME_END) {
            return clean.frames[i].type;
        }
    }
    return 0;
}

/* Is there a loss that names these frames of a batch, of a series or of itself? */
static bool is_named_of_batch(const struct run *run, uint16_t batch, const char *frames)
{
    char of_series[96];
    char of_batch[96];

    snprintf(of_series, sizeof(of_series), ": %s of batch %u lost: ", frames, batch);
    snprintf(of_batch, sizeof(of_batch), "batch %u: %s lost: ", batch, frames);
    for (size_t i = 0; i < run->losses.count; i++) {
        if (strstr(run->losses.item[i], of_series) != NULL ||
            strstr(run->losses.item[i], of_batch) == run->losses.item[i]) {
            return true;
        }
    }
    return false;
}

/* Is there a loss that begins so and names these frames? */
static bool is_named(const struct run *run, uint16_t stream, uint32_t first, uint32_t last)
{
    char range[64];
    char begin[32];

    if (first == last) {
        snprintf(range, sizeof(range), "frame %" PRIu32, first);
    } else {
        snprintf(range, sizeof(range), "frames %" PRIu32 "..%" PRIu32, first, last);
    }
    if (type_of(stream) == FRAME_SERIES) {
        return is_named_of_batch(run, stream, range);
    }
    strcat(range, " lost:");
    snprintf(begin, sizeof(begin), stream == 0 ? "META " : "stream %u (", stream);
    for (size_t i = 0; i < run->losses.count; i++) {
        const char *loss = run->losses.item[i];

        if (strncmp(loss, begin, strlen(begin)) == 0 && strstr(loss, range) != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_trace(uint16_t stream)
{
    return type_of(stream) == FRAME_TRACE;
}

/* Each hole is one of the decoder's, and a loss names it; the decoder has no other. */
static bool losses_are_named(const struct decoder *decoder, const struct run *run)
{
    static bool described[STREAMS];
    static struct decoder_range missing[RANGES];
    const size_t count = decoder_missing(decoder, missing, RANGES);
    size_t at = 0;

    memset(described, 0, sizeof(described));
    find_described(decoder, described);
    for (unsigned stream = 0; stream < STREAMS; stream++) {
        const uint32_t expected = expected_frames(decoder, described, (uint16_t)stream);

        for (uint32_t seq = 0; seq < expected; seq++) {
            const uint32_t first = seq;

            while (seq < expected && !decoder_holds(decoder, (uint16_t)stream, seq)) {
                seq++;
            }
            if (seq == first) {
                continue;
            }
            if (at == count || missing[at].stream != stream || missing[at].first != first ||
                missing[at].count != seq - first ||
                (!is_trace((uint16_t)stream) && !is_named(run, (uint16_t)stream, first, seq - 1))) {
                printf("stream %u frames %" PRIu32 "..%" PRIu32 " are not named\n", stream, first,
                       seq - 1);
                return false;
            }
            at++;
        }
    }
    if (at != count) {
        printf("stream %u frame %" PRIu32 " is named, but not lost\n", missing[at].stream,
               missing[at].first);
    }
    return at == count;
}

/* The batch of whose frames a loss is, and that no record describes: how many it has is not known,
 * nor which are missing. */
static bool is_of_unknown_batch(const char *loss, const bool *described)
{
    const char *of = strstr(loss, " of batch ");
    const char *batch = of != NULL ? of + strlen(" of batch ") : NULL;

    if (batch == NULL && strncmp(loss, "batch ", strlen("batch ")) == 0) {
        batch = loss + strlen("batch ");
    }
    return batch != NULL && !described[strtoul(batch, NULL, 10) % STREAMS];
}

/* Frames of a batch are named for each series that misses samples, one behind the other. */
static bool names_the_same(const char *loss, const char *before)
{
    const char *frames = strstr(loss, ": frame");
    const char *end = strstr(loss, " lost: ");
    const char *other_frames = strstr(before, ": frame");

    return strstr(loss, " of batch ") != NULL && other_frames != NULL &&
           strncmp(frames, other_frames, (size_t)(end - frames)) == 0;
}

/* How many losses are of frames or samples. */
static size_t losses_of_frames(const struct decoder *decoder, const struct run *run)
{
    static bool described[STREAMS];
    size_t count = 0;

    memset(described, 0, sizeof(described));
    find_described(decoder, described);

    for (size_t i = 0; i < run->losses.count; i++) {
        const char *loss = run->losses.item[i];

        count += strstr(loss, " lost: ") != NULL && !is_of_unknown_batch(loss, described) &&
                 (i == 0 || !names_the_same(loss, run->losses.item[i - 1]));
    }
    return count;
}

static size_t holes_of_frames(const struct decoder *decoder)
{
    static struct decoder_range missing[RANGES];
    const size_t count = decoder_missing(decoder, missing, RANGES);
    size_t holes = 0;

    for (size_t i = 0; i < count; i++) {
        holes += missing[i].stream == 0 || !is_trace(missing[i].stream);
    }
    return holes;
}

static size_t items_of_bench(const struct run_bench *bench)
{
    return bench->expect_count + bench->param_count + bench->fact_count + bench->absent_count +
           bench->series_count + bench->object_count + bench->trace_count;
}

static size_t items_of_run(const struct run *run)
{
    return run->info.count + run->machine.count + run->source_count + run->estimate_count +
           run->counter_count + run->event_count + run->bench_count + run->crash_count +
           run->interrupt_count;
}

/* A frame that comes twice is taken once. */
static bool nothing_is_taken_twice(const struct decoder *decoder, const struct run *run)
{
    struct decoder_counts counts;
    size_t held = decoder_ended(decoder) ? 1 : 0;

    for (size_t i = 0; i < clean.count; i++) {
        held += clean.frames[i].type != FRAME_END &&
                decoder_holds(decoder, clean.frames[i].stream, clean.frames[i].seq);
    }
    decoder_get_counts(decoder, &counts);
    if (counts.frames != held || items_of_run(run) > items_of_run(&clean.run)) {
        return false;
    }
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const struct run_bench *whole = run_find_pass(&clean.run, bench->name, bench->pass);

        if (whole == NULL || items_of_bench(bench) > items_of_bench(whole)) {
            return false;
        }
    }
    return true;
}

static bool try_seed(uint64_t seed)
{
    static struct presence presence;
    struct piece log = {0};
    struct run run;

    state = seed * 0x9e3779b97f4a7c15ull | 1;
    append(&log, clean.bytes, clean.length);
    const bool joined = seed % 10 == 0;

    if (joined) {
        join_halves(&log);
    } else {
        for (size_t i = 1 + below(STEPS_MAX); i > 0 && log.length > 1; i--) {
            corrupt_once(&log);
        }
    }
    struct decoder *decoder = decoder_create();

    decoder_push(decoder, log.bytes, log.length);
    run_init(&run);
    decoder_finish(decoder, &run);
    bool ok = samples_are_true(&run, joined);

    if (!ok) {
        printf("a sample is wrong\n");
    }
    if (ok && !joined) {
        look_for_frames(&log, &presence);
        ok = holds_what_is_there(decoder, &presence) && losses_are_named(decoder, &run);
        if (ok && losses_of_frames(decoder, &run) != holes_of_frames(decoder)) {
            printf("%zu losses are named, of %zu\n", losses_of_frames(decoder, &run),
                   holes_of_frames(decoder));
            ok = false;
        }
    }
    if (ok && !joined && !nothing_is_taken_twice(decoder, &run)) {
        printf("a frame is taken twice\n");
        ok = false;
    }
    if (!ok) {
        printf("FAIL  seed %" PRIu64 "\n", seed);
    }
    run_free(&run);
    decoder_destroy(decoder);
    free(log.bytes);
    return ok;
}

static void release(struct clean *log)
{
    run_free(&log->run);
    free(log->frames);
    free(log->bytes);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"seeds", required_argument, NULL, 's'},
        {"first", required_argument, NULL, 'f'},
        {NULL, 0, NULL, 0},
    };
    uint64_t seeds = 10000;
    uint64_t first = 1;
    uint64_t failed = 0;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == '?') {
            return 2;
        }
        *(option == 's' ? &seeds : &first) = strtoull(optarg, NULL, 0);
    }
    if (optind == argc) {
        make_log(&clean, 1, "00000000000000aa");
    } else if (!read_log(argv[optind])) {
        fprintf(stderr, "corrupt_log: %s: cannot be read\n", argv[optind]);
        return 1;
    }
    const bool is_clean = prepare(&clean);

    make_log(&other, 2, "00000000000000bb");
    if (!is_clean || !prepare(&other)) {
        fprintf(stderr, "corrupt_log: the log is not clean\n");
        return 1;
    }
    for (uint64_t seed = first; seed < first + seeds && failed < 10; seed++) {
        failed += try_seed(seed) ? 0 : 1;
    }
    release(&clean);
    release(&other);
    printf("corrupt_log: %" PRIu64 " corruptions of %zu bytes in %zu frames, %s format\n", seeds,
           clean.length, clean.count, clean.format == FRAME_TEXT ? "text" : "binary");
    printf("corrupt_log: %d passed, %d failed\n", failed == 0, failed != 0);
    return failed == 0 ? 0 : 1;
}
