/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the file of QEMU's plugin that profiles exits (tools/qemu/plugin/exits.c), and adds it to a
 * run as profiles by function (tools/present/exit_profile.h).
 *
 * The file is text, with hexadecimal addresses and decimal numbers:
 *
 *     tare exits 1 EXITS                       all exits of the boot
 *     stack DEPTH CALLER...                    return addresses, outermost first; number from 0
 *     exit ADDRESS BYTES EXITS KEPT TOTAL PARTS    an instruction of L2 (BYTES -: none was begun);
 *                                              KEPT of its EXITS took TOTAL instructions of L1
 *     STACK ADDRESS INSTRUCTIONS               PARTS lines: a block's share of TOTAL
 *     end
 *
 * The parts of an exit add up to its total. A file without `end` is incomplete.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/run/run.h"

#define PROFILE_ERROR_MAX 256
#define PROFILE_BYTES     7 /* of an instruction */

struct profile_stack {
    uint64_t *callers; /* return addresses, outermost first */
    size_t depth;
};

struct profile_part {
    size_t stack;
    uint64_t address;
    uint64_t instructions;
};

struct profile_exit {
    uint64_t address;
    uint8_t bytes[PROFILE_BYTES];
    size_t size;    /* of the bytes; 0: no instruction of L2 was begun */
    uint64_t exits; /* at least `kept` */
    uint64_t kept;  /* exits that took `total` instructions of L1, VMRUN included */
    uint64_t total; /* sum of the parts */
    struct profile_part *parts;
    size_t part_count, part_capacity;
};

struct profile {
    uint64_t exits;
    struct profile_stack *stacks;
    size_t stack_count, stack_capacity;
    struct profile_exit *items;
    size_t count, capacity;
};

/* Reads a file. Returns false, with one line in `error`, if it is no such file, is incomplete or
 * damaged. Call profile_free() in any case. */
bool profile_read(struct profile *profile, FILE *in, char error[PROFILE_ERROR_MAX]);
void profile_free(struct profile *profile);

/* Names an exit: "cpuid" for the loop of operation cpuid of bench exits, otherwise "IN at
 * FUNCTION+0x12" or "IN at 0xe435f98". `function` is the function of the image that has the
 * instruction, NULL if it is none of the image; `offset` the distance from its start. */
char *profile_kind(const struct profile_exit *item, const char *function, uint64_t offset);

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
