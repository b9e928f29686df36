/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the file of QEMU's plugin that profiles exits (tools/qemu/plugin/exits.c), and adds it to a
 * run as profiles by function (tools/present/exit_profile.h).
 *
 * The file is text, with hexadecimal addresses and decimal numbers:
 *
 *     tare exits 1 EXITS                 all exits of the boot
 *     call PARENT RETURN                 a call and its return address; calls are numbered from 1,
 *                                        and PARENT is the call that contains it, 0 if none does
 *     exit ADDRESS EXITS KEPT TOTAL BYTES    an instruction of L2 (BYTES -: none was begun); KEPT
 *                                        of its EXITS took TOTAL instructions of L1
 *     CALL ADDRESS INSTRUCTIONS          after an exit: the share that a block in that call has
 *     end
 *
 * Calls come before their numbers are used. The shares of an exit add up to its total. A file
 * without `end` is incomplete.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/present/exit_profile.h"
#include "tools/run/run.h"
#include "tools/under/profile_symbols.h"

#define PROFILE_ERROR_MAX 256

struct profile_exit {
    uint64_t address;
    char bytes[33];          /* of the instruction of L2, in hexadecimal; "-": none was begun */
    uint64_t exits;          /* at least `kept` */
    uint64_t kept;           /* exits that took `total` instructions of L1, VMRUN included */
    uint64_t total;          /* sum of the parts */
    int64_t weight;          /* exits * total */
    struct exit_parts parts; /* stacks */
};

struct profile {
    uint64_t exits;
    struct exit_parts calls; /* the stack that ends with each; the first is number 1 */
    struct profile_exit *items;
    size_t count, capacity;
};

/* Reads a file, and names the functions. Returns false, with one line in `error`, if it is no such
 * file, is incomplete or damaged. Call profile_free() in any case. */
bool profile_read(struct profile *profile, const struct symbols *symbols, FILE *in,
                  char error[PROFILE_ERROR_MAX]);
void profile_free(struct profile *profile);

/* Names an exit of the profile: "cpuid" for the loop of operation cpuid of bench exits,
 * "cpuid+0x12" if that loop has several; otherwise "IN at FUNCTION+0x12", or "IN at 0xe435f98"
 * outside the image. The caller frees the name. */
char *profile_kind(const struct profile *profile, const struct symbols *image,
                   const struct profile_exit *item);

/* The files of a profile. */
struct profile_files {
    const char *profile; /* by the plugin */
    const char *symbols; /* by L1: /proc/PID/maps of its QEMU and /proc/kallsyms, gzipped */
    const char *image;
    const char *program; /* on this host, the QEMU that is L1's */
};

/* other exits than those of operations that a run gets */
#define PROFILE_OTHERS_MAX 10

/* Adds the profiles to a run of the image: all operations of bench exits, then the other exits with
 * most instructions. Returns false with a line in `error` if a file cannot be read. */
bool profile_add(const struct profile_files *files, struct run *run, char error[PROFILE_ERROR_MAX]);
