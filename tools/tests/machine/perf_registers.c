/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/machine/perf_registers.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "kernel/cpu/cpuid.h"

#define PAGE_BYTES         4096
#define GENERAL_PROTECTION 13
#define COUNTERS_MAX       20
#define SPANS_MAX          10
#define GENERAL_MAX        16
#define FIXED_MAX          3
#define FIXED_BITS         4
#define FIXED_ALL_RINGS    3u
#define FIXED_GLOBAL_SHIFT 32
#define FIXED_RDPMC        0x40000000u
#define SELECT_ENABLE      (1ull << 22)
#define INSTRUCTIONS       0xc0 /* of Intel and of AMD */
#define PROBE_ITERATIONS   100000
#define FULL_WIDTH_WRITES  (1ull << 13)

/* What of a select register is an event's code: event, unit mask, edge, invert, counter mask; AMD's
 * events have four more bits. */
#define CODE_INTEL 0xff84ffffull
#define CODE_AMD   0xfff84ffffull

enum register_kind {
    REGISTER_NONE,
    REGISTER_SELECT,
    REGISTER_VALUE,
    REGISTER_FIXED_CONTROL,
    REGISTER_GLOBAL_CONTROL,
    REGISTER_STATUS,       /* reads 0: nothing overflows here */
    REGISTER_CAPABILITIES, /* Intel's PERF_CAPABILITIES */
};

struct place {
    enum register_kind kind;
    unsigned index; /* of a counter; fixed ones behind the general ones */
};

/* A run of registers, `count` of them, `step` apart. */
struct span {
    uint32_t first, count, step;
    enum register_kind kind;
    bool fixed;
};

struct event {
    int file; /* -1: none */
    struct perf_event_mmap_page *page;
};

struct counter {
    uint64_t select; /* of a fixed counter: its part of FIXED_CTR_CTRL */
    uint64_t value; /* at rest: what it holds. Running: what it held when the event's count was 0 */
    bool running;
    struct event event;
};

static struct {
    const struct image_elf *image;
    const int32_t *fixup_start, *fixup_end; /* .ex_table */
    bool amd;
    bool has_global;
    unsigned general, count;
    uint64_t width_mask;
    struct span spans[SPANS_MAX];
    uint64_t global;
    struct counter counter[COUNTERS_MAX];
    bool leave_rdpmc;
    bool native;
    struct event filler[COUNTERS_MAX]; /* on counters below those that are meant */
    unsigned filler_count;
} machine;

/* ---- events ---- */

static struct event open_event(uint32_t type, uint64_t config)
{
    struct perf_event_attr attribute = {
        .type = type,
        .size = sizeof(attribute),
        .config = config,
        .pinned = 1,
        .exclude_kernel = 1,
    };

    return (struct event){(int)syscall(SYS_perf_event_open, &attribute, 0, -1, -1, 0), NULL};
}

static void unmap(struct event *event)
{
    if (event->page != NULL) {
        munmap(event->page, PAGE_BYTES);
        event->page = NULL;
    }
}

static void close_event(struct event *event)
{
    unmap(event);
    if (event->file >= 0) {
        close(event->file);
    }
    event->file = -1;
}

/* 0 as well for an event that Linux found no counter for: it reads as the end of a file. */
static uint64_t event_count(const struct event *event)
{
    uint64_t count = 0;

    return event->file >= 0 && read(event->file, &count, sizeof(count)) == sizeof(count) ? count
                                                                                         : 0;
}

static uint64_t read_rdpmc(uint32_t index)
{
    _mm_lfence();
    const uint64_t value = __rdpmc((int)index);

    _mm_lfence();
    return value;
}

/* Number that RDPMC knows its counter by, plus 1; 0 where RDPMC is not allowed or it has none. */
static uint32_t event_index(struct event *event)
{
    if (event->file < 0) {
        return 0;
    }
    event->page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, event->file, 0);
    if (event->page == MAP_FAILED) {
        event->page = NULL;
        return 0;
    }
    return event->page->cap_user_rdpmc != 0 ? event->page->index : 0;
}

/* ---- counters ---- */

static bool is_fixed(unsigned index)
{
    return index >= machine.general;
}

static uint32_t rdpmc_of(unsigned index)
{
    return is_fixed(index) ? FIXED_RDPMC + index - machine.general : index;
}

static struct event open_counter_event(unsigned index)
{
    static const uint64_t fixed[FIXED_MAX] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
                                              PERF_COUNT_HW_REF_CPU_CYCLES};

    if (is_fixed(index)) {
        return open_event(PERF_TYPE_HARDWARE, fixed[index - machine.general]);
    }
    return open_event(PERF_TYPE_RAW,
                      machine.counter[index].select & (machine.amd ? CODE_AMD : CODE_INTEL));
}

static uint64_t value_of(unsigned index)
{
    const struct counter *counter = &machine.counter[index];
    uint64_t value = counter->value;

    if (counter->running) {
        value = machine.native ? read_rdpmc(rdpmc_of(index)) : value + event_count(&counter->event);
    }
    return value & machine.width_mask;
}

static void close_fillers(void)
{
    while (machine.filler_count > 0) {
        close_event(&machine.filler[--machine.filler_count]);
    }
}

/* RDPMC faults as soon as no event is mapped. What counters showed so far goes on. */
static void give_up_rdpmc(void)
{
    for (unsigned i = 0; i < machine.count; i++) {
        struct counter *counter = &machine.counter[i];

        if (counter->running && machine.native && counter->event.page != NULL) {
            counter->value = value_of(i) - event_count(&counter->event);
        }
    }
    machine.native = false;
    for (unsigned i = 0; i < machine.count; i++) {
        unmap(&machine.counter[i].event);
    }
    close_fillers();
}

/* Linux gives the lowest counter that is free: events that land below the one meant stay there
 * until all counters stop. */
static void start_counter(unsigned index)
{
    struct counter *counter = &machine.counter[index];
    const uint32_t meant = rdpmc_of(index) + 1;

    counter->event = open_counter_event(index);
    while (machine.native) {
        const uint32_t given = event_index(&counter->event);
        const bool below = given != 0 && given < meant && !is_fixed(index);

        if (given == meant) {
            break;
        }
        if (below && machine.filler_count < COUNTERS_MAX) {
            machine.filler[machine.filler_count++] = counter->event;
        } else {
            close_event(&counter->event);
            give_up_rdpmc();
        }
        counter->event = open_counter_event(index);
    }
    counter->running = true;
}

static void stop_counter(unsigned index)
{
    struct counter *counter = &machine.counter[index];

    counter->value = value_of(index);
    counter->running = false;
    close_event(&counter->event);
}

static bool is_enabled(unsigned index)
{
    const uint64_t select = machine.counter[index].select;
    const unsigned bit = is_fixed(index) ? FIXED_GLOBAL_SHIFT + index - machine.general : index;

    return (select & (is_fixed(index) ? FIXED_ALL_RINGS : SELECT_ENABLE)) != 0 &&
           (!machine.has_global || (machine.global >> bit & 1) != 0);
}

/* After a write to a register that switches counters on or off. */
static void follow_switches(void)
{
    bool any = false;

    for (unsigned i = 0; i < machine.count; i++) {
        if (machine.counter[i].running && !is_enabled(i)) {
            stop_counter(i);
        }
        any = any || machine.counter[i].running;
    }
    if (!any) {
        close_fillers();
        machine.native = machine.leave_rdpmc;
    }
    for (unsigned i = 0; i < machine.count; i++) {
        if (!machine.counter[i].running && is_enabled(i)) {
            start_counter(i);
        }
    }
}

/* ---- registers ---- */

static struct place place_of(uint32_t msr)
{
    for (const struct span *span = machine.spans; span->count != 0; span++) {
        const uint32_t distance = msr - span->first;

        if (msr >= span->first && distance % span->step == 0 &&
            distance / span->step < span->count) {
            return (struct place){span->kind,
                                  distance / span->step + (span->fixed ? machine.general : 0)};
        }
    }
    return (struct place){REGISTER_NONE, 0};
}

static uint64_t fixed_control(void)
{
    uint64_t value = 0;

    for (unsigned i = machine.general; i < machine.count; i++) {
        value |= machine.counter[i].select << FIXED_BITS * (i - machine.general);
    }
    return value;
}

static bool read_register(uint32_t msr, uint64_t *value)
{
    const struct place place = place_of(msr);

    switch (place.kind) {
    case REGISTER_SELECT:
        *value = machine.counter[place.index].select;
        return true;
    case REGISTER_VALUE:
        *value = value_of(place.index);
        return true;
    case REGISTER_FIXED_CONTROL:
        *value = fixed_control();
        return true;
    case REGISTER_GLOBAL_CONTROL:
        *value = machine.global;
        return true;
    case REGISTER_STATUS:
        *value = 0;
        return true;
    case REGISTER_CAPABILITIES:
        *value = FULL_WIDTH_WRITES;
        return true;
    default:
        return false;
    }
}

static void write_value(unsigned index, uint64_t value)
{
    struct counter *counter = &machine.counter[index];

    if (counter->running) {
        give_up_rdpmc();
        value -= event_count(&counter->event);
    }
    counter->value = value & machine.width_mask;
}

static bool write_register(uint32_t msr, uint64_t value)
{
    const struct place place = place_of(msr);

    switch (place.kind) {
    case REGISTER_SELECT:
        machine.counter[place.index].select = value;
        break;
    case REGISTER_VALUE:
        write_value(place.index, value);
        break;
    case REGISTER_FIXED_CONTROL:
        for (unsigned i = machine.general; i < machine.count; i++) {
            machine.counter[i].select = value >> FIXED_BITS * (i - machine.general) & 15;
        }
        break;
    case REGISTER_GLOBAL_CONTROL:
        machine.global = value;
        break;
    case REGISTER_STATUS:
        return true;
    default:
        return false;
    }
    follow_switches();
    return true;
}

/* RDPMC only faults while no event is mapped. */
static bool read_counter(uint32_t index, uint64_t *value)
{
    for (unsigned i = 0; i < machine.count; i++) {
        if (rdpmc_of(i) == index) {
            *value = value_of(i);
            return true;
        }
    }
    return false;
}

/* ---- faults ---- */

static void set_result(greg_t *registers, uint64_t value)
{
    registers[REG_RAX] = (greg_t)(uint32_t)value;
    registers[REG_RDX] = (greg_t)(value >> 32);
}

/* True if the instruction was done in its place. */
static bool emulate(greg_t *registers)
{
    const uint8_t *code = (const uint8_t *)registers[REG_RIP];
    const uint32_t index = (uint32_t)registers[REG_RCX];
    uint64_t value = (uint64_t)registers[REG_RDX] << 32 | (uint32_t)registers[REG_RAX];
    bool done = false;

    if (code[0] != 0x0f) {
        return false;
    }
    switch (code[1]) {
    case 0x30: /* WRMSR */
        done = write_register(index, value);
        break;
    case 0x32: /* RDMSR */
        done = read_register(index, &value);
        break;
    case 0x33: /* RDPMC */
        done = read_counter(index, &value);
        break;
    default:
        return false;
    }
    if (done) {
        registers[REG_RIP] += 2;
    }
    if (done && code[1] != 0x30) {
        set_result(registers, value);
    }
    return done;
}

/* As the image's exception path would have: .ex_table holds distances to fault and fix-up. */
static bool apply_fixup(greg_t *registers)
{
    for (const int32_t *entry = machine.fixup_start; entry < machine.fixup_end; entry += 2) {
        if ((intptr_t)&entry[0] + entry[0] == registers[REG_RIP]) {
            registers[REG_RIP] = (greg_t)(intptr_t)&entry[1] + entry[1];
            registers[REG_RAX] = GENERAL_PROTECTION;
            return true;
        }
    }
    return false;
}

static void on_fault(int number, siginfo_t *information, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint64_t offset = (uint64_t)registers[REG_RIP] - machine.image->base;
    const int saved = errno;

    (void)number;
    if (offset >= machine.image->size || information->si_code != SI_KERNEL ||
        (!emulate(registers) && !apply_fixup(registers))) {
        fprintf(stderr, "fault at %#llx, offset %#llx of the image\n",
                (unsigned long long)registers[REG_RIP], (unsigned long long)offset);
        abort();
    }
    errno = saved;
}

/* ---- what there is ---- */

static void describe_amd(const struct cpu_identity *identity)
{
    const struct cpuid_result features =
        cpuid_leaf(cpuid_instruction, identity, CPUID_EXTENDED + 1, 0);
    const struct cpuid_result version =
        cpuid_leaf(cpuid_instruction, identity, CPUID_EXTENDED + 0x22, 0);
    const bool extended = (features.ecx >> 23 & 1) != 0;

    machine.amd = true;
    machine.width_mask = (1ull << 48) - 1;
    machine.has_global = (version.eax & 1) != 0;
    machine.general = extended ? 6 : 4;
    if (machine.has_global) {
        machine.general = version.ebx & 15;
    }
    machine.count = machine.general;

    /* The list ends with the first that is not there. */
    const struct span spans[SPANS_MAX] = {
        {0xc0010000, 4, 1, REGISTER_SELECT, false},
        {0xc0010004, 4, 1, REGISTER_VALUE, false},
        {0xc0010200, extended ? machine.general : 0, 2, REGISTER_SELECT, false},
        {0xc0010201, machine.general, 2, REGISTER_VALUE, false},
        {0xc0000300, machine.has_global ? 1 : 0, 1, REGISTER_STATUS, false},
        {0xc0000301, 1, 1, REGISTER_GLOBAL_CONTROL, false},
        {0xc0000302, 1, 1, REGISTER_STATUS, false},
    };

    memcpy(machine.spans, spans, sizeof(spans));
}

static bool describe_intel(const struct cpu_identity *identity)
{
    const struct cpuid_result leaf = cpuid_leaf(cpuid_instruction, identity, 0x0a, 0);
    const unsigned version = leaf.eax & 255;
    const unsigned general = leaf.eax >> 8 & 255;
    const bool fixed = version >= 2;

    machine.general = general < GENERAL_MAX ? general : GENERAL_MAX;
    machine.width_mask = (1ull << (leaf.eax >> 16 & 63)) - 1;
    machine.has_global = fixed;
    machine.count = machine.general + (fixed ? FIXED_MAX : 0);

    /* The list ends with the first that is not there. */
    const struct span spans[SPANS_MAX] = {
        {0x0c1, machine.general, 1, REGISTER_VALUE, false},
        {0x4c1, machine.general, 1, REGISTER_VALUE, false},
        {0x186, machine.general, 1, REGISTER_SELECT, false},
        {0x345, 1, 1, REGISTER_CAPABILITIES, false},
        {0x309, fixed ? FIXED_MAX : 0, 1, REGISTER_VALUE, true},
        {0x38d, 1, 1, REGISTER_FIXED_CONTROL, false},
        {0x38e, 1, 1, REGISTER_STATUS, false},
        {0x38f, 1, 1, REGISTER_GLOBAL_CONTROL, false},
        {0x390, 1, 1, REGISTER_STATUS, false},
    };

    memcpy(machine.spans, spans, sizeof(spans));
    return version != 0;
}

static bool describe_processor(void)
{
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    if (strcmp(identity.vendor, "GenuineIntel") == 0) {
        return describe_intel(&identity);
    }
    if (cpu_is_amd(&identity)) {
        describe_amd(&identity);
        return true;
    }
    return false;
}

static void spin(void)
{
    for (volatile unsigned i = 0; i < PROBE_ITERATIONS; i++) {
    }
}

unsigned perf_registers_alive(unsigned wanted)
{
    struct event event[COUNTERS_MAX];
    unsigned alive = 0;

    wanted = wanted < COUNTERS_MAX ? wanted : COUNTERS_MAX;
    for (unsigned i = 0; i < wanted; i++) {
        event[i] = open_event(PERF_TYPE_RAW, INSTRUCTIONS);
    }
    spin();
    for (unsigned i = 0; i < wanted; i++) {
        alive += event_count(&event[i]) >= PROBE_ITERATIONS ? 1 : 0;
    }
    for (unsigned i = 0; i < wanted; i++) {
        close_event(&event[i]);
    }
    return alive;
}

/* On another processor events may get other counters. */
static void stay_here(void)
{
    const int processor = sched_getcpu();
    cpu_set_t set;

    CPU_ZERO(&set);
    if (processor >= 0) {
        CPU_SET((size_t)processor, &set);
        sched_setaffinity(0, sizeof(set), &set);
    }
}

/* Does Linux let this process count, and does the count move? */
static bool perf_counts(char reason[PERF_REASON_MAX])
{
    struct event event = open_event(PERF_TYPE_RAW, INSTRUCTIONS);

    if (event.file < 0) {
        snprintf(reason, PERF_REASON_MAX, "perf_event_open: %s%s", strerror(errno),
                 errno == EACCES || errno == EPERM
                     ? " (kernel.perf_event_paranoid above 2, or a container's rules)"
                     : "");
        return false;
    }
    close_event(&event);
    if (perf_registers_alive(1) == 0) {
        snprintf(reason, PERF_REASON_MAX,
                 "perf counts no instructions here: whatever hosts this "
                 "machine shows it no counters");
        return false;
    }
    return true;
}

bool perf_registers_serve(const struct image_elf *image, char reason[PERF_REASON_MAX])
{
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    if (!describe_processor()) {
        snprintf(reason, PERF_REASON_MAX,
                 "neither an AMD processor nor an Intel one with CPUID leaf 0Ah");
        return false;
    }
    stay_here();
    if (!perf_counts(reason)) {
        return false;
    }
    machine.image = image;
    machine.fixup_start = (const int32_t *)image_elf_symbol(image, "exception_table_start");
    machine.fixup_end = (const int32_t *)image_elf_symbol(image, "exception_table_end");
    machine.leave_rdpmc = true;
    if (sigaction(SIGSEGV, &action, NULL) != 0) {
        snprintf(reason, PERF_REASON_MAX, "sigaction: %s", strerror(errno));
        return false;
    }
    return true;
}

bool perf_registers_leave_rdpmc(bool leave)
{
    FILE *file = fopen("/sys/bus/event_source/devices/cpu/rdpmc", "r");
    const int allowed = file != NULL ? fgetc(file) : EOF;

    if (file != NULL) {
        fclose(file);
    }
    if (!leave && allowed == '2') {
        return false;
    }
    machine.leave_rdpmc = leave;
    return true;
}

bool perf_registers_native(void)
{
    return machine.native;
}
