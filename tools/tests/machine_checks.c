/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulated processor by itself: what the tests of the PMU take for the truth is counted here on
 * code that can be counted by hand.
 *
 *     machine_checks [IMAGE.elf]
 */
#include "kernel/clock/clock.h"
#include "kernel/link/crc32c.h"
#include "tools/tests/unicorn_devices.h"
#include "tools/tests/unicorn_machine.h"
#include "tools/tests/unit.h"

#define DEFAULT_IMAGE     "build/image/tare.elf"
#define BYTES             3000
#define INTERRUPT_SPACING 151 /* more than the handler takes; odd, and no multiple of a loop */
#define VECTOR            0x50
#define VECTOR_GP         13

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

/* One tick an instruction, as the image itself finds out. */
static void test_clock(void)
{
    const uint64_t iterations[] = {1000, 2000};

    open_machine(MACHINE_INTEL_V4);
    CHECK_EQUAL(call("exact_ticks_per_instruction", 0, NULL), 1);
    CHECK_EQUAL(call("known_loop_short", 1, &iterations[1]) -
                    call("known_loop_short", 1, &iterations[0]),
                2000);
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

/* What cannot be done is said. */
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
    bool hpet_absent;   /* nobody answers */
    unsigned pm_slower; /* per mille of what it says */
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

/* The verdict's rate is the true one, or there is none; and so many clocks are told as absent. */
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
    check_clocks((struct lies){.pit_stands = true, .pm_stands = true}, false, 2, few);
    check_clocks((struct lies){.pit_absent = true, .pm_stands = true, .hpet_stands = true}, false,
                 3, few);
    check_clocks((struct lies){.pit_absent = true, .pm_slower = 10}, false, 1, apart);
    check_clocks((struct lies){.hpet_period = HPET_PERIOD / 3, .pm_slower = 10}, false, 0, apart);
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
    return unit_finish("machine_checks");
}
