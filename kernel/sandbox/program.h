/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds a program for the sandbox as machine code: the code to be measured, repeated between two
 * readings of the clock and the counters.
 *
 *     init                          once, before the first reading
 *     R15 = loops                   if it loops; otherwise PROGRAM_R15
 *     row 0; RAX, RCX, RDX as init left them
 *     code, `copies` times          at a multiple of 64 bytes
 *     DEC R15; JNZ to the first     if it loops
 *     row 1
 *     UD2                           ends the program
 *
 * A reading works like those of kernel/pmu/reader.S, with an LFENCE before each RDTSC and RDPMC and
 * one after the last. Rows are stored relative to RIP, so they are stored correctly whatever the
 * code did to the registers.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_COUNTERS_MAX 8
#define PROGRAM_ROW_WORDS    (1 + PROGRAM_COUNTERS_MAX)
/* Offset of the first copy; the head of the program ends just before it. */
#define PROGRAM_BODY_OFFSET 4096u

/* Value of R15 at the end if nothing loops, unless the code changes it. */
#define PROGRAM_R15 0x15151515u

/* The readings that the program stores; the code can write to all of them. */
struct program_results {
    uint64_t row[2][PROGRAM_ROW_WORDS];
    uint64_t saved[3]; /* RAX, RCX, RDX before the code, or after it if the program keeps them */
};

struct program_source {
    const uint8_t *init;
    size_t init_bytes;
    const uint8_t *code;
    size_t code_bytes;
    uint32_t copies;
    uint32_t loops; /* 0: no loop around the copies */
    const uint32_t *rdpmc;
    size_t counters; /* at most PROGRAM_COUNTERS_MAX */
    /* Also stores RAX, RCX and RDX after the code, before row 1: for its results, not its cost. */
    bool keeps;
};

/* A built program, as offsets and sizes in bytes. Offsets count from its first byte. */
struct program {
    uint32_t entry;
    uint32_t init_bytes;
    uint32_t code_bytes;
    uint32_t copies;
    uint32_t exit; /* offset of UD2 */
};

/* Writes the program to `to`, of `capacity` bytes. The code will see it at `address`, and its
 * results at `results`, within 2 GiB of it. All other bytes of `to` become INT3. Returns false if
 * the program does not fit. */
bool program_build(const struct program_source *source, uint8_t *to, size_t capacity,
                   uint64_t address, uint64_t results, struct program *program);

enum program_part { PROGRAM_INIT, PROGRAM_CODE, PROGRAM_OUTSIDE };

/* Returns which part contains this offset. Sets *byte to the distance from the first byte of the
 * part, or for PROGRAM_CODE from the first byte of the copy. */
enum program_part program_part_of(const struct program *program, uint64_t offset, uint32_t *byte);
