/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen as a line: a log as a sequence of QR codes, and the log again from some of them.
 *
 *     code      header, then as many bytes as a block has
 *     header    "T1", blocks u16, CRC-32C of the whole log u32, length of the log u32, number u32;
 *               little endian, 16 bytes
 *     block     one of `blocks` slices of equal size; zeros follow the log in the last one
 *     number    below `blocks`: this block; otherwise: the XOR of those that a generator names,
 *               which needs nothing but the number and `blocks`
 *
 * A reader needs about as many different codes as there are blocks, whichever these are: each
 * is a linear equation over GF(2), which elimination solves. Nothing travels back.
 *
 * Pure: compiled for the image, for the host and for the page in a browser.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCREEN_HEADER     16
#define SCREEN_CODE_MAX   1273 /* bytes of a QR code of version 25-L in byte mode (ISO/IEC 18004) */
#define SCREEN_BLOCK_MAX  (SCREEN_CODE_MAX - SCREEN_HEADER)
#define SCREEN_LOG_MAX    (4u << 20) /* longest log, in bytes: 12 minutes at 4.5 codes a second */
#define SCREEN_BLOCKS_MAX (SCREEN_LOG_MAX / SCREEN_BLOCK_MAX + 1)
#define SCREEN_ROW_WORDS  ((SCREEN_BLOCKS_MAX + 63) / 64)

/* A log to show. It must stay unchanged. */
struct screen_log {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t crc;
    uint32_t blocks;
    uint32_t block_size;
};

/* Prepares a log. Returns false if it is empty or longer than SCREEN_LOG_MAX. */
bool screen_log_open(struct screen_log *log, const uint8_t *bytes, size_t length);
/* Returns the number of the code that is shown at `step`, from 0: first each block once, then XORs
 * alternating with blocks. */
uint32_t screen_log_number(const struct screen_log *log, uint32_t step);
/* Writes the code with this number. Returns its length. */
size_t screen_log_code(const struct screen_log *log, uint32_t number,
                       uint8_t code[SCREEN_CODE_MAX]);

/* What became of a code that was read. */
enum screen_read {
    SCREEN_NEW,      /* it added to what is known */
    SCREEN_REPEATED, /* all that it has was known */
    SCREEN_FOREIGN,  /* it is not a code of tare */
    SCREEN_DAMAGED,  /* its header contradicts itself or its length */
    SCREEN_OTHER,    /* it belongs to another log than the first code */
    SCREEN_WRONG,    /* it completed the log, whose CRC is wrong; all codes were forgotten */
};

/* Codes gathered so far: 6 MB, of which a log uses a small part. All zero at first. */
struct screen_gather {
    uint32_t length; /* of the log, in bytes; 0: no code was read yet */
    uint32_t crc;
    uint32_t blocks;
    uint32_t block_size;
    uint32_t known; /* number of independent codes; at `blocks` the log is complete */
    /* Row i: the equation whose first block is i. Its data is in `data` from i * block_size; if the
     * log is complete, these are the blocks themselves, and so `data` is the log. */
    uint64_t rows[SCREEN_BLOCKS_MAX][SCREEN_ROW_WORDS];
    uint8_t data[SCREEN_BLOCKS_MAX * SCREEN_BLOCK_MAX];
};

/* Adds the bytes of one code. */
enum screen_read screen_gather_add(struct screen_gather *gather, const uint8_t *code,
                                   size_t length);
/* Returns whether the log is complete: gather->data, gather->length bytes. */
bool screen_gather_complete(const struct screen_gather *gather);
/* Returns how a message about a code ends, such as "belongs to another log". */
const char *screen_read_text(enum screen_read read);
