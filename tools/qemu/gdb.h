/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A boot in exact mode that waits for gdb, to stop at a bench's first instruction.
 *
 * Instructions are counted as without gdb. At each stop, though, guest time moves on to the next
 * timer of QEMU's that is due (-icount sleep=off does so whenever no processor runs; seen in QEMU
 * 7.2). So a bench must have no limit of time then, and times that include a stop are no results.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/qemu/qemu.h"

struct gdb_stop {
    uint64_t base;    /* where firmware loads the image: in exact mode in each boot of a machine */
    uint64_t address; /* the first instruction of the bench's run() */
    unsigned port;    /* of 127.0.0.1, free when it was looked for */
};

/* Boots the machine once, without a bench, to learn the base. False with a line in `error`. */
bool gdb_find(const struct qemu_machine *machine, const char *bench, struct gdb_stop *stop,
              char error[QEMU_ERROR_MAX]);
/* The lines to type into gdb; symbols are of the .elf beside the image. */
void gdb_print(const struct gdb_stop *stop, const char *image, FILE *out);
