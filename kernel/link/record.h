/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text records: everything in a log that is not a sample.
 *
 *     name key=value key="value with spaces" ... LF
 *
 * Names and keys are [a-z0-9_.]. A value is written bare if it is not empty and consists of
 * [A-Za-z0-9_.,:;+/-]; otherwise it is quoted, with \" \\ \n, and \xHH for other control
 * characters. A line is at most RECORD_LINE_MAX bytes with its LF. Integers are decimal. Readers
 * ignore keys and records that they do not know, so that both can be added without a new format.
 *
 * Pure: compiled for the image and for the host. The records and their keys:
 *
 *     tare      version format run [codec] [seal.hash]   first record of a log; run: 16 hexadecimal
 *                                         digits, different in each boot and machine (in exact time
 *                                         the same for the same boot); codec: the version of the
 *                                         codecs (codec.h) whose frames follow; seal.hash=sha256:
 *                                         END has a seal
 *     run       kind=exact|real ticks_per_instruction hypervisor date machine=own|borrow
 *     plan      source text               as it was read, in several parts if it is long
 *     machine   name value                one fact of the machine; the value is text
 *     source, estimate, verdict, counter, event, bench, expect, param, fact, absent, object,
 *     status, frame, interrupt
 *                                         records.def lists their fields. A `bench` also has name
 *                                         and [pass], and comes before all other records of that
 *                                         bench. expect, param, fact, absent, object and status
 *                                         also have `bench` and [pass]. A bench is repeated until
 *                                         all events have been counted; pass: the number of the
 *                                         repetition, from 1 (a missing pass means 1). Objects come
 *                                         before the traces that refer to them
 *                                         (kernel/trace/object.h), frames after their crash
 *     batch     stream series frames crc  samples of the `series` series whose stream numbers
 *                                         follow that of the batch, in `frames` frames; crc: the
 *                                         CRC over the CRCs of those that have samples (coded.h)
 *     series    stream bench name unit n batch [pass] [of event]
 *                                         batch: the stream whose frames have the samples; of,
 *                                         event: sample i is how often the event was counted
 *                                         during sample i of series `of`
 *     trace     stream bench part mode=stop|overwrite|drain cpu begin end bytes packet_bytes
 *               frames content_crc kept discarded overwritten
 *               record lead extended isr_lead isr_trail [dpc_trail] switch_trail
 *               [pass]
 *                                         packets of a trace (kernel/trace/packet.h), `bytes` bytes
 *                                         in all; content_crc: CRC-32C of all packets, with zeros
 *                                         in place of the bytes after each packet's content; begin,
 *                                         end: TSC; kept, discarded, overwritten: numbers of
 *                                         records; part: from 1, consecutive parts are separate
 *                                         traces; the rest: ticks that records and interrupts take
 *                                         beyond their timestamps
 *     input     bench state=ready [pass]  the time of the script begins: typing starts now
 *     crash     bench vector name rip ... registers in hexadecimal
 *     error     text                      why the run could not continue
 *     end       meta frames records_lost run [fingerprint] [seal] [skipped]   in the END frame.
 *                                         meta: number of frames of stream 0; frames: number of all
 *                                         frames; records_lost: number of records that the image
 *                                         had no room for, or not enough; fingerprint: 16
 *                                         hexadecimal digits, a hash of processor, firmware and its
 *                                         tables, the same in each boot of a machine; seal: hash
 *                                         over the whole run (seal.h); skipped: number of frames
 *                                         sent while the line accepted no bytes, because the host
 *                                         had stopped reading. The host can request these frames
 *                                         like all others
 *     live      bench processor elapsed total over stolen largest largest_at [pass]
 *                                         in an ANSWER frame: what a processor that watches for
 *                                         gaps has seen so far (live_gaps.h), in ticks
 *     get       stream first count [format=binary|text]
 *                                         request: send these frames again, each in that format,
 *                                         with the same seq and payload; several requests may be
 *                                         outstanding and are answered in the order in which they
 *                                         came; one that is already waiting is not taken again
 *     status_request [format]             request: send END again
 *     rate      baud                      request: another speed. The ANSWER comes at the old speed
 *     rate_check                          request at the new speed, within RATE_CHECK_MS of the
 *                                         answer; without it the image returns to the old speed
 *                                         (any intact request confirms the new speed). After
 *                                         RATE_SILENCE_MS without a request the image returns to
 *                                         the speed of the run in any case
 *     line_test                           request: send the pattern of line_pattern.h, which is no
 *                                         frame
 *     bye                                 request: power off; waiting requests are dropped
 *     hello                               in an ANSWER frame, before the run: is a host listening?
 *     hello                               request: a host is listening. It is not answered
 *     answer    to=rate baud ok=1|0 [reason]   in an ANSWER frame; baud: the speed that the port's
 *                                         divisor gives, at most 3 % off
 *     answer    to=rate_check baud ok=1
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
    bool truncated; /* a name or field did not fit: its text was cut, or it was left out */
};

/* Starts a record. Fields may follow in any order. record_finish() ends the record and returns its
 * length, LF included. */
void record_begin(struct record_writer *writer, const char *name);
void record_text(struct record_writer *writer, const char *key, const char *text);
void record_unsigned(struct record_writer *writer, const char *key, uint64_t value);
void record_signed(struct record_writer *writer, const char *key, int64_t value);
/* Writes a value as 0x and sixteen digits: for addresses and registers. */
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

/* Parses a line in place, and modifies it. `length` excludes the LF; the byte after it must be
 * writable. Returns false if the line is not a record: bad character, unclosed quote, or too many
 * fields. */
bool record_parse(char *line, size_t length, struct record *record);

/* Returns the value of a key, or NULL if the record does not have it. */
const char *record_value(const struct record *record, const char *key);

/* Reads the value of a key as a number, decimal or hexadecimal with 0x (signed: with or without -).
 * Returns false if it is missing, not a number, or out of range. */
bool record_value_unsigned(const struct record *record, const char *key, uint64_t *value);
bool record_value_signed(const struct record *record, const char *key, int64_t *value);
/* As record_value_unsigned(), for a number that must be at most `limit`. */
bool record_value_up_to(const struct record *record, const char *key, uint64_t limit,
                        uint64_t *value);
