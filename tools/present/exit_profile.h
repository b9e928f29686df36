/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles of exits: what a hypervisor executes from an exit of its guest until the guest
 * continues, by function.
 *
 * A run keeps them as facts of table run, two for each kind of exit, such as "cpuid" (an operation
 * of bench exits) or "IN at serial_put+0x1f":
 *
 *     exit_profile.KIND   folded stacks, "FUNCTION;FUNCTION N" lines: N instructions of the last
 *                         function, called by those before it. All N add up to the instructions of
 *                         one exit, VMRUN included.
 *     exit_counts.KIND    "KEPT EXITS": KEPT of EXITS exits took exactly so many instructions
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
#define EXIT_KEY_COUNTS  "exit_counts."

/* Adds the profile of a kind. `stacks` are lines as above. */
void exit_profile_note(struct run *run, const char *kind, uint64_t kept, uint64_t exits,
                       const char *stacks);

/* A function or a stack, and its instructions. */
struct exit_part {
    char *name;
    uint64_t instructions;
};

struct exit_profile {
    const char *kind;
    uint64_t kept, exits; /* 0: not stated */
    uint64_t total;       /* instructions of one exit */
    struct exit_part *stacks;
    size_t stack_count, stack_capacity;
    struct exit_part *functions; /* without their callees, the greatest first */
    size_t function_count;
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
 * instructions, and of the functions that differ most. Prints nothing if no kind is in both. */
void exit_profiles_compare(FILE *out, const struct run *a, const struct run *b);
/* Writes one kind's difference, "+31: f +18, g +13", to `text`, which the caller frees. Returns
 * false without it if no function differs. */
bool exit_profile_difference(const struct exit_profile *a, const struct exit_profile *b,
                             char **text);
