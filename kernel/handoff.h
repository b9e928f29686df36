/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What boot/ hands to the kernel: everything that only firmware can tell, copied, so that nothing
 * points into memory that firmware may reuse.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plan/plan.h"

/* Memory, reduced from the UEFI memory types (UEFI 2.10 section 7.2, table 7.10) to what the kernel
 * may do with it. */
enum memory_kind {
    MEMORY_FREE,         /* EfiConventionalMemory: ours */
    MEMORY_FIRMWARE,     /* boot and loader types: RAM, left alone: parked processors live there */
    MEMORY_RUNTIME_CODE, /* executable for ResetSystem */
    MEMORY_RUNTIME_DATA,
    MEMORY_ACPI,   /* tables; read only by us */
    MEMORY_DEVICE, /* memory-mapped I/O that firmware told of */
    MEMORY_OTHER,  /* reserved, unusable, persistent */
};

struct memory_range {
    uint64_t address; /* 4 KiB aligned */
    uint64_t pages;   /* of 4 KiB */
    enum memory_kind kind;
};

/* Adjoining ranges of one kind are merged; machines have been seen with several hundred entries. */
#define HANDOFF_RANGES_MAX 1024

struct framebuffer {
    uint64_t address; /* 0: the machine has none that we can draw on */
    uint64_t size;    /* bytes */
    uint32_t width;   /* pixels, 32 bits each */
    uint32_t height;
    uint32_t stride; /* pixels a line */
};

enum plan_source {
    PLAN_DEFAULT, /* nobody gave one */
    PLAN_FW_CFG,
    PLAN_FILE,
    PLAN_LOAD_OPTIONS,
};

/* Reset types of EFI_RUNTIME_SERVICES.ResetSystem (UEFI 2.10 section 8.5.1). */
enum reset_type {
    RESET_COLD = 0,
    RESET_WARM = 1,
    RESET_SHUTDOWN = 2,
};

typedef void __attribute__((ms_abi))
reset_system_fn(uint32_t type, uint64_t status, uint64_t data_size, void *data);

struct handoff {
    uint64_t image_base;    /* where firmware loaded the image */
    uint64_t image_size;    /* bytes */
    uint64_t entry_tsc;     /* TSC when firmware called us */
    uint64_t exit_tsc;      /* TSC when boot services were gone */
    uint32_t exit_attempts; /* of ExitBootServices; above 1 the map had changed under us */

    enum plan_source plan_source;
    size_t plan_length; /* characters; may exceed PLAN_TEXT_MAX, plan_parse then refuses */
    char plan_text[PLAN_TEXT_MAX];

    uint64_t rsdp;   /* physical address of the ACPI root pointer; 0: none */
    uint64_t smbios; /* of the SMBIOS entry point, version 3 before 2; 0: none */
    struct framebuffer framebuffer;
    reset_system_fn *reset_system; /* NULL: none */

    char firmware_vendor[64]; /* ASCII */
    uint32_t firmware_revision;
    uint32_t uefi_revision; /* major in the upper half, tenths of minor in the lower */
    char date[24];          /* of the firmware's clock, ISO 8601, UTC; empty: unknown */

    uint32_t descriptor_size; /* stride of the firmware's memory map, bytes */
    uint32_t range_count;
    bool ranges_truncated; /* more ranges than HANDOFF_RANGES_MAX: the rest is not used */
    struct memory_range ranges[HANDOFF_RANGES_MAX];
};

/* The kernel's entry. Runs the plan, reports, powers off. Called with boot services gone, on the
 * firmware's stack, GDT, IDT and page tables, interrupts off. */
_Noreturn void kernel_main(const struct handoff *handoff);
