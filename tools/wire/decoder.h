/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder: bytes of a serial line, as they come, become a run.
 *
 * Bytes may be damaged, doubled or missing, and frames may come in any order and more than once: a
 * frame that arrives again after a request fills its hole. No number in a frame is believed beyond
 * what the received bytes can hold.
 *
 * Memory stays below the sum of a fixed start, 64 bytes for each byte pushed, 64 for each byte of
 * text that coded frames hold (1 MiB at most: an image has room for 512 KiB), and the samples, of
 * which 8 MiB are in memory at most. Coded frames are held as they came and decoded one by one, so
 * what they hold costs no memory beyond that, but room in a temporary file: 8 KiB at most for a
 * frame of a trace, 64 KiB for one of samples. Such a frame has 16 bytes or more.
 *
 * A frame takes some 30 bytes of memory, and as much again while the run is assembled. The payloads
 * of traces wait in a temporary file (tools/base/spool.h), out of which the run reads its packets;
 * so do those of samples from 4 MiB on, and samples from 8 MiB on (tools/run/series.h). Where
 * there is no room for such a file traces are lost, which is reported; samples are in memory then.
 *
 * A frame states its run (kernel/link/coded.h): those of another run than the first are left out,
 * wherever they come, and counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/record.h"
#include "tools/run/run.h"
#include "tools/wire/held_frames.h"

struct decoder;

struct decoder_counts {
    uint64_t frames;     /* intact, each counted once */
    uint64_t duplicates; /* intact, and held already */
    uint64_t conflicts;  /* intact, but other than the one of the same number held already */
    uint64_t damaged;    /* pieces that are neither an intact frame nor text */
    uint64_t text_bytes;
    uint64_t coded_text; /* bytes of records that coded frames hold */
    uint64_t bytes;      /* all */
};

#define DECODER_RUN_ID_MAX 64

/* What stood between two delimiters and is no text: a frame of a run, or what may have been one. */
struct decoder_piece {
    bool intact; /* the rest is known */
    bool is_new; /* was not held before */
    uint16_t stream;
    uint32_t seq;
};

/* Are two logs of the same run? */
enum decoder_kinship {
    DECODER_SAME_RUN,  /* they have the same id; or, where one has none, have records in common
                        */
    DECODER_OTHER_RUN, /* they have two ids; or records of the same number differ */
    DECODER_NOT_KNOWN,
};

/* A frame of a trace: records of one of its packets. */
struct decoder_trace_frame {
    uint16_t stream;
    uint32_t seq;
    uint64_t start;         /* the byte of the trace at which its records begin */
    size_t bytes;           /* bytes of its records, with zeroes after the content of a packet */
    const uint8_t *payload; /* of kernel/link, which has them */
    size_t length;
};

struct decoder *decoder_create(void);
void decoder_destroy(struct decoder *decoder);

/* Who listens: called from decoder_push(), in order of arrival; each may be NULL. */
struct decoder_listener {
    void *context;
    /* Text between frames, by whole lines or what stood before a frame. It is not terminated, and
     * may hold any byte but NUL: who shows it cleans it. */
    void (*on_text)(void *context, const char *text, size_t length);
    /* Each record of a new META or END frame. */
    void (*on_record)(void *context, const struct record *record);
    /* Each new frame of a trace. The record that names the owner of the stream comes before them,
     * unless the line lost it. */
    void (*on_trace_frame)(void *context, const struct decoder_trace_frame *frame);
    /* Each piece, also of frames that are held already, except END. */
    void (*on_piece)(void *context, const struct decoder_piece *piece);
    /* Each record of an ANSWER frame. */
    void (*on_answer)(void *context, const struct record *record);
};

/* In the place of who listened before; NULL: none. */
void decoder_listen(struct decoder *decoder, const struct decoder_listener *listener);

/* What is known of the run beside its log: one more of run->info, behind those of the log. Both are
 * copied. */
void decoder_note(struct decoder *decoder, const char *key, const char *value);

void decoder_push(struct decoder *decoder, const uint8_t *bytes, size_t length);

/* States that what is pushed next does not continue what was pushed before: a line that was
 * interrupted. */
void decoder_break(struct decoder *decoder);

/* Has the END frame arrived? */
bool decoder_ended(const struct decoder *decoder);

/* Has END of a run of another id arrived? */
bool decoder_other_ended(const struct decoder *decoder);

/* Is this frame held? */
bool decoder_holds(const struct decoder *decoder, uint16_t stream, uint32_t seq);

/* Frames that END counts and that are not held; 0 before END. */
uint64_t decoder_lacking(const struct decoder *decoder);

/* END has arrived, and no frame is missing. */
bool decoder_complete(const struct decoder *decoder);

/* The run's id in its records; NULL where none has arrived. */
const char *decoder_run_id(const struct decoder *decoder);

enum decoder_kinship decoder_compare(const struct decoder *one, const struct decoder *other);

/* Frames that are known to be missing, META (stream 0) first, then by stream; at most `capacity`
 * ranges. Returns how many were written. What META frames are missing is known up to the last one
 * seen, and in full after END; what a series or a trace lacks is known once its record has
 * arrived: 0 means that the log is whole only if decoder_ended(). */
size_t decoder_missing(const struct decoder *decoder, struct decoder_range *ranges,
                       size_t capacity);

void decoder_get_counts(const struct decoder *decoder, struct decoder_counts *counts);

/* States that no more bytes come, and assembles the run (made by run_init) from all that is held.
 * Every hole and every contradiction becomes a line of run->losses, and so do traces that the
 * temporary file did not take. The run outlives the decoder. */
void decoder_finish(struct decoder *decoder, struct run *run);
