/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/alarm.h"

#include <stddef.h>

#include "kernel/clock/hpet.h"
#include "kernel/cpu/scale.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"

#define PPM 1000000ull

static const struct acpi_facts *tables; /* NULL: no alarm */
static struct hpet_comparator comparator;
static bool set;
static uint64_t due; /* HPET count */

bool alarm_open(const struct acpi_facts *acpi, const char **reason)
{
    tables = NULL;
    if (!lapic_state()->present) {
        *reason = "no LAPIC";
        return false;
    }
    if (!hpet_comparator_open(&comparator)) {
        *reason = "no HPET comparator that can be routed";
        return false;
    }
    if (!ioapic_can_route(acpi, comparator.input, lapic_id())) {
        *reason = "no I/O APIC input for it";
        return false;
    }
    tables = acpi;
    return true;
}

void alarm_set(uint64_t microseconds)
{
    if (tables == NULL) {
        return;
    }
    due = hpet_count() + scale_u64(microseconds, comparator.hz, PPM);
    hpet_comparator_set(&comparator, due);
    if (!set) {
        ioapic_route_nmi(tables, comparator.input, lapic_id());
    }
    set = true;
}

void alarm_stop(void)
{
    if (set) {
        set = false;
        ioapic_mask(tables, comparator.input);
        hpet_comparator_stop();
    }
}

bool alarm_due(void)
{
    return set && (int32_t)((uint32_t)hpet_count() - (uint32_t)due) >= 0;
}
