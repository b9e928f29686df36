/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ended a program of the sandbox, in words.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/sandbox/program.h"

#define FAULT_TEXT_MAX 120

struct sandbox_fault {
    uint64_t vector;
    uint64_t error_code;
    uint64_t rip;     /* as the code sees it */
    uint64_t address; /* of #PF: what was touched */
    enum program_part part;
    uint32_t byte;       /* program_part_of() */
    const char *refused; /* refused_name() of what is there; NULL: none of them */
};

/* `name` is that of the vector, as "#PF page fault". */
void fault_text(const struct sandbox_fault *fault, const char *name, char text[FAULT_TEXT_MAX]);

/*
 * Names of the instructions that ring 3 may not execute (SDM volume 3 section 5.9, APM volume 2
 * section 6.2), or not here: system calls and interrupts have no gate in the sandbox.
 *
 * Pure: compiled for the image and for the host.
 */

/* The name of the instruction that begins at `bytes`, prefixes passed over; NULL: it is none of
 * them, or incomplete. Reads at most `length` bytes. */
const char *refused_name(const uint8_t *bytes, size_t length);
