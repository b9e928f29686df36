/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame: the unit in which data travels on the serial line, in both directions.
 *
 *     binary   00 | COBS(header, payload, CRC-32C) | 00
 *     text     [# base64(header, payload, CRC-32C) #] CR LF       (link.format=text)
 *
 *     header   type u8, version u8, stream u16, seq u32, length u16      little endian, 10 bytes
 *              types from FRAME_META on: type u8, stream, seq            LEB128, 3 to 9 bytes
 *     CRC      CRC-32C of header and payload, u32
 *
 * Every frame can be decoded by itself: losing one loses only its own payload. Bytes between frames
 * are text from the firmware, from the image or from a person.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/link/encoding.h"

#define FRAME_VERSION 1

/* 1 KiB. If one byte in 100,000 is lost, 0.9 % of the data is sent again. With 4 KiB it would be 3
 * %; with 256 bytes the frames would always cost 6 %. */
#define FRAME_PAYLOAD_MAX 1024
/* In text format: gives lines of 364 characters, which terminals and loggers do not break. */
#define FRAME_TEXT_PAYLOAD_MAX 256

#define FRAME_HEADER_SIZE 10 /* size of the fixed header; LEB128 headers are shorter */
#define FRAME_CRC_SIZE    4
#define FRAME_RAW_MAX     (FRAME_HEADER_SIZE + FRAME_PAYLOAD_MAX + FRAME_CRC_SIZE)
#define FRAME_COBS_MAX    COBS_ENCODED_MAX(FRAME_RAW_MAX)
/* Largest number of bytes of one frame on the line, in either format. */
#define FRAME_WIRE_MAX (BASE64_ENCODED(FRAME_RAW_MAX) + 8)

enum frame_type {
    /* Image to host: one text record, `end`, which states what a complete log holds. */
    FRAME_END = 3,
    FRAME_REQUEST = 4, /* host to image: one text record (record.h), a request */
    /* Image to host: one text record, `answer`, `hello` or `live`; not part of a run. */
    FRAME_ANSWER = 6,
    /* Coded frames, image to host (coded.h). The numbers are neither text nor XON or XOFF. */
    FRAME_META = 20,   /* one or more whole lines of text records (record.h); stream 0 */
    FRAME_SERIES = 21, /* samples of the series of a batch; `stream` is the batch's number, >= 1 */
    /* records of one packet of a trace; stream >= 1, numbered with batches and series */
    FRAME_TRACE = 22,
};

struct frame {
    uint8_t type; /* the type of the frame, enum frame_type */
    uint16_t stream;
    uint32_t seq; /* number of the frame, from 0 in each stream */
    uint16_t length;
    uint8_t payload[FRAME_PAYLOAD_MAX];
};

enum frame_format {
    FRAME_BINARY,
    FRAME_TEXT,
};

/* Encodes `frame`, delimiters included, into `wire` (FRAME_WIRE_MAX bytes). Returns the number of
 * bytes. frame->length must be at most FRAME_PAYLOAD_MAX. */
size_t frame_encode(const struct frame *frame, enum frame_format format, uint8_t *wire);

/* Parses a frame from the `size` bytes that COBS or base 64 decoded to. Returns false if version,
 * length or CRC is wrong. `crc` is crc32c() or an equivalent function. */
bool frame_parse(const uint8_t *raw, size_t size,
                 uint32_t (*crc)(uint32_t crc, const void *bytes, size_t length),
                 struct frame *frame);

/* Decodes one frame from the `length` bytes between two 00h. Returns false if they are not an
 * intact frame of this version: text, damage, or a wrong length. */
bool frame_decode_binary(const uint8_t *bytes, size_t length, struct frame *frame);

/* As frame_decode_binary(), from the characters between "[#" and "#]". */
bool frame_decode_text(const char *text, size_t length, struct frame *frame);

/* Returns whether these bytes are text: they have no control characters except those that terminals
 * accept. Frame types are none of these, and the type is the first or second byte of an encoded
 * frame. So a binary frame that happens to contain a line feed is never taken for text. */
bool frame_is_text(const uint8_t *bytes, size_t length);

/*
 * Splits a byte stream into frames and everything else.
 *
 * Push the bytes one by one. FRAME_READER_FRAME: `frame` is filled. FRAME_READER_OTHER: the bytes
 * chunk[0..other) do not belong to a frame: they are text, handed out in whole lines as these
 * arrive, or damage. They are valid until the next push. At the end of the stream
 * frame_reader_finish() hands out the rest.
 */
struct frame_reader {
    uint8_t chunk[FRAME_WIRE_MAX + 1];
    size_t length;          /* bytes of chunk in use, including those handed out */
    size_t other;           /* after FRAME_READER_OTHER: number of bytes handed out */
    bool behind_text_frame; /* the last frame was in text format: line ends after it belong to it */
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
