/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's machine of `tare boot`: its options, how time passes in it, and what of the host it needs.
 */
#pragma once

#include "tools/base/parse_options.h"
#include "tools/base/progress.h"
#include "tools/cmd/boot_plan.h"
#include "tools/qemu/qemu.h"

extern struct qemu_machine boot_machine;

/* Set it, and how time passes. */
extern const struct option_line time_options[], machine_options[];

/* Do the options fit together? Call once, after they are read. Returns an exit status; an error has
 * been printed. */
int boot_machine_check(void);

/* Makes the default image the machine's if that is NULL, and checks that it can be read. Returns an
 * exit status; an error has been printed. */
int boot_machine_find_image(void);

/* Takes from the profile what the options leave open. */
void boot_machine_suit(const struct boot_profile *profile);

/* What all boots share, checked before the log of an earlier run is emptied: programs, KVM,
 * processors, the plugin of --count. Returns an exit status; an error has been printed. */
int boot_machine_prepare(struct progress *progress);

/* Notes what is booted, and how time passes. */
void boot_machine_announce(struct progress *progress);
