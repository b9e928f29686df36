/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan (configuration) of `tare boot`, composed from a profile, a plan file and options.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/plan/plan.h"
#include "kernel/plan/profiles.h"
#include "tools/base/parse_options.h"
#include "tools/qemu/image_benches.h"
#include "tools/qemu/installed.h"
#include "tools/qemu/keys.h"
#include "tools/qemu/qemu.h"

#define BOOT_PLAN_MAX (2 * PLAN_TEXT_MAX)

struct boot_plan {
    const struct profile_plan *profile; /* NULL: none */
    /* no option named the profile: it is used because nothing else chooses benches */
    bool by_default;
    /* these ask for a list, and nothing is booted: --profile list, --bench list, --set PREFIX */
    bool lists_profiles, lists_benches;
    const char *lists_keys;    /* NULL: not asked for */
    const char *file;          /* path from --plan; NULL: none */
    bool counts;               /* --count was given */
    struct keys_script script; /* script of --keys; `text` is NULL if there is none */
    /* bench whose first instruction stops for gdb; NULL: none */
    const char *gdb;
    const char *model; /* path of the model; NULL: none */
    uint64_t model_seed;
    size_t processors; /* number of processors of the model; 0: no model */
    size_t cpus;       /* number of processors that the benches of group smp want; 0: no bench */
    /* boot_plan_check() calls it for each bench of a plan that it accepts; NULL: none */
    void (*each)(const struct bench *);
};
extern struct boot_plan boot_plan;

/* Options that set boot_plan. */
extern const struct option_line plan_options[];

/* Takes the arguments of `tare boot`: one image, and a profile or lists of benches. Call once,
 * before boot_plan_settle(). Returns an exit status; an error has been printed. */
int boot_plan_take_words(const struct option_rest *rest, const char **image);

/* Returns whether the options ask for a list. */
bool boot_plan_lists(void);

/* Turns the options into settings of the plan. Call once, after they are read. Returns an exit
 * status; an error has been printed. Call boot_plan_free() in any case. */
int boot_plan_settle(void);
void boot_plan_free(void);

/* Returns the image that is booted if none is named: the one built here, otherwise that of this
 * program's build, otherwise the installed one. */
const char *boot_default_image(char path[INSTALLED_PATH_MAX]);

/* Returns whether the image can be read; if not, writes the reason and the cure. */
bool boot_image_readable(const char *image, char error[QEMU_ERROR_MAX]);

/* Returns the benches of that image, and those of tare-smp.efi next to it; none if neither can be
 * read. */
const struct image_benches *boot_default_benches(void);

/* Returns whether any option or a plan file chooses benches; a role chooses them too. */
bool boot_plan_chooses_benches(void);

/* Writes the plan from the profile, the network, the plan file and the options; later ones override
 * earlier ones. Leaves room for the defaults. `network` may be NULL. Returns an exit status; an
 * error has been printed. */
int boot_plan_compose(const struct qemu_network *network, char text[BOOT_PLAN_MAX]);

/* Chooses the image that the plan needs: `image`, or the file tare-smp.efi in the same folder; a
 * disk has both. Writes its path, and checks the plan by the benches and ranges that this file
 * holds. Sets boot_plan.cpus if the benches want more. With `force`, a plan that the check rejects
 * is booted all the same, so that the image rejects it. If the plan cannot be checked, `unchecked`
 * gets the reason, otherwise "". *lengths_ms gets the sum of the lengths in ms of the selected
 * benches, or 0 if the plan was not checked or is wrong. Returns an exit status; an error has been
 * printed. */
int boot_plan_check(const char *image, const char *text, bool force, char path[INSTALLED_PATH_MAX],
                    char unchecked[IMAGE_BENCHES_ERROR_MAX], uint64_t *lengths_ms);

/* Adds the settings that the plan lacks: the image answers requests of the host, or, if the host
 * cannot answer, waits for none; and how long it waits for input from outside. An instruction takes
 * 2^shift ns of guest time; pass 0 for host time. */
void boot_plan_add_defaults(unsigned shift, bool answers, char text[BOOT_PLAN_MAX]);

/* Returns the words that `tare boot` takes, by index: profiles, list, benches; NULL after the last.
 */
const char *boot_word(size_t index);

/* Prints a profile, or each, with its summary, its machine as options, and its benches. */
void boot_profile_print(FILE *out, const struct profile_plan *profile);
void boot_profiles_list(FILE *out);
