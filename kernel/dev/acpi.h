/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads ACPI tables: where clocks, interrupt controllers and serial ports are, and which memory is
 * near which processor (ACPI 6.5 chapter 5; SPCR and DBG2: Microsoft's specifications of those
 * names).
 *
 * Tables can be wrong. A table is used only if the firmware's memory map has memory where it lies,
 * and its checksum and length are right. A field is used only if it lies within the length of its
 * table, and the address of a device only if a device can be there. Anything else is treated as
 * absent, and reported.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The machine's memory, as far as it is known. Only addresses that these functions allow are
 * accessed. */
struct acpi_memory {
    /* Returns a pointer to `length` bytes at a physical address, or NULL if they are not all
     * memory. */
    const void *(*at)(const void *context, uint64_t address, uint64_t length);
    /* Returns true if registers can be at the address: it is reachable, and not RAM. */
    bool (*may_be_device)(const void *context, uint64_t address, uint64_t length);
    const void *context;
};

struct acpi_address {
    uint64_t address; /* 0: no such device */
    bool io;          /* true: I/O port; false: memory */
    uint8_t width;    /* register width in bits; 0: not reported */
    uint8_t access;   /* access size: 1 byte, 2 word, 3 dword, 4 qword; 0: not reported */
};

#define ACPI_IO_APICS_MAX    16
#define ACPI_PROCESSORS_MAX  512
#define ACPI_SERIAL_MAX      4
#define ACPI_ISA_IRQS        16
#define ACPI_NODE_RANGES_MAX 64

/* How to switch the machine off without firmware (ACPI 6.5 sections 4.8.3.2, 5.2.9 and 7.4.2): the
 * values for one or two PM1 control registers. */
struct acpi_power_off {
    /* false: there is no \_S5, or no register for it; the other members are then not valid */
    bool known;
    uint64_t control[2];   /* I/O ports of the registers; 0: none */
    uint8_t sleep_type[2]; /* value for each register, 3 bits */
    uint64_t command;      /* I/O port that `enable` is written to first; 0: none */
    uint8_t enable;        /* switches ACPI on, if SCI_EN (bit 0 of the registers) is 0 */
};

enum acpi_answer {
    ACPI_NOT_STATED, /* there is no such table, or its revision is too old */
    ACPI_NO,
    ACPI_YES,
};

/* The input at which an interrupt of the ISA bus arrives. */
struct acpi_interrupt {
    uint32_t gsi; /* global system interrupt: number of an I/O APIC input */
    bool active_low;
    bool level; /* true: level; false: edge */
};

struct acpi_serial {
    const char *table; /* "SPCR" or "DBG2" */
    struct acpi_address base;
    uint64_t clock_hz; /* clock of the UART; 0: not reported */
    uint32_t baud;     /* speed of the line; 0: not reported, or "as it is" */
};

/* A processor in the MADT (ACPI 6.5 sections 5.2.12.2 and 5.2.12.12). */
struct acpi_processor {
    uint32_t apic_id;
    uint32_t uid;  /* UID of the entry that is used */
    bool x2apic;   /* that entry has type 9, x2APIC */
    bool repeated; /* several processors have this id; false after acpi_read() */
    bool enabled;
    bool online_capable; /* absent, but may be added while the machine runs */
    bool has_node;
    uint32_t node; /* valid if has_node */
};

/* Memory that is nearer to the processors of one node (the SRAT's proximity domain) than to others
 * (ACPI 6.5 section 5.2.16.2). Parts of it may not be memory, or may be added later. */
struct acpi_node_range {
    uint64_t address;
    uint64_t bytes; /* at least 1; the range ends at or below 2^52 */
    uint32_t node;
};

struct acpi_facts {
    struct acpi_address hpet;
    struct acpi_address pm_timer;
    bool pm_timer_32bit; /* true: 32 bits; false: 24 */
    uint64_t lapic_address;
    uint32_t processors; /* enabled processors in the MADT; 0: there is no MADT */
    /* number of processors in the MADT, each APIC id counted once, at most ACPI_PROCESSORS_MAX */
    size_t processor_count;
    struct acpi_processor processor[ACPI_PROCESSORS_MAX];
    size_t node_range_count;                                 /* 0: no SRAT, or none with memory */
    struct acpi_node_range node_range[ACPI_NODE_RANGES_MAX]; /* no overlap between nodes */
    size_t io_apic_count;
    uint64_t io_apics[ACPI_IO_APICS_MAX];
    uint32_t io_apic_first[ACPI_IO_APICS_MAX]; /* GSI of input 0 of each I/O APIC */
    struct acpi_interrupt isa[ACPI_ISA_IRQS];  /* inputs; by default those of the ISA bus */
    struct acpi_power_off power_off;
    bool has_fw_cfg;        /* the DSDT has QEMU's device QEMU0002 (QEMU docs/specs/fw_cfg) */
    enum acpi_answer i8042; /* whether there is a keyboard controller: IAPC_BOOT_ARCH of the FADT */
    size_t serial_count;
    /* 16550-compatible serial ports; those of the SPCR come first */
    struct acpi_serial serial[ACPI_SERIAL_MAX];
    /* Signatures of the tables found, each once, separated by blanks, as in "FACP SSDT*27". Ends
     * with " ..." if they did not all fit. */
    char tables[256];
    uint64_t hash;     /* hash of the headers of all tables, without their checksums */
    char refused[160]; /* what was rejected, such as "SSDT bad checksum", separated by commas */
};

/* Reads the tables that `rsdp` leads to. If `rsdp` is 0 or not an RSDP, everything is absent. */
void acpi_read(const struct acpi_memory *memory, uint64_t rsdp, struct acpi_facts *facts);
