/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dumps of other people's machines, as text: ACPI tables (acpidump, iasl -d), CPUID (InstLatx64,
 * cpuid -r), memory modules (dmidecode), memory maps (Linux's log of EFI's map).
 *
 * A line of another form is passed over and counted. No number makes memory grow beyond what the
 * text has bytes for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "tools/tests/field/dmi_text.h"

/* A table's bytes, at `at` of all. */
struct dump_table {
    size_t at;
    size_t length;
};

struct dump_leaf {
    unsigned processor; /* in the order of the text */
    uint32_t leaf;
    uint32_t subleaf;
    struct cpuid_result result;
};

/* EFI_MEMORY_DESCRIPTOR's fields (UEFI 2.10 section 7.2.3). */
struct dump_range {
    uint32_t type;
    uint64_t start;
    uint64_t pages;
    uint64_t attribute;
};

struct dump {
    uint8_t *bytes; /* of all tables */
    size_t byte_count, byte_capacity;
    struct dump_table *tables;
    size_t table_count, table_capacity;
    struct dump_leaf *leaves;
    size_t leaf_count, leaf_capacity;
    struct dump_range *ranges;
    size_t range_count, range_capacity;
    struct dmi_text dmi;
    size_t other_lines;
    unsigned processors; /* of which there are leaves */
};

/* Reads all lines. dump_free() in any case. */
void dump_read(struct dump *dump, const char *text, size_t length);
void dump_free(struct dump *dump);

/* What a processor of the dump answers; zeros: the dump has no such leaf. */
struct cpuid_result dump_cpuid(const struct dump *dump, unsigned processor, uint32_t leaf,
                               uint32_t subleaf);
