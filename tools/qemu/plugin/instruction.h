/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the plugin wants to know of an instruction by its bytes (Intel SDM volume 2, appendix A).
 *
 * The same bytes are other instructions in 16-bit and in 64-bit code: 40h to 4Fh are INC and DEC or
 * a prefix, C4h and C5h are LES and LDS or VEX. QEMU, which knows the mode, reports the length, and
 * by the length they differ: INC has one byte, an instruction behind a prefix more; LES and LDS
 * have a length that their second byte gives. Of VEX with C5h a few instructions of 4 bytes, with
 * two of the registers 8 to 15, have that length too: they pass for LDS.
 *
 * 32-bit code, and 32-bit addresses in 16-bit code, are not looked at.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction {
    /* Segment registers that it loads from a descriptor: MOV, POP, LDS, LES, LSS, LFS, LGS 1; far
     * call, far jump, far return and IRET 1 (CS); IRETQ 2 (CS, SS). SYSCALL and SYSRET load none:
     * they read no descriptor. */
    unsigned segment_loads;
    bool loads_cr3;
    bool reads_tsc; /* RDTSC, RDTSCP */
    bool raises;    /* INT, INT1, INT3, INTO, UD0, UD1, UD2: what it raises is its work */
};

/* `length` is that of the whole instruction. */
struct instruction instruction_decode(const uint8_t *bytes, size_t length);
