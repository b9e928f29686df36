/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This machine's tables as files that can be sent (host_tables.h): acpi.txt, cpuid.txt, smbios.bin,
 * efi-map.txt.
 */
#pragma once

#include <stdbool.h>

#define HOST_DUMP_FIRMWARE "/sys/firmware" /* where Linux shows them */

struct host_dump {
    const char *directory; /* is made; must not be there */
    const char *firmware;  /* HOST_DUMP_FIRMWARE, or a folder of that form */
    bool with_serials;     /* keep serial numbers, asset tags, UUIDs and product keys */
    /* Gets a line for each file, and for each thing that could not be read, with the cure. */
    void (*report)(const char *line);
};

/* False: no file was written, which was reported; nor is the folder there, if this made it. */
bool host_dump_write(const struct host_dump *dump);
