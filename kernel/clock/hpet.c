/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/hpet.h"

#define CAPABILITIES  0x000
#define CONFIGURATION 0x010
#define MAIN_COUNTER  0x0f0
#define COUNTER_64BIT (1ull << 13)
#define ENABLE        1ull
#define PERIOD_MAX_FS 100000000ull /* specification 2.3.4: at most 100 ns */
#define FS_PER_SECOND 1000000000000000ull
#define ADVANCE_READS 100000

static uint64_t base;

static volatile uint64_t *hpet_register(uint64_t offset)
{
    return (volatile uint64_t *)(uintptr_t)(base + offset);
}

static uint64_t hpet_read(void)
{
    return *hpet_register(MAIN_COUNTER);
}

static bool advances(void)
{
    const uint64_t first = hpet_read();

    for (unsigned i = 0; i < ADVANCE_READS; i++) {
        if (hpet_read() != first) {
            return true;
        }
    }
    return false;
}

bool hpet_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason)
{
    base = acpi->hpet.io ? 0 : acpi->hpet.address;
    if (base == 0) {
        *reason = "no HPET table";
        return false;
    }
    const uint64_t capabilities = *hpet_register(CAPABILITIES);
    const uint64_t period_fs = capabilities >> 32;

    if (period_fs == 0 || period_fs > PERIOD_MAX_FS) {
        *reason = "period out of range";
        return false;
    }
    *hpet_register(CONFIGURATION) |= ENABLE;
    if (!advances()) {
        *reason = "main counter does not advance";
        return false;
    }
    *source = (struct clock_source){
        .name = "hpet",
        .rate_from = "capability register",
        .hz = FS_PER_SECOND / period_fs,
        .mask = (capabilities & COUNTER_64BIT) != 0 ? UINT64_MAX : UINT32_MAX,
        .read = hpet_read,
    };
    return true;
}
