/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of `tare boot`: what its options, a profile and a plan file make of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/plan/plan.h"
#include "tools/base/parse_options.h"
#include "tools/qemu/image_benches.h"
#include "tools/qemu/installed.h"
#include "tools/qemu/keys.h"
#include "tools/qemu/qemu.h"

#define BOOT_PLAN_MAX (2 * PLAN_TEXT_MAX)

struct boot_plan {
    const struct boot_profile *profile; /* NULL: none */
    bool by_default;                    /* the profile, where nothing else chooses benches */
    bool lists_profiles;                /* does nothing else */
    const char *file;                   /* of --plan; NULL: none */
    bool counts;                        /* --count was given */
    struct keys_script script;          /* of --keys; text NULL: none */
    const char *gdb;                    /* the bench to stop at; NULL: none */
    const char *model;                  /* file; NULL: none */
    uint64_t model_seed;
    size_t processors; /* that the model has; 0: no model */
};
extern struct boot_plan boot_plan;

/* Sets boot_plan. */
extern const struct option_line plan_options[];

/* Turns the options into settings of the plan; call once, after they are read, and boot_plan_free()
 * in any case. Returns an exit status; an error has been printed. */
int boot_plan_settle(void);
void boot_plan_free(void);

/* The image that is booted if none is named: the one built here, else the installed one. */
const char *boot_default_image(char path[INSTALLED_PATH_MAX]);

/* Returns the benches of that image; none if it cannot be read. */
const struct image_benches *boot_default_benches(void);

/* Does any option choose benches, as a role does? */
bool boot_plan_chooses_benches(void);

/* The plan of profile, network, file and options, of which the later override the earlier, with
 * room for the defaults. Returns an exit status; an error has been printed. `network` may be NULL.
 */
int boot_plan_compose(const struct qemu_network *network, char text[BOOT_PLAN_MAX]);

/* Checks the plan by the benches and the rules of the image itself. With `force` a plan that is
 * refused is booted, for the image to refuse. `unchecked` gets the reason why it was not checked,
 * or
 * "". *lengths_ms gets the sum of the lengths in ms of the selected benches, or 0 if the plan was
 * not checked or is wrong. Returns an exit status. */
int boot_plan_check(const char *image, const char *text, bool force,
                    char unchecked[IMAGE_BENCHES_ERROR_MAX], uint64_t *lengths_ms);

/* Adds defaults for settings that the plan lacks: the image answers requests, and how long it waits
 * for input from outside. An instruction takes 2^shift ns of guest time; 0 also for host time. */
void boot_plan_add_defaults(unsigned shift, char text[BOOT_PLAN_MAX]);

/*
 * Plans by name, `tare boot --profile NAME`: what to run for a question, and the machine that suits
 * it. A plan file and options override a profile's settings.
 *
 * Without a profile and without any choice of benches, `tare boot` uses a profile by itself.
 */

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

/* Each with its summary, its machine as options, and its benches. */
void boot_profiles_list(FILE *out);
