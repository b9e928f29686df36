/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder: turns the bytes of a serial line, as they arrive, into a run.
 *
 * Bytes may be damaged, doubled or missing, and frames may come in any order and more than once: a
 * frame that arrives again after a request fills its hole. No number in a frame is trusted beyond
 * what the received bytes can hold.
 *
 * Memory stays below the sum of a fixed amount, 64 bytes for each byte pushed, 64 for each byte of
 * text in coded frames (at most 1 MiB: an image has space for 512 KiB), and the samples, of which
 * at most 8 MiB are in memory. Coded frames are held as received and decoded one by one, so their
 * contents cost no further memory, but space in a temporary file: at most 8 KiB for a frame of a
 * trace, and 64 KiB for one of samples. Such a frame has 16 bytes or more.
 *
 * A frame takes about 30 bytes of memory, and as much again while the run is assembled. The
 * payloads of traces wait in a temporary file (tools/base/spool.h), from which the run reads its
 * packets. So do payloads of samples from 4 MiB on, and samples from 8 MiB on (tools/run/series.h).
 * If there is no space for such a file, traces are lost, which is reported, and samples stay in
 * memory.
 *
 * A frame states its run (kernel/link/coded.h). Frames of a run other than the first are left out,
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
    uint64_t frames;     /* intact frames, each counted once */
    uint64_t duplicates; /* intact frames that were received before */
    uint64_t conflicts;  /* intact frames that differ from an earlier one with the same number */
    uint64_t damaged;    /* pieces that are neither an intact frame nor text */
    uint64_t text_bytes;
    uint64_t coded_text; /* bytes of records in coded frames */
    uint64_t bytes;      /* all bytes */
};

#define DECODER_RUN_ID_MAX 64

/* Bytes between two delimiters that are not text: a frame of a run, or what may have been one. */
struct decoder_piece {
    bool intact; /* it is an intact frame; stream and seq are known */
    bool is_new; /* was not received before */
    uint16_t stream;
    uint32_t seq;
};

/* Whether two logs belong to the same run. */
enum decoder_kinship {
    /* they have the same id, or the same tag of an id; or, without ids, records in common */
    DECODER_SAME_RUN,
    /* they have different ids or tags; or, without ids, records of the same number differ */
    DECODER_OTHER_RUN,
    DECODER_NOT_KNOWN,
};

/* A frame of a trace: records of one of its packets. */
struct decoder_trace_frame {
    uint16_t stream;
    uint32_t seq;
    uint64_t start; /* byte of the trace at which its records begin */
    /* bytes of its records, including the zeroes after the content of a packet */
    size_t bytes;
    const uint8_t *payload; /* payload for kernel/link, which decodes the records */
    size_t length;
};

struct decoder *decoder_create(void);
void decoder_destroy(struct decoder *decoder);

/* Callbacks, called from decoder_push() in order of arrival. Each may be NULL. */
struct decoder_listener {
    void *context;
    /* Text between frames: whole lines, or what came before a frame. It is not terminated and may
     * contain any byte except NUL; clean it before showing it. */
    void (*on_text)(void *context, const char *text, size_t length);
    /* Called for each record of a new META or END frame. */
    void (*on_record)(void *context, const struct record *record);
    /* Called for each new frame of a trace. The record that names the owner of the stream comes
     * before them, unless the line lost it. */
    void (*on_trace_frame)(void *context, const struct decoder_trace_frame *frame);
    /* Called for each piece except END, also for frames that were received before. */
    void (*on_piece)(void *context, const struct decoder_piece *piece);
    /* Called for each record of an ANSWER frame. */
    void (*on_answer)(void *context, const struct record *record);
};

/* Replaces the listener; NULL: none. */
void decoder_listen(struct decoder *decoder, const struct decoder_listener *listener);

/* Adds information about the run that is not in its log: one more pair of run->info, after those of
 * the log. Both texts are copied. */
void decoder_note(struct decoder *decoder, const char *key, const char *value);

/* Tells that the bytes come from several logs, none of which was complete. */
void decoder_note_joined(struct decoder *decoder);

void decoder_push(struct decoder *decoder, const uint8_t *bytes, size_t length);

/* Tells that the bytes pushed next do not continue those before, because the line was interrupted.
 */
void decoder_break(struct decoder *decoder);

/* Has the END frame arrived? */
bool decoder_ended(const struct decoder *decoder);

/* Has the END frame of a run with another id arrived? */
bool decoder_other_ended(const struct decoder *decoder);
/* Returns the number of bytes before the first frame of that run. */
uint64_t decoder_other_begin(const struct decoder *decoder);

/* Has this frame been received? */
bool decoder_holds(const struct decoder *decoder, uint16_t stream, uint32_t seq);

/* Returns the number of frames counted by END that have not arrived; 0 before END. */
uint64_t decoder_lacking(const struct decoder *decoder);

/* Has END arrived, and is no frame missing? */
bool decoder_complete(const struct decoder *decoder);

/* Returns the run's id from its records, or NULL if none has arrived. */
const char *decoder_run_id(const struct decoder *decoder);

enum decoder_kinship decoder_compare(const struct decoder *one, const struct decoder *other);

/* Lists frames that are known to be missing, META (stream 0) first, then by stream, in at most
 * `capacity` ranges. Returns the number of ranges. Missing META frames are known up to the last one
 * seen, and completely after END. Missing frames of a series or a trace are known once its record
 * has arrived. So 0 means that the log is complete only if decoder_ended(). */
size_t decoder_missing(const struct decoder *decoder, struct decoder_range *ranges,
                       size_t capacity);

void decoder_get_counts(const struct decoder *decoder, struct decoder_counts *counts);

/* Tells that no more bytes come, and assembles the run (initialised by run_init()) from everything
 * received. Every hole and every contradiction becomes a line of run->losses, and so do traces that
 * the temporary file did not take. The run outlives the decoder. */
void decoder_finish(struct decoder *decoder, struct run *run);
