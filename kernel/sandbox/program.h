/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for the sandbox, as machine code: what is to be measured, copied, between two readings
 * of the clock and the counters.
 *
 *     init                          once, before the first reading
 *     R15 = loops                   where it loops; else PROGRAM_R15
 *     row 0; RAX, RCX, RDX as init left them
 *     code, `copies` times          at a multiple of 64 bytes
 *     DEC R15; JNZ to the first     where it loops
 *     row 1
 *     UD2                           the way out
 *
 * A reading is that of kernel/pmu/reader.S: LFENCE before each RDTSC and RDPMC, and one behind.
 * Rows are stored relative to RIP, so that it works whatever the code did to the registers.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_COUNTERS_MAX 8
#define PROGRAM_ROW_WORDS    (1 + PROGRAM_COUNTERS_MAX)
/* Where the first copy begins; what precedes it ends there. */
#define PROGRAM_BODY_OFFSET 4096u

/* What R15 is at the end where nothing loops, unless the code changes it. */
#define PROGRAM_R15 0x15151515u

/* Where the program leaves its readings, all in memory that it may write to. */
struct program_results {
    uint64_t row[2][PROGRAM_ROW_WORDS];
    uint64_t saved[3];
};

struct program_source {
    const uint8_t *init;
    size_t init_bytes;
    const uint8_t *code;
    size_t code_bytes;
    uint32_t copies;
    uint32_t loops; /* 0: no loop around them */
    const uint32_t *rdpmc;
    size_t counters; /* at most PROGRAM_COUNTERS_MAX */
};

/* Offsets from the first byte of the program. */
struct program {
    uint32_t entry;
    uint32_t init_bytes;
    uint32_t code_bytes;
    uint32_t copies;
    uint32_t exit; /* of UD2 */
};

/* Writes the program to `to`, of `capacity` bytes, which the code sees at `address`; `results` is
 * where it sees its results, within 2 GiB. False where it does not fit. All bytes beside the
 * program are INT3. */
bool program_build(const struct program_source *source, uint8_t *to, size_t capacity,
                   uint64_t address, uint64_t results, struct program *program);

enum program_part { PROGRAM_INIT, PROGRAM_CODE, PROGRAM_OUTSIDE };

/* Which part holds this offset; *byte is its distance from the first byte of the part, of
 * PROGRAM_CODE from the first byte of its copy. */
enum program_part program_part_of(const struct program *program, uint64_t offset, uint32_t *byte);
