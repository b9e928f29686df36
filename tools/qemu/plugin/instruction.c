/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/plugin/instruction.h"

#include <string.h>

/* The opcode and what follows it. */
struct cursor {
    const uint8_t *at;
    size_t left;
    bool wide; /* the opcode follows a prefix REX.W */
};

static bool is_legacy_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {
        0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, /* segments */
        0x66, 0x67,                         /* sizes */
        0xf0, 0xf2, 0xf3,                   /* LOCK, REPNE, REP */
    };

    return memchr(prefixes, byte, sizeof(prefixes)) != NULL;
}

static void skip(struct cursor *cursor)
{
    cursor->at++;
    cursor->left--;
}

static void skip_prefixes(struct cursor *cursor)
{
    while (cursor->left > 0 && is_legacy_prefix(*cursor->at)) {
        skip(cursor);
    }
    if (cursor->left > 1 && (*cursor->at & 0xf0) == 0x40) {
        cursor->wide = (*cursor->at & 8) != 0;
        skip(cursor);
    }
}

/* Returns bits 5 to 3 of the byte after the opcode, or 8 if there is none. */
static unsigned reg_field(const struct cursor *cursor)
{
    return cursor->left > 1 ? cursor->at[1] >> 3 & 7 : 8;
}

static bool has_memory(const struct cursor *cursor)
{
    return cursor->left > 1 && cursor->at[1] >> 6 != 3;
}

/* Returns whether the length is that of an opcode with a 16-bit address (SDM volume 2, table 2-1).
 */
static bool has_short_address(const struct cursor *cursor)
{
    static const uint8_t displacement[] = {0, 1, 2};

    if (!has_memory(cursor)) {
        return false;
    }
    const unsigned mode = cursor->at[1] >> 6;
    const bool is_direct = mode == 0 && (cursor->at[1] & 7) == 6;

    return cursor->left == 2u + (is_direct ? 2 : displacement[mode]);
}

/* Decodes what follows 0Fh. */
static struct instruction decode_two_bytes(const struct cursor *cursor)
{
    struct instruction instruction = {0};

    switch (cursor->left > 0 ? *cursor->at : 0) {
    case 0x01:
        instruction.reads_tsc = cursor->left > 1 && cursor->at[1] == 0xf9;
        instruction.runs_guest = cursor->left > 1 && cursor->at[1] == 0xd8;
        break;
    case 0x0b:
    case 0xb9:
    case 0xff:
        instruction.raises = true;
        break;
    case 0x22:
        instruction.loads_cr3 = reg_field(cursor) == 3;
        break;
    case 0x31:
        instruction.reads_tsc = true;
        break;
    case 0xa1: /* POP FS, POP GS */
    case 0xa9:
        instruction.segment_loads = 1;
        break;
    case 0xb2: /* LSS, LFS, LGS */
    case 0xb4:
    case 0xb5:
        instruction.segment_loads = has_memory(cursor);
        break;
    default:
        break;
    }
    return instruction;
}

/* Returns the segment loads of an opcode of one byte. Opcodes that 64-bit code lacks raise an
 * exception there. */
static unsigned segment_loads(const struct cursor *cursor)
{
    switch (*cursor->at) {
    case 0x07: /* POP ES, SS, DS */
    case 0x17:
    case 0x1f:
    case 0x8e: /* MOV */
    case 0x9a: /* far call, jump and return */
    case 0xca:
    case 0xcb:
    case 0xea:
        return 1;
    case 0xc4:
    case 0xc5:
        return has_short_address(cursor);
    case 0xcf:
        return cursor->wide ? 2 : 1;
    case 0xff:
        return (reg_field(cursor) == 3 || reg_field(cursor) == 5) && has_memory(cursor);
    default:
        return 0;
    }
}

struct instruction instruction_decode(const uint8_t *bytes, size_t length)
{
    struct cursor cursor = {.at = bytes, .left = length};
    struct instruction instruction = {0};

    skip_prefixes(&cursor);
    if (cursor.left == 0) {
        return instruction;
    }
    if (*cursor.at == 0x0f) {
        skip(&cursor);
        return decode_two_bytes(&cursor);
    }
    instruction.segment_loads = segment_loads(&cursor);
    instruction.calls = *cursor.at == 0xe8 || (*cursor.at == 0xff && reg_field(&cursor) == 2);
    instruction.returns = *cursor.at == 0xc2 || *cursor.at == 0xc3;
    instruction.raises =
        *cursor.at == 0xcc || *cursor.at == 0xcd || *cursor.at == 0xce || *cursor.at == 0xf1;
    return instruction;
}
