/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/profile.h"

#include <stdio.h>
#include <string.h>

#include "kernel/borrow.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/names.h"
#include "kernel/cpu/cache.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/msr.h"
#include "kernel/dev/pci.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/link/codec.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/mem/memory.h"
#include "kernel/plan/bytes.h"
#include "kernel/plan/names.h"
#include "kernel/plan/version.h"
#include "kernel/smp/processor.h"

/* PCI classes with subclasses, and ids. */
#define PCI_HOST_BRIDGE        0x0600
#define PCI_DISPLAY_CONTROLLER 0x0300 /* VGA compatible */
#define BRIDGE_440FX           0x12378086u
#define BOCHS_DISPLAY          0x11111234u

extern const char image_text_start[];
extern const char image_text_end[];

/* Characters of a plan in one record: quoted, one character may take four. */
#define PLAN_PART 240

static void send_number(const char *name, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%lu", value);
    link_machine(name, text);
}

/* Sends a fact unless its text is empty: an empty value would look like an answer. */
static void send_if_given(const char *name, const char *value)
{
    if (value[0] != '\0') {
        link_machine(name, value);
    }
}

static void send_caches(const struct cpu_identity *identity)
{
    struct cache caches[CACHES_MAX];
    const size_t count = caches_read(cpuid_instruction, identity, caches);

    for (size_t i = 0; i < count; i++) {
        char name[sizeof(FACT_CACHE ".") + CACHE_NAME_MAX];
        char level[CACHE_NAME_MAX];
        char text[CACHE_TEXT_MAX];

        snprintf(name, sizeof(name), FACT_CACHE ".%s", cache_name(&caches[i], level));
        link_machine(name, cache_text(&caches[i], text));
    }
    if (count == 0) {
        link_machine(FACT_CACHE, "CPUID reports none");
    }
}

struct feature {
    const char *name;
    bool offered;
};

/* Sends the names of the features that are offered. */
static void send_offered(const char *fact, const struct feature *features, size_t count)
{
    char text[256] = "";
    size_t length = 0;

    for (size_t i = 0; i < count; i++) {
        if (features[i].offered) {
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
                                       length > 0 ? " " : "", features[i].name);
        }
    }
    send_if_given(fact, text);
}

/* Sends the names of the CPUID features that benches and the kernel ask for. */
static void send_features(const struct cpu_identity *cpu)
{
    const struct feature features[] = {
        {"nx", cpu->nx},         {"1gib_pages", cpu->pages_1gib},     {"rdtscp", cpu->rdtscp},
        {"x2apic", cpu->x2apic}, {"tsc_deadline", cpu->tsc_deadline}, {"pcid", cpu->pcid},
        {"avx2", cpu->avx2},     {"avx512f", cpu->avx512f},
    };

    send_offered("cpu_features", features, sizeof(features) / sizeof(features[0]));
}

/* Sends what KVM offers to its guests: CPUID 40000001h EAX (Linux, Documentation/virt/kvm/x86,
 * cpuid.rst). The image uses the clock and the steal time; it ends interrupts at the local APIC. */
static void send_kvm_features(const struct cpu_identity *cpu)
{
    static const char *const names[] = {
        [3] = "clock",     [4] = "async_pf",      [5] = "steal_time",   [6] = "pv_eoi",
        [7] = "pv_unhalt", [9] = "pv_tlb",        [11] = "pv_send_ipi", [12] = "poll_control",
        [13] = "pv_yield", [24] = "clock_stable",
    };
    const uint32_t base =
        cpu->hypervisor_bit ? cpuid_hypervisor_base(cpuid_instruction, HYPERVISOR_KVM) : 0;
    struct feature features[sizeof(names) / sizeof(names[0])];
    const uint32_t offered = base != 0 ? cpuid_instruction(base + 1, 0).eax : 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        features[i] = (struct feature){names[i], names[i] != NULL && (offered >> i & 1) != 0};
    }
    send_offered("hypervisor_features", features, sizeof(names) / sizeof(names[0]));
}

/* Returns whether the first PCI function of a class has this id and no subsystem; `missing` if
 * there is none. */
static bool is_bare(uint16_t class_code, uint32_t id, bool missing)
{
    struct pci_function function = {0};

    return pci_find(class_code, &function) ? function.id == id && function.subsystem == 0 : missing;
}

/* Returns whether this is Bochs. Bochs does not announce itself in CPUID. It has a 64-bit
 * processor, but its PCI host bridge is a model of 1996 without a subsystem id. Its display has the
 * id of Bochs, or is not a PCI device (iodev/pci.cc and iodev/display/vga.cc of Bochs 2.7). QEMU's
 * bridge and display have the subsystem id 1af4h 1100h, and VirtualBox's display has another id. */
static bool is_bochs(const struct cpu_identity *identity)
{
    return !identity->hypervisor_bit && is_bare(PCI_HOST_BRIDGE, BRIDGE_440FX, false) &&
           is_bare(PCI_DISPLAY_CONTROLLER, BOCHS_DISPLAY, true);
}

/* Returns the name of the emulator; NULL if a real processor executes, as far as is known. */
static const char *emulator(const struct cpu_identity *identity)
{
    static const char *found;
    static bool looked;

    if (!looked) {
        found = cpu_emulator(identity->hypervisor, identity->brand);
        found = found == NULL && is_bochs(identity) ? "Bochs" : found;
        looked = true;
    }
    return found;
}

static void send_processor(const struct profile *profile)
{
    const struct cpu_identity *cpu = profile->identity;
    uint64_t value;
    char text[64];

    link_machine(FACT_CPU_VENDOR, cpu->vendor);
    send_if_given(FACT_CPU_BRAND, cpu->brand);
    snprintf(text, sizeof(text), "family %u model %u stepping %u", cpu->family, cpu->model,
             cpu->stepping);
    link_machine(FACT_CPU_SIGNATURE, text);
    link_machine("hypervisor_bit", cpu->hypervisor_bit ? "set" : "clear");
    send_if_given(FACT_HYPERVISOR, cpu->hypervisor);
    send_kvm_features(cpu);
    if (emulator(cpu) != NULL) {
        link_machine(FACT_EMULATOR, emulator(cpu));
    }
    link_machine(FACT_INVARIANT_TSC, cpu->invariant_tsc ? "yes" : "no");
    link_machine("lfence", profile->lfence == LFENCE_SERIALISES ? "serialises" : "unproven");
    send_features(cpu);
    if (msr_read(MSR_TSC_ADJUST, &value) == 0) {
        snprintf(text, sizeof(text), "%ld", (int64_t)value);
        link_machine(FACT_TSC_ADJUST, text);
    }
    if (cpu->tsc_hz_leaf16 != 0) {
        send_number("cpuid_16h_hint_hz", cpu->tsc_hz_leaf16);
    }
    send_caches(cpu);
}

/* Sends how fast the memory modules can be at most: the host compares bandwidths with it. */
static void send_modules(const struct smbios_memory *modules)
{
    struct smbios_device worst;
    char text[SMBIOS_TEXT_MAX];
    char name[24];
    const char *why = smbios_speed(modules, &worst);

    for (size_t i = 0; i < modules->count; i++) {
        snprintf(name, sizeof(name), FACT_DRAM ".%zu", i);
        link_machine(name, smbios_text(&modules->device[i], text));
    }
    if (why != NULL) {
        link_machine(FACT_DRAM_SPEED, why);
        return;
    }
    send_number(FACT_DRAM_DEVICES, modules->count);
    send_number(FACT_DRAM_MT_S, worst.mt_s);
    send_number(FACT_DRAM_WIDTH_BITS, worst.width_bits);
}

static void send_serial(const struct uart *uart, uint32_t baud)
{
    char registers[64] = "";
    char text[128];

    if (!uart->io) {
        snprintf(registers, sizeof(registers), ", stride %u, width %u, clock %lu Hz", uart->stride,
                 uart->access, uart->clock_hz);
    }
    snprintf(text, sizeof(text), "%s %s 0x%lx, %u baud%s%s", uart->found_by,
             uart->io ? "port" : "memory", uart->base, baud, registers,
             uart->clock_assumed ? ", clock assumed" : "");
    link_machine(FACT_SERIAL, text);
}

/* Sends the ownership facts. If there is a line and the machine is owned, there is no log file. */
static void send_ownership(const struct handoff *handoff)
{
    if (borrow_ownership() == OWNERSHIP_OWN) {
        send_number(FACT_EXIT_ATTEMPTS, handoff->exit_attempts);
    }
    if (borrow_log_name() != NULL) {
        link_machine(FACT_LOG_FILE, borrow_log_name());
    } else if (borrow_no_log() != NULL) {
        link_machine("no_log_file", borrow_no_log());
    }
}

static void send_node(const char *name, int64_t node)
{
    if (node == MEMORY_NODE_UNKNOWN) {
        link_machine(name, "unknown");
    } else {
        send_number(name, (uint64_t)node);
    }
}

/* Describes the memory from which windows are taken (kernel/run/window.h), if not all memory is
 * equally near. */
static void send_window(void)
{
    const struct memory_nodes *nodes = memory_nodes();
    char text[24];

    if (nodes->count >= 2) {
        send_number("nodes", nodes->count);
        send_node("processor_node", nodes->processor);
        send_node("window_node", nodes->reserve);
    }
    if (memory_reserve_is_special()) {
        link_machine(FACT_WINDOW_SPECIAL, "yes");
    }
    if (nodes->count >= 2 || memory_reserve_is_special()) {
        snprintf(text, sizeof(text), "0x%lx", memory_reserve_end());
        link_machine(FACT_WINDOW_END, text);
    }
}

static uint64_t special_bytes(const struct handoff *handoff)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < handoff->range_count; i++) {
        bytes +=
            handoff->ranges[i].kind == MEMORY_SPECIAL ? handoff->ranges[i].pages * PAGE_SIZE : 0;
    }
    return bytes;
}

static void send_platform(const struct profile *profile)
{
    const struct handoff *handoff = profile->handoff;
    char text[96];

    send_if_given(FACT_FIRMWARE_VENDOR, handoff->firmware_vendor);
    snprintf(text, sizeof(text), "0x%08x", handoff->firmware_revision);
    link_machine(FACT_FIRMWARE_REVISION, text);
    snprintf(text, sizeof(text), "%u.%u", handoff->uefi_revision >> 16,
             (handoff->uefi_revision & 0xffff) / 10);
    link_machine("uefi_revision", text);
    send_if_given("acpi_tables", profile->acpi->tables);
    send_if_given("acpi_refused", profile->acpi->refused);
    if (profile->acpi->processors != 0) {
        send_number(FACT_PROCESSORS, profile->acpi->processors);
    }
    send_number(FACT_MEMORY_FREE_BYTES, memory_total());
    if (special_bytes(handoff) != 0) {
        send_number(FACT_MEMORY_SPECIAL, special_bytes(handoff));
    }
    send_window();
    send_modules(profile->modules);
    send_number(FACT_MEMORY_MAP_RANGES, handoff->range_count);
    if (handoff->ranges_truncated) {
        link_machine("memory_map", "truncated: the smaller ranges are not used");
    }
    if (handoff->ranges_overlap) {
        link_machine("memory_map_overlap", "yes: such memory is not used");
    }
    if (handoff->descriptors_refused != 0) {
        send_number("memory_map_refused", handoff->descriptors_refused);
    }
    send_number("memory_map_stride", handoff->descriptor_size);
    snprintf(text, sizeof(text), "0x%lx", handoff->image_base);
    link_machine(FACT_IMAGE_BASE, text);
    if (kernel_is_smp) {
        link_machine(KEY_KERNEL, KERNEL_SMP);
    }
    link_machine("page_tables", profile->own_page_tables ? "own" : "firmware");
    send_ownership(handoff);
    if (handoff->framebuffer.address != 0) {
        snprintf(text, sizeof(text), "%ux%u", handoff->framebuffer.width,
                 handoff->framebuffer.height);
        link_machine(FACT_FRAMEBUFFER, text);
        link_machine("write_combining",
                     profile->no_write_combining == NULL ? "yes" : profile->no_write_combining);
    } else {
        link_machine(FACT_FRAMEBUFFER, "none");
    }
    link_machine(FACT_LAPIC, !lapic_state()->present ? "none"
                             : lapic_state()->x2apic ? "x2apic"
                                                     : "xapic");
    send_number("ioapic_inputs_masked", profile->ioapic_inputs);
    link_machine("nmi_watchdog", profile->alarm);
    if (profile->uart != NULL) {
        send_serial(profile->uart, profile->baud);
    } else {
        link_machine(FACT_SERIAL, "none");
    }
}

static void send_counter(const struct pmu_counter *counter)
{
    struct record_writer record;
    char name[PMU_COUNTER_NAME_MAX];
    char reason[48];

    record_begin(&record, RECORD_COUNTER);
    record_text(&record, RECORD_KEY(counter, name), pmu_counter_name(counter, name));
    record_text(&record, RECORD_KEY(counter, state), pmu_counter_state_name(counter->state));
    record_unsigned(&record, RECORD_KEY(counter, width), counter->width);
    if (counter->state != COUNTER_FAULTS) {
        record_hex(&record, RECORD_KEY(counter, found), counter->found_select);
    }
    if (counter->vector != 0) {
        snprintf(reason, sizeof(reason), "exception %u", counter->vector);
        record_text(&record, RECORD_KEY(counter, reason), reason);
    } else if (counter->state == COUNTER_WRONG) {
        snprintf(reason, sizeof(reason), "%ld of %d instructions", (int64_t)counter->known_answer,
                 PMU_KNOWN_ANSWER);
        record_text(&record, RECORD_KEY(counter, reason), reason);
    }
    link_record(&record);
}

static void send_pmu(const struct pmu *pmu)
{
    char text[PMU_REASON_MAX];

    link_machine(FACT_PMU, pmu_backend_name(pmu->backend));
    if (pmu->version != 0) {
        send_number("pmu_version", pmu->version);
    }
    if (pmu->count > 0) {
        snprintf(text, sizeof(text), "CPUID reports %u general and %u fixed; %u of %u are usable",
                 pmu->claimed_general, pmu->claimed_fixed, pmu->usable, pmu->count);
        link_machine("pmu_counters", text);
        send_number("pmu_claimed_width", pmu->claimed_width);
        snprintf(text, sizeof(text), "yes, found at 0x%lx", pmu->found_global);
        link_machine("pmu_global_control", pmu->global_control ? text : "no");
    }
    if (pmu->backend == PMU_INTEL) {
        link_machine("pmu_full_width_writes", pmu->full_width_writes ? "yes" : "no");
        link_machine("pmu_freeze_while_smm", pmu->freeze_smm           ? "on"
                                             : pmu->freeze_smm_offered ? "offered, refused"
                                                                       : "not offered");
    }
    link_machine(FACT_PMU_EVENTS, pmu->events->name);
    if (pmu->core_type != 0) {
        snprintf(text, sizeof(text), "0x%02x", pmu->core_type);
        link_machine("core_type", text);
    }
    send_if_given("pmu_reason", pmu->reason);
    send_if_given("pmu_errata", pmu->errata);
    link_machine(FACT_SMI_COUNT,
                 pmu->has_smi_count ? "MSR 34h" : "absent: MSR 34h has never counted");
    link_machine("aperf_mperf", pmu->has_aperf ? "counting" : "absent");
    for (unsigned i = 0; i < pmu->count; i++) {
        send_counter(&pmu->counter[i]);
    }
}

static void send_start(const struct profile *profile)
{
    if (profile->begin_tsc != 0) {
        send_number(FACT_TSC_AT_BEGIN, profile->begin_tsc);
        send_number(FACT_TICKS_TO_BANNER, profile->banner_tsc - profile->handoff->exit_tsc);
        return;
    }
    send_number("tsc_at_entry", profile->handoff->entry_tsc);
    if (borrow_ownership() == OWNERSHIP_OWN) {
        send_number("tsc_at_exit_boot_services", profile->handoff->exit_tsc);
    }
    send_number("tsc_at_banner", profile->banner_tsc);
}

/* Sends the plan in several records if it is longer than one. */
static void send_plan(const struct handoff *handoff)
{
    static const char *const sources[] = {
        [PLAN_DEFAULT] = "default", [PLAN_FW_CFG] = PLAN_SOURCE_FW_CFG,   [PLAN_FILE] = "file",
        [PLAN_NETWORK] = "tftp",    [PLAN_LOAD_OPTIONS] = "load_options",
    };
    const size_t length =
        handoff->plan_length < PLAN_TEXT_MAX ? handoff->plan_length : PLAN_TEXT_MAX;
    size_t sent = 0;

    do {
        struct record_writer record;
        char text[PLAN_PART + 1];
        size_t part = 0;

        for (; part < PLAN_PART && sent < length; part++, sent++) {
            text[part] = handoff->plan_text[sent] != '\0' ? handoff->plan_text[sent] : '?';
        }
        text[part] = '\0';
        record_begin(&record, RECORD_PLAN);
        record_text(&record, FIELD_SOURCE, sources[handoff->plan_source]);
        record_text(&record, FIELD_TEXT, text);
        link_record(&record);
    } while (sent < length);
}

/* Bits of CPUID leaf 1 that depend on the processor that executes it, or on the operating system:
 * the APIC id in EBX, and OSXSAVE in ECX (SDM volume 2, CPUID, figures 3-7 and 3-8). */
#define LEAF1_APIC_ID 0xff000000u
#define LEAF1_OSXSAVE (1u << 27)

/* Computes the fingerprint of the machine from what tells machines apart and is the same in each
 * boot: processor, hypervisor, firmware, tables, processors, kinds of memory. */
static uint64_t fingerprint(const struct profile *profile)
{
    static const uint32_t leaves[] = {0,          1,          7,          0x40000000, 0x80000001,
                                      0x80000002, 0x80000003, 0x80000004, 0x80000008};
    const struct handoff *handoff = profile->handoff;
    uint64_t hash = profile->acpi->hash;
    uint32_t kinds = 0;

    for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
        struct cpuid_result result = cpuid_leaf(cpuid_instruction, profile->identity, leaves[i], 0);

        result.ebx &= leaves[i] == 1 ? ~LEAF1_APIC_ID : UINT32_MAX;
        result.ecx &= leaves[i] == 1 ? ~LEAF1_OSXSAVE : UINT32_MAX;
        hash = bytes_hash(hash, &result, sizeof(result));
    }
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        kinds |= 1u << handoff->ranges[i].kind;
    }
    hash = bytes_hash(hash, &kinds, sizeof(kinds));
    hash = bytes_hash(hash, &profile->acpi->processors, sizeof(profile->acpi->processors));
    hash = bytes_hash(hash, handoff->firmware_vendor, strlen(handoff->firmware_vendor));
    hash = bytes_hash(hash, &handoff->firmware_revision, sizeof(handoff->firmware_revision));
    return bytes_hash(hash, &handoff->uefi_revision, sizeof(handoff->uefi_revision));
}

/* Computes the id of the run, which differs in each boot: firmware's clock and the TSC stand for
 * the time, plan and code for what ran. In exact time all of these are the same for the same boot;
 * fingerprint and memory map then tell machines apart. */
static uint64_t run_id(const struct profile *profile, uint64_t machine)
{
    const struct handoff *handoff = profile->handoff;
    const uint64_t memory = memory_total();
    uint64_t hash = bytes_hash(BYTES_HASH_BEGIN, &machine, sizeof(machine));

    if (profile->begin_tsc != 0) {
        hash = bytes_hash(hash, &profile->begin_tsc, sizeof(profile->begin_tsc));
        hash = bytes_hash(hash, &memory, sizeof(memory));
    } else {
        hash = bytes_hash(hash, &handoff->entry_tsc, sizeof(handoff->entry_tsc));
    }
    hash = bytes_hash(hash, profile->date, strlen(profile->date));
    hash = bytes_hash(hash, handoff->plan_text,
                      handoff->plan_length < PLAN_TEXT_MAX ? handoff->plan_length : PLAN_TEXT_MAX);
    hash = bytes_hash(hash, image_text_start, (size_t)(image_text_end - image_text_start));
    return hash != 0 ? hash : 1;
}

static void send_identity(const struct profile *profile)
{
    const uint64_t machine = fingerprint(profile);
    const uint64_t run = run_id(profile, machine);
    char text[LINK_RUN_DIGITS + 1];
    struct record_writer record;

    link_set_run(run, machine);
    snprintf(text, sizeof(text), "%016lx", run);
    record_begin(&record, RECORD_TARE);
    record_text(&record, INFO_VERSION, TARE_VERSION);
    record_unsigned(&record, INFO_FORMAT, TARE_LOG_FORMAT);
    record_text(&record, INFO_RUN, text);
    record_unsigned(&record, FIELD_CODEC, CODEC_VERSION);
    record_text(&record, INFO_SEAL_HASH, SEAL_SHA256);
    link_record(&record);
}

void profile_send_machine(const struct profile *profile)
{
    send_identity(profile);
    send_plan(profile->handoff);
    send_if_given(FACT_SETTING, profile->setting != NULL ? profile->setting : "");
    send_processor(profile);
    send_platform(profile);
    send_pmu(profile->pmu);
    send_start(profile);
}

const char *profile_kind(const struct profile *profile)
{
    const struct clock_state *clock = clock_state();
    const char *exact =
        exact_time_name((struct exact_time){clock->ticks_per_instruction, clock->shared});

    if (exact != NULL) {
        return exact;
    }
    return emulator(profile->identity) != NULL ? TIME_EMULATED : TIME_REAL;
}

static void send_run(const struct profile *profile)
{
    const struct clock_state *clock = clock_state();
    struct record_writer record;

    record_begin(&record, RECORD_RUN);
    record_text(&record, INFO_KIND, profile_kind(profile));
    if (clock->ticks_per_instruction != 0) {
        record_unsigned(&record, INFO_TICKS_PER_INSTRUCTION, clock->ticks_per_instruction);
    }
    record_text(&record, INFO_MACHINE,
                borrow_ownership() == OWNERSHIP_BORROW ? MACHINE_BORROW : MACHINE_OWN);
    if (profile->identity->hypervisor[0] != '\0') {
        record_text(&record, INFO_HYPERVISOR, profile->identity->hypervisor);
    }
    if (profile->date[0] != '\0') {
        record_text(&record, INFO_DATE, profile->date);
    }
    link_record(&record);
}

static void send_estimate(const struct clock_estimate *estimate)
{
    struct record_writer record;

    record_begin(&record, RECORD_ESTIMATE);
    record_text(&record, RECORD_KEY(estimate, clock), CLOCK_TSC);
    record_text(&record, RECORD_KEY(estimate, reference), estimate->rate.reference);
    record_unsigned(&record, RECORD_KEY(estimate, hz), estimate->rate.hz);
    if (estimate->windows > 0) {
        record_unsigned(&record, RECORD_KEY(estimate, error_ppb), estimate->rate.error_ppb);
    }
    record_unsigned(&record, RECORD_KEY(estimate, windows), estimate->windows);
    link_record(&record);
}

static void send_source(const char *name, uint64_t hz, const char *from)
{
    struct record_writer record;

    record_begin(&record, RECORD_SOURCE);
    record_text(&record, RECORD_KEY(source, name), name);
    if (hz != 0) {
        record_unsigned(&record, RECORD_KEY(source, hz), hz);
    }
    record_text(&record, RECORD_KEY(source, from), from);
    link_record(&record);
}

/* Sends stated rates that differ from what was measured, and the uncertainty that remains if there
 * is only one clock. */
static void send_doubts(const struct clock_state *clock)
{
    const uint64_t hz = clock->verdict.hz;
    char text[96];

    if (clock->verdict.bound_ppb != 0) {
        snprintf(text, sizeof(text), "within %lu ppb, by " CLOCK_PM_TIMER " only",
                 clock->verdict.bound_ppb);
        link_machine("tsc_rate", text);
    }
    for (size_t i = 0; i < clock->estimate_count && clock->verdict.ok; i++) {
        const struct clock_estimate *estimate = &clock->estimates[i];
        const uint64_t ppm = rate_difference_ppm(estimate->rate.hz, hz);
        char name[48];

        if (estimate->windows == 0 && ppm > VERDICT_TOLERANCE_PPM) {
            snprintf(name, sizeof(name), PREFIX_TSC_DISAGREES "%s", estimate->rate.reference);
            snprintf(text, sizeof(text), "states %lu Hz, %lu ppm from the measured rate",
                     estimate->rate.hz, ppm);
            link_machine(name, text);
            link_text("tare: %s %s", estimate->rate.reference, text);
        }
    }
}

void profile_send_clocks(const struct profile *profile)
{
    const struct clock_state *clock = clock_state();
    struct record_writer record;
    char by[64];

    send_run(profile);
    for (size_t i = 0; i < clock->source_count; i++) {
        send_source(clock->sources[i].name, clock->sources[i].hz, clock->sources[i].rate_from);
    }
    for (size_t i = 0; i < clock->absent_count; i++) {
        char reason[64];

        snprintf(reason, sizeof(reason), "absent: %s", clock->absent[i].reason);
        send_source(clock->absent[i].name, 0, reason);
    }
    if (clock->lapic_hz != 0) {
        send_source("lapic_timer", clock->lapic_hz, "measured against the TSC");
    }
    for (size_t i = 0; i < clock->estimate_count; i++) {
        send_estimate(&clock->estimates[i]);
    }
    record_begin(&record, RECORD_VERDICT);
    record_unsigned(&record, RECORD_KEY(verdict, ok), clock->verdict.ok ? 1 : 0);
    if (clock->verdict.hz != 0) {
        record_unsigned(&record, RECORD_KEY(verdict, hz), clock->verdict.hz);
    }
    if (clock->verdict.ok) {
        const bool needs_no_other = clock->verdict.second == clock->verdict.chosen;

        snprintf(by, sizeof(by), "%s%s%s", clock->estimates[clock->verdict.chosen].rate.reference,
                 needs_no_other ? "" : ",",
                 needs_no_other ? "" : clock->estimates[clock->verdict.second].rate.reference);
        record_text(&record, RECORD_KEY(verdict, by), by);
    }
    record_text(&record, RECORD_KEY(verdict, reason), clock->verdict.reason);
    link_record(&record);
    send_doubts(clock);
}

static const char *vector_name(uint8_t vector)
{
    if (vector == LAPIC_VECTOR_TIMER) {
        return "lapic_timer";
    }
    if (vector == LAPIC_VECTOR_SPURIOUS) {
        return "lapic_spurious";
    }
    if (vector == PROCESSOR_VECTOR_PONG) {
        return "processor_pong";
    }
    const char *name = interrupt_name(vector);

    return name != NULL ? name : "other";
}

static void send_interrupt(unsigned vector, const char *name, uint64_t count, uint64_t expected)
{
    struct record_writer record;

    if (count > 0) {
        record_begin(&record, RECORD_INTERRUPT);
        record_unsigned(&record, RECORD_KEY(interrupt, vector), vector);
        record_text(&record, RECORD_KEY(interrupt, name), name);
        record_unsigned(&record, RECORD_KEY(interrupt, count), count);
        record_unsigned(&record, RECORD_KEY(interrupt, expected), expected);
        link_record(&record);
    }
}

/* Sends the interrupts. NMIs of the alarm are not counted; the bench that such an NMI ended shows
 * it. */
void profile_send_interrupts(void)
{
    send_interrupt(VECTOR_NMI, "nmi", exception_unknown_nmis()->count, 0);
    for (unsigned vector = EXCEPTION_COUNT; vector < VECTOR_COUNT; vector++) {
        const uint64_t expected = interrupt_expected((uint8_t)vector);

        send_interrupt(vector, vector_name((uint8_t)vector),
                       expected + interrupt_unexpected((uint8_t)vector), expected);
    }
}
