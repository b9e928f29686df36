/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the image's parsers conclude from a dump: each sentence is theirs, only the paper is not.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prints a line a kind of table that is in the file, "NAME: KIND: conclusions". What is read: texts
 * (dump_text.h), SMBIOS as dmidecode --dump-bin writes it or its structures alone, and one raw ACPI
 * table. Returns the number of lines; 0: nothing in it is known. */
unsigned conclude(FILE *out, const char *name, const uint8_t *bytes, size_t length);
