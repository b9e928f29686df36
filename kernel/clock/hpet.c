/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/hpet.h"

#define CAPABILITIES  0x000
#define CONFIGURATION 0x010
/* Status of level-triggered comparators; writing ones clears it. */
#define STATUS                   0x020
#define MAIN_COUNTER             0x0f0
#define COUNTER_64BIT            (1ull << 13)
#define COMPARATOR_CONFIGURATION 0x100 /* configuration of comparator 0 */
#define COMPARATOR_VALUE         0x108
#define COMPARATOR_LEVEL         (1ull << 1)
#define COMPARATOR_ENABLE        (1ull << 2)
#define COMPARATOR_PERIODIC      (1ull << 3)
#define COMPARATOR_ROUTE         (31ull << 9)
#define COMPARATOR_64BIT         (1ull << 5)
#define COMPARATOR_AS_32BIT      (1ull << 8)
#define COMPARATOR_MESSAGE       (1ull << 14)
#define ENABLE                   1ull
#define LEGACY_ROUTES            2ull /* comparator 0 raises the PIT's IRQ, whatever its route */
/* Longest valid period, 100 ns (specification 2.3.4). */
#define PERIOD_MAX_FS     100000000ull
#define FS_PER_SECOND     1000000000000000ull
#define ADVANCE_READS     100000
#define COMPARATOR_STRIDE 0x20
/* 2 ms at 10 MHz, the lowest rate: not missed while it is set */
#define PASSED_COUNTS 20000

#define LEGACY_INPUTS 0xffffu

static uint64_t base;
static uint64_t rate; /* rate of the main counter; 0: the HPET is not open */
/* Comparators that firmware uses for its ticks, one bit each. Their period cannot be read, and
 * would be lost if they were set to something else. */
static uint32_t ticking;

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

static volatile uint64_t *comparator_register(uint64_t offset, uint32_t number)
{
    return hpet_register(offset + (uint64_t)number * COMPARATOR_STRIDE);
}

/* Returns the number of comparators, or 0 if there is no HPET. */
static uint32_t count_comparators(const struct acpi_facts *acpi)
{
    base = acpi->hpet.io ? 0 : acpi->hpet.address;
    const uint64_t capabilities = base != 0 ? *hpet_register(CAPABILITIES) : 0;
    const bool present = capabilities >> 32 != 0 && capabilities >> 32 <= PERIOD_MAX_FS;

    ticking = 0;
    return present ? (uint32_t)(capabilities >> 8 & 31) + 1 : 0;
}

void hpet_silence(const struct acpi_facts *acpi)
{
    const uint32_t comparators = count_comparators(acpi);

    for (uint32_t i = 0; i < comparators; i++) {
        *comparator_register(COMPARATOR_CONFIGURATION, i) &=
            ~(COMPARATOR_ENABLE | COMPARATOR_MESSAGE);
    }
}

void hpet_hold(const struct acpi_facts *acpi, struct hpet_state *state)
{
    state->comparators = count_comparators(acpi);
    state->present = state->comparators != 0;
    if (!state->present) {
        return;
    }
    state->configuration = *hpet_register(CONFIGURATION);
    for (uint32_t i = 0; i < state->comparators; i++) {
        const uint64_t found = *comparator_register(COMPARATOR_CONFIGURATION, i);

        if ((~found & (COMPARATOR_PERIODIC | COMPARATOR_ENABLE)) == 0) {
            ticking |= 1u << i;
        }
        state->comparator_configuration[i] = found;
        state->comparator_value[i] = *comparator_register(COMPARATOR_VALUE, i);
        *comparator_register(COMPARATOR_CONFIGURATION, i) = found & ~COMPARATOR_ENABLE;
    }
}

/* Restores a comparator. A value is written only if it raises a single interrupt. The value of a
 * periodic comparator must not be written: it has advanced by itself (specification 2.3.9.2.2). */
static void release_comparator(const struct hpet_state *state, uint32_t number)
{
    const uint64_t found = state->comparator_configuration[number];

    if ((found & (COMPARATOR_PERIODIC | COMPARATOR_ENABLE)) == COMPARATOR_ENABLE) {
        const int32_t left =
            (int32_t)((uint32_t)state->comparator_value[number] - (uint32_t)hpet_read());

        *comparator_register(COMPARATOR_VALUE, number) =
            left > PASSED_COUNTS ? state->comparator_value[number] : hpet_read() + PASSED_COUNTS;
    }
    *comparator_register(COMPARATOR_CONFIGURATION, number) = found;
}

void hpet_release(const struct hpet_state *state)
{
    for (uint32_t i = 0; state->present && i < state->comparators; i++) {
        release_comparator(state, i);
    }
    if (state->present) {
        *hpet_register(CONFIGURATION) = state->configuration;
    }
}

static void start_counter(void)
{
    *hpet_register(CONFIGURATION) = (*hpet_register(CONFIGURATION) & ~LEGACY_ROUTES) | ENABLE;
}

void hpet_resume(void)
{
    if (rate != 0) {
        start_counter();
    }
}

bool hpet_open(const struct acpi_facts *acpi, struct clock_source *source, const char **reason)
{
    rate = 0;
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
    start_counter();
    if (!advances()) {
        *reason = "main counter does not advance";
        return false;
    }
    rate = FS_PER_SECOND / period_fs;
    *source = (struct clock_source){
        .name = "hpet",
        .rate_from = "capability register",
        .hz = rate,
        .mask = (capabilities & COUNTER_64BIT) != 0 ? UINT64_MAX : UINT32_MAX,
        .read = hpet_read,
    };
    return true;
}

uint64_t hpet_count(void)
{
    return hpet_read();
}

bool hpet_comparator_open(struct hpet_comparator *comparator, uint32_t number, uint32_t but)
{
    if (rate == 0 || number > (*hpet_register(CAPABILITIES) >> 8 & 31) ||
        (ticking >> number & 1) != 0) {
        return false;
    }
    const uint64_t configuration = *comparator_register(COMPARATOR_CONFIGURATION, number);
    const uint32_t inputs = (uint32_t)(configuration >> 32) & ~(LEGACY_INPUTS | but);

    if (inputs == 0) {
        return false;
    }
    *comparator = (struct hpet_comparator){
        .number = number,
        .hz = rate,
        .input = 31u - (uint32_t)__builtin_clz(inputs),
        .wide = (*hpet_register(CAPABILITIES) & COUNTER_64BIT) != 0 &&
                (configuration & COMPARATOR_64BIT) != 0,
    };
    return true;
}

void hpet_comparator_set(const struct hpet_comparator *comparator, uint64_t count)
{
    const uint32_t number = comparator->number;
    const uint64_t others = *comparator_register(COMPARATOR_CONFIGURATION, number) &
                            ~(COMPARATOR_LEVEL | COMPARATOR_PERIODIC | COMPARATOR_ROUTE |
                              COMPARATOR_AS_32BIT | COMPARATOR_MESSAGE | COMPARATOR_ENABLE);
    const uint64_t once =
        others | (uint64_t)comparator->input << 9 | (comparator->level ? COMPARATOR_LEVEL : 0);

    /* A periodic comparator would take the value as its period, or not at all (2.3.9.2.2). */
    *comparator_register(COMPARATOR_CONFIGURATION, number) = once;
    *comparator_register(COMPARATOR_VALUE, number) = count;
    *comparator_register(COMPARATOR_CONFIGURATION, number) = once | COMPARATOR_ENABLE;
}

void hpet_comparator_stop(const struct hpet_comparator *comparator)
{
    *comparator_register(COMPARATOR_CONFIGURATION, comparator->number) &=
        ~(COMPARATOR_ENABLE | COMPARATOR_LEVEL);
    *hpet_register(STATUS) = 1ull << comparator->number;
}

uint64_t hpet_counter_address(void)
{
    return rate != 0 ? base + MAIN_COUNTER : 0;
}
