/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine profile: what was found and in which state, as records, before any bench runs.
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
    const struct uart *uart; /* NULL: none */
    uint32_t baud;           /* 0: unknown */
    enum lfence_state lfence;
    bool own_page_tables;
    size_t ioapic_inputs;
    const char *no_write_combining; /* of the framebuffer: why not; NULL: it is */
    const char *alarm;              /* what ends by an NMI what hangs, or why nothing can */
    uint64_t banner_tsc;
    /* In exact time, where the run begins (kernel/run/phase.h). Behind it nothing depends on how
     * long firmware took, so that its stamps are left out. 0: a run in firmware's time. */
    uint64_t begin_tsc;
    char date[24]; /* ISO 8601, of the run's begin; empty: unknown */
    const struct pmu *pmu;
};

/* Version, plan, machine. Then, after clock_init(), the clocks and the kind of time. */
void profile_send_machine(const struct profile *profile);
void profile_send_clocks(const struct profile *profile);

/* The kind of time (kernel/link/names.h), once clock_init() has looked for exact time. */
const char *profile_kind(const struct profile *profile);

/* What was interrupted in the run. */
void profile_send_interrupts(void);
