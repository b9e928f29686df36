/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The QEMU machine of `tare boot`: its options, its time base, and the programs and files that it
 * needs on the host.
 */
#pragma once

#include "tools/base/parse_options.h"
#include "tools/base/progress.h"
#include "tools/cmd/boot_plan.h"
#include "tools/qemu/qemu.h"

extern struct qemu_machine boot_machine;

/* Options that set boot_machine and its time base. */
extern const struct option_line time_options[], machine_options[];

/* Checks that the options fit together. Call once, after they are read. Returns an exit status; an
 * error has been printed. */
int boot_machine_check(void);

/* Checks that the image can be read. If boot_machine.image is NULL, sets it to the default image
 * first. Returns an exit status; an error has been printed. */
int boot_machine_find_image(void);

/* States that the machine runs in an emulator with a KVM that is not this host's, so that none is
 * tried, and sets the emulator's shift if --shift was not given. */
void boot_machine_put_below(unsigned shift);

/* Takes from the profile the properties of the machine that no option has set. */
void boot_machine_suit(const struct profile_plan *profile);

/* Prepares what all boots share: finds QEMU, firmware and the plugin of --count, tries KVM, and
 * checks the number of processors. Call before the log of an earlier run is emptied. Returns an
 * exit status; an error has been printed. */
int boot_machine_prepare(struct progress *progress);

/* Prints which image is booted and in which time base. */
void boot_machine_announce(struct progress *progress);
