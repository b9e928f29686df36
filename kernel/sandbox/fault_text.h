/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes in words what ended a program of the sandbox.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/sandbox/program.h"

#define FAULT_TEXT_MAX 120

#define FAULT_ACCESS_UNKNOWN UINT64_MAX /* error code if nothing states the kind of access */

struct sandbox_fault {
    uint64_t vector;
    uint64_t error_code;
    uint64_t rip;     /* instruction address as the code sees it */
    uint64_t address; /* for #PF: the address that was accessed */
    enum program_part part;
    uint32_t byte; /* distance from the start of the part, from program_part_of() */
    /* refused_name() of the instruction there; NULL if ring 3 may execute it */
    const char *refused;
};

/* Writes the description. `name` is the name of the vector, such as "#PF page fault". */
void fault_text(const struct sandbox_fault *fault, const char *name, char text[FAULT_TEXT_MAX]);

/*
 * Names of the instructions that ring 3 may not execute at all (SDM volume 3 section 5.9, APM
 * volume 2 section 6.2), or not in the sandbox, which has no gates for system calls and interrupts.
 *
 * Pure: compiled for the image and for the host.
 */

/* Returns the name of the instruction that begins at `bytes`, after any prefixes; NULL if it is not
 * one of these, or incomplete. Reads at most `length` bytes. */
const char *refused_name(const uint8_t *bytes, size_t length);
