/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The course of a run: bring the machine up, prove its clocks, run the plan, report, leave.
 */
#include <stdio.h>

#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/features.h"
#include "kernel/cpu/symbols.h"
#include "kernel/crash.h"
#include "kernel/dev/acpi.h"
#include "kernel/dev/smbios.h"
#include "kernel/dev/uart16550.h"
#include "kernel/handoff.h"
#include "kernel/input/input.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/pic.h"
#include "kernel/link/link.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"
#include "kernel/plan/plan.h"
#include "kernel/pmu/pmu.h"
#include "kernel/power.h"
#include "kernel/profile.h"
#include "kernel/run/processors.h"
#include "kernel/run/runner.h"
#include "kernel/screen/screen.h"
#include "kernel/smp/processor.h"
#include "kernel/version.h"

#define MAIN_STACK_BYTES      (128u << 10)
#define INTERRUPT_STACK_BYTES (32u << 10)
/* More than the registers of any device used here. */
#define DEVICE_BYTES 4096
/* With link.serve=1 the host ends the run; this only bounds the wait for one that died. */
#define SERVE_WAIT_MS 60000

static struct cpu_identity identity;
static struct acpi_facts acpi;
static struct smbios_memory modules;
static struct uart uart;
static struct plan plan;
static struct run_settings settings;
static struct profile profile;
static struct stack main_stack;

/* Out of memory before the first bench: say so by whatever mouth there is, and stop. */
static _Noreturn void give_up(const char *why)
{
    link_text("tare: cannot run: %s", why);
    link_end();
    power_leave("halt");
}

/* Is all of it memory, by the firmware's map? A wrong address must not be followed. */
static bool is_told(const struct handoff *handoff, uint64_t address, uint64_t length)
{
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];

        if (address >= range->address && range->kind != MEMORY_DEVICE &&
            address - range->address < range->pages * PAGE_SIZE &&
            length <= range->pages * PAGE_SIZE - (address - range->address)) {
            return true;
        }
    }
    return false;
}

/* While firmware's page tables show all of its memory. */
static void read_modules(const struct handoff *handoff)
{
    uint64_t address;
    size_t length;

    if (handoff->smbios != 0 && is_told(handoff, handoff->smbios, SMBIOS_ENTRY_MAX) &&
        smbios_entry((const uint8_t *)(uintptr_t)handoff->smbios, SMBIOS_ENTRY_MAX, &address,
                     &length) &&
        is_told(handoff, address, length)) {
        smbios_read((const uint8_t *)(uintptr_t)address, length, &modules);
    }
}

/* The line comes first, so that whatever fails later can be told. */
static void open_line(const struct handoff *handoff)
{
    acpi_read(handoff->rsdp, &acpi);
    read_modules(handoff);
    memory_init(handoff);
    screen_init(&handoff->framebuffer);
    if (uart_find(&acpi, &uart)) {
        profile.uart = &uart;
        profile.baud = uart_configure(&uart, (uint32_t)settings.baud);
    }
    const bool has_memory = link_init(profile.uart != NULL ? &uart : NULL);

    link_text("%stare " TARE_VERSION ": the empty machine, weighed",
              profile.uart != NULL ? "\r\n" : ""); /* firmware leaves its cursor anywhere */
    profile.banner_tsc = tsc_read();
    if (profile.uart == NULL) {
        link_text("tare: no serial port found: results cannot leave this machine");
    }
    if (!has_memory) {
        give_up("no free memory for records");
    }
}

static void combine_writes(const struct framebuffer *screen)
{
    const uint64_t bytes = (uint64_t)screen->stride * screen->height * sizeof(uint32_t);

    profile.no_write_combining = screen->address == 0
                                     ? "no framebuffer"
                                     : paging_combine_writes(&identity, screen->address, bytes);
}

static void take_machine(const struct handoff *handoff)
{
    uint64_t tops[STACK_COUNT];

    symbols_init(handoff->image_base, handoff->image_size);
    pic_mask_all();
    for (unsigned i = 0; i < STACK_COUNT; i++) {
        struct stack stack;

        if (!paging_stack_create(INTERRUPT_STACK_BYTES, &stack)) {
            give_up("no free memory for interrupt stacks");
        }
        tops[i] = stack.top;
    }
    descriptors_load(tops);
    crash_init(&main_stack);
    profile.lfence = features_enable(&identity);
    combine_writes(&handoff->framebuffer);
    profile.ioapic_inputs = ioapic_mask_all(&acpi);
    lapic_init(&acpi);
    processors_init(&identity, &acpi);
    run_processors_init(&identity);
    input_init(&acpi);
}

static void report_plan_error(const char *error)
{
    struct record_writer record;

    record_begin(&record, "error");
    record_text(&record, "text", error);
    link_record(&record);
    link_text("tare: %s", error);
}

/* Settings of the line take effect before the first record leaves. False: `error` says why. */
static bool read_plan(const struct handoff *handoff, char error[PLAN_ERROR_MAX])
{
    const uint64_t default_baud = settings.baud;
    bool good = plan_parse(&plan, handoff->plan_text, handoff->plan_length, error) &&
                runner_read_plan(&plan, &settings, error);

    if (good && settings.x2apic && !(identity.x2apic && lapic_enter_x2apic())) {
        snprintf(error, PLAN_ERROR_MAX, "lapic.mode=x2apic: this processor offers no x2APIC");
        good = false;
    }
    good = good && run_processors_check(settings.processor, error);

    if (settings.baud != default_baud && profile.uart != NULL) {
        uart_drain(&uart);
        profile.baud = uart_configure(&uart, (uint32_t)settings.baud);
    }
    link_set_format(settings.text ? FRAME_TEXT : FRAME_BINARY);
    return good;
}

static void report_clocks(void)
{
    const struct clock_state *clock = clock_state();

    profile_send_clocks(&profile);
    if (clock->verdict.ok) {
        link_text("tare: TSC %lu Hz, %s", clock->verdict.hz,
                  clock->ticks_per_instruction != 0 ? "exact: it counts instructions"
                                                    : "real time");
    } else {
        link_text("tare: clocks cannot be trusted: %s", clock->verdict.reason);
    }
}

/* A screen that is the only witness must not go dark. */
static const char *how_to_leave(void)
{
    if (settings.exit != NULL) {
        return settings.exit;
    }
    return profile.uart == NULL && profile.handoff->framebuffer.address != 0 ? "halt" : "poweroff";
}

/* All that belongs to one processor alone: the one that the plan chose. */
static void run_here(void *plan_error)
{
    if (alarm_open(&acpi, &profile.no_alarm)) {
        exception_set_nmi_check(alarm_due);
    }
    profile.pmu = pmu_init(&identity);
    profile_send_machine(&profile);
    if (plan_error == NULL) {
        report_clocks();
        runner_run(&settings);
        profile_send_interrupts();
    } else {
        report_plan_error(plan_error);
    }
    pmu_restore();
}

static _Noreturn void run_on_own_stack(const struct handoff *handoff)
{
    static char error[PLAN_ERROR_MAX];

    take_machine(handoff);
    clock_init(&identity, &acpi);
    if (read_plan(handoff, error)) {
        processor_move_kernel(settings.processor, run_here, NULL);
    } else {
        run_here(error);
    }
    link_text(crash_seen() ? "tare: done, with a crash" : "tare: done");
    link_end();
    link_serve(settings.serve ? SERVE_WAIT_MS : settings.wait_ms);
    if (profile.uart != NULL) {
        uart_drain(&uart);
    } else {
        screen_print("tare: finished; nothing could be saved");
    }
    power_leave(how_to_leave());
}

static _Noreturn void switch_stack(uint64_t top, const struct handoff *handoff)
{
    __asm__ volatile("movq %0, %%rsp\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "call *%2"
                     :
                     : "r"(top), "D"(handoff), "r"(run_on_own_stack)
                     : "memory");
    __builtin_unreachable();
}

_Noreturn void kernel_main(const struct handoff *handoff)
{
    profile.handoff = handoff;
    profile.identity = &identity;
    profile.acpi = &acpi;
    profile.modules = &modules;
    runner_default_settings(&settings);
    power_init(handoff->reset_system);
    open_line(handoff);
    cpu_identify(cpuid_instruction, &identity);
    profile.own_page_tables = paging_init(handoff, &identity);
    if ((!acpi.hpet.io && !paging_map_device(acpi.hpet.address, DEVICE_BYTES)) ||
        (!uart.io && !paging_map_device(uart.base, DEVICE_BYTES))) {
        give_up("no free memory for page tables");
    }
    if (!paging_stack_create(MAIN_STACK_BYTES, &main_stack)) {
        give_up("no free memory for the stack");
    }
    switch_stack(main_stack.top, handoff);
}
