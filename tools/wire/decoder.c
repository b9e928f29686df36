/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/wire/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/coded.h"
#include "kernel/link/frame.h"
#include "kernel/link/names.h"
#include "kernel/link/text_codec.h"
#include "kernel/link/trace_codec.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/spool.h"
#include "tools/wire/assembly.h"
#include "tools/wire/held_frames.h"
#include "tools/wire/quick_frame.h"
#include "tools/wire/seal_check.h"
#include "tools/wire/trace_assembly.h"

#define META_STREAM 0
#define NOT_KEPT    (UINT64_MAX >> 10) /* a payload that the spool did not take */

/* Largest text of coded META frames. An image has space for 512 KiB, so no run has more. */
#define META_TEXT_MAX (1 << 20)

/* Largest size of payloads of samples in memory; further ones go to the spool. */
#define PAYLOADS_MAX (4 << 20)

struct claim {
    uint16_t stream;
    uint32_t frames;
};

struct conflict {
    uint16_t stream;
    uint32_t seq;
};

/* Counts that END states for a complete log. */
struct end {
    uint64_t meta_frames;
    bool has_frames;
    uint64_t frames;       /* all frames except END itself */
    uint64_t records_lost; /* records for which the image had no space, completely or in part */
    bool malformed;        /* a count is not a number, or `frames` is missing */
    struct seal_claim seal;
};

struct decoder {
    struct frame_reader reader;
    struct decoder_counts counts;

    struct held_frame *frames;
    size_t frame_count, frame_capacity;
    struct frame_order *order; /* frames in order, as of the last time the order was needed */
    uint8_t *payloads;
    size_t payload_bytes, payload_capacity;
    struct spool *spool; /* payloads of traces, and of samples if there are many */
    uint64_t not_kept;   /* frames of traces whose payload the spool did not take */
    uint8_t later_codec; /* an unknown, later codec version of some frame; 0: none */
    uint32_t *slots;     /* hash table: index into frames plus 1, or 0; see find_slot() */
    size_t slot_count;

    struct claim *claims; /* what is known about streams so far, sorted by stream */
    size_t claim_count, claim_capacity;
    struct conflict *conflicts;
    size_t conflict_count, conflict_capacity;

    struct run notes; /* only its info is used */

    char run_id[DECODER_RUN_ID_MAX];       /* "": not sent */
    char other_run_id[DECODER_RUN_ID_MAX]; /* "": no other one was sent */

    bool has_tag; /* a frame has arrived */
    uint32_t tag; /* tag of the run of the first frame */
    bool here;    /* the last frame with a tag was of that run */
    struct live_noise progress;

    bool joined;          /* the bytes come from several incomplete logs */
    bool other_ended;     /* the END frame of another run has arrived */
    uint64_t other_begin; /* bytes before the first frame of another run */
    uint64_t other_frames;

    bool ended;
    struct end end_counts;

    struct decoder_listener listener;
};

/* Text codec. Its calls are independent of each other. It is initialised once for all decoders,
 * which share a thread. */
static struct text_codec text_codec;

struct decoder *decoder_create(void)
{
    struct decoder *decoder = alloc_zeroed(sizeof(*decoder));

    frame_reader_init(&decoder->reader);
    decoder->order = alloc_zeroed(sizeof(*decoder->order));
    decoder->spool = spool_create();
    run_init(&decoder->notes);
    return decoder;
}

void decoder_destroy(struct decoder *decoder)
{
    if (decoder == NULL) {
        return;
    }
    free(decoder->frames);
    free(decoder->order->frames);
    free(decoder->order);
    free(decoder->payloads);
    live_noise_free(&decoder->progress);
    free(decoder->slots);
    free(decoder->claims);
    free(decoder->conflicts);
    spool_release(decoder->spool);
    run_free(&decoder->notes);
    free(decoder);
}

void decoder_listen(struct decoder *decoder, const struct decoder_listener *listener)
{
    decoder->listener = listener != NULL ? *listener : (struct decoder_listener){0};
}

void decoder_note(struct decoder *decoder, const char *key, const char *value)
{
    run_add_pair(&decoder->notes, &decoder->notes.info, key, value);
}

void decoder_note_joined(struct decoder *decoder)
{
    decoder->joined = true;
}

/* Returns the slot that holds (stream, seq), or the free slot where it belongs. */
static uint32_t *find_slot(const struct decoder *decoder, uint16_t stream, uint32_t seq)
{
    const uint64_t key = (uint64_t)stream << 32 | seq;
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (decoder->slot_count - 1);

    while (decoder->slots[at] != 0) {
        const struct held_frame *held = &decoder->frames[decoder->slots[at] - 1];

        if (held->stream == stream && held->seq == seq) {
            break;
        }
        at = (at + 1) & (decoder->slot_count - 1);
    }
    return &decoder->slots[at];
}

/* Returns the held frame of this number, or NULL. */
static struct held_frame *find_held(const struct decoder *decoder, uint16_t stream, uint32_t seq)
{
    if (decoder->slot_count == 0) {
        return NULL;
    }
    const uint32_t slot = *find_slot(decoder, stream, seq);

    return slot != 0 ? &decoder->frames[slot - 1] : NULL;
}

/* Keeps at least half of the table free. */
static void grow_slots(struct decoder *decoder)
{
    if ((decoder->frame_count + 1) * 2 <= decoder->slot_count) {
        return;
    }
    decoder->slot_count = decoder->slot_count == 0 ? 64 : decoder->slot_count * 2;
    free(decoder->slots);
    decoder->slots = alloc_zeroed(decoder->slot_count * sizeof(*decoder->slots));
    for (size_t i = 0; i < decoder->frame_count; i++) {
        const struct held_frame *held = &decoder->frames[i];

        *find_slot(decoder, held->stream, held->seq) = (uint32_t)i + 1;
    }
}

static void add_conflict(struct decoder *decoder, uint16_t stream, uint32_t seq)
{
    decoder->counts.conflicts++;
    *ALLOC_NEXT(decoder->conflicts, decoder->conflict_count, decoder->conflict_capacity) =
        (struct conflict){stream, seq};
}

/* Is the frame equal to the held one? A payload that the spool cannot return counts as equal; the
 * error of the spool is reported anyway. */
static bool is_same(const struct decoder *decoder, const struct held_frame *held,
                    const struct frame *frame)
{
    uint8_t spooled[FRAME_PAYLOAD_MAX];
    const uint8_t *payload = spooled;

    if (held->type != frame->type || held->length != frame->length) {
        return false;
    }
    if (!held->spooled) {
        payload = decoder->payloads + held->payload;
    } else if (held->payload == NOT_KEPT ||
               !spool_read(decoder->spool, held->payload, spooled, held->length)) {
        return true;
    }
    return memcmp(payload, frame->payload, frame->length) == 0;
}

static bool belongs_in_spool(const struct decoder *decoder, const struct frame *frame)
{
    return frame->type == FRAME_TRACE ||
           (frame->type == FRAME_SERIES && decoder->payload_bytes >= PAYLOADS_MAX);
}

/* Stores a payload. Payloads that the spool does not take stay in memory, except those of traces.
 */
static void keep_payload(struct decoder *decoder, const struct frame *frame,
                         struct held_frame *held)
{
    uint64_t at;

    if (belongs_in_spool(decoder, frame)) {
        held->spooled = spool_append(decoder->spool, frame->payload, frame->length, &at);
        if (held->spooled) {
            held->payload = at;
            return;
        }
        if (frame->type == FRAME_TRACE) {
            decoder->not_kept++;
            held->spooled = true;
            held->payload = NOT_KEPT;
            return;
        }
    }
    held->payload = decoder->payload_bytes;
    /* One byte more than needed, so that an empty payload has a place too. */
    decoder->payloads = alloc_grow(decoder->payloads, &decoder->payload_capacity,
                                   decoder->payload_bytes + frame->length + 1, 1);
    memcpy(decoder->payloads + decoder->payload_bytes, frame->payload, frame->length);
    decoder->payload_bytes += frame->length;
}

/* Stores a frame. Returns true if it is new. */
static bool hold(struct decoder *decoder, const struct frame *frame)
{
    struct held_frame *known = find_held(decoder, frame->stream, frame->seq);

    if (known != NULL) {
        if (is_same(decoder, known, frame)) {
            decoder->counts.duplicates++;
        } else {
            add_conflict(decoder, frame->stream, frame->seq);
            /* After END, the run is being sent again, not a new run begun. */
            known->disputed |= !decoder->ended && frame->type == FRAME_META;
        }
        return false;
    }
    struct held_frame held = {
        .stream = frame->stream,
        .length = frame->length,
        .seq = frame->seq,
        .type = frame->type,
    };

    keep_payload(decoder, frame, &held);
    decoder->counts.frames++;
    grow_slots(decoder);
    uint32_t *slot = find_slot(decoder, frame->stream, frame->seq);

    *ALLOC_NEXT(decoder->frames, decoder->frame_count, decoder->frame_capacity) = held;
    *slot = (uint32_t)decoder->frame_count;
    return true;
}

/* Adds a claim. Only the first claim of a stream counts. */
static void add_claim(struct decoder *decoder, struct claim claim)
{
    const size_t at =
        SEARCH_COUNT(i, decoder->claim_count, decoder->claims[i].stream < claim.stream);

    if (at < decoder->claim_count && decoder->claims[at].stream == claim.stream) {
        return;
    }
    decoder->claims = alloc_append(decoder->claims, &decoder->claim_count, &decoder->claim_capacity,
                                   sizeof(*decoder->claims));
    memmove(decoder->claims + at + 1, decoder->claims + at,
            (decoder->claim_count - 1 - at) * sizeof(*decoder->claims));
    decoder->claims[at] = claim;
}

static void note_stream(struct decoder *decoder, const struct record *record)
{
    struct batch_claim batch;
    struct trace_claim trace;

    if (strcmp(record->name, RECORD_BATCH) == 0 && batch_claim_read(record, &batch)) {
        add_claim(decoder, (struct claim){batch.stream, batch.frames});
    }
    if (strcmp(record->name, RECORD_TRACE) == 0 && trace_claim_read(record, &trace)) {
        add_claim(decoder, (struct claim){trace.stream, trace.frames});
    }
}

/* Returns the id of the run from the first record of a log or from its END. A text that cannot be
 * shown unchanged is not an id. */
static const char *run_id_in(const struct record *record)
{
    const char *id = record_value(record, INFO_RUN);

    if (id == NULL || id[0] == '\0' || strlen(id) >= DECODER_RUN_ID_MAX ||
        (strcmp(record->name, RECORD_TARE) != 0 && strcmp(record->name, RECORD_END) != 0)) {
        return NULL;
    }
    for (const char *c = id; *c != '\0'; c++) {
        if (*c <= ' ' || *c > '~') {
            return NULL;
        }
    }
    return id;
}

/* Returns the size of a frame that has just arrived, up to its last delimiter. */
static size_t wire_size(const struct decoder *decoder, const struct frame *frame)
{
    uint8_t wire[FRAME_WIRE_MAX];

    return decoder->reader.behind_text_frame ? frame_encode(frame, FRAME_TEXT, wire) - 2
                                             : frame_encode(frame, FRAME_BINARY, wire);
}

/* Decodes the text of a META frame. Returns -1 if it is malformed. */
static ptrdiff_t meta_text(const uint8_t *payload, size_t length, char text[TEXT_CODEC_RAW_MAX])
{
    return length < CODED_TAG_BYTES
               ? -1
               : text_decode(&text_codec, payload + CODED_TAG_BYTES, length - CODED_TAG_BYTES, text,
                             TEXT_CODEC_RAW_MAX);
}

/* The records of a frame, as text. */
struct frame_text {
    char text[TEXT_CODEC_RAW_MAX];
    size_t length;
};

/* Reads the records of a frame. Returns false if it is malformed, or if all records together exceed
 * the limit of a run. */
static bool read_text(struct decoder *decoder, const struct frame *frame, struct frame_text *text)
{
    text->length = 0;
    if (frame->type == FRAME_END) {
        memcpy(text->text, frame->payload, frame->length);
        text->length = frame->length;
    }
    if (frame->type != FRAME_META) {
        return true;
    }
    const ptrdiff_t length = meta_text(frame->payload, frame->length, text->text);

    text->length = length > 0 ? (size_t)length : 0;
    return length >= 0 && text->length <= META_TEXT_MAX - decoder->counts.coded_text;
}

/* Returns the id in the first record of a log or in END, or NULL. The id is stored in `lines`. */
static const char *frame_run_id(const struct frame *frame, const struct frame_text *text,
                                struct record_lines *lines)
{
    struct record record;
    const char *id = NULL;
    bool parsed;

    if (frame->type != FRAME_END && (frame->type != FRAME_META || frame->seq != 0)) {
        return NULL;
    }
    record_lines_open(lines, (const uint8_t *)text->text, text->length);
    while (id == NULL && record_lines_next(lines, &record, &parsed)) {
        id = parsed ? run_id_in(&record) : NULL;
    }
    return id;
}

/* Notes that a frame of a run with another id arrived. */
static void note_other(struct decoder *decoder, const struct frame *frame, const char *id)
{
    if (decoder->other_frames == 0) {
        decoder->other_begin = decoder->counts.bytes - wire_size(decoder, frame);
    }
    if (id != NULL && decoder->other_run_id[0] == '\0') {
        memcpy(decoder->other_run_id, id, strlen(id) + 1);
    }
}

/* Does the frame belong to another run than the frames before? */
static bool is_elsewhere(struct decoder *decoder, const struct frame *frame,
                         const struct frame_text *text)
{
    struct record_lines lines;
    const char *id = frame_run_id(frame, text, &lines);
    uint32_t tag;

    /* An image states the id of its run both in its first record and in END, or in neither. */
    if (frame->type == FRAME_END) {
        tag = coded_tag(id != NULL ? id : "");
    } else {
        coded_get_tag(frame, &tag);
    }
    if (!decoder->has_tag) {
        decoder->has_tag = true;
        decoder->tag = tag;
    }
    if (tag != decoder->tag) {
        note_other(decoder, frame, id);
        return true;
    }
    if (id != NULL && coded_tag(id) == decoder->tag) {
        memcpy(decoder->run_id, id, strlen(id) + 1);
    }
    return false;
}

static void note_records(struct decoder *decoder, const struct frame_text *text)
{
    struct record_lines lines;
    struct record record;
    bool parsed;

    record_lines_open(&lines, (const uint8_t *)text->text, text->length);
    while (record_lines_next(&lines, &record, &parsed)) {
        if (!parsed) {
            continue;
        }
        note_stream(decoder, &record);
        if (decoder->listener.on_record != NULL) {
            decoder->listener.on_record(decoder->listener.context, &record);
        }
    }
}

static void answer_record(struct decoder *decoder, const struct frame *frame)
{
    struct record_lines lines;
    struct record record;
    bool parsed;

    record_lines_open(&lines, frame->payload, frame->length);
    while (record_lines_next(&lines, &record, &parsed)) {
        if (parsed && decoder->here) {
            live_noise_take(&decoder->progress, &record);
        }
        if (parsed && decoder->listener.on_answer != NULL) {
            decoder->listener.on_answer(decoder->listener.context, &record);
        }
    }
}

static void report_piece(const struct decoder *decoder, const struct decoder_piece *piece)
{
    if (decoder->listener.on_piece != NULL) {
        decoder->listener.on_piece(decoder->listener.context, piece);
    }
}

static void count_damaged(struct decoder *decoder)
{
    decoder->counts.damaged++;
    report_piece(decoder, &(struct decoder_piece){.intact = false});
}

static bool read_end(const struct frame *frame, struct end *end)
{
    char text[FRAME_PAYLOAD_MAX + 1];
    char sealed[FRAME_PAYLOAD_MAX + 1];
    size_t length = frame->length;
    struct record record;

    memcpy(text, frame->payload, length);
    while (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    text[length] = '\0';
    *end = (struct end){0};
    memcpy(sealed, text, length + 1);
    if (!record_parse(text, length, &record) || strcmp(record.name, RECORD_END) != 0 ||
        !record_value_unsigned(&record, FIELD_META, &end->meta_frames) ||
        end->meta_frames > UINT32_MAX) {
        return false;
    }
    end->has_frames = record_value_unsigned(&record, FIELD_FRAMES, &end->frames);
    end->malformed = !end->has_frames ||
                     (record_value(&record, FIELD_RECORDS_LOST) != NULL &&
                      !record_value_unsigned(&record, FIELD_RECORDS_LOST, &end->records_lost));
    seal_claim_read(&end->seal, sealed, &record);
    return true;
}

/* Compares two END frames. Their other contents may differ: when END is sent again, the state of
 * the line may have changed. */
static bool is_same_end(const struct end *one, const struct end *other)
{
    return one->meta_frames == other->meta_frames && one->has_frames == other->has_frames &&
           one->frames == other->frames && one->records_lost == other->records_lost &&
           strcmp(one->seal.seal, other->seal.seal) == 0;
}

static void take_end(struct decoder *decoder, const struct frame *frame,
                     const struct frame_text *text)
{
    struct end end;

    if (!read_end(frame, &end)) {
        count_damaged(decoder);
        return;
    }
    if (decoder->ended) {
        if (is_same_end(&decoder->end_counts, &end)) {
            decoder->counts.duplicates++;
        } else {
            decoder->counts.conflicts++;
        }
        return;
    }
    decoder->ended = true;
    decoder->end_counts = end;
    decoder->counts.frames++;
    note_records(decoder, text);
}

/* Counts a frame of another run. It still counts as an answer to the request that asked for it. */
static void pass_over(struct decoder *decoder, const struct frame *frame)
{
    decoder->other_frames++;
    decoder->other_ended = decoder->other_ended || frame->type == FRAME_END;
    if (frame->type != FRAME_END) {
        report_piece(decoder, &(struct decoder_piece){true, false, frame->stream, frame->seq});
    }
}

static void report_trace_frame(struct decoder *decoder, const struct frame *frame)
{
    struct decoder_trace_frame report = {.stream = frame->stream,
                                         .seq = frame->seq,
                                         .payload = frame->payload + CODED_TAG_BYTES,
                                         .length = frame->length - CODED_TAG_BYTES};
    struct trace_codec codec = {0};
    struct trace_piece piece;
    uint8_t packet[TRACE_PACKET_BYTES] = {0};

    if (!trace_decode(&codec, report.payload, report.length, packet, &piece)) {
        return;
    }
    const uint32_t from = piece.from == sizeof(struct trace_packet) ? 0 : piece.from;
    const uint32_t to = piece.last ? TRACE_PACKET_BYTES : piece.to;

    report.start = (uint64_t)piece.index * TRACE_PACKET_BYTES + from;
    report.bytes = to - from;
    decoder->listener.on_trace_frame(decoder->listener.context, &report);
}

static void take_new(struct decoder *decoder, const struct frame *frame,
                     const struct frame_text *text)
{
    const bool is_new = hold(decoder, frame);

    if (is_new && frame->type == FRAME_META) {
        decoder->counts.coded_text += text->length;
        note_records(decoder, text);
    }
    report_piece(decoder, &(struct decoder_piece){true, is_new, frame->stream, frame->seq});
    if (is_new && frame->type == FRAME_TRACE && decoder->listener.on_trace_frame != NULL) {
        report_trace_frame(decoder, frame);
    }
}

/* Notes a codec version later than this program knows. The version follows the tag in a payload. */
static void note_codec(struct decoder *decoder, const struct frame *frame)
{
    if (coded_type(frame->type) && frame->length > CODED_TAG_BYTES &&
        frame->payload[CODED_TAG_BYTES] > CODEC_VERSION) {
        decoder->later_codec = frame->payload[CODED_TAG_BYTES];
    }
}

static void take_frame(struct decoder *decoder, const struct frame *frame)
{
    struct frame_text text;
    uint32_t tag;

    if (frame->type == FRAME_ANSWER) {
        answer_record(decoder, frame);
        return;
    }
    if (!coded_type(frame->type) && frame->type != FRAME_END) {
        return; /* the echo of a request, or a frame of a later version */
    }
    note_codec(decoder, frame);
    if ((coded_type(frame->type) && !coded_get_tag(frame, &tag)) ||
        ((frame->type == FRAME_META) != (frame->stream == META_STREAM) &&
         frame->type != FRAME_END) ||
        !read_text(decoder, frame, &text)) {
        count_damaged(decoder);
        return;
    }
    decoder->here = !is_elsewhere(decoder, frame, &text);
    if (!decoder->here) {
        pass_over(decoder, frame);
        return;
    }
    if (frame->type == FRAME_END) {
        take_end(decoder, frame, &text);
        return;
    }
    take_new(decoder, frame, &text);
}

/* Do the bytes contain marks of a frame in text format, complete or not? They are not text then. */
static bool has_marks(const uint8_t *bytes, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i - 1] == '[' && bytes[i] == '#') || (bytes[i - 1] == '#' && bytes[i] == ']')) {
            return true;
        }
    }
    return false;
}

static void take_other(struct decoder *decoder)
{
    const struct frame_reader *reader = &decoder->reader;

    if (!frame_is_text(reader->chunk, reader->other) || has_marks(reader->chunk, reader->other)) {
        count_damaged(decoder);
        return;
    }
    decoder->counts.text_bytes += reader->other;
    if (decoder->listener.on_text != NULL) {
        decoder->listener.on_text(decoder->listener.context, (const char *)reader->chunk,
                                  reader->other);
    }
}

void decoder_push(struct decoder *decoder, const uint8_t *bytes, size_t length)
{
    const uint64_t before = decoder->counts.bytes;
    struct frame frame;

    for (size_t i = 0; i < length;) {
        const size_t taken = quick_frame(&decoder->reader, bytes + i, length - i, &frame);

        if (taken > 0) {
            i += taken;
            decoder->counts.bytes = before + i;
            take_frame(decoder, &frame);
            continue;
        }
        decoder->counts.bytes = before + i + 1;
        switch (frame_reader_push(&decoder->reader, bytes[i++], &frame)) {
        case FRAME_READER_FRAME:
            take_frame(decoder, &frame);
            break;
        case FRAME_READER_OTHER:
            take_other(decoder);
            break;
        case FRAME_READER_MORE:
            break;
        }
    }
}

void decoder_break(struct decoder *decoder)
{
    if (frame_reader_finish(&decoder->reader) == FRAME_READER_OTHER) {
        take_other(decoder);
    }
}

bool decoder_ended(const struct decoder *decoder)
{
    return decoder->ended;
}

bool decoder_other_ended(const struct decoder *decoder)
{
    return decoder->other_ended;
}

uint64_t decoder_other_begin(const struct decoder *decoder)
{
    return decoder->other_begin;
}

bool decoder_holds(const struct decoder *decoder, uint16_t stream, uint32_t seq)
{
    return find_held(decoder, stream, seq) != NULL;
}

uint64_t decoder_lacking(const struct decoder *decoder)
{
    const uint64_t reported = decoder->end_counts.frames;

    return decoder->ended && reported > decoder->frame_count ? reported - decoder->frame_count : 0;
}

bool decoder_complete(const struct decoder *decoder)
{
    struct decoder_range range;

    return decoder->ended && decoder_missing(decoder, &range, 1) == 0;
}

const char *decoder_run_id(const struct decoder *decoder)
{
    return decoder->run_id[0] != '\0' ? decoder->run_id : NULL;
}

static bool same_payload(const struct decoder *one, const struct held_frame *a,
                         const struct decoder *other, const struct held_frame *b)
{
    return a->length == b->length &&
           memcmp(one->payloads + a->payload, other->payloads + b->payload, a->length) == 0;
}

/* Compares two logs, one of which has no id, by their META frames of the same number. */
static enum decoder_kinship compare_records(const struct decoder *one, const struct decoder *other)
{
    enum decoder_kinship kinship = DECODER_NOT_KNOWN;

    for (size_t i = 0; i < one->frame_count; i++) {
        const struct held_frame *held = &one->frames[i];
        const struct held_frame *same =
            held->stream == META_STREAM ? find_held(other, META_STREAM, held->seq) : NULL;

        if (same == NULL) {
            continue;
        }
        if (!same_payload(one, held, other, same)) {
            return DECODER_OTHER_RUN;
        }
        kinship = DECODER_SAME_RUN;
    }
    return kinship;
}

enum decoder_kinship decoder_compare(const struct decoder *one, const struct decoder *other)
{
    const char *id = decoder_run_id(one);
    const char *other_id = decoder_run_id(other);

    if (id != NULL && other_id != NULL) {
        return strcmp(id, other_id) == 0 ? DECODER_SAME_RUN : DECODER_OTHER_RUN;
    }
    /* Each frame has the tag of its run's id. */
    if (one->has_tag && other->has_tag && one->tag != other->tag) {
        return DECODER_OTHER_RUN;
    }
    if (one->has_tag && other->has_tag && one->tag != coded_tag("")) {
        return DECODER_SAME_RUN;
    }
    return compare_records(one, other);
}

void decoder_get_counts(const struct decoder *decoder, struct decoder_counts *counts)
{
    *counts = decoder->counts;
}

/* Returns the number of META frames that must exist: stated by END, or as far as they have been
 * seen. */
static uint64_t meta_expected(const struct decoder *decoder, const struct held_frame *frames,
                              size_t count)
{
    const uint64_t seen = count > 0 ? (uint64_t)frames[count - 1].seq + 1 : 0;

    return decoder->ended && decoder->end_counts.meta_frames > seen
               ? decoder->end_counts.meta_frames
               : seen;
}

size_t decoder_missing(const struct decoder *decoder, struct decoder_range *ranges, size_t capacity)
{
    const struct held_frame *sorted =
        frame_order_of(decoder->order, decoder->frames, decoder->frame_count);
    size_t count;
    const struct held_frame *frames =
        frame_order_stream(sorted, decoder->frame_count, META_STREAM, &count);
    size_t used = frame_order_holes(ranges, 0, capacity, META_STREAM, frames, count,
                                    meta_expected(decoder, frames, count));

    for (size_t i = 0; i < decoder->claim_count; i++) {
        const struct claim *claim = &decoder->claims[i];

        frames = frame_order_stream(sorted, decoder->frame_count, claim->stream, &count);
        used =
            frame_order_holes(ranges, used, capacity, claim->stream, frames, count, claim->frames);
    }
    return used;
}

/* Assembles the records, and hashes their text. Returns whether all META frames were there. */
static bool assemble_meta(struct decoder *decoder, struct assembly *assembly,
                          const struct held_frame *sorted, char meta[SHA256_TEXT])
{
    size_t count;
    const struct held_frame *frames =
        frame_order_stream(sorted, decoder->frame_count, META_STREAM, &count);
    const uint64_t expected = meta_expected(decoder, frames, count);
    char text[TEXT_CODEC_RAW_MAX];
    struct sha256 hash;
    uint64_t next = 0;
    size_t disputed = 0;

    sha256_begin(&hash);
    if (decoder->ended && decoder->end_counts.meta_frames < expected) {
        run_add_loss(assembly->run, "END counts %" PRIu64 " META frames, but %" PRIu64 " arrived",
                     decoder->end_counts.meta_frames, expected);
    }
    for (size_t i = 0; i < count; i++) {
        if (find_held(decoder, META_STREAM, frames[i].seq)->disputed) {
            disputed++;
            continue;
        }
        const ptrdiff_t length =
            meta_text(decoder->payloads + frames[i].payload, frames[i].length, text);

        if (frames[i].seq > next) {
            assembly_meta_lost(assembly, (uint32_t)next, frames[i].seq - (uint32_t)next);
        }
        sha256_put(&hash, text, length > 0 ? (size_t)length : 0);
        assembly_meta(assembly, frames[i].seq, (const uint8_t *)text,
                      length > 0 ? (size_t)length : 0);
        next = (uint64_t)frames[i].seq + 1;
    }
    if (expected > next) {
        assembly_meta_lost(assembly, (uint32_t)next, (uint32_t)(expected - next));
    }
    sha256_end(&hash, meta);
    assembly_close_benches(assembly, &decoder->progress);
    assembly_close_batches(assembly);
    assembly_name_events(assembly);
    return count - disputed == expected;
}

/* Checks the type of a frame. A frame of another type (samples instead of packets) does not count
 * for this stream. */
static bool is_of_type(const struct held_frame *held, enum frame_type type, struct run *run)
{
    if (held->type != type) {
        run_add_loss(run, "stream %u: frame %" PRIu32 " has an unexpected type: left out",
                     held->stream, held->seq);
    }
    return held->type == type;
}

static void assemble_batch(const struct decoder *decoder, struct assembly *assembly,
                           const struct held_frame *sorted, const struct batch_claim *claim)
{
    size_t count;
    size_t used = 0;
    const struct held_frame *held =
        frame_order_stream(sorted, decoder->frame_count, claim->stream, &count);
    struct sample_frame *frames = alloc_zeroed(count * sizeof(*frames));

    for (size_t i = 0; i < count; i++) {
        if (is_of_type(&held[i], FRAME_SERIES, assembly->run)) {
            frames[used++] = (struct sample_frame){
                .seq = held[i].seq,
                .length = held[i].length,
                .payload = held[i].spooled ? NULL : decoder->payloads + held[i].payload,
                .at = held[i].payload,
            };
        }
    }
    assembly_batch(assembly, claim, decoder->spool, frames, used);
    free(frames);
}

static void assemble_trace(const struct decoder *decoder, struct assembly *assembly,
                           const struct held_frame *sorted, const struct open_trace *open)
{
    size_t count;
    size_t used = 0;
    const struct held_frame *held =
        frame_order_stream(sorted, decoder->frame_count, open->claim.stream, &count);
    struct trace_frame *frames = alloc_zeroed(count * sizeof(*frames));

    for (size_t i = 0; i < count; i++) {
        if (is_of_type(&held[i], FRAME_TRACE, assembly->run) && held[i].payload != NOT_KEPT) {
            frames[used++] = (struct trace_frame){
                .seq = held[i].seq,
                .length = held[i].length,
                .at = held[i].payload,
            };
        }
    }
    assembly_trace(assembly, open, decoder->spool, frames, used);
    free(frames);
}

/* Reports frames of streams that no record describes: their samples have no name and no nominal
 * value, or their packets no bench. */
static void name_orphans(const struct decoder *decoder, const struct assembly *assembly,
                         const struct held_frame *sorted)
{
    bool *described = alloc_zeroed(UINT16_MAX + 1);

    described[META_STREAM] = true;
    for (size_t i = 0; i < assembly->open_count; i++) {
        described[assembly->open[i].claim.stream] = true;
    }
    for (size_t i = 0; i < assembly->trace_count; i++) {
        described[assembly->traces[i].claim.stream] = true;
    }
    for (size_t i = 0; i < assembly->batch_count; i++) {
        described[assembly->batches[i].stream] = true;
    }
    for (size_t i = 0, count; i < decoder->frame_count; i += count) {
        const uint16_t stream = sorted[i].stream;

        frame_order_stream(sorted, decoder->frame_count, stream, &count);
        if (!described[stream]) {
            run_add_loss(assembly->run,
                         "stream %u: no %s record describes it: %zu frames (%" PRIu32 "..%" PRIu32
                         ") left out",
                         stream, sorted[i].type == FRAME_TRACE ? RECORD_TRACE : RECORD_BATCH, count,
                         sorted[i].seq, sorted[i + count - 1].seq);
        }
    }
    free(described);
}

static void name_conflicts(const struct decoder *decoder, struct run *run)
{
    for (size_t i = 0; i < decoder->conflict_count; i++) {
        const struct conflict *conflict = &decoder->conflicts[i];
        const struct held_frame *held = find_held(decoder, conflict->stream, conflict->seq);

        run_add_loss(run, "stream %u: frame %" PRIu32 " arrived twice with different contents: %s",
                     conflict->stream, conflict->seq,
                     held->disputed ? "neither is kept" : "the first is kept");
    }
    if (decoder->counts.conflicts > decoder->conflict_count) {
        run_add_loss(run, "END arrived twice with different contents: the first is kept");
    }
}

static void name_spool_error(const struct decoder *decoder, struct run *run)
{
    const char *error = spool_error(decoder->spool);

    if (error != NULL && decoder->not_kept > 0) {
        run_add_loss(run,
                     "%s: %" PRIu64 " frames of traces were not kept: decode the log again, with "
                     "TMPDIR naming a folder with more free space",
                     error, decoder->not_kept);
    }
}

static void name_later_codec(const struct decoder *decoder, struct run *run)
{
    if (decoder->later_codec != 0) {
        run_add_loss(run,
                     "frames of codec %u: this tare knows codecs up to %d: decode the log with the "
                     "tare of its image, or a later one",
                     decoder->later_codec, CODEC_VERSION);
    }
}

/* Reports records that never left the image, and series without a record. The sum can be compared
 * with END only if all records have arrived. */
static void check_end(const struct decoder *decoder, bool meta_whole, struct run *run)
{
    const struct end *end = &decoder->end_counts;
    uint64_t reported = end->meta_frames;

    if (end->malformed) {
        run_add_loss(run, "END: expected numbers of frames and of lost records, got others");
    }
    if (end->records_lost > 0) {
        run_add_loss(run,
                     "the image had no space for %" PRIu64 " records: their contents are missing",
                     end->records_lost);
    }
    for (size_t i = 0; i < decoder->claim_count; i++) {
        reported += decoder->claims[i].frames;
    }
    if (end->has_frames && meta_whole && reported != end->frames) {
        run_add_loss(run, "END reports %" PRIu64 " frames, but the records claim %" PRIu64,
                     end->frames, reported);
    }
}

static const char *known_id(const char *id)
{
    return id[0] != '\0' ? id : "one without an id";
}

/* Reports frames of another run. A verified seal shows that none of them is in this run; then they
 * are no loss. */
static void name_mixture(const struct decoder *decoder, struct run *run, bool sealed)
{
    if (decoder->other_frames == 0) {
        return;
    }
    const char *text =
        run_format(run,
                   "the log is of two runs, %s and %s: %" PRIu64
                   " frames of the second are left out; its first frame is after byte %" PRIu64,
                   known_id(decoder->run_id), known_id(decoder->other_run_id),
                   decoder->other_frames, decoder->other_begin);

    if (sealed) {
        run_add_pair(run, &run->info, INFO_OTHER_RUN, text);
    } else {
        run_add_loss(run, "%s", text);
    }
}

void decoder_finish(struct decoder *decoder, struct run *run)
{
    struct assembly assembly;
    char meta[SHA256_TEXT];

    decoder_break(decoder);
    const struct held_frame *sorted =
        frame_order_of(decoder->order, decoder->frames, decoder->frame_count);

    assembly_init(&assembly, run);
    assembly.mixed = decoder->counts.conflicts > 0;
    run->ended = decoder->ended;
    name_later_codec(decoder, run); /* the cause of all losses that follow */
    const bool meta_whole = assemble_meta(decoder, &assembly, sorted, meta);

    for (size_t i = 0; i < decoder->notes.info.count; i++) {
        const struct run_pair *note = &decoder->notes.info.item[i];

        run_add_pair(run, &run->info, note->key, note->value);
    }
    for (size_t i = 0; i < assembly.batch_count; i++) {
        assemble_batch(decoder, &assembly, sorted, &assembly.batches[i]);
    }
    for (size_t i = 0; i < assembly.trace_count; i++) {
        assemble_trace(decoder, &assembly, sorted, &assembly.traces[i]);
    }
    name_orphans(decoder, &assembly, sorted);
    name_mixture(decoder, run,
                 seal_check(decoder->ended ? &decoder->end_counts.seal : NULL, &assembly,
                            meta_whole ? meta : NULL, decoder->joined));
    name_conflicts(decoder, run);
    name_spool_error(decoder, run);
    if (decoder->ended) {
        check_end(decoder, meta_whole, run);
    }
    assembly_free(&assembly);
}
