/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What boot/ passes to the kernel: everything that only firmware knows. It is copied, so that
 * nothing points into memory that firmware may reuse.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plan/plan.h"

/* Kinds of memory: the UEFI memory types (UEFI 2.10 section 7.2, table 7.10), reduced to what the
 * kernel may do with the memory. */
enum memory_kind {
    MEMORY_FREE, /* EfiConventionalMemory: the kernel may use it */
    /* EfiConventionalMemory with EFI_MEMORY_SP, such as HBM or CXL, which has another speed; used
     * only for the reserve, and only if the plan asks for it (memory.h) */
    MEMORY_SPECIAL,
    /* boot and loader types: RAM that the kernel leaves alone, because parked processors execute
     * there */
    MEMORY_FIRMWARE,
    MEMORY_RUNTIME_CODE, /* must be executable for ResetSystem */
    MEMORY_RUNTIME_DATA,
    MEMORY_ACPI,   /* ACPI tables, which the kernel only reads */
    MEMORY_DEVICE, /* memory-mapped I/O that firmware reported */
    MEMORY_OTHER,  /* reserved, unusable or persistent memory */
};

struct memory_range {
    uint64_t address; /* a multiple of 4 KiB */
    uint64_t pages;   /* number of 4 KiB pages */
    enum memory_kind kind;
};

/* Largest number of ranges, after adjoining ranges of one kind are merged. Memory maps with several
 * hundred entries have been seen. */
#define HANDOFF_RANGES_MAX 1024

struct framebuffer {
    uint64_t address; /* 0 if the machine has none that the kernel can draw on */
    uint64_t size;    /* bytes */
    uint32_t width;   /* pixels of 32 bits */
    uint32_t height;
    uint32_t stride; /* pixels from one line to the next */
};

enum plan_source {
    PLAN_DEFAULT, /* no plan was given */
    PLAN_FW_CFG,
    PLAN_FILE,
    PLAN_NETWORK, /* from the TFTP server that the image came from */
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
 * Firmware calls that boot/ makes for the kernel while boot services are active. All must be called
 * with the firmware's stack, descriptor tables, page tables and interrupt controllers;
 * kernel/borrow.h takes care of that.
 */
struct firmware_calls {
    /* Ends boot services and sets the final memory map, with interrupts off; none of these calls
     * may be made afterwards. Returns NULL on success, otherwise the reason, with boot services
     * still active. */
    const char *(*leave)(struct handoff *handoff);
    /* Keeps boot services. Takes memory from firmware for the kernel, and sets the memory map, in
     * which only that memory is MEMORY_FREE. Returns NULL on success, otherwise the reason. */
    const char *(*borrow)(struct handoff *handoff);
    /* Block firmware's interrupts and events from `hold` (RaiseTPL, then CLI) to `release`. */
    void (*hold)(void);
    void (*release)(void);
    /* Waits `us` microseconds; may also be called between `hold` and `release`. */
    void (*stall)(uint64_t us);
    /* Creates a new log file, always on the volume that the image was loaded from. Returns NULL on
     * success and sets `name` to the file's name; otherwise returns the reason: there is no volume,
     * it is read only, or it is full. */
    const char *(*log_create)(const char **name);
    /* Appends to the log file; the bytes are on the boot drive when it returns. Returns NULL on
     * success, otherwise the reason. */
    const char *(*log_append)(const void *bytes, size_t length);
    /* Marks on that volume that a run begins. Returns NULL on success. If two runs in a row began
     * and never ended, no further run must begin, and the result says so. */
    const char *(*run_begins)(void);
    /* Removes the mark. */
    void (*run_ended)(void);
};

/* Who owns the machine during the measurements. */
enum ownership {
    OWNERSHIP_OWN,    /* boot services have ended */
    OWNERSHIP_BORROW, /* boot services are active, but blocked while a bench runs */
};

struct handoff {
    const struct firmware_calls *firmware;
    uint64_t image_base; /* where firmware loaded the image */
    uint64_t image_size; /* bytes */
    uint64_t entry_tsc;  /* TSC when firmware called the image */
    uint64_t exit_tsc;   /* TSC after boot services had ended */
    /* calls of ExitBootServices; more than 1 if the map had changed in between */
    uint32_t exit_attempts;

    enum plan_source plan_source;
    size_t plan_length; /* characters; may exceed PLAN_TEXT_MAX, which plan_parse() then rejects */
    char plan_text[PLAN_TEXT_MAX];
    const char *refusal; /* why this image does not run the plan; NULL: it does */

    uint64_t rsdp; /* physical address of the ACPI root pointer; 0 if there is none */
    /* physical address of the SMBIOS entry point, version 3 if there is one, otherwise 2; 0 if
     * there is none */
    uint64_t smbios;
    struct framebuffer framebuffer;
    reset_system_fn *reset_system; /* NULL if there is none */

    char firmware_vendor[64]; /* ASCII */
    uint32_t firmware_revision;
    /* major version in the upper half, minor version times ten in the lower */
    uint32_t uefi_revision;
    char date[24]; /* date of the firmware's clock (boot/date.h); empty if unknown */

    uint32_t descriptor_size; /* bytes per descriptor of the firmware's memory map */
    uint32_t range_count;
    /* number of descriptors of the firmware's memory map that make no sense */
    uint32_t descriptors_refused;
    bool ranges_overlap; /* two kinds claimed the same memory */
    /* there were more than HANDOFF_RANGES_MAX ranges; the others are not used */
    bool ranges_truncated;
    struct memory_range ranges[HANDOFF_RANGES_MAX];
};

/* Whether this image is tare-smp.efi, whose threads run on several processors. */
extern const bool kernel_is_smp;

/* Entry point of the kernel. Decides who owns the machine, runs the plan, reports, and powers off.
 * Called with boot services active, on the firmware's stack, GDT, IDT and page tables. The ranges
 * must be those of the firmware's current memory map. */
_Noreturn void kernel_main(struct handoff *handoff);
