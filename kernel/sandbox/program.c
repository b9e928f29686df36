/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/sandbox/program.h"

#include <string.h>

#define INT3        0xcc
#define READING_MAX (16 + 26 * (1 + PROGRAM_COUNTERS_MAX) + 48)
#define TAIL_MAX    (16 + 21 + READING_MAX)

struct writer {
    uint8_t *to;
    size_t length; /* bytes written so far */
    uint64_t address;
    uint64_t results;
};

static void put(struct writer *writer, const void *bytes, size_t length)
{
    memcpy(writer->to + writer->length, bytes, length);
    writer->length += length;
}

static void put32(struct writer *writer, uint64_t value)
{
    const uint32_t low = (uint32_t)value;

    put(writer, &low, sizeof(low));
}

/* Writes an opcode whose operand is the results at `offset`, addressed relative to RIP. */
static void put_relative(struct writer *writer, const char *opcode, size_t length, size_t offset)
{
    put(writer, opcode, length);
    put32(writer, writer->results + offset - (writer->address + writer->length + 4));
}

#define PUT(writer, bytes)                  put(writer, bytes, sizeof(bytes) - 1)
#define PUT_RELATIVE(writer, bytes, offset) put_relative(writer, bytes, sizeof(bytes) - 1, offset)

#define LFENCE      "\x0f\xae\xe8"
#define RDTSC       "\x0f\x31"
#define RDPMC       "\x0f\x33"
#define MOV_TO_ECX  "\xb9"
#define STORE_EAX   "\x89\x05"
#define STORE_EDX   "\x89\x15"
#define STORE_RAX   "\x48\x89\x05"
#define STORE_RCX   "\x48\x89\x0d"
#define STORE_RDX   "\x48\x89\x15"
#define LOAD_RAX    "\x48\x8b\x05"
#define LOAD_RCX    "\x48\x8b\x0d"
#define LOAD_RDX    "\x48\x8b\x15"
#define MOV_TO_R15  "\x49\xc7\xc7"
#define DEC_R15_JNZ "\x49\xff\xcf\x0f\x85"
#define UD2         "\x0f\x0b"

static void put_word(struct writer *writer, size_t row, size_t word)
{
    const size_t offset =
        offsetof(struct program_results, row) + (row * PROGRAM_ROW_WORDS + word) * sizeof(uint64_t);

    PUT_RELATIVE(writer, STORE_EAX, offset);
    PUT_RELATIVE(writer, STORE_EDX, offset + 4);
}

static void put_reading(struct writer *writer, const struct program_source *source, size_t row)
{
    PUT(writer, LFENCE);
    PUT(writer, RDTSC);
    put_word(writer, row, 0);
    for (size_t i = 0; i < source->counters; i++) {
        PUT(writer, MOV_TO_ECX);
        put32(writer, source->rdpmc[i]);
        PUT(writer, LFENCE);
        PUT(writer, RDPMC);
        put_word(writer, row, 1 + i);
    }
}

static void put_saves(struct writer *writer)
{
    const size_t saved = offsetof(struct program_results, saved);

    PUT_RELATIVE(writer, STORE_RAX, saved);
    PUT_RELATIVE(writer, STORE_RCX, saved + 8);
    PUT_RELATIVE(writer, STORE_RDX, saved + 16);
}

/* Writes what comes before the code. It changes no flag, so the code finds all registers as init
 * left them, except R15. */
static void put_head(struct writer *writer, const struct program_source *source)
{
    const size_t saved = offsetof(struct program_results, saved);

    put(writer, source->init, source->init_bytes);
    PUT(writer, MOV_TO_R15);
    put32(writer, source->loops != 0 ? source->loops : PROGRAM_R15);
    put_saves(writer);
    put_reading(writer, source, 0);
    PUT_RELATIVE(writer, LOAD_RAX, saved);
    PUT_RELATIVE(writer, LOAD_RCX, saved + 8);
    PUT_RELATIVE(writer, LOAD_RDX, saved + 16);
    PUT(writer, LFENCE);
}

static void put_body(struct writer *writer, const struct program_source *source)
{
    const size_t first = writer->length;

    for (uint32_t i = 0; i < source->copies; i++) {
        put(writer, source->code, source->code_bytes);
    }
    if (source->loops != 0) {
        PUT(writer, DEC_R15_JNZ);
        put32(writer, first - (writer->length + 4));
    }
}

/* The head is written twice: the first time to learn its length, because it must end where the body
 * begins. */
bool program_build(const struct program_source *source, uint8_t *to, size_t capacity,
                   uint64_t address, uint64_t results, struct program *program)
{
    struct writer writer = {.to = to, .address = address, .results = results};

    if (capacity < PROGRAM_BODY_OFFSET + TAIL_MAX || source->counters > PROGRAM_COUNTERS_MAX ||
        source->init_bytes > PROGRAM_BODY_OFFSET - READING_MAX ||
        (uint64_t)source->copies * source->code_bytes > capacity - PROGRAM_BODY_OFFSET - TAIL_MAX) {
        return false;
    }
    put_head(&writer, source);
    const size_t entry = PROGRAM_BODY_OFFSET - writer.length;

    memset(to, INT3, capacity);
    writer.length = entry;
    put_head(&writer, source);
    put_body(&writer, source);
    if (source->keeps) {
        put_saves(&writer);
    }
    put_reading(&writer, source, 1);
    *program = (struct program){
        .entry = (uint32_t)entry,
        .init_bytes = (uint32_t)source->init_bytes,
        .code_bytes = (uint32_t)source->code_bytes,
        .copies = source->copies,
        .exit = (uint32_t)writer.length,
    };
    PUT(&writer, UD2);
    return true;
}

enum program_part program_part_of(const struct program *program, uint64_t offset, uint32_t *byte)
{
    const uint64_t body = (uint64_t)program->copies * program->code_bytes;

    *byte = 0;
    if (offset >= program->entry && offset - program->entry < program->init_bytes) {
        *byte = (uint32_t)(offset - program->entry);
        return PROGRAM_INIT;
    }
    if (offset >= PROGRAM_BODY_OFFSET && offset - PROGRAM_BODY_OFFSET < body) {
        *byte = (uint32_t)((offset - PROGRAM_BODY_OFFSET) % program->code_bytes);
        return PROGRAM_CODE;
    }
    return PROGRAM_OUTSIDE;
}
