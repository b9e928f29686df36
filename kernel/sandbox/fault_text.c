/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/sandbox/fault_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define VECTOR_UNDEFINED  6
#define VECTOR_PROTECTION 13
#define VECTOR_PAGE       14

/* Bits of a page fault's error code (SDM volume 3 section 4.7). */
#define CODE_WRITE (1u << 1)
#define CODE_FETCH (1u << 4)

#define PLACE_MAX 48

static void place_text(const struct sandbox_fault *fault, char text[PLACE_MAX])
{
    static const char *const parts[] = {"of init", "of the code"};

    if (fault->part == PROGRAM_OUTSIDE) {
        snprintf(text, PLACE_MAX, "outside the code, at 0x%llx", (unsigned long long)fault->rip);
    } else {
        snprintf(text, PLACE_MAX, "at byte %u %s", (unsigned)fault->byte, parts[fault->part]);
    }
}

void fault_text(const struct sandbox_fault *fault, const char *name, char text[FAULT_TEXT_MAX])
{
    const unsigned long long address = fault->address;
    char place[PLACE_MAX];

    place_text(fault, place);
    if (fault->vector == VECTOR_PAGE) {
        const bool is_known = fault->error_code != FAULT_ACCESS_UNKNOWN;
        const bool is_write = is_known && (fault->error_code & CODE_WRITE) != 0;
        /* Some processors do not report a fetch: without NX there is no such bit. */
        const bool is_jump = (is_known && (fault->error_code & CODE_FETCH) != 0) ||
                             (!is_write && fault->address == fault->rip);
        const char *what = is_jump    ? "jump to"
                           : is_write ? "write to"
                           : is_known ? "read of"
                                      : "access to";

        snprintf(text, FAULT_TEXT_MAX, "%s, %s 0x%llx, %s", name, what, address, place);
    } else if (fault->refused != NULL &&
               (fault->vector == VECTOR_PROTECTION || fault->vector == VECTOR_UNDEFINED)) {
        snprintf(text, FAULT_TEXT_MAX, "%s is not allowed (%.3s) %s", fault->refused, name, place);
    } else {
        snprintf(text, FAULT_TEXT_MAX, "%s %s", name, place);
    }
}

struct opcode {
    uint8_t byte;
    const char *name;
};

#define TWO_BYTES 0x0f
#define GROUP_6   0x00 /* second byte, after TWO_BYTES; as in group 7, the operation is in ModRM */
#define GROUP_7   0x01
#define THREE     0x38

static const struct opcode one_byte[] = {
    {0xf4, "HLT"}, {0xfa, "CLI"},  {0xfb, "STI"},  {0xe4, "IN"},   {0xe5, "IN"},
    {0xec, "IN"},  {0xed, "IN"},   {0xe6, "OUT"},  {0xe7, "OUT"},  {0xee, "OUT"},
    {0xef, "OUT"}, {0x6c, "INS"},  {0x6d, "INS"},  {0x6e, "OUTS"}, {0x6f, "OUTS"},
    {0xcd, "INT"}, {0xf1, "INT1"}, {0xcf, "IRET"}, {0xca, "RETF"}, {0xcb, "RETF"},
};

static const struct opcode two_bytes[] = {
    {0x05, "SYSCALL"},   {0x06, "CLTS"},        {0x07, "SYSRET"},      {0x08, "INVD"},
    {0x09, "WBINVD"},    {0x20, "MOV from CR"}, {0x21, "MOV from DR"}, {0x22, "MOV to CR"},
    {0x23, "MOV to DR"}, {0x30, "WRMSR"},       {0x32, "RDMSR"},       {0x33, "RDPMC"},
    {0x34, "SYSENTER"},  {0x35, "SYSEXIT"},     {0xaa, "RSM"},
};

/* Instructions of group 7 in the register form, by the whole ModRM byte. */
static const struct opcode group_7_register[] = {
    {0xc1, "VMCALL"},  {0xc2, "VMLAUNCH"}, {0xc3, "VMRESUME"}, {0xc4, "VMXOFF"}, {0xc8, "MONITOR"},
    {0xc9, "MWAIT"},   {0xca, "CLAC"},     {0xcb, "STAC"},     {0xd1, "XSETBV"}, {0xd8, "VMRUN"},
    {0xd9, "VMMCALL"}, {0xda, "VMLOAD"},   {0xdb, "VMSAVE"},   {0xdc, "STGI"},   {0xdd, "CLGI"},
    {0xde, "SKINIT"},  {0xdf, "INVLPGA"},  {0xf8, "SWAPGS"},
};

/* Instructions of groups 6 and 7, by the operation field of ModRM. */
static const struct opcode group_6[] = {{2, "LLDT"}, {3, "LTR"}};
static const struct opcode group_7[] = {{2, "LGDT"}, {3, "LIDT"}, {6, "LMSW"}, {7, "INVLPG"}};
/* Instructions after 0F 38. */
static const struct opcode three_bytes[] = {{0x80, "INVEPT"}, {0x81, "INVVPID"}, {0x82, "INVPCID"}};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *find(const struct opcode *table, size_t count, uint8_t byte)
{
    for (size_t i = 0; i < count; i++) {
        if (table[i].byte == byte) {
            return table[i].name;
        }
    }
    return NULL;
}

static bool is_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                       0x66, 0x67, 0xf0, 0xf2, 0xf3};

    return memchr(prefixes, byte, sizeof(prefixes)) != NULL || (byte & 0xf0) == 0x40;
}

/* Returns the name of the instruction whose second byte, after TWO_BYTES, is at `bytes`; NULL if
 * there is none. */
static const char *find_two(const uint8_t *bytes, size_t length)
{
    if (length == 0) {
        return NULL;
    }
    if (bytes[0] != GROUP_6 && bytes[0] != GROUP_7 && bytes[0] != THREE) {
        return find(two_bytes, COUNT(two_bytes), bytes[0]);
    }
    if (length == 1) {
        return NULL;
    }
    const uint8_t operation = bytes[1] >> 3 & 7;

    if (bytes[0] == THREE) {
        return find(three_bytes, COUNT(three_bytes), bytes[1]);
    }
    if (bytes[0] == GROUP_6) {
        return find(group_6, COUNT(group_6), operation);
    }
    if (bytes[1] >= 0xc0 && operation != 6) {
        return find(group_7_register, COUNT(group_7_register), bytes[1]);
    }
    return find(group_7, COUNT(group_7), operation);
}

const char *refused_name(const uint8_t *bytes, size_t length)
{
    while (length > 0 && is_prefix(*bytes)) {
        bytes++;
        length--;
    }
    if (length == 0) {
        return NULL;
    }
    return *bytes == TWO_BYTES ? find_two(bytes + 1, length - 1)
                               : find(one_byte, COUNT(one_byte), *bytes);
}
