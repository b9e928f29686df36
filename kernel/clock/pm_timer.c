/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/pm_timer.h"

#include "kernel/clock/names.h"
#include "kernel/cpu/port.h"

#define PM_TIMER_HZ   3579545
#define ADVANCE_READS 100000

static struct acpi_address at;

static uint64_t pm_timer_read(void)
{
    return at.io ? port_read32((uint16_t)at.address) : *(volatile uint32_t *)(uintptr_t)at.address;
}

bool pm_timer_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason)
{
    at = acpi->pm_timer;
    if (at.address == 0) {
        *reason = "not in the FADT";
        return false;
    }
    const uint64_t first = pm_timer_read();

    for (unsigned i = 0; i < ADVANCE_READS; i++) {
        if (pm_timer_read() != first) {
            *source = (struct clock_source){
                .name = CLOCK_PM_TIMER,
                .rate_from = "ACPI specification",
                .hz = PM_TIMER_HZ,
                .mask = acpi->pm_timer_32bit ? UINT32_MAX : 0xffffff,
                .read = pm_timer_read,
            };
            return true;
        }
    }
    *reason = "does not advance";
    return false;
}

const struct acpi_address *pm_timer_place(void)
{
    return &at;
}
