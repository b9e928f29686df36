/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare boot --under KIND`: the image below a hypervisor, or `tare host` on a Linux, in an emulator
 * under exact time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/parse_options.h"
#include "tools/base/partial_file.h"
#include "tools/base/progress.h"
#include "tools/qemu/guest.h"
#include "tools/under/profile.h"
#include "tools/under/under.h"

/* Options that choose and change what is below the image. */
extern const struct option_line under_options[];

/* Returns what --under chose. */
enum under_kind boot_under_kind(void);

/* Checks that the options fit together. Returns an exit status; an error has been printed. */
int boot_under_check(void);

/* Finds the programs, and makes the files of L1. Call after boot_machine_prepare(). Returns an exit
 * status; an error has been printed. */
int boot_under_prepare(struct progress *progress);

void boot_under_announce(struct progress *progress);

/* Boots once, as guest_run() does. If L0 was started, `error` is the reason that L1 stated; "":
 * none. */
bool boot_under_run(const struct guest_run *run, struct decoder *decoder, struct progress *progress,
                    struct guest_result *result, char error[UNDER_ERROR_MAX]);

/* Prints why the run is incomplete. `reason`: from boot_under_run(); `limit_s`: the time limit in
 * seconds. */
void boot_under_explain(const struct guest_result *result, const char *reason, const char *log,
                        uint64_t limit_s);

/* Returns the files of the last boot's profile, or NULL without --profile-exits. */
const struct profile_files *boot_under_profile(void);
/* Puts the files of the next boot's profile into a folder that must exist until the run is stored.
 */
void boot_under_use(const struct temporary *folder);

/* Returns the machine of L2, whose program is the QEMU in L1. */
const struct qemu_machine *boot_under_guest(void);

/* Notes the stack for the run; nothing without --under. */
void boot_under_note(struct decoder *decoder);

/* Runs `tare host` with the arguments behind "--" and stores its run file. `log`, `output`: as the
 * options of `tare boot`; NULL: not given. Returns an exit status. */
int boot_under_program(const struct option_rest *rest, const char *log, const char *output,
                       bool force, uint64_t timeout_s);
