/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prepares a boot in exact mode that waits for gdb, to stop at a bench's first instruction.
 *
 * Instructions are counted as without gdb. At each stop, however, guest time moves on to the next
 * due timer of QEMU (-icount sleep=off does so whenever no processor runs; seen in QEMU 7.2). The
 * bench must therefore have no time limit, and times that include a stop are no results.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/qemu/qemu.h"

struct gdb_stop {
    /* address at which firmware loads the image; in exact mode the same in each boot of a machine
     */
    uint64_t base;
    uint64_t address; /* first instruction of the bench's run() */
    unsigned port;    /* port of 127.0.0.1 that was free when it was chosen */
};

/* Boots the machine once, without a bench, to find the image's address. Returns false with a line
 * in `error` on failure. */
bool gdb_find(const struct qemu_machine *machine, const char *bench, struct gdb_stop *stop,
              char error[QEMU_ERROR_MAX]);
/* Prints the lines to type into gdb. Symbols come from the .elf file next to the image. */
void gdb_print(const struct gdb_stop *stop, const char *image, FILE *out);
