/* SPDX-License-Identifier: BSD-2-Clause */
/* The high precision event timer's main counter (IA-PC HPET specification 1.0a). */
#pragma once

#include <stdbool.h>

#include "kernel/clock/source.h"
#include "kernel/dev/acpi.h"

/* Starts the counter. False, with a reason, where there is none, its period is out of range, or it
 * does not count (ACRN issue 8132: one was present and stopped). */
bool hpet_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason);

/* Where firmware is gone: no comparator that it left raises anything any more, by an input or by a
 * message, as EDK2's timer does. */
void hpet_silence(const struct acpi_facts *acpi);

/* What firmware set, for where it goes on. */
#define HPET_COMPARATORS_MAX 32
struct hpet_state {
    bool present;
    uint64_t configuration;
    uint32_t comparators;
    uint64_t comparator_configuration[HPET_COMPARATORS_MAX];
    uint64_t comparator_value[HPET_COMPARATORS_MAX];
};
/* Saves it, and silences all comparators; the counter goes on if it did. */
void hpet_hold(const struct acpi_facts *acpi, struct hpet_state *state);
/* Puts it back. A comparator that was to raise one interrupt, and whose count has passed meanwhile,
 * raises it soon; a periodic one goes on by itself. */
void hpet_release(const struct hpet_state *state);
/* Our counter again, where hpet_open() was true. */
void hpet_resume(void);

/* The main counter; only after hpet_open() was true. */
uint64_t hpet_count(void);

/* Where its lower 32 bits are, for code that times reading them; 0 where hpet_open() was not true.
 */
uint64_t hpet_counter_address(void);

/* A comparator, raising an I/O APIC input once when the main counter reaches a count. */
struct hpet_comparator {
    uint32_t number;
    bool level;     /* raised until it is stopped, else for an edge; set by its user */
    uint64_t hz;    /* of the main counter */
    uint32_t input; /* of the I/O APIC: the highest that its route capability offers */
    bool wide;      /* it and the main counter have 64 bits, else 32 */
};

/* False where hpet_open() was not true, there is no comparator of that number, firmware that goes
 * on has it tick for itself, or it has no input to raise but `but` (a bit each) and those below 16,
 * which the timers and devices of old share. Those from 16 on are of PCI: active low, as a rule
 * (Intel's chipsets have comparators 0 and 1 at 20 to 23; ICH10 datasheet, "APIC Interrupt
 * Mapping").
 */
bool hpet_comparator_open(struct hpet_comparator *comparator, uint32_t number, uint32_t but);
void hpet_comparator_set(const struct hpet_comparator *comparator, uint64_t count);
void hpet_comparator_stop(const struct hpet_comparator *comparator);
