/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the plugin wants to know of an instruction by its bytes (Intel SDM volume 2, appendix A).
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_mode {
    MODE_16,
    MODE_32,
    MODE_64,
};

struct instruction {
    /* Segment registers that it loads from a descriptor: MOV, POP, LDS, LES, LSS, LFS, LGS 1; far
     * call, far jump and far return 1 (CS); IRET 2 in 64-bit mode (CS, SS), else 1. SYSCALL and
     * SYSRET load none: they read no descriptor. */
    unsigned segment_loads;
    bool loads_cr3;
    bool reads_tsc; /* RDTSC, RDTSCP */
    bool raises;    /* INT, INT1, INT3, INTO, UD0, UD1, UD2: what it raises is its work */
};

/* In 16-bit and 32-bit modes 40h to 4Fh are INC and DEC, and C4h and C5h before memory are LES and
 * LDS; in 64-bit mode they are prefixes. */
struct instruction instruction_decode(const uint8_t *bytes, size_t length,
                                      enum instruction_mode mode);
