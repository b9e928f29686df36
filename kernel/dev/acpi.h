/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ACPI: the few tables that list where clocks, interrupt controllers and serial ports are, and
 * which memory is near to which processor (ACPI 6.5 chapter 5; SPCR and DBG2: Microsoft's
 * specifications of those names).
 *
 * Tables lie. Each is believed only where it lies in memory by the firmware's own map, with a right
 * checksum and a sane length, every field only inside the table's length, every address of a device
 * only where a device can be; whatever fails is as if absent, and reported.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The machine's memory, as far as it is known. No address is followed that these do not allow.
 */
struct acpi_memory {
    /* `length` bytes at a physical address; NULL where they are not all memory. */
    const void *(*at)(const void *context, uint64_t address, uint64_t length);
    /* Can registers be there: reachable, and no RAM? */
    bool (*may_be_device)(const void *context, uint64_t address, uint64_t length);
    const void *context;
};

struct acpi_address {
    uint64_t address; /* 0: none */
    bool io;          /* I/O port, else memory */
    uint8_t width;    /* register bits; 0: not reported */
    uint8_t access;   /* 1 byte, 2 word, 3 dword, 4 qword; 0: not reported */
};

#define ACPI_IO_APICS_MAX    16
#define ACPI_PROCESSORS_MAX  512
#define ACPI_SERIAL_MAX      4
#define ACPI_ISA_IRQS        16
#define ACPI_NODE_RANGES_MAX 64

/* How the machine is switched off without firmware's help (ACPI 6.5 sections 4.8.3.2, 5.2.9 and
 * 7.4.2): a value for each of one or two PM1 control registers. */
struct acpi_power_off {
    bool known;            /* the rest is: \_S5 was found, and a register to write it to */
    uint64_t control[2];   /* I/O ports; 0: none */
    uint8_t sleep_type[2]; /* for each, 3 bits */
    uint64_t command;      /* I/O port to which `enable` goes first; 0: none */
    uint8_t enable;        /* where ACPI is not on yet: SCI_EN, bit 0 of the registers */
};

enum acpi_answer {
    ACPI_NOT_STATED, /* no such table, or too old a revision of it */
    ACPI_NO,
    ACPI_YES,
};

/* Where an interrupt of the ISA bus arrives. */
struct acpi_interrupt {
    uint32_t gsi; /* global system interrupt: input of the I/O APIC that covers it */
    bool active_low;
    bool level; /* else edge */
};

struct acpi_serial {
    const char *table; /* "SPCR" or "DBG2" */
    struct acpi_address base;
    uint64_t clock_hz; /* of the UART; 0: not reported */
};

/* A processor as MADT lists it (ACPI 6.5 sections 5.2.12.2 and 5.2.12.12). */
struct acpi_processor {
    uint32_t apic_id;
    uint32_t uid;  /* of the entry that counts */
    bool x2apic;   /* that entry is of type 9 */
    bool repeated; /* several processors claim the id: never set in what acpi_read() returns */
    bool enabled;
    bool online_capable; /* not there, but may be added while the machine runs */
    bool has_node;
    uint32_t node; /* if SRAT has one */
};

/* Memory that is nearer to the processors of its node, SRAT's proximity domain, than to others
 * (ACPI 6.5 section 5.2.16.2). It may hold what is no memory, or not there yet. */
struct acpi_node_range {
    uint64_t address;
    uint64_t bytes; /* at least 1, and none of them beyond 2^52 */
    uint32_t node;
};

struct acpi_facts {
    struct acpi_address hpet;
    struct acpi_address pm_timer;
    bool pm_timer_32bit; /* else 24 */
    uint64_t lapic_address;
    uint32_t processors;    /* enabled ones that MADT lists; 0: no MADT */
    size_t processor_count; /* all that it lists, each APIC id once, as far as there is room */
    struct acpi_processor processor[ACPI_PROCESSORS_MAX];
    size_t node_range_count;                                 /* 0: no SRAT, or none with memory */
    struct acpi_node_range node_range[ACPI_NODE_RANGES_MAX]; /* of different nodes: none overlap */
    size_t io_apic_count;
    uint64_t io_apics[ACPI_IO_APICS_MAX];
    uint32_t io_apic_first[ACPI_IO_APICS_MAX]; /* the GSI of each one's input 0 */
    struct acpi_interrupt isa[ACPI_ISA_IRQS];  /* as the bus has it, where no table has another */
    struct acpi_power_off power_off;
    bool has_fw_cfg;        /* QEMU's device QEMU0002, by the DSDT (QEMU docs/specs/fw_cfg) */
    enum acpi_answer i8042; /* is there a keyboard controller: IAPC_BOOT_ARCH of the FADT */
    size_t serial_count;
    struct acpi_serial serial[ACPI_SERIAL_MAX]; /* 16550-like ones, SPCR first */
    char tables[256];  /* signatures found, separated by blanks, each once: "FACP SSDT*27". Where
                        * there is no room for all of a list, it ends with " ..." */
    char refused[160]; /* what was not believed, such as "SSDT bad checksum", separated by commas */
};

/* Reads what `rsdp` leads to; rsdp 0, or not one, leaves all absent. */
void acpi_read(const struct acpi_memory *memory, uint64_t rsdp, struct acpi_facts *facts);
