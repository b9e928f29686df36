/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "kernel/link/encoding.h"
#include "kernel/link/screen_blocks.h"
#include "kernel/plan/bytes.h"
#include "kernel/plan/draw.h"

#define MAGIC_0 'T'
#define MAGIC_1 '1'

/* Fills `row` with one bit for each block of the code with this number. The random numbers start at
 * the number. */
static void row_of(uint32_t number, uint32_t blocks, uint64_t row[SCREEN_ROW_WORDS])
{
    const size_t words = (blocks + 63) / 64;
    struct draw_random random = {.state = number};
    uint64_t any = 0;

    memset(row, 0, SCREEN_ROW_WORDS * sizeof(row[0]));
    if (number < blocks) {
        row[number / 64] = 1ull << number % 64;
        return;
    }
    for (size_t i = 0; i < words; i++) {
        row[i] = draw_next(&random);
        if (i == words - 1 && blocks % 64 != 0) {
            row[i] &= (1ull << blocks % 64) - 1;
        }
        any |= row[i];
    }
    if (any == 0) {
        row[0] = 1;
    }
}

static bool has_block(const uint64_t *row, uint32_t block)
{
    return (row[block / 64] >> block % 64 & 1) != 0;
}

static void add_bytes(uint8_t *to, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        to[i] ^= bytes[i];
    }
}

/* ---- showing ---- */

bool screen_log_open(struct screen_log *log, const uint8_t *bytes, size_t length)
{
    if (length == 0 || length > SCREEN_LOG_MAX) {
        return false;
    }
    log->bytes = bytes;
    log->length = (uint32_t)length;
    log->crc = crc32c(0, bytes, length);
    log->blocks = (log->length + SCREEN_BLOCK_MAX - 1) / SCREEN_BLOCK_MAX;
    log->block_size = (log->length + log->blocks - 1) / log->blocks;
    return true;
}

uint32_t screen_log_number(const struct screen_log *log, uint32_t step)
{
    if (step < log->blocks) {
        return step;
    }
    step -= log->blocks;
    return step % 2 == 0 ? log->blocks + step / 2 : step / 2 % log->blocks;
}

size_t screen_log_code(const struct screen_log *log, uint32_t number, uint8_t code[SCREEN_CODE_MAX])
{
    uint64_t row[SCREEN_ROW_WORDS];

    code[0] = MAGIC_0;
    code[1] = MAGIC_1;
    bytes_put(code + 2, log->blocks, 2);
    bytes_put32(code + 4, log->crc);
    bytes_put32(code + 8, log->length);
    bytes_put32(code + 12, number);
    memset(code + SCREEN_HEADER, 0, log->block_size);
    row_of(number, log->blocks, row);
    for (uint32_t i = 0; i < log->blocks; i++) {
        const uint32_t at = i * log->block_size;
        const uint32_t left = log->length - at;

        if (has_block(row, i)) {
            add_bytes(code + SCREEN_HEADER, log->bytes + at,
                      left < log->block_size ? left : log->block_size);
        }
    }
    return SCREEN_HEADER + log->block_size;
}

/* ---- gathering ---- */

/* Reads the header of a code into the first fields of `header`. */
static enum screen_read read_header(const uint8_t *code, size_t length, struct screen_log *header)
{
    if (length < SCREEN_HEADER || code[0] != MAGIC_0 || code[1] != MAGIC_1) {
        return SCREEN_FOREIGN;
    }
    header->blocks = bytes_get16(code + 2);
    header->crc = bytes_get32(code + 4);
    header->length = bytes_get32(code + 8);
    header->block_size = (uint32_t)(length - SCREEN_HEADER);
    /* No block is empty. */
    const bool good = header->blocks > 0 && header->blocks <= SCREEN_BLOCKS_MAX &&
                      header->block_size > 0 && header->block_size <= SCREEN_BLOCK_MAX &&
                      header->length > (header->blocks - 1) * header->block_size &&
                      header->length <= header->blocks * header->block_size;

    return good ? SCREEN_NEW : SCREEN_DAMAGED;
}

/* Makes each row name its own block only. */
static void solve(struct screen_gather *gather)
{
    for (uint32_t i = gather->blocks; i-- > 0;) {
        uint8_t *data = gather->data + (size_t)i * gather->block_size;

        for (uint32_t other = i + 1; other < gather->blocks; other++) {
            if (has_block(gather->rows[i], other)) {
                add_bytes(data, gather->data + (size_t)other * gather->block_size,
                          gather->block_size);
            }
        }
    }
}

/* Subtracts the equations that are known. Returns the first block of what remains, or the number of
 * blocks if nothing does. */
static uint32_t reduce(const struct screen_gather *gather, uint64_t *row, uint8_t *data)
{
    for (uint32_t first = 0; first < gather->blocks; first++) {
        const uint64_t *known = gather->rows[first];

        if (!has_block(row, first)) {
            continue;
        }
        if (!has_block(known, first)) {
            return first;
        }
        for (size_t i = 0; i < (gather->blocks + 63) / 64; i++) {
            row[i] ^= known[i];
        }
        add_bytes(data, gather->data + (size_t)first * gather->block_size, gather->block_size);
    }
    return gather->blocks;
}

static void begin(struct screen_gather *gather, const struct screen_log *header)
{
    memset(gather->rows, 0, header->blocks * sizeof(gather->rows[0]));
    gather->length = header->length;
    gather->crc = header->crc;
    gather->blocks = header->blocks;
    gather->block_size = header->block_size;
    gather->known = 0;
}

static enum screen_read add_block(struct screen_gather *gather, uint32_t number,
                                  const uint8_t *block)
{
    uint64_t row[SCREEN_ROW_WORDS];
    uint8_t data[SCREEN_BLOCK_MAX];

    row_of(number, gather->blocks, row);
    memcpy(data, block, gather->block_size);

    const uint32_t first = reduce(gather, row, data);

    if (first == gather->blocks) {
        return SCREEN_REPEATED;
    }
    memcpy(gather->rows[first], row, sizeof(row));
    memcpy(gather->data + (size_t)first * gather->block_size, data, gather->block_size);
    gather->known++;
    return SCREEN_NEW;
}

enum screen_read screen_gather_add(struct screen_gather *gather, const uint8_t *code, size_t length)
{
    struct screen_log header;
    enum screen_read read = read_header(code, length, &header);

    if (read != SCREEN_NEW) {
        return read;
    }
    if (gather->length == 0) {
        begin(gather, &header);
    }
    if (gather->length != header.length || gather->crc != header.crc ||
        gather->blocks != header.blocks || gather->block_size != header.block_size) {
        return SCREEN_OTHER;
    }
    if (screen_gather_complete(gather)) {
        return SCREEN_REPEATED;
    }
    read = add_block(gather, bytes_get32(code + 12), code + SCREEN_HEADER);
    if (!screen_gather_complete(gather)) {
        return read;
    }
    solve(gather);
    if (crc32c(0, gather->data, gather->length) != gather->crc) {
        gather->length = 0;
        return SCREEN_WRONG;
    }
    return SCREEN_NEW;
}

bool screen_gather_complete(const struct screen_gather *gather)
{
    return gather->length > 0 && gather->known == gather->blocks;
}

const char *screen_read_text(enum screen_read read)
{
    static const char *const texts[] = {
        [SCREEN_NEW] = "is new",
        [SCREEN_REPEATED] = "adds nothing to the others",
        [SCREEN_FOREIGN] = "is not one of tare's",
        [SCREEN_DAMAGED] = "has a header that contradicts itself",
        [SCREEN_OTHER] = "belongs to another log than the first",
        [SCREEN_WRONG] = "completes the log, whose CRC is wrong",
    };

    return texts[read];
}
