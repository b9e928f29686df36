/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a trace as a CTF 1.8 directory: `metadata` and one file of packets, `stream_0`.
 *
 * Packets are up to 64 KiB, with LTTng's compact event header (5 bits of id, 27 of the stamp; an
 * extended one where the stamp moved by 2^27 or more, without which readers decode it wrongly and
 * print no error). Two kinds of packet hold no event: the first, because readers take the count of
 * discarded events of a stream's first packet for one that began elsewhere; and one where events or
 * packets were lost, which lies at the end of the stretch of which nothing is known.
 *
 * The clock is the TSC, at its rate, with offset 0: an offset to the epoch would have Trace Compass
 * round each stamp to 256 ns.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/export/trace_translate.h"

#define CTF_UUID_BYTES 16
#define CTF_ERROR_MAX  512

/* Values of the metadata's `env`, beside those that name the tracer. */
struct ctf_pair {
    const char *key; /* an identifier */
    const char *value;
};

struct ctf_settings {
    const char *directory; /* exists, and is empty */
    uint64_t hz;           /* of the TSC; not 0 */
    uint32_t cpu;
    uint64_t begin;                     /* TSC */
    uint8_t trace_uuid[CTF_UUID_BYTES]; /* each trace its own */
    uint8_t clock_uuid[CTF_UUID_BYTES]; /* the same in all traces whose stamps can be compared */
    const struct ctf_pair *environment;
    size_t environment_count;
};

struct ctf_writer;

/* NULL, with one line in `error`, where the files cannot be made. The translator must outlive the
 * writer. */
struct ctf_writer *ctf_open(const struct ctf_settings *settings,
                            const struct translator *translator, char error[CTF_ERROR_MAX]);

/* Stamps may not go back, neither here nor in the two below. */
void ctf_event(struct ctf_writer *writer, const struct export_event *event);

/* So much was lost between the event before and TSC `until`. */
void ctf_lost(struct ctf_writer *writer, uint64_t packets, uint64_t events, uint64_t until);

/* The trace, or a part of it, ends at this TSC. */
void ctf_end(struct ctf_writer *writer, uint64_t end);

/* False, with one line in `error`, where something could not be written. */
bool ctf_close(struct ctf_writer *writer, char error[CTF_ERROR_MAX]);

/* Is the file a metadata file that a ctf_writer made? */
bool ctf_is_own_metadata(const char *path);
