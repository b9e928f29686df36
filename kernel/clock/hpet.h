/* SPDX-License-Identifier: BSD-2-Clause */
/* The high precision event timer's main counter (IA-PC HPET specification 1.0a). */
#pragma once

#include <stdbool.h>

#include "kernel/clock/source.h"
#include "kernel/dev/acpi.h"

/* Starts the counter and fills *source. Returns false, with a reason, if there is no HPET, its
 * period is out of range, or it does not count (ACRN issue 8132: one was present and stopped). */
bool hpet_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason);

/* Call after firmware has ended. Disables all comparators that firmware left, so that none raises
 * an input or sends a message, as EDK2's timer does. */
void hpet_silence(const struct acpi_facts *acpi);

/* The settings of firmware, to restore them when firmware continues. */
#define HPET_COMPARATORS_MAX 32
struct hpet_state {
    bool present;
    uint64_t configuration;
    uint32_t comparators;
    uint64_t comparator_configuration[HPET_COMPARATORS_MAX];
    uint64_t comparator_value[HPET_COMPARATORS_MAX];
};
/* Saves the settings and disables all comparators; the counter continues if it was running. */
void hpet_hold(const struct acpi_facts *acpi, struct hpet_state *state);
/* Restores the settings. A one-shot comparator whose count has passed meanwhile raises its
 * interrupt soon; a periodic one continues by itself. */
void hpet_release(const struct hpet_state *state);
/* Starts the counter again after hpet_release(), if hpet_open() was true. */
void hpet_resume(void);

/* Returns the main counter; only after hpet_open() returned true. */
uint64_t hpet_count(void);

/* Returns the address of the counter's lower 32 bits, for code that times reading it, or 0 if
 * hpet_open() was not true. */
uint64_t hpet_counter_address(void);

/* A comparator that raises an I/O APIC input once, when the main counter reaches a count. */
struct hpet_comparator {
    uint32_t number;
    bool level;     /* input is raised until it is stopped; otherwise by an edge; set by the user */
    uint64_t hz;    /* rate of the main counter */
    uint32_t input; /* I/O APIC input: the highest one to which the comparator can be routed */
    bool wide;      /* the comparator and the main counter have 64 bits; otherwise 32 */
};

/* Opens comparator `number`. Returns false if hpet_open() was not true, there is no such
 * comparator, firmware that continues uses it for its ticks, or it cannot raise any input except
 * those in `but` (one bit each) and those below 16, which legacy timers and devices share. Inputs
 * from 16 on belong to PCI and are usually active low (Intel's chipsets have comparators 0 and 1 at
 * 20 to 23; ICH10 datasheet, "APIC Interrupt Mapping"). */
bool hpet_comparator_open(struct hpet_comparator *comparator, uint32_t number, uint32_t but);
void hpet_comparator_set(const struct hpet_comparator *comparator, uint64_t count);
void hpet_comparator_stop(const struct hpet_comparator *comparator);
