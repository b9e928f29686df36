/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans by name, `tare boot --profile NAME`: what to run for a question, and the machine that suits
 * it. A plan file and options override a profile's settings.
 *
 * Without a profile and without any choice of benches, `tare boot` uses a profile by itself.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#define PROFILE_QUICK   "quick"   /* the default */
#define PROFILE_NETWORK "network" /* the default of a machine with NICs (--net) */

/* Each machine property is a default: an option overrides it. 0 or NULL: that of `tare boot`. */
struct boot_profile {
    const char *name;
    const char *summary; /* one line */
    const char *mode;    /* of --mode */
    unsigned shift;      /* of exact mode */
    unsigned processors;
    unsigned memory_mib;
    const char *network;  /* of --net */
    const char *benches;  /* "a,b,c"; NULL: each but those that run on request only */
    const char *settings; /* of the plan, whole lines; NULL: none */
};

/* NULL: no profile has that name. */
const struct boot_profile *boot_profile_find(const char *name);
#define PROFILES_MAX 16
/* The profile with that index; NULL behind the last. */
const struct boot_profile *boot_profile_at(size_t index);

/* Writes the plan, whole lines; returns its length, as snprintf(). */
size_t boot_profile_plan(const struct boot_profile *profile, char *text, size_t size);

/* Each with its summary, its machine as options, and its benches. */
void boot_profiles_list(FILE *out);
