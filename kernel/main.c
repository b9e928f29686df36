/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The course of a run: starts the machine, verifies its clocks, runs the plan, reports, and leaves.
 */
#include <stdio.h>
#include <string.h>

#include "kernel/borrow.h"
#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/hpet.h"
#include "kernel/clock/rtc.h"
#include "kernel/clock/source.h"
#include "kernel/codes.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/cpu/symbols.h"
#include "kernel/crash.h"
#include "kernel/dev/acpi.h"
#include "kernel/dev/smbios.h"
#include "kernel/dev/uart16550.h"
#include "kernel/input/input.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/pci_interrupt.h"
#include "kernel/irq/pic.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"
#include "kernel/net/udp_line.h"
#include "kernel/plan/boots.h"
#include "kernel/plan/handoff.h"
#include "kernel/plan/names.h"
#include "kernel/plan/number.h"
#include "kernel/plan/plan.h"
#include "kernel/plan/ranges.h"
#include "kernel/plan/version.h"
#include "kernel/pmu/pmu.h"
#include "kernel/power.h"
#include "kernel/profile.h"
#include "kernel/run/inject.h"
#include "kernel/run/phase.h"
#include "kernel/run/processors.h"
#include "kernel/run/runner.h"
#include "kernel/run/summary.h"
#include "kernel/run/summary_rows.h"
#include "kernel/screen/screen.h"
#include "kernel/smp/processor.h"

#define MAIN_STACK_BYTES      (128u << 10)
#define INTERRUPT_STACK_BYTES (32u << 10)
/* Larger than the register area of any device used here. */
#define DEVICE_BYTES 4096
/* With link.serve=1 the host ends the run; this only limits the wait for a host that died. */
#define SERVE_WAIT_MS 60000
/* Rows of the screen kept for the report of a crash. */
#define CRASH_WORDS 24

#if TARE_SMP
const bool kernel_is_smp = true;
#else
const bool kernel_is_smp = false;
#endif

static struct cpu_identity identity;
static struct acpi_facts acpi;
static struct smbios_memory modules;
static struct uart uarts[UARTS_MAX]; /* all ports that loop back */
static size_t uart_count;
static struct uart uart; /* the serial port used as the line */
static struct plan plan;
static char plan_error[PLAN_ERROR_MAX];
static bool plan_good; /* the plan could be parsed */
static struct run_settings settings;
static struct profile profile;
static struct stack main_stack;
/* the plan uses UDP; looked up once, so that what is timed does not depend on the plan's length */
static bool udp_planned;
static bool log_taken;       /* a host took the log by UDP */
static size_t benches_saved; /* number of benches saved on the boot drive */
/* the image waited for a host after the run, and none ever made a request */
static bool host_is_missing;
static bool host_expected; /* a host answered, or the plan has keys of the line */

/* Reports a failure before the first bench, such as a lack of memory, on any line or screen, and
 * stops. */
static _Noreturn void give_up(const char *why)
{
    link_text("tare: cannot run: %s", why);
    link_end();
    power_leave("halt");
}

static bool may_have_registers(const void *handoff, uint64_t address, uint64_t length)
{
    return ranges_may_be_device(handoff, address, length, identity.physical_bits);
}

/* Reads the memory modules. Call while firmware's page tables are active, which map all of its
 * memory. */
static void read_modules(const struct handoff *handoff)
{
    const void *entry = paging_memory_at(handoff, handoff->smbios, SMBIOS_ENTRY_MAX);
    uint64_t address;
    size_t length;

    if (entry == NULL || !smbios_entry(entry, SMBIOS_ENTRY_MAX, &address, &length)) {
        return;
    }
    const void *table = paging_memory_at(handoff, address, length);

    if (table != NULL) {
        smbios_read(table, length, &modules);
    }
}

/* Returns whether a serial port may be looked for at this address. Memory that firmware reported
 * cannot have registers; and the active page tables must map the address, because a fault could not
 * be survived yet. */
static bool may_be_device(uint64_t address)
{
    return may_have_registers(profile.handoff, address, 1) && paging_reaches(address, 1);
}

/* Returns a value of the plan before it is checked; NULL if it has none, or cannot be parsed. */
static const char *planned(const char *key)
{
    return plan_good ? plan_value(&plan, key) : NULL;
}

/* Returns the port that the plan names, or NULL. Errors in the plan are reported later, when there
 * is a line for it. */
static const struct port_setting *planned_port(void)
{
    static struct port_setting port;
    const char *text = planned("link.port");

    return text != NULL && port_setting_parse(text, &port) && !port.automatic ? &port : NULL;
}

/* Takes the speed of the line from the plan, because text leaves before the plan is checked. An
 * error in it is reported at the default speed. */
static void read_speed(void)
{
    const char *text = planned("link.baud");
    uint64_t baud;

    if (text != NULL && parse_unsigned(text, &baud) && baud <= UINT32_MAX) {
        settings.baud = baud;
    }
}

/* Reads what firmware reports; boot services are active. It only reads, except for the loop-back
 * test of the line, which firmware's console may also use and must not notice. Settings of the plan
 * are checked later, when an error can be reported. */
static void read_firmware(const struct handoff *handoff)
{
    const struct acpi_memory memory = {paging_memory_at, may_have_registers, handoff};

    acpi_read(&memory, handoff->rsdp, &acpi);
    read_modules(handoff);
    plan_good = plan_parse(&plan, handoff->plan_text, handoff->plan_length, plan_error);
    read_speed();
    udp_planned = planned(KEY_LINK_UDP) != NULL;
    handoff->firmware->hold();
    uart_count = uart_find(&acpi, planned_port(), may_be_device, uarts);
    if (uart_count > 0) {
        uart = uarts[0];
        profile.uart = &uart;
    }
    handoff->firmware->release();
}

/* Returns the plan's machine=own or machine=borrow; NULL if it is missing or invalid. A plan with
 * boots=N needs a log file, and so a borrowed machine. */
static const char *wanted_machine(void)
{
    const char *wanted = planned("machine");
    const char *count = planned(KEY_BOOTS);
    uint64_t boots = 1;

    if (wanted == NULL && count != NULL && parse_unsigned(count, &boots) && boots > 1) {
        return MACHINE_BORROW;
    }
    return wanted != NULL &&
                   (strcmp(wanted, MACHINE_OWN) == 0 || strcmp(wanted, MACHINE_BORROW) == 0)
               ? wanted
               : NULL;
}

static void print_ownership(void)
{
    if (borrow_ownership() == OWNERSHIP_BORROW) {
        link_text("tare: firmware waits while a bench runs; the run ends with a power-off or "
                  "reset, not in the boot manager, because other processors do not return to "
                  "firmware");
    }
    if (borrow_log_name() != NULL) {
        link_text("tare: the log goes to %s on the volume that the image was loaded from",
                  borrow_log_name());
    } else if (borrow_no_log() != NULL) {
        link_text("tare: no log file: %s", borrow_no_log());
    }
    if (profile.uart == NULL && borrow_log_name() == NULL && !udp_planned) {
        const bool leaves = planned("exit") != NULL && planned(KEY_SCREEN) == NULL;

        link_text("tare: no serial port found: %s%s",
                  leaves ? "the log will be lost, because the plan has exit; add screen=codes"
                         : "at the end the screen shows the log as QR codes",
                  borrow_no_log() == NULL ? "; machine=borrow saves it in a file" : "");
    }
}

/* Returns whether link_save() must have the log at the end. */
static bool must_keep_log(const struct handoff *handoff)
{
    const bool by_screen =
        handoff->framebuffer.address != 0 && (!host_expected || planned(KEY_SCREEN) != NULL);

    return borrow_log_name() != NULL || udp_planned || by_screen;
}

/* Opens the line first, so that any later failure can be reported. Call after it has been decided
 * who owns the machine: before that, no memory is free and nothing may be drawn. */
static void open_line(const struct handoff *handoff)
{
    memory_init(handoff);
    screen_init(&handoff->framebuffer);
    if (profile.uart != NULL) {
        profile.baud = uart_configure(&uart, (uint32_t)settings.baud);
    }
    const bool has_memory =
        link_init(profile.uart != NULL ? &uart : NULL) && (!must_keep_log(handoff) || link_keep());

    link_text("%stare " TARE_VERSION ": the empty machine, weighed",
              profile.uart != NULL ? "\r\n" : ""); /* firmware leaves its cursor anywhere */
    profile.banner_tsc = tsc_read();
    print_ownership();
    if (!has_memory) {
        give_up("no free memory for records");
    }
}

/* Opens the line and the screen for text only: boot services are still active, and there is no
 * memory for more. */
static void open_words(const struct handoff *handoff)
{
    screen_init(&handoff->framebuffer);
    if (profile.uart != NULL) {
        uart_configure(&uart, (uint32_t)settings.baud);
    }
    link_init(profile.uart != NULL ? &uart : NULL);
}

static _Noreturn void refuse(const struct handoff *handoff, const char *why)
{
    open_words(handoff);
    if (!borrow_was_cut_off()) {
        link_text("tare: firmware does not hand over the machine: update it, or report this");
    }
    give_up(why);
}

/* Returns whether the plan sets a key of the line; there is a host at its other end then. */
static bool plan_names_line(void)
{
    for (size_t i = 0; plan_good && i < plan.count; i++) {
        if (strncmp(plan.settings[i].key, "link.", strlen("link.")) == 0 &&
            strcmp(plan.settings[i].key, KEY_LINK_UDP) != 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether a host answers on the port. A port may have no cable: many boards have headers
 * without one, and server boards a controller without a listener. Firmware's console, which may use
 * the same port, must not take what arrives. A port without a host is restored. */
static bool host_answers(const struct handoff *handoff, const struct uart *port)
{
    struct uart_registers registers;

    uart = *port;
    handoff->firmware->hold();
    uart_hold(&uart, &registers);
    uart_configure(&uart, (uint32_t)settings.baud);
    link_init(&uart);
    const bool found = link_find_host(handoff->firmware->stall);

    if (!found) {
        uart_release(&uart, &registers);
    }
    handoff->firmware->release();
    return found;
}

/* Chooses the port on which a host answers; the first port if there is none. If there are several,
 * each is tried, whatever the plan says about a line. */
static bool find_host(const struct handoff *handoff)
{
    if (udp_planned || uart_count == 0) {
        return udp_planned;
    }
    if (uart_count == 1 && plan_names_line()) {
        return true;
    }
    for (size_t i = 0; i < uart_count; i++) {
        if (host_answers(handoff, &uarts[i])) {
            return true;
        }
    }
    uart = uarts[0];
    return plan_names_line();
}

/* Decides who owns the machine, and where the log goes if no line takes it. */
static void decide(struct handoff *handoff)
{
    const char *wanted = wanted_machine();
    const bool has_host = (wanted == NULL || uart_count > 1) && find_host(handoff);
    const char *why;

    host_expected = has_host || (uart_count > 0 && plan_names_line());

    if (!borrow_begin(handoff, &acpi, wanted, wanted == NULL && has_host, &why)) {
        refuse(handoff, why);
    }
}

static void combine_writes(const struct framebuffer *screen)
{
    const uint64_t bytes = (uint64_t)screen->stride * screen->height * sizeof(uint32_t);

    profile.no_write_combining = screen->address == 0
                                     ? "no framebuffer"
                                     : paging_combine_writes(&identity, screen->address, bytes);
}

static bool is_out(void)
{
    return log_taken || borrow_log_saved() || (profile.uart != NULL && !host_is_missing);
}

/* Returns how many boots of the series follow this one; none follows if the log is not on the
 * drive, since its number counts the boots. */
static uint64_t boots_remain(void)
{
    return borrow_log_saved() ? boots_left(borrow_log_name(), settings.boots) : 0;
}

/* Returns how to leave: a screen that is the only place with results must not be switched off. */
static const char *how_to_leave(void)
{
    if (boots_remain() > 0) {
        return "reboot";
    }
    if (settings.exit != NULL) {
        return settings.exit;
    }
    return !is_out() && profile.handoff->framebuffer.address != 0 ? "halt" : "poweroff";
}

/* Shows the log as QR codes, if the plan asks or the results would be only on the screen. */
static void show_codes(void)
{
    if (!must_keep_log(profile.handoff) ||
        (settings.screen == NULL && (settings.exit != NULL || is_out()))) {
        return;
    }
    const char *why = codes_show(&acpi, strcmp(how_to_leave(), "halt") == 0);

    if (why != NULL) {
        snprintf(plan_error, sizeof(plan_error), "tare: no QR codes: %s", why);
        screen_print(plan_error);
    }
}

/* Replaces the date that firmware read before. */
static void begin_in_phase(void)
{
    char date[RTC_DATE_MAX];

    profile.begin_tsc = phase_begin();
    if (profile.begin_tsc != 0 && rtc_date(date)) {
        snprintf(profile.date, sizeof(profile.date), "%s", date);
    }
}

/* Stops what firmware left running, so that none of it disturbs a bench later. */
static void silence_firmware(void)
{
    hpet_silence(&acpi);
    pit_silence();
    begin_in_phase();
    processor_drain();
    interrupt_forget_counts();
}

/* Returns the product's name if the hypervisor's signature is something else. */
static const char *hypervisor_name(void)
{
    static const char *const names[][2] = {
        {"KVMKVMKVM", "KVM"},    {"Microsoft Hv", "Hyper-V"}, {"VMwareVMware", "VMware"},
        {"XenVMMXenVMM", "Xen"}, {"bhyve bhyve ", "bhyve"},   {"TCGTCGTCGTCG", "QEMU TCG"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(identity.hypervisor, names[i][0]) == 0) {
            return names[i][1];
        }
    }
    return identity.hypervisor;
}

static void open_summary(void)
{
    summary_open(&(struct summary_head){
        .date = profile.date,
        .kind = profile_kind(&profile),
        .machine = borrow_ownership() == OWNERSHIP_BORROW ? MACHINE_BORROW : MACHINE_OWN,
        .processor = identity.brand,
        .processors = acpi.processors,
        .memory = memory_total(),
        .firmware = profile.handoff->firmware_vendor,
        .hypervisor = hypervisor_name(),
    });
}

/* ---- the end, for people who see only the screen ---- */

/* Writes how much of the log is on the boot drive, and why not the rest. */
static void partial_text(char *text, size_t size)
{
    if (borrow_log_bytes() == 0) {
        snprintf(text, size, "could not be saved: %s took no data: %s", borrow_log_name(),
                 borrow_log_refused());
    } else {
        snprintf(text, size,
                 "is only partly on the boot drive: %s has %lu bytes, with %zu of %zu benches: %s",
                 borrow_log_name(), borrow_log_bytes(), benches_saved, summary_benches(),
                 borrow_log_refused());
    }
}

/* Returns where the log is, or how to get it the next time. */
static const char *log_text(void)
{
    static char text[440];
    const char *saves = "machine=borrow in tare.plan saves the log on the boot drive";

    if (log_taken) {
        return "a host received it by UDP";
    }
    if (borrow_log_saved()) {
        snprintf(
            text, sizeof(text),
            "is on the boot drive: %s. On another computer: tare decode FILE -o run.db, then tare "
            "show run.db",
            borrow_log_name());
    } else if (borrow_log_name() != NULL) {
        partial_text(text, sizeof(text));
    } else if (profile.uart == NULL) {
        snprintf(text, sizeof(text), "could not be saved: no serial port, and %s",
                 borrow_no_log() != NULL ? borrow_no_log() : saves);
    } else if (host_is_missing) {
        snprintf(text, sizeof(text),
                 "no host received it from the serial port at 0x%lx, %u baud. Run tare capture on "
                 "the host at the other end and start again; or %s",
                 uart.base, profile.baud, saves);
    } else {
        return "a host received it by the serial port";
    }
    const size_t length = strlen(text);

    if (codes_shown() > 0) {
        snprintf(text + length, sizeof(text) - length, "; the screen showed it as %u QR codes",
                 codes_shown());
    }
    return text;
}

static size_t end_lines(struct page_line lines[2])
{
    size_t count = 0;

    const enum grid_ink ink = is_out() ? INK_GOOD : codes_shown() > 0 ? INK_DOUBTFUL : INK_BAD;

    lines[count++] = (struct page_line){"the log", ink, log_text()};
    if (strcmp(how_to_leave(), "halt") == 0) {
        lines[count++] = (struct page_line){
            "the end", INK_DIM, "this machine stays on to show the screen: switch it off by hand"};
    }
    return count;
}

static void show_summary(void)
{
    struct page_line lines[2];

    summary_show(lines, end_lines(lines), 0);
}

/* How to leave if the run ends in the report of a crash; keeps the text of that report on the
 * screen. */
static const char *leave_crashed(void)
{
    static bool shown;
    struct page_line lines[2];

    if (!shown) {
        shown = true; /* an exception in here gets here again */
        summary_show_crash(lines, end_lines(lines), CRASH_WORDS);
    }
    return how_to_leave();
}

static void take_machine(const struct handoff *handoff)
{
    uint64_t tops[STACK_COUNT];

    symbols_init(handoff->image_base, handoff->image_size);
    if (borrow_ownership() == OWNERSHIP_OWN) {
        pic_mask_all();
    }
    for (unsigned i = 0; i < STACK_COUNT; i++) {
        struct stack stack;

        if (!paging_stack_create(INTERRUPT_STACK_BYTES, &stack)) {
            give_up("no free memory for interrupt stacks");
        }
        tops[i] = stack.top;
    }
    descriptors_load(tops, interrupt_entries);
    crash_init(&main_stack, leave_crashed);
    machine_check_enable(&identity);
    borrow_save_devices();
    profile.lfence = features_enable(&identity);
    combine_writes(&handoff->framebuffer);
    profile.ioapic_inputs = ioapic_mask_all(&acpi);
    lapic_init(&acpi);
    if (borrow_ownership() == OWNERSHIP_OWN) {
        silence_firmware();
    }
    processors_init(&identity, &acpi);
    run_processors_init(&identity);
    input_init(&acpi);
}

static void report_plan_error(const char *error)
{
    struct record_writer record;

    record_begin(&record, RECORD_ERROR);
    record_text(&record, FIELD_TEXT, error);
    link_record(&record);
    link_text("tare: %s", error);
}

/* Returns whether the plan asks for nothing that a borrowed machine cannot do. */
static bool suits_borrow(char error[PLAN_ERROR_MAX])
{
    if (strcmp(settings.lapic_mode, "x2apic") == 0 && !lapic_state()->x2apic) {
        snprintf(error, PLAN_ERROR_MAX,
                 "lapic.mode=x2apic: needs machine=own, since firmware cannot leave x2APIC mode");
        return false;
    }
    if (settings.memory_special != 0) {
        snprintf(error, PLAN_ERROR_MAX,
                 "memory.special=1: needs machine=own, since firmware may use that memory");
        return false;
    }
    return true;
}

/* Returns whether the boots of a series can be counted, and prints how many are left. */
static bool can_count_boots(char error[PLAN_ERROR_MAX])
{
    if (settings.boots <= 1) {
        return true;
    }
    if (borrow_log_name() == NULL) {
        snprintf(
            error, PLAN_ERROR_MAX,
            KEY_BOOTS "=%lu: needs a log file on the boot drive to count boots: %s; start from "
                      "a writable drive, or omit " KEY_BOOTS,
            settings.boots, borrow_no_log() != NULL ? borrow_no_log() : "machine=own has none");
        return false;
    }
    link_text("tare: boots=%lu: %lu more after this one", settings.boots,
              boots_left(borrow_log_name(), settings.boots));
    return true;
}

/* Returns whether the name of the setting, if it was asked for (boot/setting.c), is in the plan. */
static bool has_name(char error[PLAN_ERROR_MAX])
{
    if (settings.setting == NULL || strcmp(settings.setting, PLAN_SETTING_ASK) != 0) {
        return true;
    }
    snprintf(error, PLAN_ERROR_MAX,
             KEY_SETTING "=" PLAN_SETTING_ASK
                         ": expected a plan of at most %d bytes with the name, got a longer one",
             PLAN_TEXT_MAX);
    return false;
}

/* Reads the plan. Settings of the line take effect before the first record is sent. Returns false
 * with the reason in `error`. */
static bool read_plan(char error[PLAN_ERROR_MAX])
{
    const uint64_t default_baud = settings.baud;

    settings.owned = borrow_ownership() == OWNERSHIP_OWN;
    bool good = plan_good && runner_read_plan(&plan, &settings, error);

    if (plan_good && profile.handoff->refusal != NULL) {
        snprintf(error, PLAN_ERROR_MAX, "%s", profile.handoff->refusal);
        good = false;
    }
    if (good && !settings.owned) {
        good = suits_borrow(error);
    }
    good = good && can_count_boots(error) && has_name(error);
    profile.setting = settings.setting;
    if (good && strcmp(settings.lapic_mode, "x2apic") == 0 &&
        !(identity.x2apic && lapic_enter_x2apic())) {
        snprintf(error, PLAN_ERROR_MAX, "lapic.mode=x2apic: this processor offers no x2APIC");
        good = false;
    }
    if (good && !settings.port.automatic &&
        (profile.uart == NULL || strcmp(uart.found_by, "plan") != 0)) {
        snprintf(error, PLAN_ERROR_MAX, "link.port=%s: no 16550 answers there",
                 plan_value(&plan, "link.port"));
        good = false;
    }
    good = good && run_processors_check(settings.processor, error);

    if (settings.baud != default_baud && profile.uart != NULL) {
        uart_drain(&uart);
        profile.baud = uart_configure(&uart, (uint32_t)settings.baud);
    }
    link_set_format(settings.text ? FRAME_TEXT : FRAME_BINARY);
    link_set_lava(settings.lava);
    link_set_on_request(strcmp(settings.link_send, "request") == 0);
    uart.wait_for_cts = strcmp(settings.link_flow, "hardware") == 0;
    return good;
}

static void report_clocks(void)
{
    const struct clock_state *clock = clock_state();

    profile_send_clocks(&profile);
    if (clock->verdict.ok) {
        link_text("tare: TSC %lu Hz, %s time%s", clock->verdict.hz, profile_kind(&profile),
                  clock->ticks_per_instruction != 0 ? ": it counts instructions" : "");
    } else {
        link_text("tare: clocks cannot be trusted: %s", clock->verdict.reason);
    }
}

/* Saves the log by all means except the serial port. */
static void save_log(void)
{
    borrow_save_log();
    if (borrow_log_saved()) {
        benches_saved = summary_benches();
    }
    udp_line_save();
}

/* Reserves the memory that the plan asks for. Returns NULL on success, otherwise the reason. */
static char *reserve_special(void)
{
    if (settings.memory_special == 0 || memory_reserve_special(&acpi)) {
        return NULL;
    }
    snprintf(plan_error, sizeof(plan_error),
             "memory.special=1: firmware reports no memory with EFI_MEMORY_SP; leave it out");
    return plan_error;
}

/* The part of the run that belongs to a single processor: the one that the plan chose. */
static void run_here(void *error)
{
    alarm_open(&acpi, &profile.alarm);
    storm_use(&acpi);
    pci_interrupt_use(&acpi);
    inject_use(&acpi);
    memory_reserve_near(&acpi, processor_at(processor_current())->apic_id);
    error = error != NULL ? error : reserve_special();
    profile.pmu = pmu_init(&identity);
    profile_send_machine(&profile);
    if (error == NULL) {
        report_clocks();
        udp_line_use(settings.udp_address, settings.udp_port);
        save_log(); /* the machine's records, in case the first bench takes the machine down */
        runner_run(&settings, save_log, borrow_log_name() != NULL ? borrow_save_log : NULL);
        profile_send_interrupts();
    } else {
        report_plan_error(error);
    }
    pmu_restore();
}

/* Serves a host by UDP, before the one at the serial port. */
static void serve_udp(void)
{
    char text[200];

    if (!udp_line_is_used()) {
        return;
    }
    log_taken = udp_line_serve(settings.wait_ms);
    if (!log_taken) {
        snprintf(text, sizeof(text), "tare: link.udp: %s", udp_line_failure());
        screen_print(text);
    }
}

static _Noreturn void run_on_own_stack(const struct handoff *handoff)
{
    take_machine(handoff);
    clock_init(&identity, &acpi);
    open_summary();
    if (read_plan(plan_error)) {
        processor_move_kernel(settings.processor, run_here, NULL);
        run_processors_report_lost(); /* possibly the processor that the kernel came from */
    } else {
        run_here(plan_error);
    }
    if (borrow_turns() > 0) {
        link_text("tare: firmware had %u turns to write the log", borrow_turns());
    }
    link_text(crash_seen() ? TEXT_DONE ", with a crash" : TEXT_DONE);
    link_end();
    borrow_last_turn();
    save_log(); /* save before serving the host, which may send its final message late or never */
    borrow_run_ended();
    serve_udp();
    host_is_missing = !link_serve(settings.serve != 0 ? SERVE_WAIT_MS : settings.wait_ms);
    if (profile.uart != NULL) {
        uart_drain(&uart);
    }
    show_codes();
    show_summary();
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

_Noreturn void kernel_main(struct handoff *handoff)
{
    profile.handoff = handoff;
    snprintf(profile.date, sizeof(profile.date), "%s", handoff->date);
    profile.identity = &identity;
    profile.acpi = &acpi;
    profile.modules = &modules;
    settings_default(&settings);
    power_init(handoff->reset_system, &acpi.power_off);
    cpu_identify(cpuid_instruction, &identity);
    ranges_check_screen(handoff, identity.physical_bits);
    if (!paging_reaches(handoff->framebuffer.address, handoff->framebuffer.size)) {
        handoff->framebuffer.address = 0; /* drawing on it would raise one fault after another */
    }
    read_firmware(handoff);
    decide(handoff);
    open_line(handoff);
    profile.own_page_tables = paging_init(handoff, &identity);
    if ((!acpi.hpet.io && !paging_map_device(acpi.hpet.address, DEVICE_BYTES)) ||
        (!acpi.pm_timer.io && !paging_map_device(acpi.pm_timer.address, DEVICE_BYTES)) ||
        (profile.uart != NULL && !uart.io && !paging_map_device(uart.base, DEVICE_BYTES))) {
        give_up("no free memory for page tables");
    }
    if (!paging_stack_create(MAIN_STACK_BYTES, &main_stack)) {
        give_up("no free memory for the stack");
    }
    switch_stack(main_stack.top, handoff);
}
