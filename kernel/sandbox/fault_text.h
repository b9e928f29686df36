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
