/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a trace as a CTF 1.8 directory: `metadata`, and a file of packets for each processor, such
 * as `stream_0`.
 *
 * Packets are up to 64 KiB, with LTTng's compact event header: 5 bits of id and 27 of the stamp. If
 * the stamp moved by 2^27 or more, the extended header is used, because readers would otherwise
 * decode the stamp wrongly without an error. Two kinds of packets hold no event: the first packet
 * of a stream, because readers take the count of discarded events in a stream's first packet as
 * having begun elsewhere; and a packet at the end of each interval in which events or packets were
 * lost.
 *
 * The clock is the TSC at its rate, with offset 0. With an offset to the epoch, Trace Compass would
 * round each stamp to 256 ns.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/export/trace_translate.h"

#define CTF_UUID_BYTES 16
#define CTF_ERROR_MAX  512

/* files with packets have this name, followed by a number */
#define CTF_STREAM_PREFIX "stream_"

/* A value of the metadata's `env`, in addition to those that name the tracer. */
struct ctf_pair {
    const char *key; /* an identifier */
    const char *value;
};

struct ctf_settings {
    const char *directory; /* must exist and be empty */
    const struct run_bench *bench;
    uint64_t hz;                        /* rate of the TSC; not 0 */
    uint64_t begin;                     /* TSC at the start */
    uint8_t trace_uuid[CTF_UUID_BYTES]; /* unique for each trace */
    uint8_t clock_uuid[CTF_UUID_BYTES]; /* the same in all traces whose stamps can be compared */
    const struct ctf_pair *environment;
    size_t environment_count;
};

struct ctf_writer;

/* Creates the files. Returns NULL, with one line in `error`, if that fails. The translator must
 * outlive the writer. */
struct ctf_writer *ctf_open(const struct ctf_settings *settings, struct translator *translator,
                            char error[CTF_ERROR_MAX]);

/* Translates and writes an event. Stamps of a processor must not decrease, neither here nor in
 * ctf_lost() and ctf_end(). */
void ctf_event(struct ctf_writer *writer, const struct trace_event *event);

/* Notes that packets and events of a processor were lost after its last event. */
void ctf_lost(struct ctf_writer *writer, const struct trace_gap *gap);

/* Ends the trace, or a part of it, at this TSC. */
void ctf_end(struct ctf_writer *writer, uint64_t end);

/* Closes the files. Returns false, with one line in `error`, if something could not be written. */
bool ctf_close(struct ctf_writer *writer, char error[CTF_ERROR_MAX]);

/* Returns whether the file is a metadata file that a ctf_writer made. */
bool ctf_is_own_metadata(const char *path);
