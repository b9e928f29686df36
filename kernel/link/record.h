/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text records: everything in a log that is not a sample.
 *
 *     name key=value key="value with spaces" ... LF
 *
 * Names and keys are [a-z0-9_.]; a value is bare if it consists of [A-Za-z0-9_.,:;+/-] and is not
 * empty, else quoted with \" \\ \n and \xHH for other control characters. A line is at most
 * RECORD_LINE_MAX bytes with its LF. Integers are decimal. Readers ignore keys and records that
 * they do not know, so that both may be added without a new format.
 *
 * Pure: compiled for the image and for the host. The records and their keys:
 *
 *   tare      version format run [codec]   first record of a log; run: 16 hexadecimal digits,
 *                                       another in each boot (in exact time the same for the same
 *                                       boot); codec: the version of kernel/link whose frames
 *                                       follow
 *   run       kind=exact|real ticks_per_instruction hypervisor date machine=own|borrow
 *   plan      source text               as it was read, in parts if it is long
 *   machine   name value                one fact of the machine a record, value as text
 *   source, estimate, verdict, counter, event, bench, expect, param, fact, absent, object, status,
 *   frame, interrupt             records.def lists their fields. A `bench` has name and [pass] too,
 *                                and comes before all else of that bench; expect, param, fact,
 *                                absent, object and status have `bench` and [pass] too. pass: which
 *                                of the repetitions that it takes to count all events, from 1; no
 *                                pass: 1. Objects come before the traces that speak of them
 *                                (kernel/trace/object.h), frames after their crash
 *   batch     stream series frames crc  samples of the `series` series whose streams follow that
 *                                       of the batch, one behind the other, in `frames` frames;
 *                                       crc: of the CRCs of those that have samples (coded.h)
 *   series    stream bench name unit n batch [pass] [of event]
 *                                       batch: the stream whose frames have the samples; of,
 *                                       event: sample i is what the event counted during sample i
 *                                       of series `of`
 *   trace     stream bench part mode=stop|overwrite|drain cpu begin end bytes packet_bytes
 *             frames content_crc kept discarded overwritten
 *             record lead extended isr_lead isr_trail [dpc_trail] switch_trail
 *             [pass]
 *                                       packets of a trace (kernel/trace/packet.h), `bytes` of
 *                                       them; content_crc: CRC-32C of all, with zeroes behind the
 *                                       content of each; begin, end: TSC; kept, discarded,
 *                                       overwritten: records; part: from 1, each a separate trace,
 *                                       one behind the other; the rest: what records and
 *                                       interrupts take beyond their stamps, in ticks
 *   input     bench state=ready [pass]  the time of the script begins: typing starts now
 *   crash     bench vector name rip ... registers in hexadecimal
 *   error     text                      why the run could not go on
 *   end       meta frames records_lost run [skipped]   in the END frame: frames of stream 0,
 *                                       frames in all, records that found no room in the image,
 *                                       or only in part; skipped: frames that left when the line
 *                                       took no bytes: the host had stopped reading. A host can
 *                                       request them, like all frames
 *   live      bench processor elapsed total over stolen largest largest_at octaves [pass]
 *                                       in an ANSWER frame: what a processor that watches for gaps
 *                                       has seen so far (live_gaps.h), in ticks; octaves:
 *                                       FIRST:COUNT,COUNT,... readings by octave of their length,
 *                                       from octave FIRST on; empty: none
 *   get       stream first count [format=binary|text]   request: send these again, each as one of
 *                                       that format, with the same seq and payload; several may
 *                                       be outstanding, and are answered in the order in which
 *                                       they came; one that waits already is not taken again
 *   status_request [format]             request: send END again
 *   rate      baud                      request: another speed. The ANSWER comes at the old one
 *   rate_check                          request, at the new speed and within RATE_CHECK_MS of the
 *                                       answer; without it the image goes back to the old
 *                                       (any intact request proves the new speed). After
 *                                       RATE_SILENCE_MS without a request it goes back to the speed
 *                                       of the run in any case
 *   bye                                 request: power off; what waits is dropped
 *   hello                               in an ANSWER frame, before the run: does a host listen?
 *   hello                               request: one does. Nothing answers it
 *   answer    to=rate baud ok=1|0 [reason]   in an ANSWER frame; baud: what the port's divisor
 *                                       makes of it, at most 3 % off
 *   answer    to=rate_check baud ok=1
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_LINE_MAX   1000
#define RECORD_FIELDS_MAX 40

struct record_writer {
    char line[RECORD_LINE_MAX];
    size_t length;
    bool truncated; /* name or field did not fit whole: its text was cut, or it was left out */
};

/* Starts a record; fields follow in any order; record_finish returns the length with LF. */
void record_begin(struct record_writer *writer, const char *name);
void record_text(struct record_writer *writer, const char *key, const char *text);
void record_unsigned(struct record_writer *writer, const char *key, uint64_t value);
void record_signed(struct record_writer *writer, const char *key, int64_t value);
/* As 0x and sixteen digits: addresses and registers. */
void record_hex(struct record_writer *writer, const char *key, uint64_t value);
size_t record_finish(struct record_writer *writer);

struct record_field {
    const char *key;
    const char *value;
};

struct record {
    const char *name;
    size_t count;
    struct record_field fields[RECORD_FIELDS_MAX];
};

/* Parses a line in place (it is written to; `length` excludes the LF; the byte after it must be
 * writable). False where it is no record: bad character, unclosed quote, too many fields. */
bool record_parse(char *line, size_t length, struct record *record);

/* Value of a key, or NULL. */
const char *record_value(const struct record *record, const char *key);

/* Value of a key as a number (decimal, or hexadecimal with 0x). False where it is absent, no
 * number, or out of range. */
bool record_value_unsigned(const struct record *record, const char *key, uint64_t *value);
bool record_value_signed(const struct record *record, const char *key, int64_t *value);
/* The same of one that is at most `limit`. */
bool record_value_up_to(const struct record *record, const char *key, uint64_t limit,
                        uint64_t *value);
