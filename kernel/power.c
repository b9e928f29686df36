/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves the machine. Firmware is asked first, because it alone knows how its machine ends.
 * U-Boot's ResetSystem has been seen to spin for ever, so a timer of the kernel limits it, as long
 * as the kernel handles interrupts. Then follow the ways that need no firmware. A power-off that
 * fails never becomes a restart, which would run the same boot drive again without end.
 */
#include "kernel/power.h"

#include <string.h>

#include "kernel/borrow.h"
#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/port.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/link/link.h"

/* EDK2 takes a few ms; with a variable store on slow flash it has been seen to take a second. */
#define FIRMWARE_US 3000000ull
/* Time from writing a register to the end of the machine, and for switching ACPI on. */
#define SETTLE_US 1000000ull

/* PM1 control register (ACPI 6.5 section 4.8.3.2.1). */
#define ACPI_IS_ON       (1u << 0)
#define SLEEP_TYPE_SHIFT 10
#define SLEEP_TYPE_MASK  (7u << SLEEP_TYPE_SHIFT)
#define SLEEP_ENABLE     (1u << 13)

/* Reset control register of PC chipsets (Intel ICH and later, "RST_CNT"). */
#define RESET_CONTROL      0xcf9
#define RESET_CONTROL_HARD 0x02u
#define RESET_CONTROL_FULL 0x0eu

static reset_system_fn *reset;
static const struct acpi_power_off *power_off;
static enum reset_type wanted;

void power_init(reset_system_fn *reset_system, const struct acpi_power_off *off)
{
    reset = reset_system;
    power_off = off;
}

/* Waits by the TSC if its rate is known, otherwise by writes to port 80h, which take about 1 us
 * each. */
static void wait_us(uint64_t us)
{
    const uint64_t ticks = clock_ticks_from_us(us);
    const uint64_t begin = tsc_read();

    for (uint64_t i = 0; ticks != 0 ? tsc_read() - begin < ticks : i < us; i++) {
        port_write8(0x80, 0);
    }
}

/* Switches to ACPI mode: otherwise the chipset may ignore the write that powers off. */
static void switch_acpi_on(void)
{
    const uint16_t control = (uint16_t)power_off->control[0];

    if ((port_read16(control) & ACPI_IS_ON) == 0 && power_off->command != 0 &&
        power_off->enable != 0) {
        port_write8((uint16_t)power_off->command, power_off->enable);
        for (uint64_t us = 0; us < SETTLE_US && (port_read16(control) & ACPI_IS_ON) == 0;
             us += 1000) {
            wait_us(1000);
        }
    }
}

static void enter_soft_off(void)
{
    if (!power_off->known) {
        return;
    }
    switch_acpi_on();
    for (unsigned i = 0; i < 2; i++) {
        const uint16_t control = (uint16_t)power_off->control[i];

        if (control != 0) {
            const uint32_t kept = port_read16(control) & ~(SLEEP_TYPE_MASK | SLEEP_ENABLE);
            const uint32_t type = (uint32_t)power_off->sleep_type[i] << SLEEP_TYPE_SHIFT;

            port_write16(control, (uint16_t)(kept | type | SLEEP_ENABLE));
        }
    }
    wait_us(SETTLE_US);
}

/* Writes the reset register, then raises an exception without any handler (triple fault). */
static void restart_hardware(void)
{
    static const struct table_pointer none;

    port_write8(RESET_CONTROL, RESET_CONTROL_HARD);
    port_write8(RESET_CONTROL, RESET_CONTROL_FULL);
    wait_us(SETTLE_US);
    __asm__ volatile("lidt %0; int3" : : "m"(none));
}

static _Noreturn void end_without_firmware(void)
{
    interrupts_disable();
    if (wanted == RESET_SHUTDOWN) {
        link_last_words("\r\ntare: firmware did not power off: trying ACPI S5\r\n");
        enter_soft_off();
        link_last_words("tare: the machine stays on: switch it off by hand\r\n");
    } else {
        link_last_words("\r\ntare: firmware did not restart: trying port CF9h\r\n");
        restart_hardware();
    }
    cpu_halt_forever();
}

static void on_overdue(void *argument)
{
    (void)argument;
    end_without_firmware();
}

static bool set_guard(void)
{
    const uint64_t ticks = clock_ticks_from_us(FIRMWARE_US);

    if (clock_state()->lapic_hz == 0 || ticks == 0) {
        return false;
    }
    alarm_stop_all();
    interrupt_attach(LAPIC_VECTOR_TIMER, "power guard", on_overdue, NULL);
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_ONE_SHOT, clock_lapic_counts(ticks));
    return true;
}

static void ask_firmware(void *argument)
{
    (void)argument;
    reset(wanted, 0, 0, NULL);
}

/* Asks firmware with a time limit. The kernel handles interrupts. */
static void ask_firmware_guarded(void *argument)
{
    if (set_guard()) {
        interrupts_enable();
    }
    ask_firmware(argument);
}

_Noreturn void power_leave(const char *how)
{
    interrupts_disable();
    if (strcmp(how, "poweroff") != 0 && strcmp(how, "reboot") != 0) {
        cpu_halt_forever();
    }
    wanted = strcmp(how, "reboot") == 0 ? RESET_COLD : RESET_SHUTDOWN;
    if (reset != NULL && borrow_firmware_needs_interrupts()) {
        borrow_let_firmware(ask_firmware, NULL);
    } else if (reset != NULL) {
        borrow_end(ask_firmware_guarded, NULL);
    }
    end_without_firmware();
}
