/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans by name, `tare boot --profile NAME`: what to run for a question, and the mode and shift
 * that suit it. The plan file and options that are given besides override a profile's settings.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct boot_profile {
    const char *name;
    const char *summary; /* one line */
    bool exact;          /* is for exact mode, unless another is asked for */
    unsigned shift;      /* of exact mode, unless another is asked for */
    unsigned memory_mib; /* of QEMU's machine, unless another is asked for; 0: the usual */
    const char *plan;
};

/* NULL: no profile has that name. */
const struct boot_profile *boot_profile_find(const char *name);

/* "NAME  SUMMARY", one a line. */
void boot_profiles_list(FILE *out);
