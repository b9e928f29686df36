/* SPDX-License-Identifier: BSD-2-Clause */
/* The time base by loops of known instruction counts, of modelled machines: exact.h. */
#include "kernel/clock/exact.h"

#include <string.h>

#include "kernel/link/names.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AROUND       6 /* instructions around a loop's iterations */
#define PERCENT      100

static struct {
    uint64_t ticks;        /* of an instruction; 0: `thousandths` of a tick for each instruction */
    uint64_t of_nop;       /* thousandths of a tick of a no-operation */
    uint64_t of_iteration; /* likewise, of DEC and JNZ together */
    uint64_t jitter;       /* largest number of ticks that a run takes longer */
    uint64_t of_cpuid;     /* instructions that a CPUID takes */
    uint64_t period, tick; /* instructions between two interrupts of a host, and of one */
    uint64_t now, random;
} machine;

static uint64_t draw(uint64_t below)
{
    machine.random = machine.random * 6364136223846793005ull + 1442695040888963407ull;
    return below > 0 ? (machine.random >> 33) % below : 0;
}

/* Executes instructions, and those of the host's interrupts between them. */
static uint64_t execute(uint64_t instructions)
{
    const uint64_t start = machine.now;
    uint64_t end = start + instructions;

    while (machine.period > 0 && start / machine.period != end / machine.period &&
           end - start < 2 * (instructions + machine.tick)) {
        end += machine.tick;
        if ((end - machine.tick) / machine.period == end / machine.period) {
            break;
        }
    }
    machine.now = end;
    return (end - start) * machine.ticks;
}

static uint64_t run(uint64_t iterations, uint64_t nops, uint64_t more)
{
    execute(draw(500)); /* between two tries */
    if (machine.ticks > 0) {
        return execute(AROUND + iterations * (2 + nops + more));
    }
    return 20 + (iterations * (machine.of_iteration + nops * machine.of_nop)) / 1000 +
           iterations * more * 25 + draw(machine.jitter + 1);
}

static uint64_t brief(uint64_t iterations)
{
    return run(iterations, 0, 0);
}

static uint64_t extended(uint64_t iterations)
{
    return run(iterations, 8, 0);
}

static uint64_t cpuid(uint64_t iterations)
{
    return run(iterations, 0, 1 + machine.of_cpuid);
}

static struct exact_time find(void)
{
    return exact_time_of(brief, extended, cpuid);
}

static void test_pure(void)
{
    for (unsigned shift = 0; shift <= 10; shift++) {
        memset(&machine, 0, sizeof(machine));
        machine.ticks = 1ull << shift;
        machine.of_cpuid = 1;
        for (int i = 0; i < 20; i++) {
            const struct exact_time time = find();

            CHECK_EQUAL(time.ticks, machine.ticks);
            CHECK(!time.shared);
            CHECK_TEXT(exact_time_name(time), TIME_EXACT);
        }
    }
}

/* Below a hypervisor: CPUID exits, and the host's tick strikes 8 tries of 36,000 instructions of
 * the longer loop in 58 % of all cases. */
static void test_shared(void)
{
    for (unsigned shift = 0; shift <= 4; shift++) {
        memset(&machine, 0, sizeof(machine));
        machine.ticks = 1ull << shift;
        machine.of_cpuid = 2846;
        machine.period = 4000000 >> shift;
        machine.tick = 30000;
        for (int i = 0; i < 200; i++) {
            const struct exact_time time = find();

            CHECK_EQUAL(time.ticks, machine.ticks);
            CHECK(time.shared);
            CHECK_TEXT(exact_time_name(time), TIME_EXACT_SHARED);
        }
    }
}

/* On Linux CPUID need not exit: a struck try shows the kernel. */
static void test_struck(void)
{
    unsigned shared = 0;

    memset(&machine, 0, sizeof(machine));
    machine.ticks = 8;
    machine.of_cpuid = 1;
    machine.period = 20000;
    machine.tick = 3000;
    for (int i = 0; i < 200; i++) {
        const struct exact_time time = find();

        CHECK_EQUAL(time.ticks, 8);
        shared += time.shared ? 1 : 0;
    }
    CHECK_EQUAL(shared, 200);
}

/* Processors: a no-operation takes from a tenth of a cycle to a cycle, the TSC has another rate
 * than the core, and many runs are equal, because they are short or the TSC advances in steps. */
static void test_silicon(void)
{
    static const uint64_t nops[] = {100, 125, 167, 200, 250, 333, 500, 999};
    static const uint64_t iterations[] = {500, 900, 1000, 1100, 1500, 2000, 3000, 4000};
    static const uint64_t jitters[] = {0, 1, 30};

    for (size_t n = 0; n < COUNT(nops); n++) {
        for (size_t k = 0; k < COUNT(iterations); k++) {
            for (size_t j = 0; j < COUNT(jitters); j++) {
                memset(&machine, 0, sizeof(machine));
                machine.of_nop = nops[n];
                machine.of_iteration = iterations[k];
                machine.jitter = jitters[j];
                machine.of_cpuid = 4;
                CHECK_EQUAL(find().ticks, 0);
                CHECK(!find().shared && exact_time_name(find()) == NULL);
            }
        }
    }
}

/* Durations that fit no power of two, and those of which no duration has most tries. */
static void test_not_exact(void)
{
    memset(&machine, 0, sizeof(machine));
    machine.ticks = 3;
    machine.of_cpuid = 1;
    CHECK_EQUAL(find().ticks, 0);
    machine.ticks = 8;
    machine.period = 1500; /* each try of the longer loop is struck */
    machine.tick = 700;
    CHECK_EQUAL(find().ticks, 0);
    memset(&machine, 0, sizeof(machine));
    machine.of_nop = 1000; /* each instruction takes a cycle, but runs differ */
    machine.of_iteration = 2000;
    machine.jitter = 3;
    for (int i = 0; i < 20; i++) {
        CHECK_EQUAL(find().ticks, 0);
    }
}

static void test_holds(void)
{
    static const struct exact_time time = {0, false}, pure = {8, false}, shared = {8, true};
    static const struct exact_time other = {16, true};
    char changed[EXACT_CHANGED_MAX];

    CHECK(exact_time_holds(time, time, changed) && changed[0] == '\0');
    CHECK(exact_time_holds(pure, pure, changed));
    CHECK(exact_time_holds(shared, shared, changed));
    CHECK(exact_time_holds(shared, pure, changed)); /* no try was interrupted */
    CHECK(!exact_time_holds(pure, shared, changed));
    CHECK_TEXT(changed, "time base: exact -> exact, shared");
    CHECK(!exact_time_holds(shared, time, changed));
    CHECK_TEXT(changed, "time base: exact, shared -> not exact");
    CHECK(!exact_time_holds(time, pure, changed));
    CHECK_TEXT(changed, "time base: not exact -> exact");
    CHECK(!exact_time_holds(pure, other, changed));
    CHECK_TEXT(changed, "ticks per instruction: 8 -> 16");
}

int main(void)
{
    RUN(test_pure());
    RUN(test_shared());
    RUN(test_struck());
    RUN(test_silicon());
    RUN(test_not_exact());
    RUN(test_holds());
    return unit_finish("unit_exact");
}
