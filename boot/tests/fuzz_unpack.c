/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: the image's unpacker. The input as a stream, as a packed image, code and relocations,
 * whose writes the sanitizer watches; and packed by us it must unpack to itself. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "boot/lzma.h"
#include "boot/unpack.h"
#include "tools/efi/mkefi_pack.h"

#define ROOM     4096
#define PACK_MAX 1024 /* packing is slow */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack_stream(const uint8_t *data, size_t size)
{
    const size_t out_size = size % ROOM;
    uint8_t *out = malloc(out_size + 1);

    if (lzma_unpack(data, size, out, out_size)) {
        memset(out, 0, out_size);
    }
    free(out);
}

/* Relocations are damaged in no image whose checksum is right: so without asking. */
static void unpack_image(const uint8_t *data, size_t size)
{
    struct packed_header header = {0};
    uint8_t *image = calloc(2, ROOM);

    image_unpack(data, size, image + ROOM, ROOM, &header);
    memcpy(image + ROOM, data, size < ROOM ? size : ROOM);
    header.size %= ROOM + 1;
    image_relocate(&header, image, ROOM, size);
    free(image);
}

/* What begins with the counts of its operands, none of which a checksum has vouched for. */
static void join(const uint8_t *data, size_t size)
{
    uint32_t counts[OPERAND_KINDS];
    size_t operands = 0;

    if (size < OPERAND_KINDS) {
        return;
    }
    for (unsigned kind = 0; kind < OPERAND_KINDS; kind++) {
        counts[kind] = data[kind];
        operands += data[kind] * (size_t)OPERAND_SIZE;
    }
    data += OPERAND_KINDS;
    size -= OPERAND_KINDS;
    if (2 * operands > size) {
        return;
    }
    uint8_t *list = malloc(operands + 1);
    uint8_t *code = malloc(size - operands + 1);

    memcpy(list, data, operands);
    memcpy(code, data + operands, size - operands);
    code_join(code, (uint32_t)(size - operands), list, counts);
    free(code);
    free(list);
}

static void round_trip(const uint8_t *data, size_t size)
{
    struct packed_header header = {.size = (uint32_t)size,
                                   .code_size = (uint32_t)(size - size / 4)};
    struct packed_header back;
    size_t packed_size;
    uint8_t *packed = image_pack(&header, data, &packed_size);
    const size_t room = packed_room(&header);
    uint8_t *out = malloc(room + 1);

    if (packed == NULL || !image_unpack(packed, packed_size, out, room, &back) ||
        memcmp(out, data, size) != 0 || memcmp(&header, &back, sizeof(back)) != 0) {
        abort();
    }
    free(packed);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unpack_stream(data, size);
    unpack_image(data, size);
    join(data, size);
    if (size <= PACK_MAX) {
        round_trip(data, size);
    }
    return 0;
}
