/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulated processor by itself: what the tests of the PMU take for the truth is counted here on
 * code that can be counted by hand.
 *
 *     machine_checks [IMAGE.elf]
 */
#include "kernel/clock/clock.h"
#include "kernel/clock/hpet.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/link/encoding.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"
#include "kernel/plan/handoff.h"
#include "kernel/plan/plan.h"
#include "kernel/run/runner.h"
#include "kernel/smp/skew.h"
#include "tools/tests/machine/unicorn_devices.h"
#include "tools/tests/machine/unicorn_machine.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE     "build/image/tare.elf"
#define SMP_IMAGE         "build/image/tare-smp.elf"
#define BYTES             3000
#define INTERRUPT_SPACING 151 /* more than the handler takes; odd, and no multiple of a loop */
#define VECTOR            0x50
#define VECTOR_GP         13
#define PLAN_LIMIT        10000000 /* instructions to read a plan */

static const char *image_path;
static struct machine machine;

static uint64_t call(const char *function, size_t count, const uint64_t *arguments)
{
    return machine_call(&machine, image_elf_symbol(&machine.image, function), count, arguments);
}

static void open_machine(enum pmu_machine kind)
{
    machine_open(&machine, image_path, kind);
    machine_load_descriptors(&machine);
}

/* Puts code into memory; its address. */
static uint64_t place(const uint8_t *code, size_t size)
{
    const uint64_t address = machine_allocate(&machine, size);

    memcpy(machine_memory(&machine, address, size), code, size);
    return address;
}

/* What each does: RDI points 4 bytes before the end of a page. The `ret` that ends each is an
 * instruction, a load and a branch. */
static void test_accounting(void)
{
    static const struct {
        uint8_t code[24];
        unsigned instructions, loads, stores, branches;
    } cases[] = {
        {{0xc3}, 1, 1, 0, 1},
        {{0x48, 0x8b, 0x07, 0xc3}, 2, 2, 0, 1},                         /* mov (%rdi), %rax */
        {{0x48, 0x89, 0x07, 0xc3}, 2, 1, 1, 1},                         /* mov %rax, (%rdi) */
        {{0x48, 0x87, 0x07, 0xc3}, 2, 2, 1, 1},                         /* xchg %rax, (%rdi) */
        {{0xf0, 0x48, 0xff, 0x07, 0xc3}, 2, 2, 1, 1},                   /* lock incq (%rdi) */
        {{0x48, 0x8d, 0x07, 0xc3}, 2, 1, 0, 1},                         /* lea (%rdi), %rax */
        {{0x50, 0x58, 0xc3}, 3, 2, 1, 1},                               /* push, pop */
        {{0xff, 0x37, 0x58, 0xc3}, 3, 3, 1, 1},                         /* pushq (%rdi); pop */
        {{0xe8, 0, 0, 0, 0, 0x58, 0xc3}, 3, 2, 1, 2},                   /* call .+5; pop */
        {{0x31, 0xc0, 0x75, 0x00, 0x74, 0x00, 0xc3}, 4, 1, 0, 3},       /* jnz, jz */
        {{0xb9, 100, 0, 0, 0, 0xf3, 0xaa, 0xc3}, 3, 1, 1, 1},           /* rep stosb */
        {{0x57, 0x5e, 0xb9, 9, 0, 0, 0, 0xf3, 0xa4, 0xc3}, 5, 3, 2, 1}, /* rep movsb */
        {{0x31, 0xc9, 0xf3, 0xaa, 0xc3}, 3, 1, 0, 1},                   /* rep stosb, none */
        {{0xb1, 9, 0xf3, 0xaa, 0xb1, 9, 0xf3, 0xaa, 0xc3}, 5, 1, 2, 1},
        {{0x0f, 0x31, 0x0f, 0xae, 0xe8, 0xf3, 0x90, 0xc3}, 4, 1, 0, 1}, /* rdtsc, lfence, pause */
        {{0x31, 0xc0, 0x31, 0xc9, 0x53, 0x0f, 0xa2, 0x5b, 0xc3}, 6, 2, 1, 1}, /* cpuid */
    };

    open_machine(MACHINE_P6);
    const uint64_t data = (machine_allocate(&machine, 8192) + 4095) / 4096 * 4096 + 4092;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint64_t code = place(cases[i].code, sizeof(cases[i].code));
        uint64_t before[QUANTITY_COUNT];
        const uint64_t *after = machine.model.total;

        memcpy(before, machine.model.total, sizeof(before));
        machine_call(&machine, code, 1, &data);
        CHECK_TEXT(machine.failure, "");
        CHECK_EQUAL(after[QUANTITY_INSTRUCTIONS] - before[QUANTITY_INSTRUCTIONS],
                    cases[i].instructions);
        CHECK_EQUAL(after[QUANTITY_LOADS] - before[QUANTITY_LOADS], cases[i].loads);
        CHECK_EQUAL(after[QUANTITY_STORES] - before[QUANTITY_STORES], cases[i].stores);
        CHECK_EQUAL(after[QUANTITY_BRANCHES] - before[QUANTITY_BRANCHES], cases[i].branches);
    }
    machine_close(&machine);
}

static uint64_t instructions_of(const char *function, uint64_t argument)
{
    const uint64_t before = machine_tsc(&machine);

    call(function, 1, &argument);
    return machine_tsc(&machine) - before;
}

/* One tick an instruction, as the image itself finds out. */
static void test_clock(void)
{
    const uint64_t iterations[] = {1000, 2000};

    open_machine(MACHINE_INTEL_V4);
    /* struct exact_time: the ticks in the lower half, then `shared` */
    CHECK_EQUAL(call("exact_time", 0, NULL) & 0xffffffffff, 1);
    CHECK_EQUAL(call("known_loop_short", 1, &iterations[1]) -
                    call("known_loop_short", 1, &iterations[0]),
                2000);
    for (uint64_t count = 0; count < 10; count++) {
        CHECK_EQUAL(instructions_of("known_instructions", count),
                    count + instructions_of("known_instructions", 0));
    }
    CHECK_EQUAL(machine.model.total[QUANTITY_INSTRUCTIONS], machine_tsc(&machine));
    machine_smi(&machine, 500);
    CHECK_EQUAL(machine.model.total[QUANTITY_INSTRUCTIONS], machine_tsc(&machine));
    pmu_model_wrmsr(&machine.model, 0x1d9, 1ull << 14); /* freeze while SMM */
    machine_smi(&machine, 500);
    CHECK_EQUAL(machine.model.total[QUANTITY_INSTRUCTIONS] + 500, machine_tsc(&machine));
    machine_close(&machine);
}

static uint8_t take_interrupt(void *context)
{
    (void)context;
    machine.due = machine_tsc(&machine) + INTERRUPT_SPACING;
    return VECTOR;
}

static uint8_t take_only_interrupt(void *context)
{
    (void)context;
    machine.due = MACHINE_NEVER;
    return VECTOR;
}

static uint64_t checksum_in_guest(uint64_t bytes)
{
    const uint64_t arguments[] = {0, bytes, BYTES};

    return call("crc32c", 3, arguments);
}

/* Interrupts, every few instructions and at every place of a loop, through the image's own entry,
 * must change neither registers nor flags, and each costs the same. */
static void test_interrupts(void)
{
    open_machine(MACHINE_P6);
    const uint64_t bytes = machine_allocate(&machine, BYTES);
    uint8_t *host = machine_memory(&machine, bytes, BYTES);
    uint64_t seed = 1;

    for (size_t i = 0; i < BYTES; i++) {
        host[i] = (uint8_t)unit_random(&seed);
    }
    const uint64_t *total = &machine.model.total[QUANTITY_INSTRUCTIONS];
    const uint64_t start = *total;

    CHECK_EQUAL(checksum_in_guest(bytes), crc32c(0, host, BYTES));
    const uint64_t alone = *total - start;

    machine.devices.take_interrupt = take_interrupt;
    machine.due = machine_tsc(&machine);
    machine_allow_interrupts(&machine, true);
    CHECK_EQUAL(checksum_in_guest(bytes), crc32c(0, host, BYTES));
    CHECK_TEXT(machine.failure, "");
    CHECK(machine.interrupts > BYTES / INTERRUPT_SPACING);
    const uint64_t more = *total - start - 2 * alone;

    CHECK(more > 0);
    CHECK_EQUAL(more % machine.interrupts, 0);
    machine_close(&machine);
}

/* An access that faults comes back through the image's table of fix-ups. */
static void test_faults(void)
{
    open_machine(MACHINE_INTEL_V1);
    const uint64_t value = machine_allocate(&machine, 8);
    uint64_t *host = machine_memory(&machine, value, 8);
    const uint64_t absent[] = {0x38f, value};
    const uint64_t there[] = {0xc1, value};
    const uint64_t counter_absent[] = {2, value};
    const uint64_t written[] = {0xc1, 77};

    for (int i = 0; i < 3; i++) {
        *host = 1;
        CHECK_EQUAL(call("msr_read", 2, absent), VECTOR_GP);
        CHECK_EQUAL(*host, 0);
        CHECK_EQUAL(call("msr_write", 2, absent), VECTOR_GP);
        CHECK_EQUAL(call("counter_read", 2, counter_absent), VECTOR_GP);
    }
    CHECK_EQUAL(call("msr_write", 2, written), 0);
    CHECK_EQUAL(call("msr_read", 2, there), 0);
    CHECK_EQUAL(*host, 77);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* HLT waits for the next interrupt, and for ever where none can come. */
static void test_halt(void)
{
    static const uint8_t wait[] = {0xfb, 0xf4, 0xfa, 0xc3}; /* sti; hlt; cli; ret */
    static const uint8_t stop[] = {0xfa, 0xf4, 0xeb, 0xfd}; /* cli; hlt; jmp .-1 */

    open_machine(MACHINE_P6);
    const uint64_t waiting = place(wait, sizeof(wait));
    const uint64_t stopping = place(stop, sizeof(stop));

    machine.devices.take_interrupt = take_only_interrupt;
    machine.due = machine_tsc(&machine) + 1000000;
    const uint64_t due = machine.due;

    machine_call(&machine, waiting, 0, NULL);
    CHECK_EQUAL(machine.interrupts, 1);
    CHECK(machine_tsc(&machine) >= due);
    CHECK(machine.model.total[QUANTITY_INSTRUCTIONS] < due);
    CHECK(machine_run(&machine, stopping, 0));
    CHECK_EQUAL(machine.halted_at, stopping + 1);
    machine_close(&machine);
}

/* The machine reports code that it cannot run. */
static void expect_failure(const uint8_t *code, size_t size, const char *why)
{
    open_machine(MACHINE_P6);
    machine.limit = machine_tsc(&machine) + 100000;
    machine_call(&machine, place(code, size), 0, NULL);
    CHECK(strstr(machine.failure, why) != NULL);
    machine_close(&machine);
}

static void test_failures(void)
{
    static const uint8_t loop[] = {0xeb, 0xfe};
    static const uint8_t invalid[] = {0x0f, 0x0b};
    static const uint8_t nowhere[] = {0x31, 0xc0, 0x8b, 0x00, 0xc3}; /* mov (0), %eax */
    static const uint8_t port[] = {0xe4, 0x60, 0xc3};                /* in $0x60, %al */
    static const uint8_t halt[] = {0xf4, 0xc3};

    expect_failure(loop, sizeof(loop), "still running");
    expect_failure(invalid, sizeof(invalid), "at 0x1");
    expect_failure(nowhere, sizeof(nowhere), "at 0x1");
    expect_failure(port, sizeof(port), "port 0x60");
    expect_failure(halt, sizeof(halt), "halted");
}

/* ---- clocks that lie ---- */

#define CLOCK_TSC_HZ 10000000 /* a window of 20 ms is 200,000 instructions */
#define CLOCK_LIMIT  60000000 /* of all that clock_init() may take */
#define HPET_ADDRESS 0xfed00000ull
#define HPET_PERIOD  100000000ull /* fs: the longest there may be */
#define HPET_COUNTER 0x0f0
#define PIT_PORT     0x42
#define PM_PORT      0x608

/* How the clocks of the machine lie; every 0 is the truth. */
struct lies {
    uint64_t hpet_period; /* fs */
    bool hpet_stands;
    bool hpet_absent;   /* reads as all ones */
    unsigned pm_slower; /* than its nominal rate, per mille */
    bool pm_stands;
    bool pm_random;
    bool pm_24_bits;
    bool pit_absent;
    bool pit_stands;
};

static struct {
    struct lies lies;
    struct devices devices;
    struct machine_devices honest;
    uint64_t seed;
} liar;

static uint64_t hpet_counts(void)
{
    return (uint64_t)((unsigned __int128)machine_tsc(&machine) * (1000000000000000 / HPET_PERIOD) /
                      CLOCK_TSC_HZ);
}

/* A register of 64 bits is read as two halves. */
static uint64_t read_hpet(void *context, uint64_t offset)
{
    const uint64_t period = liar.lies.hpet_period != 0 ? liar.lies.hpet_period : HPET_PERIOD;
    uint64_t value = 0;

    (void)context;
    if (liar.lies.hpet_absent) {
        value = UINT64_MAX;
    } else if (offset / 8 * 8 == HPET_COUNTER) {
        value = liar.lies.hpet_stands ? 77 : hpet_counts();
    } else if (offset / 8 == 0) {
        value = period << 32 | 0x8201; /* a counter of 32 bits */
    }
    return value >> (8 * (offset % 8));
}

static void write_hpet(void *context, uint64_t offset, uint64_t value)
{
    (void)context;
    (void)offset;
    (void)value;
}

static uint32_t read_liar(void *context, uint16_t port, unsigned bytes)
{
    const struct lies *lies = &liar.lies;
    const uint32_t honest = liar.honest.port_read(context, port, bytes);

    if (port == PIT_PORT && (lies->pit_absent || lies->pit_stands)) {
        return lies->pit_absent ? UINT32_MAX : 0x55;
    }
    if (port != PM_PORT) {
        return honest;
    }
    if (lies->pm_random) {
        return (uint32_t)unit_random(&liar.seed);
    }
    const uint32_t count =
        lies->pm_stands ? 77 : (uint32_t)(honest - (uint64_t)honest * lies->pm_slower / 1000);

    return lies->pm_24_bits ? (count + 0xfff000) & 0xffffff : count; /* it wraps soon */
}

/* Has the image find its clocks; what it found. */
static struct clock_state find_clocks(struct lies lies)
{
    struct clock_state found = {0};

    open_machine(MACHINE_P6);
    liar.lies = lies;
    liar.seed = 4711;
    devices_open(&liar.devices, &machine, stderr, CLOCK_TSC_HZ);
    liar.honest = machine.devices;
    machine.devices.port_read = read_liar;
    machine_map_device(&machine, HPET_ADDRESS, read_hpet, write_hpet, NULL);
    const uint64_t arguments[] = {machine_allocate(&machine, sizeof(struct cpu_identity)),
                                  machine_allocate(&machine, sizeof(struct acpi_facts))};
    struct acpi_facts *acpi = machine_memory(&machine, arguments[1], sizeof(*acpi));

    acpi->hpet.address = HPET_ADDRESS;
    acpi->pm_timer = (struct acpi_address){.address = PM_PORT, .io = true};
    acpi->pm_timer_32bit = !lies.pm_24_bits;
    machine.limit = machine_tsc(&machine) + CLOCK_LIMIT;
    call("clock_init", 2, arguments);
    CHECK_TEXT(machine.failure, "");
    const uint64_t state = call("clock_state", 0, NULL);

    if (machine.failure[0] == '\0') {
        memcpy(&found, machine_memory(&machine, state, sizeof(found)), sizeof(found));
    }
    return found;
}

/* A text of the image's. */
static const char *text_at(const char *guest)
{
    return machine_memory(&machine, (uint64_t)(uintptr_t)guest, 1);
}

/* The verdict has the true rate, or none; and so many clocks are reported as missing. */
static void check_clocks(struct lies lies, bool good, size_t absent, const char *why)
{
    const struct clock_state found = find_clocks(lies);

    CHECK_EQUAL(found.verdict.ok, good);
    CHECK_EQUAL(found.absent_count, absent);
    CHECK(!found.tsc_stands);
    if (good) {
        CHECK(rate_difference_ppm(found.verdict.hz, CLOCK_TSC_HZ) <= 2 * VERDICT_TOLERANCE_PPM);
    } else {
        CHECK_TEXT(text_at(found.verdict.reason), why);
    }
    if (absent > 0 && good) {
        CHECK_TEXT(text_at(found.absent[0].reason), why);
    }
    machine_close(&machine);
}

static void test_clocks(void)
{
    static const char few[] = "fewer than two references";
    static const char apart[] = "no two references agree within 1000 ppm";

    check_clocks((struct lies){0}, true, 0, NULL);
    check_clocks((struct lies){.hpet_stands = true}, true, 1, "main counter does not advance");
    check_clocks((struct lies){.hpet_absent = true}, true, 1, "period out of range");
    check_clocks((struct lies){.hpet_period = HPET_PERIOD + 1}, true, 1, "period out of range");
    check_clocks((struct lies){.hpet_period = HPET_PERIOD / 2}, true, 0, NULL); /* it is alone */
    check_clocks((struct lies){.pm_stands = true}, true, 1, "does not advance");
    check_clocks((struct lies){.pm_random = true}, true, 0, NULL);
    check_clocks((struct lies){.pm_24_bits = true, .hpet_stands = true}, true, 1,
                 "main counter does not advance");
    check_clocks((struct lies){.pit_absent = true}, true, 1, "does not count");
    /* The model's TSC counts instructions: one clock is enough. */
    check_clocks((struct lies){.pit_stands = true, .pm_stands = true}, true, 2, "does not advance");
    check_clocks((struct lies){.pit_absent = true, .pm_stands = true, .hpet_stands = true}, false,
                 3, few);
    check_clocks((struct lies){.pit_absent = true, .pm_slower = 10}, false, 1, apart);
    check_clocks((struct lies){.hpet_period = HPET_PERIOD / 3, .pm_slower = 10}, false, 0, apart);
}

/* A clock that changes while a bench runs: what the proof behind it reports. */
static void check_change(struct lies before, struct lies later, const char *changed)
{
    find_clocks(before);
    const uint64_t address = machine_allocate(&machine, sizeof(struct clock_proof));
    const struct clock_proof *proof = machine_memory(&machine, address, sizeof(*proof));

    for (int turn = 0; turn < 3; turn++) {
        machine.limit = machine_tsc(&machine) + CLOCK_LIMIT;
        call("clock_proof_begin", 0, NULL);
        liar.lies = turn == 1 ? later : before;
        call("clock_proof_end", 1, &address);
        CHECK_TEXT(machine.failure, "");
        CHECK_EQUAL(proof->holds, turn != 1 || changed == NULL);
        CHECK(turn != 1 || changed == NULL ||
              strncmp(proof->changed, changed, strlen(changed)) == 0);
        liar.lies = before;
    }
    machine_close(&machine);
}

static void test_changes(void)
{
    const struct lies narrow = {.pm_24_bits = true};

    check_change((struct lies){0}, (struct lies){0}, NULL);
    check_change(narrow, narrow, NULL);
    check_change((struct lies){0}, (struct lies){.pm_slower = 10}, "TSC by pm_timer: ");
    check_change((struct lies){0}, (struct lies){.pm_stands = true}, "TSC by pm_timer: ");
    check_change((struct lies){0}, (struct lies){.hpet_stands = true}, "TSC by hpet: ");
}

/* ---- firmware's own use of the HPET ---- */

#define HPET_CONFIGURATION 0x010
#define HPET_ENABLED       1ull
#define HPET_LEGACY        2ull
#define TICKS              0x0cull            /* periodic, enabled */
#define ONCE               0x04ull            /* enabled */
#define BY_MESSAGE         0x4000ull          /* no input, but a write to a LAPIC */
#define MAY_RAISE          0x0010000000000000 /* input 20 */

static uint64_t hpet_kept[128];

static uint64_t read_kept(void *context, uint64_t offset)
{
    (void)context;
    return (offset / 8 * 8 == HPET_COUNTER ? hpet_counts() : hpet_kept[offset / 8 % 128]) >>
           (8 * (offset % 8));
}

/* A register of 64 bits is written as two halves. */
static void write_kept(void *context, uint64_t offset, uint64_t value)
{
    const uint64_t mask =
        machine.register_bytes == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX << 8 * (offset % 8);
    uint64_t *kept = &hpet_kept[offset / 8 % 128];

    (void)context;
    *kept = (*kept & ~mask) | (value << 8 * (offset % 8) & mask);
}

/* The comparator that firmware has tick is not for the watchdog, which could not give it back. With
 * the legacy routes in force, no comparator would raise the input that it is set to. */
static void test_hpet_of_firmware(void)
{
    open_machine(MACHINE_P6);
    devices_open(&liar.devices, &machine, stderr, CLOCK_TSC_HZ);
    machine_map_device(&machine, HPET_ADDRESS, read_kept, write_kept, NULL);
    const uint64_t acpi = machine_allocate(&machine, sizeof(struct acpi_facts));
    const uint64_t state = machine_allocate(&machine, sizeof(struct hpet_state));
    const uint64_t out = machine_allocate(&machine, 256);
    const uint64_t hold[] = {acpi, state};
    const uint64_t open[] = {acpi, out, out + 128};
    const uint64_t first[] = {out, 0, 0};
    const uint64_t second[] = {out, 1, 0};

    ((struct acpi_facts *)machine_memory(&machine, acpi, 1))->hpet.address = HPET_ADDRESS;
    hpet_kept[0] = HPET_PERIOD << 32 | 0x8101; /* two comparators */
    hpet_kept[HPET_CONFIGURATION / 8] = HPET_ENABLED | HPET_LEGACY;
    hpet_kept[0x100 / 8] = MAY_RAISE | TICKS;
    hpet_kept[0x120 / 8] = MAY_RAISE | ONCE;
    call("hpet_hold", 2, hold);
    CHECK_EQUAL(hpet_kept[0x100 / 8], MAY_RAISE | (TICKS & ~ONCE));
    CHECK_EQUAL(call("hpet_open", 3, open) & 1, 1);
    CHECK_EQUAL(hpet_kept[HPET_CONFIGURATION / 8], HPET_ENABLED);
    CHECK_EQUAL(call("hpet_comparator_open", 3, first) & 1, 0);
    CHECK_EQUAL(call("hpet_comparator_open", 3, second) & 1, 1);
    call("hpet_release", 1, &state);
    CHECK_EQUAL(hpet_kept[HPET_CONFIGURATION / 8], HPET_ENABLED | HPET_LEGACY);
    CHECK_EQUAL(hpet_kept[0x100 / 8], MAY_RAISE | TICKS);
    CHECK_EQUAL(hpet_kept[0x120 / 8], MAY_RAISE | ONCE);
    call("hpet_resume", 0, NULL);
    CHECK_EQUAL(hpet_kept[HPET_CONFIGURATION / 8], HPET_ENABLED);
    hpet_kept[0x120 / 8] |= BY_MESSAGE;
    call("hpet_silence", 1, &acpi); /* firmware is gone */
    CHECK_EQUAL(hpet_kept[0x100 / 8], MAY_RAISE | (TICKS & ~ONCE));
    CHECK_EQUAL(hpet_kept[0x120 / 8], MAY_RAISE);
    CHECK_EQUAL(call("hpet_comparator_open", 3, first) & 1, 1);
    CHECK_TEXT(machine.failure, "");
    machine_close(&machine);
}

/* ---- skew ---- */

static bool skew_of(int64_t ticks, int64_t bound)
{
    const uint64_t address = machine_allocate(&machine, sizeof(struct skew));
    const uint64_t arguments[] = {address, 100};

    *(struct skew *)machine_memory(&machine, address, sizeof(struct skew)) =
        (struct skew){ticks, bound};
    return (call("skew_exceeds", 2, arguments) & 1) != 0;
}

/* More than 100 ticks only where its bound leaves no doubt. Only tare-smp has the function. */
static void test_skew(void)
{
    machine_open(&machine, SMP_IMAGE, MACHINE_P6);
    machine_load_descriptors(&machine);
    CHECK(!skew_of(0, 0));
    CHECK(!skew_of(100, 0));
    CHECK(skew_of(101, 0));
    CHECK(skew_of(-101, 0));
    CHECK(!skew_of(150, 50));
    CHECK(skew_of(-151, 50));
    CHECK(!skew_of(40, 1000));
    CHECK(skew_of(INT64_MIN, 1));
    machine_close(&machine);
}

/* ---- memory below 640 KiB ---- */

static uint64_t low_pages(size_t count, const struct memory_range *ranges)
{
    const uint64_t address = machine_allocate(&machine, sizeof(struct handoff));
    const uint64_t pages = 2;
    struct handoff *handoff = machine_memory(&machine, address, sizeof(*handoff));

    handoff->range_count = (uint32_t)count;
    memcpy(handoff->ranges, ranges, count * sizeof(*ranges));
    call("memory_init", 1, &address);
    const uint64_t found = call("memory_low_pages", 1, &pages);

    CHECK_TEXT(machine.failure, "");
    return found;
}

/* The highest two pages that are free; never page 0, nor what is above. */
static void test_low_pages(void)
{
    static const struct memory_range ranges[] = {
        {.address = 0x100000, .pages = 512, .kind = MEMORY_FREE},
        {.address = 0, .pages = 3, .kind = MEMORY_FREE},
        {.address = 0x10000, .pages = 16, .kind = MEMORY_FREE},
        {.address = 0x20000, .pages = 8, .kind = MEMORY_OTHER},
        {.address = 0x9f000, .pages = 1, .kind = MEMORY_FREE}, /* in which there is no room */
        {.address = 0x9e000, .pages = 18, .kind = MEMORY_FREE},
    };

    open_machine(MACHINE_P6);
    CHECK_EQUAL(low_pages(1, ranges), 0);
    CHECK_EQUAL(low_pages(2, ranges), 0x1000);
    CHECK_EQUAL(low_pages(5, ranges), 0x1e000);
    CHECK_EQUAL(low_pages(6, ranges), 0x9e000);
    machine_close(&machine);
}

/* ---- page tables ---- */

#define DEVICE    0x900000000ull /* above 4 GiB */
#define RAM_ABOVE 0x140000000ull
#define TABLES    (8u << 20)
#define GIB       0x40000000ull

/* The entry that maps an address, and the level it is of. */
static uint64_t entry_of(uint64_t address, unsigned *level)
{
    uint64_t table;

    memcpy(&table, machine_memory(&machine, image_elf_symbol(&machine.image, "root"), 8), 8);
    for (*level = 4; *level > 1; --*level) {
        const uint64_t entry =
            *page_entry_of(machine_memory(&machine, table, PAGE_SIZE), address, *level);

        if ((entry & ENTRY_PRESENT) == 0 || (entry & ENTRY_LARGE) != 0) {
            return entry;
        }
        table = entry & ENTRY_ADDRESS;
    }
    return *page_entry_of(machine_memory(&machine, table, PAGE_SIZE), address, 1);
}

/* As on a processor with pages of 1 GiB: tables are built, and not in force. */
static void test_tables(void)
{
    unsigned level;

    open_machine(MACHINE_P6);
    const uint64_t identity = machine_allocate(&machine, sizeof(struct cpu_identity));
    const uint64_t address = machine_allocate(&machine, sizeof(struct handoff));
    struct handoff *handoff = machine_memory(&machine, address, sizeof(*handoff));
    const uint64_t arguments[] = {address, identity};
    const uint64_t device[] = {DEVICE, PAGE_SIZE};

    ((struct cpu_identity *)machine_memory(&machine, identity, 1))->pages_1gib = true;
    handoff->range_count = 2;
    handoff->ranges[0] = (struct memory_range){(machine_allocate(&machine, TABLES) + PAGE_SIZE) /
                                                   PAGE_SIZE * PAGE_SIZE,
                                               TABLES / PAGE_SIZE - 1, MEMORY_FREE};
    handoff->ranges[1] = (struct memory_range){RAM_ABOVE, GIB / PAGE_SIZE, MEMORY_FREE};
    call("memory_init", 1, &address);
    CHECK_EQUAL(call("paging_init", 2, arguments) & 1, 1);
    CHECK_EQUAL(call("paging_map_device", 2, device) & 1, 1);
    CHECK_TEXT(machine.failure, "");
    entry_of(RAM_ABOVE, &level);
    CHECK_EQUAL(level, 3);
    entry_of(0xfee00000, &level);
    CHECK_EQUAL(level, 2);
    entry_of(GIB, &level);
    CHECK_EQUAL(level, 2);
    CHECK_EQUAL(entry_of(DEVICE, &level), DEVICE | ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_PAT_3);
    CHECK_EQUAL(level, 1);
    CHECK_EQUAL(entry_of(DEVICE + PAGE_SIZE, &level), 0);
    machine_close(&machine);
}

/* ---- machine checks ---- */

#define CHECK_VALID   (1ull << 63)
#define CHECK_UC      (1ull << 61)
#define CHECK_PCC     (1ull << 57)
#define CHECK_GOES_ON 1ull /* MCG_STATUS.RIPV */

static struct machine_check_registers checks;

/* Five of the banks are there, and firmware has kept to itself what raises #MC in each. */
static void open_checks(void)
{
    open_machine(MACHINE_P6);
    memset(&checks, 0, sizeof(checks));
    checks.capabilities = 5 | 1u << 8;
    for (unsigned i = 0; i < MACHINE_CHECK_BANKS; i++) {
        checks.bank[4 * i] = 0x10 + i;
    }
    machine.checks = &checks;
}

static void enable_checks(uint32_t model)
{
    const uint64_t address = machine_allocate(&machine, sizeof(struct cpu_identity));
    struct cpu_identity *identity = machine_memory(&machine, address, sizeof(*identity));

    *identity = (struct cpu_identity){
        .vendor = "GenuineIntel", .max_basic = 13, .family = 6, .model = model};
    call("machine_check_enable", 1, &address);
    CHECK_TEXT(machine.failure, "");
}

static bool passes(uint64_t logs)
{
    checks.status = CHECK_GOES_ON | 4;
    const bool good = (call("machine_check_pass", 1, &logs) & 1) != 0;

    CHECK_EQUAL(checks.status, 0);
    return good;
}

/* Firmware has them as they were while it has the machine, and what was logged before stays. */
static void test_check_controls(void)
{
    open_checks();
    enable_checks(0x0f); /* whose first bank is firmware's */
    CHECK_EQUAL(checks.control, UINT64_MAX);
    CHECK_EQUAL(checks.bank[0], 0x10);
    CHECK_EQUAL(checks.bank[4], UINT64_MAX);
    CHECK_EQUAL(checks.bank[16], UINT64_MAX);
    CHECK_EQUAL(checks.bank[20], 0x15); /* not there */
    call("machine_check_release", 0, NULL);
    CHECK_EQUAL(checks.control, 0);
    CHECK_EQUAL(checks.bank[4], 0x11);
    CHECK_EQUAL(checks.bank[16], 0x14);
    call("machine_check_resume", 0, NULL);
    CHECK_EQUAL(checks.bank[16], UINT64_MAX);
    enable_checks(0x55);
    CHECK_EQUAL(checks.bank[0], UINT64_MAX);
    machine_close(&machine);
}

static void test_check_logs(void)
{
    const uint64_t stale = CHECK_VALID | CHECK_UC | CHECK_PCC | 0x135;

    open_checks();
    checks.bank[4 * 3 + 1] = stale;
    enable_checks(0x55);
    const uint64_t logs = machine_allocate(&machine, sizeof(struct machine_check_logs));

    call("machine_check_join", 1, &logs);
    CHECK(passes(logs));
    CHECK_EQUAL(checks.bank[4 * 3 + 1], stale);
    checks.bank[4 * 2 + 1] = CHECK_VALID | CHECK_UC;
    CHECK(passes(logs));
    checks.bank[4 * 2 + 1] |= CHECK_PCC;
    CHECK(!passes(logs));
    checks.bank[4 * 2 + 1] = CHECK_VALID | CHECK_UC | 7;
    checks.status = CHECK_GOES_ON | 4;
    const uint64_t address = machine_allocate(&machine, sizeof(struct machine_check));

    call("machine_check_take", 1, &address); /* where its result goes */
    const struct machine_check *check = machine_memory(&machine, address, sizeof(*check));

    CHECK(check->reported && check->survivable);
    CHECK_EQUAL(check->bank, 2);
    CHECK_EQUAL(checks.bank[4 * 2 + 1], 0);
    CHECK_EQUAL(checks.bank[4 * 3 + 1], stale);
    machine_close(&machine);
}

/* The image's own words on a plan; "" where it takes it. */
static const char *read_plan(const char *text)
{
    const uint64_t plan = machine_allocate(&machine, sizeof(struct plan));
    const uint64_t planned = machine_allocate(&machine, PLAN_TEXT_MAX);
    const uint64_t error = machine_allocate(&machine, PLAN_ERROR_MAX);
    const uint64_t settings = machine_allocate(&machine, sizeof(struct run_settings));
    const uint64_t parsing[] = {plan, planned, strlen(text), error};
    const uint64_t reading[] = {plan, settings, error};

    memcpy(machine_memory(&machine, planned, strlen(text) + 1), text, strlen(text) + 1);
    call("settings_default", 1, &settings);
    machine.limit = machine_tsc(&machine) + PLAN_LIMIT;
    const bool good = (uint8_t)call("plan_parse", 4, parsing) != 0 &&
                      (uint8_t)call("runner_read_plan", 3, reading) != 0;
    const char *message = machine_memory(&machine, error, PLAN_ERROR_MAX);

    CHECK_TEXT(machine.failure, "");
    CHECK(good == (message[0] == '\0'));
    return message;
}

/* A value that is none is refused, by a text that names it and what is wanted. */
static void test_plans(void)
{
    static const char *const good[] = {"",
                                       "inject=ud@clock inject.after=0",
                                       "inject=oom@call,vanish@all bench=call",
                                       "exit=halt",
                                       "inject=ud@clock,",
                                       "editor.structures={server in_kernel}",
                                       "gap.ms=3s"};
    static const struct {
        const char *plan, *message;
    } bad[] = {
        {"inject=ud", "inject: expected KIND@BENCH,... with kinds ud"},
        {"inject=ud@", "inject: expected KIND@BENCH,..."},
        {"inject=foo@clock", "got \"foo@clock\""},
        {"inject=ud@bar", "no bench \"bar\""},
        {"inject=ud@clock,loop", "got \"loop\""},
        {"inject=@clock", "got \"@clock\""},
        {"inject.after=x", "inject.after: expected a number from 0 to "},
        {"inject.after=-1", "got \"-1\""},
        {"inject.after=99999999999999999999999", "got \"99999999999999999999999\""},
        {"inject.before=1", "inject.before"},
        {"bench.limit_ms=soon", "bench.limit_ms: expected a time from 0 to "},
        {"bench=none,bar", "\"bar\""},
        {"call.trials=0", "call.trials: expected a number from 1 to "},
        {"call.trial=1", "call.trial"},
        {"exit=stop", "exit: expected one of poweroff, reboot, halt, got \"stop\""},
        {"machine=mine", "machine: expected one of own, borrow, got \"mine\""},
        {"lapic.mode=", "lapic.mode="},
        {"processor=999999", "processor: expected a number from 0 to "},
        {"link.format=octal", "link.format: expected one of binary, text, lava, got \"octal\""},
        {"chase.orders=random,foo",
         "chase.orders: expected one or more of sequential, strided, random, got \"foo\""},
        {"disklatency.sizes=4096,abc",
         "disklatency.sizes: expected numbers from 512 to 1048576, got \"abc\""},
        {"bench=", "bench="},
        {"=1", "="},
        {"input.script={a", "{ of input.script is not closed"},
    };

    open_machine(MACHINE_P6);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        CHECK_TEXT(read_plan(good[i]), "");
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *message = read_plan(bad[i].plan);

        if (strstr(message, bad[i].message) == NULL) {
            fprintf(stderr, "%s: \"%s\"\n", bad[i].plan, message);
        }
        CHECK(strstr(message, bad[i].message) != NULL);
    }
    machine_close(&machine);
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        fprintf(stderr, "usage: machine_checks [IMAGE.elf]\n");
        return 2;
    }
    image_path = argc > 1 ? argv[1] : DEFAULT_IMAGE;
    RUN(test_accounting());
    RUN(test_clock());
    RUN(test_interrupts());
    RUN(test_faults());
    RUN(test_halt());
    RUN(test_failures());
    RUN(test_clocks());
    RUN(test_changes());
    RUN(test_hpet_of_firmware());
    RUN(test_skew());
    RUN(test_low_pages());
    RUN(test_tables());
    RUN(test_check_controls());
    RUN(test_check_logs());
    RUN(test_plans());
    return unit_finish("machine_checks");
}
