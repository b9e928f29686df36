/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What boot/ hands to the kernel: everything that only firmware knows, copied, so that nothing
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
    MEMORY_SPECIAL,      /* the same with EFI_MEMORY_SP: HBM, CXL; of another speed, for the reserve
                          * alone, by plan (memory.h) */
    MEMORY_FIRMWARE,     /* boot and loader types: RAM, left alone: parked processors live there */
    MEMORY_RUNTIME_CODE, /* executable for ResetSystem */
    MEMORY_RUNTIME_DATA,
    MEMORY_ACPI,   /* tables; read only by us */
    MEMORY_DEVICE, /* memory-mapped I/O that firmware reported */
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
    PLAN_DEFAULT, /* none was given */
    PLAN_FW_CFG,
    PLAN_FILE,
    PLAN_NETWORK, /* of the TFTP server that the image came from */
    PLAN_LOAD_OPTIONS,
};

/* Reset types of EFI_RUNTIME_SERVICES.ResetSystem (UEFI 2.10 section 8.5.1). */
enum reset_type {
    RESET_COLD = 0,
    RESET_SHUTDOWN = 2,
};

typedef void __attribute__((ms_abi))
reset_system_fn(uint32_t type, uint64_t status, uint64_t data_size, void *data);

struct handoff;

/*
 * What boot/ does for the kernel as long as boot services are alive. All are called on the
 * firmware's own stack, descriptor tables, page tables and interrupt controllers (kernel/borrow.h
 * sees to that).
 */
struct firmware_calls {
    /* Ends boot services and reports the final memory map; interrupts are off then, and none of
     * these calls may be made any more. NULL, or why not: boot services are then still there. */
    const char *(*leave)(struct handoff *handoff);
    /* Keeps boot services. Takes memory from firmware for the kernel, and reports the memory map in
     * which only that is MEMORY_FREE. NULL, or why not. */
    const char *(*borrow)(struct handoff *handoff);
    /* Firmware's interrupts and events wait from `hold` (RaiseTPL, then CLI) to `release`. */
    void (*hold)(void);
    void (*release)(void);
    /* Waits so long; between the two as well. */
    void (*stall)(uint64_t us);
    /* A new file for the log on the volume that the image was loaded from, and nowhere else. NULL,
     * or why not: there is none, it is read only, it is full. `name` is then what it is called. */
    const char *(*log_create)(const char **name);
    /* Appends to it and has it on the medium when it returns. NULL, or why the medium took no more.
     */
    const char *(*log_append)(const void *bytes, size_t length);
    /* Notes on that volume that a run begins. NULL, or why there must be none: two in a row began
     * and never ended. */
    const char *(*run_begins)(void);
    /* The note goes. */
    void (*run_ended)(void);
};

/* Who owns the machine while it is measured. */
enum ownership {
    OWNERSHIP_OWN,    /* boot services are gone for good */
    OWNERSHIP_BORROW, /* they are alive, and held while a bench runs */
};

struct handoff {
    const struct firmware_calls *firmware;
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
    char date[24];          /* of the firmware's clock (boot/date.h); empty: unknown */

    uint32_t descriptor_size; /* stride of the firmware's memory map, bytes */
    uint32_t range_count;
    uint32_t descriptors_refused; /* of the firmware's memory map: no sense in them */
    bool ranges_overlap;          /* two kinds claimed the same memory */
    bool ranges_truncated;        /* more ranges than HANDOFF_RANGES_MAX: the rest is not used */
    struct memory_range ranges[HANDOFF_RANGES_MAX];
};

/* The kernel's entry. Decides who owns the machine, runs the plan, reports, powers off. Called with
 * boot services alive, on the firmware's stack, GDT, IDT and page tables; the ranges are those of
 * the firmware's memory map as it is then. */
_Noreturn void kernel_main(struct handoff *handoff);
