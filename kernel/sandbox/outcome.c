/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/sandbox/outcome.h"

#include <string.h>

#define FLAG_RESUME      (1ull << 16) /* set by the end of the program, but not everywhere */
#define VECTOR_UNDEFINED 6
#define INSTRUCTION_MAX  15
#define DIGEST_START     0xcbf29ce484222325 /* FNV-1a of 64 bits, by words in place of bytes */
#define DIGEST_FACTOR    0x100000001b3

struct sandbox sandbox;
struct interrupt_frame sandbox_left;
uint64_t sandbox_cr2;

static struct program_results *results(void)
{
    return (struct program_results *)(void *)(sandbox.memory + SANDBOX_RESULTS_OFFSET);
}

void sandbox_clear(void)
{
    memset(sandbox.memory + SANDBOX_RESULTS_OFFSET, 0,
           SANDBOX_MEMORY_BYTES - SANDBOX_RESULTS_OFFSET);
}

bool sandbox_build(unsigned number, const struct program_source *source)
{
    const uint64_t offset = (uint64_t)number * SANDBOX_PROGRAM_BYTES;

    return program_build(source, sandbox.memory + offset, SANDBOX_PROGRAM_BYTES,
                         SANDBOX_BASE + offset, SANDBOX_RESULTS, &sandbox.program[number]);
}

struct interrupt_frame sandbox_start(unsigned number)
{
    const uint64_t middle = SANDBOX_AREA_BYTES / 2;

    memset(results(), 0, sizeof(struct program_results));
    return (struct interrupt_frame){
        .r14 = SANDBOX_AREA(0) + middle,
        .rdi = SANDBOX_AREA(1) + middle,
        .rsi = SANDBOX_AREA(2) + middle,
        .rbp = SANDBOX_AREA(3) + middle,
        .rsp = SANDBOX_AREA(4) + middle,
        .rip =
            SANDBOX_BASE + (uint64_t)number * SANDBOX_PROGRAM_BYTES + sandbox.program[number].entry,
        .rflags = SANDBOX_FLAGS,
    };
}

static void describe_fault(unsigned number)
{
    const uint64_t offset =
        sandbox_left.rip - SANDBOX_BASE - (uint64_t)number * SANDBOX_PROGRAM_BYTES;
    const uint8_t *at = sandbox.memory + (uint64_t)number * SANDBOX_PROGRAM_BYTES + offset;

    sandbox.fault = (struct sandbox_fault){
        .vector = sandbox_left.vector,
        .error_code = sandbox_left.error_code,
        .rip = sandbox_left.rip,
        .address = sandbox_cr2,
    };
    sandbox.fault.part = program_part_of(&sandbox.program[number], offset, &sandbox.fault.byte);
    if (sandbox.fault.part != PROGRAM_OUTSIDE) {
        sandbox.fault.refused = refused_name(at, INSTRUCTION_MAX);
    }
}

enum sandbox_end sandbox_judge(unsigned number, size_t words, int64_t *begin, int64_t *end)
{
    const struct program *program = &sandbox.program[number];
    const uint64_t first = SANDBOX_BASE + (uint64_t)number * SANDBOX_PROGRAM_BYTES;
    const uint64_t(*row)[PROGRAM_ROW_WORDS] = results()->row;

    if (sandbox_left.vector == SANDBOX_LIMIT_VECTOR) {
        describe_fault(number);
        return SANDBOX_LIMIT;
    }
    if (sandbox_left.vector != VECTOR_UNDEFINED || sandbox_left.rip != first + program->exit) {
        describe_fault(number);
        return SANDBOX_FAULT;
    }
    if (row[0][0] == 0 || row[1][0] <= row[0][0]) {
        return SANDBOX_TORN;
    }
    memcpy(begin, row[0], words * sizeof(*begin));
    memcpy(end, row[1], words * sizeof(*end));
    return SANDBOX_DONE;
}

const struct sandbox_fault *sandbox_fault(void)
{
    return &sandbox.fault;
}

void sandbox_registers(int64_t registers[SANDBOX_REGISTERS])
{
    struct interrupt_frame left = sandbox_left;

    left.rax = results()->saved[0];
    left.rcx = results()->saved[1];
    left.rdx = results()->saved[2];
    memcpy(registers, &left, (SANDBOX_REGISTERS - 2) * sizeof(*registers));
    registers[SANDBOX_REGISTERS - 2] = (int64_t)left.rsp;
    registers[SANDBOX_REGISTERS - 1] = (int64_t)(left.rflags & ~FLAG_RESUME);
}

uint64_t sandbox_r15(void)
{
    return sandbox_left.r15;
}

void sandbox_memory(int64_t left[SANDBOX_MEMORY])
{
    uint64_t digest = DIGEST_START;
    int64_t *next = left + 2;

    memset(left, 0, SANDBOX_MEMORY * sizeof(*left));
    for (size_t i = 0; i < SANDBOX_AREAS * SANDBOX_AREA_BYTES / sizeof(uint64_t); i++) {
        const size_t offset = i * sizeof(uint64_t);
        const uint64_t address =
            SANDBOX_AREA(offset / SANDBOX_AREA_BYTES) + offset % SANDBOX_AREA_BYTES;
        const uint64_t word =
            ((const uint64_t *)(const void *)(sandbox.memory + SANDBOX_AREAS_OFFSET))[i];

        if (word == 0) {
            continue;
        }
        digest = ((digest ^ address) * DIGEST_FACTOR ^ word) * DIGEST_FACTOR;
        if (left[1]++ < SANDBOX_WORDS_SHOWN) {
            *next++ = (int64_t)address;
            *next++ = (int64_t)word;
        }
    }
    left[0] = (int64_t)digest;
}
