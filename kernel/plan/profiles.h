/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles: named plans, each for one question. A plan chooses one with profile=NAME; its own
 * settings override those of the profile. `tare boot NAME` also takes the virtual machine that
 * suits the profile.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PROFILE_QUICK   "quick"   /* default profile of `tare boot` */
#define PROFILE_NETWORK "network" /* default profile of `tare boot` with NICs (--net) */

/* All benches of group smp, as in a plan. tare.efi does not have them: by these names it knows that
 * a plan needs tare-smp.efi. */
#define SMP_BENCHES SMP_PROFILE ",failures"
/* those that measure: profile smp */
#define SMP_PROFILE                                                                   \
    "accounting,affinity,beside,boost,inversion2,migration,quantum,runqueue,scaling," \
    "shootdown"

/* A profile. The properties of the machine are defaults of `tare boot`, which options override; 0
 * or NULL leaves its default. */
struct profile_plan {
    const char *name;
    const char *summary; /* one line for the list of profiles */
    const char *mode;    /* value of --mode */
    unsigned shift;      /* value of --shift in exact mode */
    unsigned processors;
    unsigned memory_mib;
    const char *network;  /* value of --net */
    bool counts;          /* --count p5, in exact mode */
    const char *benches;  /* "a,b,c"; NULL: all except those that run only on request */
    const char *settings; /* settings of the plan as whole lines; NULL: none */
};

/* Returns the profile at this index of the list; NULL after the last. */
const struct profile_plan *profile_at(size_t index);
/* Returns the profile of that name, or NULL if there is none. */
const struct profile_plan *profile_find(const char *name);
/* Writes the plan of a profile as whole lines. Returns its length, as snprintf() does. */
size_t profile_lines(const struct profile_plan *profile, char *text, size_t size);
/* Returns the profile that a plan chooses; NULL if it chooses none or an unknown one. */
const struct profile_plan *profile_of_plan(const char *text, size_t length);
/* Writes the lines of the profile that the plan chooses before the plan, unless it begins with them
 * already. `text` has room for PLAN_TEXT_MAX characters. Returns the length; if that exceeds
 * PLAN_TEXT_MAX, the text is unchanged, and plan_parse() rejects the length. */
size_t profile_expand(char *text, size_t length);
