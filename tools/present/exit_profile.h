/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles of exits: what a hypervisor executes from an exit of its guest until the guest
 * continues, by function.
 *
 * A run keeps each as a fact of table run, exit_profile.KIND, with a kind such as "cpuid" (an
 * operation of bench exits) or "IN at serial_put+0x1f". Its lines:
 *
 *     KEPT EXITS             KEPT of EXITS exits took exactly that many instructions
 *     FUNCTION;FUNCTION N    a stack: N instructions of the last function, called by those before
 *                            it. All N add up to the instructions of one exit, VMRUN included.
 *
 * A function is "NAME", of the kernel; "NAME [MODULE]"; "NAME [LIBRARY]"; or "[FILE]" if it has no
 * name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/present/view.h"
#include "tools/run/run.h"

#define EXIT_KEY_PROFILE "exit_profile."

/* Adds the profile of a kind, unless the run has one. `stacks` are lines as above. */
void exit_profile_note(struct run *run, const char *kind, uint64_t kept, uint64_t exits,
                       const char *stacks);

/* A stack as above or a function, and its instructions or, in a difference, how many more. */
struct exit_part {
    char *name;
    int64_t instructions;
};

struct exit_parts {
    struct exit_part *items;
    size_t count, capacity;
};

/* Adds a part. Its name is freed with the parts. */
void exit_parts_add(struct exit_parts *parts, char *name, int64_t instructions);
/* Sorts parts by name, each stack before those that continue it, and sums those of equal names. */
void exit_parts_merge(struct exit_parts *parts);
void exit_parts_free(struct exit_parts *parts);

struct exit_profile {
    const char *kind;
    uint64_t kept, exits;
    int64_t total; /* instructions of one exit */
    struct exit_parts stacks;
    struct exit_parts functions; /* without their callees, the greatest first */
};

/* Reads the profile of the first kind at *next or after it in the run's facts, and sets *next for
 * the following one; begin with 0. Lines that are no stacks are left out. Returns false if there is
 * none. Call exit_profile_free() if it returns true. */
bool exit_profile_next(const struct run *run, size_t *next, struct exit_profile *profile);
void exit_profile_free(struct exit_profile *profile);

/* Prints all profiles of a run for a terminal; nothing if there is none. */
void exit_profiles_print(const struct view *view);
/* Writes all profiles as folded stacks, "KIND;FUNCTION;FUNCTION N" lines, for programs that draw
 * flame graphs. Returns false if there is none. */
bool exit_profiles_fold(FILE *out, const struct run *run);
/* Prints how the exits of b differ from those of a: for each kind of both the difference of all
 * instructions, and of the functions that differ most, "+31: f +18, g +13". Prints nothing if no
 * kind is in both. */
void exit_profiles_compare(FILE *out, const struct run *a, const struct run *b);
