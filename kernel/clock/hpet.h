/* SPDX-License-Identifier: BSD-2-Clause */
/* The high precision event timer's main counter (IA-PC HPET specification 1.0a). */
#pragma once

#include <stdbool.h>

#include "kernel/clock/source.h"
#include "kernel/dev/acpi.h"

/* Starts the counter. False, with a reason, where there is none, its period is out of range, or it
 * does not count (ACRN issue 8132 tells of one that was present and stopped). */
bool hpet_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason);

/* The main counter; only after hpet_open() was true. */
uint64_t hpet_count(void);

/* Comparator 0, raising an I/O APIC input once when the main counter reaches a count. */
struct hpet_comparator {
    uint64_t hz;    /* of the main counter */
    uint32_t input; /* of the I/O APIC: the highest that its route capability offers */
};

/* False where hpet_open() was not true, or the comparator has no input to raise but those below 16,
 * which the timers and devices of old share. */
bool hpet_comparator_open(struct hpet_comparator *comparator);
void hpet_comparator_set(const struct hpet_comparator *comparator, uint64_t count);
void hpet_comparator_stop(void);
