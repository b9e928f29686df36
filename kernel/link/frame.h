/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame: what travels on the serial line, in both directions.
 *
 *     binary   00 | COBS(header, payload, CRC-32C) | 00
 *     text     [# base64(header, payload, CRC-32C) #] CR LF       (link.format=text)
 *
 *     header   type u8, version u8, stream u16, seq u32, length u16      little endian, 10 bytes
 *              types from FRAME_META on: type u8, stream, seq            LEB128, 3 to 9 bytes
 *     CRC      CRC-32C of header and payload, u32
 *
 * Every frame stands by itself: a lost one costs its own payload and nothing else. Bytes between
 * frames are text of the firmware, of the image or of a person.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/encoding.h"

#define FRAME_VERSION 1

/* 1 KiB: at 1e-5 bytes lost 0.9 % is sent again; 4 KiB would be 3 %, 256 bytes cost 6 % always. */
#define FRAME_PAYLOAD_MAX 1024
/* In text format: 364 characters a line, which terminals and loggers leave whole. */
#define FRAME_TEXT_PAYLOAD_MAX 256

#define FRAME_HEADER_SIZE 10 /* the most, too */
#define FRAME_CRC_SIZE    4
#define FRAME_RAW_MAX     (FRAME_HEADER_SIZE + FRAME_PAYLOAD_MAX + FRAME_CRC_SIZE)
#define FRAME_COBS_MAX    COBS_ENCODED_MAX(FRAME_RAW_MAX)
/* Most bytes of one frame on the line, in either format. */
#define FRAME_WIRE_MAX (BASE64_ENCODED(FRAME_RAW_MAX) + 8)

enum frame_type {
    FRAME_END = 3,     /* image to host: one text record, `end`: what a complete log holds */
    FRAME_REQUEST = 4, /* host to image: one text record (record.h): a request */
    FRAME_ANSWER = 6,  /* image to host: one text record, `answer`, `hello` or `live`; no part of a
                          run */
    /* Image to host, in code (coded.h). Their numbers are neither text nor XON and XOFF. */
    FRAME_META = 20,   /* records (record.h), whole lines only; stream 0 */
    FRAME_SERIES = 21, /* samples of the series of a batch; the stream is the batch's, >= 1 */
    FRAME_TRACE = 22,  /* records of one packet of a trace; stream >= 1, numbered together with
                          batches and series */
};

struct frame {
    uint8_t type; /* enum frame_type */
    uint16_t stream;
    uint32_t seq; /* counts from 0 in each stream */
    uint16_t length;
    uint8_t payload[FRAME_PAYLOAD_MAX];
};

enum frame_format {
    FRAME_BINARY,
    FRAME_TEXT,
};

/* Writes `frame` as it travels, delimiters included, into `wire` (FRAME_WIRE_MAX bytes).
 * Returns the number of bytes. frame->length must be at most FRAME_PAYLOAD_MAX. */
size_t frame_encode(const struct frame *frame, enum frame_format format, uint8_t *wire);

/* Takes a frame out of its `size` bytes behind COBS or base64. False where version, length or CRC
 * do not agree; `crc` is crc32c() or one that is equal to it. */
bool frame_parse(const uint8_t *raw, size_t size,
                 uint32_t (*crc)(uint32_t crc, const void *bytes, size_t length),
                 struct frame *frame);

/* Takes one frame out of `length` bytes that stood between two 00h. False where they are no intact
 * frame of this version: text, damage, or a length that disagrees. */
bool frame_decode_binary(const uint8_t *bytes, size_t length, struct frame *frame);

/* The same from the characters between "[#" and "#]". */
bool frame_decode_text(const char *text, size_t length, struct frame *frame);

/* Are these bytes text: none a control character but those that terminals take? Frame types are
 * none of those, and the type is the second byte of a frame's encoding at the latest: a binary
 * frame that happens to hold a line feed is never text. */
bool frame_is_text(const uint8_t *bytes, size_t length);

/*
 * Cuts a byte stream into frames and everything else.
 *
 * Push bytes one by one. FRAME_READER_FRAME: `frame` is filled. FRAME_READER_OTHER: the bytes
 * chunk[0..other) are no frame (text, by whole lines as they come, or damage); they are valid until
 * the next push. At the end of the stream frame_reader_finish() hands out the rest.
 */
struct frame_reader {
    uint8_t chunk[FRAME_WIRE_MAX + 1];
    size_t length;          /* bytes of chunk in use, with the others */
    size_t other;           /* after FRAME_READER_OTHER: bytes to look at */
    bool behind_text_frame; /* line ends that follow belong to it */
};

enum frame_reader_event {
    FRAME_READER_MORE,
    FRAME_READER_FRAME,
    FRAME_READER_OTHER,
};

void frame_reader_init(struct frame_reader *reader);
enum frame_reader_event frame_reader_push(struct frame_reader *reader, uint8_t byte,
                                          struct frame *frame);
enum frame_reader_event frame_reader_finish(struct frame_reader *reader);
