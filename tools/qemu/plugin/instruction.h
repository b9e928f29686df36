/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes what the plugin needs to know about an instruction from its bytes (Intel SDM volume 2,
 * appendix A).
 *
 * The same bytes are different instructions in 16-bit and 64-bit code: 40h to 4Fh are INC and DEC,
 * or a prefix; C4h and C5h are LES and LDS, or VEX. QEMU knows the mode and reports the length, and
 * the length tells them apart: INC has one byte, an instruction with a prefix has more; the length
 * of LES and LDS follows from their second byte. A few VEX instructions with C5h, those of 4 bytes
 * with two of the registers 8 to 15, have that length too and count as LDS.
 *
 * 32-bit code, and 32-bit addresses in 16-bit code, are not decoded.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction {
    /* Number of segment registers loaded from a descriptor. MOV, POP, LDS, LES, LSS, LFS, LGS: 1;
     * far call, far jump, far return and IRET: 1 (CS); IRETQ: 2 (CS, SS). SYSCALL and SYSRET load
     * none, because they read no descriptor. */
    unsigned segment_loads;
    bool loads_cr3;
    bool reads_tsc; /* RDTSC, RDTSCP */
    /* INT, INT1, INT3, INTO, UD0, UD1, UD2: the exception is the purpose of the instruction */
    bool raises;
    bool calls;      /* CALL, near */
    bool returns;    /* RET, near */
    bool runs_guest; /* VMRUN */
};

/* Decodes an instruction; `length` is that of the whole instruction. */
struct instruction instruction_decode(const uint8_t *bytes, size_t length);
