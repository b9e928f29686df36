/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forms in which a machine's tables are sent: the text of acpidump (ACPICA), the raw lines of
 * cpuid (-r), and the file of dmidecode (--dump-bin). Each is read by those programs.
 *
 * Pure: unit tests run it on bytes by hand.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/cpu/cpuid.h"

#define HOST_SMBIOS_TABLE_AT 32 /* byte of dmidecode's file where the structures begin */

/* A table in acpidump's form; its address is not known to a program and is printed as 0. A
 * character of the signature that is not printable becomes a dot. False: it is shorter than a
 * signature. */
bool host_tables_acpi(FILE *out, const uint8_t *table, size_t length);

/* Every leaf of one processor in the form of cpuid -r: basic, those of a hypervisor that announces
 * itself, extended; with sub-leaves where SDM volume 2 (CPUID) and AMD's APM volume 3 (appendix E)
 * define them. */
void host_tables_cpuid(FILE *out, unsigned processor, cpuid_port *port);

/* Blanks what identifies one machine (DSP0134 section 7): serial numbers and asset tags become X,
 * the UUID becomes 0. OEM strings (type 11), host interfaces (42) and vendors' types (128 and
 * above) may hold the same, so their contents go too. What follows an unsound structure becomes 0.
 * False: that was so. */
bool host_tables_blank_smbios(uint8_t *structures, size_t length);

/* Makes an entry point of SMBIOS 2 or 3 name HOST_SMBIOS_TABLE_AT as the structures' address, and
 * mends its checksums. False: it is neither. */
bool host_tables_move_smbios(uint8_t *entry, size_t size);
