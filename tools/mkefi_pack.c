/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/mkefi_pack.h"

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

uint8_t *image_pack(struct packed_header *header, const uint8_t *bytes, size_t *packed_size)
{
    const size_t capacity = longest_stream(header->size);
    uint8_t *filtered = malloc(header->size + 1);
    uint8_t *packed = malloc(sizeof(*header) + capacity);
    size_t stream = 0;

    if (filtered != NULL && packed != NULL) {
        add_checksum(header, bytes);
        memcpy(packed, header, sizeof(*header));
        memcpy(filtered, bytes, header->size);
        code_turn(filtered, header->code_size, CODE_ABSOLUTE);
        stream = lzma_pack(filtered, header->size, packed + sizeof(*header), capacity);
    }
    free(filtered);
    *packed_size = sizeof(*header) + stream;
    if (stream == 0) {
        free(packed);
        return NULL;
    }
    return packed;
}
