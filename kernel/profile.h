/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine profile: sends what was found and in which state, as records, before any bench runs.
 */
#pragma once

#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/dev/acpi.h"
#include "kernel/dev/smbios.h"
#include "kernel/dev/uart16550.h"
#include "kernel/plan/handoff.h"
#include "kernel/pmu/pmu.h"

struct profile {
    const struct handoff *handoff;
    const struct cpu_identity *identity;
    const struct acpi_facts *acpi;
    const struct smbios_memory *modules;
    const struct uart *uart; /* NULL if there is none */
    uint32_t baud;           /* 0 if unknown */
    enum lfence_state lfence;
    bool own_page_tables;
    size_t ioapic_inputs;
    /* why writes to the framebuffer are not combined; NULL if they are */
    const char *no_write_combining;
    /* source of the NMI that ends code that hangs, or why there is none */
    const char *alarm;
    uint64_t banner_tsc;
    /* TSC at the beginning of the run in exact time (kernel/run/phase.h). After it, nothing
     * depends on how long firmware took, so firmware's stamps are not sent. 0 for a run in
     * firmware's time. */
    uint64_t begin_tsc;
    char date[24];       /* ISO 8601 date of the start of the run; empty if unknown */
    const char *setting; /* name of the setting that is measured; NULL: none */
    const struct pmu *pmu;
};

/* Sends version, plan and machine; and later, after clock_init(), the clocks and the time base. */
void profile_send_machine(const struct profile *profile);
void profile_send_clocks(const struct profile *profile);

/* Returns the time base (kernel/link/names.h). Call after clock_init(), which detects exact
 * time. */
const char *profile_kind(const struct profile *profile);

/* Sends the interrupts that came during the run. */
void profile_send_interrupts(void);
