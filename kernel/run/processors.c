/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/processors.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/scale.h"
#include "kernel/cpu/symbols.h"
#include "kernel/cpu/topology.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/smp/processor.h"

#define TEXT_MAX 160
/* From this number on, the start may take seconds, and a message announces it. */
#define MANY 16
/* Time limit for about twenty CPUIDs, each of which may exit to a hypervisor. */
#define ASK_US       100000
#define KIND_UNKNOWN UINT8_MAX

static struct topology topology;
static const struct cpu_identity *cpu;
static struct cpu_kinds kinds;
/* Index of each processor's kind in kinds; KIND_UNKNOWN: none. */
static uint8_t kind_of[PROCESSORS_MAX];
static bool sent;
static bool reported_lost[PROCESSORS_MAX];

void run_processors_init(const struct cpu_identity *identity)
{
    cpu = identity;
    topology_read(cpuid_instruction, identity, &topology);
}

struct topology_place run_processor_place(size_t number)
{
    return topology_place_of(&topology, processor_at(number)->apic_id);
}

/* Sends the machine fact PREFIX.NUMBER, and prints it if the processor does not work. */
static void send(const char *prefix, size_t number)
{
    const struct processor *processor = processor_at(number);
    const struct topology_place place = run_processor_place(number);
    const bool works = processor->state == PROCESSOR_WORKS;
    char name[32];
    char text[TEXT_MAX];

    snprintf(name, sizeof(name), "%s.%zu", prefix, number);
    snprintf(text, sizeof(text), "apic id %u, package %u core %u thread %u: %s%s%s",
             processor->apic_id, place.package, place.core, place.thread,
             processor_state_name(processor->state), works ? "" : ": ",
             works ? "" : processor->why);
    link_machine(name, text);
    if (!works && processor->state != PROCESSOR_ABSENT) {
        link_text("tare: processor %zu: %s", number, text);
    }
}

/* Reports processors for which there is no room; these have no number. */
static void send_beyond(void)
{
    char text[TEXT_MAX];

    if (processors_beyond() == 0) {
        return;
    }
    snprintf(text, sizeof(text),
             "MADT lists %zu more processors, which are not started: tare supports at most %d",
             processors_beyond(), PROCESSORS_MAX);
    link_machine("processors.beyond", text);
    link_text("tare: processors: %s", text);
}

static void start(void)
{
    const size_t count = processors_to_start();
    const uint64_t begin = tsc_read();
    char text[TEXT_MAX];

    if (count < MANY) {
        processors_start();
        return;
    }
    link_text("tare: starting %zu processors", count);
    processors_start();
    const uint64_t hz = clock_state()->verdict.hz;

    if (hz != 0) {
        snprintf(text, sizeof(text), "%lu", scale_u64(tsc_read() - begin, 1000, hz));
        link_machine("processors.start_ms", text);
    }
}

/* ---- kinds ---- */

static void read_kind(void *answer)
{
    cpu_kind_read(cpuid_instruction, cpu, answer);
}

/* Reads the kind of a processor by executing CPUID on it. Returns false if it does not answer. */
static bool ask(size_t number, struct cpu_kind *answer)
{
    if (number != processor_current()) {
        return processor_works(number) && processor_call(number, read_kind, answer, ASK_US);
    }
    read_kind(answer);
    return true;
}

/* Returns the index of a kind. Adds a new kind, which moves those sorted after it. */
static uint8_t index_of(const struct cpu_kind *kind)
{
    const size_t before = kinds.count;

    if (!cpu_kinds_add(&kinds, kind)) {
        return KIND_UNKNOWN;
    }
    const size_t index = cpu_kinds_find(&kinds, kind);

    for (size_t i = 0; kinds.count > before && i < PROCESSORS_MAX; i++) {
        kind_of[i] += kind_of[i] != KIND_UNKNOWN && kind_of[i] >= index ? 1 : 0;
    }
    return (uint8_t)index;
}

static void find_kinds(void)
{
    /* static, so that a processor that answers late writes nowhere else */
    static struct cpu_kind answer;

    memset(kind_of, KIND_UNKNOWN, sizeof(kind_of));
    for (size_t i = 0; i < processor_count(); i++) {
        if (ask(i, &answer)) {
            const uint8_t index = index_of(&answer);

            kind_of[i] = index;
        }
    }
}

const struct cpu_kinds *run_processor_kinds(void)
{
    return &kinds;
}

size_t run_processor_kind(size_t number)
{
    return kinds.count != 0 && kind_of[number] != KIND_UNKNOWN ? kind_of[number] : RUN_KIND_UNKNOWN;
}

static void send_kind(size_t index)
{
    static const char *const classes[] = {
        [CORE_NOT_STATED] = "class not reported",
        [CORE_PERFORMANCE] = "performance",
        [CORE_EFFICIENT] = "efficient",
    };
    const struct cpu_kind *kind = &kinds.kind[index];
    char kind_name[CPU_KIND_NAME_MAX];
    char name[sizeof(FACT_KIND "..") + CPU_KIND_NAME_MAX + sizeof(FACT_CACHE) + CACHE_NAME_MAX];
    char text[CACHE_TEXT_MAX];

    cpu_kind_name(&kinds, index, kind_name);
    snprintf(name, sizeof(name), FACT_KIND ".%s", kind_name);
    snprintf(text, sizeof(text), "%s, native model 0x%x", classes[kind->class], kind->native_model);
    link_machine(name, text);
    for (size_t i = 0; i < kind->cache_count; i++) {
        char level[CACHE_NAME_MAX];

        snprintf(name, sizeof(name), FACT_KIND ".%s." FACT_CACHE ".%s", kind_name,
                 cache_name(&kind->cache[i], level));
        link_machine(name, cache_text(&kind->cache[i], text));
    }
}

/* Sends the kinds. If all processors are alike, that is a single fact: the machine's cache facts
 * then hold for each. */
static void send_kinds(void)
{
    char name[sizeof(FACT_PROCESSOR_KIND ".") + 20];
    char text[CPU_KIND_NAME_MAX];

    snprintf(text, sizeof(text), "%zu", kinds.count);
    link_machine(FACT_PROCESSOR_KINDS, text);
    if (kinds.count < 2) {
        return;
    }
    for (size_t i = 0; i < kinds.count; i++) {
        send_kind(i);
    }
    for (size_t i = 0; i < processor_count(); i++) {
        const size_t kind = run_processor_kind(i);

        if (processor_works(i)) {
            snprintf(name, sizeof(name), FACT_PROCESSOR_KIND ".%zu", i);
            link_machine(name,
                         kind != RUN_KIND_UNKNOWN ? cpu_kind_name(&kinds, kind, text) : "unknown");
        }
    }
}

void run_processors_start(void)
{
    char text[TEXT_MAX];

    start();
    if (sent) {
        return;
    }
    sent = true;
    snprintf(text, sizeof(text), "%s: thread %u bits of an APIC id, package from bit %u",
             topology.source, topology.thread_bits, topology.package_bits);
    link_machine("topology", text);
    snprintf(text, sizeof(text), "%zu", processor_current());
    link_machine("processor", text);
    for (size_t i = 0; i < processor_count(); i++) {
        send("processor", i);
    }
    send_beyond();
    find_kinds();
    send_kinds();
}

/* Appends the numbers of processors that work, such as " 0 1 3", as far as they fit. */
static void append_working(char *text, size_t size)
{
    for (size_t i = 0; i < processor_count(); i++) {
        const size_t used = strlen(text);

        if (processor_works(i)) {
            snprintf(text + used, size - used, " %zu", i);
        }
    }
}

bool run_processors_check(size_t number, char error[PLAN_ERROR_MAX])
{
    if (number == processor_current()) {
        return true;
    }
    processors_start();
    if (processor_works(number)) {
        return true;
    }
    if (number >= processor_count()) {
        snprintf(error, PLAN_ERROR_MAX,
                 "processor=%zu: there is no such processor; these work:", number);
    } else {
        const struct processor *processor = processor_at(number);

        snprintf(error, PLAN_ERROR_MAX, "processor=%zu: %s: %s; these work:", number,
                 processor_state_name(processor->state), processor->why);
    }
    append_working(error, PLAN_ERROR_MAX);
    return false;
}

void run_processors_report_lost(void)
{
    for (size_t i = 0; i < processor_count(); i++) {
        const struct processor *processor = processor_at(i);
        uint64_t offset = 0;

        if (processor->state != PROCESSOR_LOST || reported_lost[i]) {
            continue;
        }
        const char *symbol =
            processor->fault_rip != 0 ? symbol_of(processor->fault_rip, &offset) : NULL;

        reported_lost[i] = true;
        send("lost", i);
        if (symbol != NULL) {
            link_text("tare:   at %s+%lu", symbol, offset);
        }
    }
}
