/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/storm.h"

#include <stddef.h>
#include <string.h>

#include "kernel/cpu/descriptors.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"

static const struct acpi_facts *tables; /* NULL: nothing is masked */
static struct storm vectors[VECTOR_COUNT];

void storm_use(const struct acpi_facts *acpi)
{
    tables = acpi;
}

void storm_begin(void)
{
    memset(vectors, 0, sizeof(vectors));
}

void storm_count(uint8_t vector)
{
    struct storm *storm = &vectors[vector];

    if (++storm->count != STORM_MIN || tables == NULL) {
        return;
    }
    if (ioapic_mask_vector(tables, vector, &storm->gsi)) {
        storm->source = STORM_IOAPIC;
    } else if (lapic_state()->present && lapic_mask_vector(vector)) {
        storm->source = STORM_LAPIC;
    }
}

const struct storm *storm_of(uint8_t vector)
{
    return vectors[vector].count >= STORM_MIN ? &vectors[vector] : NULL;
}
