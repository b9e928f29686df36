/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/efi/mkefi_pack.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "boot/lzma.h"
#include "kernel/link/crc32c.h"

#define PRESET   (9 | LZMA_PRESET_EXTREME)
#define NICE_MAX 273 /* the longest match there is */

/* A stream of bytes that do not pack is longer than they are, by a little. */
static size_t longest_stream(size_t size)
{
    return size + size / 8 + 64;
}

size_t lzma_pack(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity)
{
    lzma_options_lzma options;
    const lzma_filter filters[] = {{LZMA_FILTER_LZMA1, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    size_t packed = 0;

    if (lzma_lzma_preset(&options, PRESET) != 0) {
        return 0;
    }
    options.dict_size = size < LZMA_DICT_SIZE_MIN ? LZMA_DICT_SIZE_MIN : (uint32_t)size;
    options.lc = LZMA_LITERAL_CONTEXT_BITS;
    options.lp = LZMA_LITERAL_POSITION_BITS;
    options.pb = LZMA_POSITION_BITS;
    options.nice_len = NICE_MAX;
    return lzma_raw_buffer_encode(filters, NULL, bytes, size, out, &packed, capacity) == LZMA_OK
               ? packed
               : 0;
}

static void add_checksum(struct packed_header *header, const uint8_t *bytes)
{
    const size_t checked = offsetof(struct packed_header, entry);

    header->checksum =
        crc32c(crc32c(0, (const uint8_t *)header + checked, sizeof(*header) - checked), bytes,
               header->size);
}

void code_split(const uint8_t *code, uint32_t size, struct code_parts *parts)
{
    uint32_t at = 0;

    while (at + 2 + OPERAND_SIZE <= size) {
        enum operand_kind kind;
        const uint32_t distance = code_operand(code + at, &kind);
        const uint32_t taken = distance == 0 ? 1 : distance;
        uint32_t value;

        memcpy(parts->rest, code + at, taken);
        parts->rest += taken;
        at += taken;
        if (distance == 0) {
            continue;
        }
        memcpy(&value, code + at, sizeof(value));
        at += OPERAND_SIZE;
        value = operand_pack(value, at);
        memcpy(parts->operands[kind], &value, sizeof(value));
        parts->operands[kind] += sizeof(value);
    }
    memcpy(parts->rest, code + at, size - at);
    parts->rest += size - at;
}

/* The bytes in the order in which they are packed; `lists` is memory for the operands. */
static void take_apart(struct packed_header *header, const uint8_t *bytes, uint8_t *lists,
                       uint8_t *out)
{
    struct code_parts parts = {.rest = out};

    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        parts.operands[kind] = lists + (size_t)kind * header->code_size;
    }
    code_split(bytes, header->code_size, &parts);
    const size_t else_size = header->size - header->code_size;

    memcpy(parts.rest, bytes + header->code_size, else_size);
    out = parts.rest + else_size;
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        const uint8_t *list = lists + (size_t)kind * header->code_size;
        const size_t size = (size_t)(parts.operands[kind] - list);

        memcpy(out, list, size);
        out += size;
        header->operand_counts[kind] = (uint32_t)(size / OPERAND_SIZE);
    }
}

uint8_t *image_pack(struct packed_header *header, const uint8_t *bytes, size_t *packed_size)
{
    const size_t capacity = longest_stream(header->size);
    uint8_t *parts = malloc(header->size + 1);
    uint8_t *lists = malloc(OPERAND_KINDS * (size_t)header->code_size + 1);
    uint8_t *packed = malloc(sizeof(*header) + capacity);
    size_t stream = 0;

    if (parts != NULL && lists != NULL && packed != NULL) {
        take_apart(header, bytes, lists, parts);
        add_checksum(header, bytes);
        memcpy(packed, header, sizeof(*header));
        stream = lzma_pack(parts, header->size, packed + sizeof(*header), capacity);
    }
    free(lists);
    free(parts);
    *packed_size = sizeof(*header) + stream;
    if (stream == 0) {
        free(packed);
        return NULL;
    }
    return packed;
}
