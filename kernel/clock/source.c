/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/clock/source.h"

#include "kernel/clock/names.h"
#include "kernel/cpu/port.h"

#define PIT_HZ    1193182
#define CHANNEL_2 0x42
#define CONTROL   0x43
/* Port whose bit 0 is the gate of channel 2, and bit 1 the speaker. */
#define SYSTEM_CONTROL      0x61
#define GATE                0x01
#define SPEAKER             0x02
#define MODE_RATE_GENERATOR 0xb4 /* mode 2 for channel 2, low then high byte: reloads by itself */
#define MODE_TERMINAL_COUNT 0x30 /* mode 0 for channel 0: stopped until a count is written */
#define LATCH               0x80
#define COUNT_MASK          0xffff
#define PIT_ADVANCE_READS   10000

static uint64_t pit_read(void)
{
    port_write8(CONTROL, LATCH);
    const uint32_t low = port_read8(CHANNEL_2);
    const uint32_t high = port_read8(CHANNEL_2);

    /* The difference is negated, because the timer counts down from 65536. */
    return (0u - (high << 8 | low)) & COUNT_MASK;
}

uint8_t pit_gate(void)
{
    return port_read8(SYSTEM_CONTROL) & (SPEAKER | GATE);
}

void pit_set_gate(uint8_t gate)
{
    port_write8(SYSTEM_CONTROL, (uint8_t)((port_read8(SYSTEM_CONTROL) & ~(SPEAKER | GATE)) | gate));
}

bool pit_open(struct clock_source *source, const char **reason)
{
    port_write8(SYSTEM_CONTROL, (uint8_t)((port_read8(SYSTEM_CONTROL) & ~SPEAKER) | GATE));
    port_write8(CONTROL, MODE_RATE_GENERATOR);
    port_write8(CHANNEL_2, 0); /* a count of 0 stands for 65536 */
    port_write8(CHANNEL_2, 0);

    uint64_t last = pit_read();
    unsigned steps = 0;

    for (unsigned i = 0; i < PIT_ADVANCE_READS && steps < 3; i++) {
        const uint64_t now = pit_read();

        steps += now != last ? 1 : 0;
        last = now;
    }
    if (steps < 3) {
        *reason = "does not count";
        return false;
    }
    *source = (struct clock_source){
        .name = "pit",
        .rate_from = "PC convention",
        .hz = PIT_HZ,
        .mask = COUNT_MASK,
        .read = pit_read,
    };
    return true;
}

void pit_silence(void)
{
    port_write8(CONTROL, MODE_TERMINAL_COUNT);
}

#define PM_TIMER_HZ            3579545
#define PM_TIMER_ADVANCE_READS 100000

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

    for (unsigned i = 0; i < PM_TIMER_ADVANCE_READS; i++) {
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
