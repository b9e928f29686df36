/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulated processor by itself: what the tests of the PMU take for the truth is counted here on
 * code that can be counted by hand.
 *
 *     machine_checks [IMAGE.elf]
 */
#include "kernel/link/crc32c.h"
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
    return unit_finish("machine_checks");
}
