/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench exits: what is guessed to be trapped, and by which time. */
#include <math.h>
#include <string.h>

#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define REPETITIONS 10

static struct run_bench *start_run(struct run *run, const char *kind)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run_add_pair(run, &run->info, "kind", kind);
    if (strcmp(kind, "exact") == 0) {
        run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    }
    struct run_bench *bench = build_bench(run, BENCH_EXITS, 1);

    bench->group = GROUP_SYSTEM;
    build_fact(bench, "repetitions", REPETITIONS);
    return bench;
}

/* Adds a cost of `ticks` per repetition, the loop included; 100 more ticks surround the
 * repetitions. */
#define ADD_COST(bench, name, ticks) add_cost(bench, name, name ".twice", ticks)

static void add_cost(struct run_bench *bench, const char *name, const char *twice, int64_t ticks)
{
    build_series(bench, name, NULL, NULL, (int64_t[]){100 + REPETITIONS * ticks}, 1);
    build_series(bench, twice, NULL, NULL, (int64_t[]){100 + 2 * REPETITIONS * ticks}, 1);
}

static const struct exit_row *find_row(const char *series)
{
    const struct exit_row *row = exit_rows;

    while (row->series != NULL && strcmp(row->series, series) != 0) {
        row++;
    }
    return row;
}

static enum exit_guess guess_of(const struct run *run, const struct run_bench *bench,
                                const char *series, double cycles)
{
    struct exit_result result;

    CHECK(exit_read(run, bench, find_row(series), &result));
    CHECK_EQUAL((int64_t)result.cycles, (int64_t)cycles);
    return result.guess;
}

/* The loop takes 2 ticks: 2 ticks are a cycle. 346 cycles lie between CPUID's estimates. */
static void test_guesses(void)
{
    struct run run;
    struct run_bench *bench = start_run(&run, "real");
    double cpuid;

    ADD_COST(bench, "loop", 2);
    ADD_COST(bench, "cpuid", 2 + 2 * 346);
    ADD_COST(bench, "rdmsr", 2 + 2 * 1300);
    ADD_COST(bench, "invlpg", 2 + 2 * 9000);
    ADD_COST(bench, "rdtsc", 2 + 2 * 399);
    CHECK_EQUAL(guess_of(&run, bench, "cpuid", 346), EXIT_NOT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "rdmsr", 1300), EXIT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "invlpg", 9000), EXIT_UNKNOWN);
    CHECK_EQUAL(exit_rdtsc(&run, bench, &cpuid), EXIT_NOT_TRAPPED);
    CHECK(fabs(cpuid - 346.0 / 399) < 1e-9);
    CHECK(!exit_read(&run, bench, find_row("vmcall"), &(struct exit_result){0}));
    run_free(&run);

    bench = start_run(&run, "real");
    ADD_COST(bench, "loop", 1);
    ADD_COST(bench, "rdtsc", 1 + 400);
    CHECK_EQUAL(exit_rdtsc(&run, bench, &cpuid), EXIT_TRAPPED);
    CHECK(isnan(cpuid));
    run_free(&run);
}

/* Nothing is guessed of instructions, of an emulator, or without a known loop. */
static void test_no_guess(void)
{
    static const char *const kinds[] = {"exact", "emulated"};
    struct exit_result result;
    struct run run;
    double cpuid;

    for (size_t i = 0; i < 2; i++) {
        struct run_bench *bench = start_run(&run, kinds[i]);

        ADD_COST(bench, "loop", 16);
        ADD_COST(bench, "rdtsc", 16 + 16 * 1000);
        ADD_COST(bench, "cpuid", 16 + 16 * 1000);
        CHECK_EQUAL(guess_of(&run, bench, "cpuid", 1000), EXIT_UNKNOWN);
        CHECK_EQUAL(exit_rdtsc(&run, bench, &cpuid), EXIT_UNKNOWN);
        run_free(&run);
    }
    struct run_bench *bench = start_run(&run, "real");

    ADD_COST(bench, "cpuid", 1000);
    CHECK(exit_read(&run, bench, find_row("cpuid"), &result) && isnan(result.cycles));
    CHECK_EQUAL(result.guess, EXIT_UNKNOWN);
    run_free(&run);
}

/* Estimates rise from bare metal by KVM to nested, where there are any. */
static void test_rows(void)
{
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        CHECK(isnan(row->estimate[EXIT_BARE]) ||
              row->estimate[EXIT_BARE] <= row->estimate[EXIT_KVM]);
        CHECK(row->estimate[EXIT_KVM] <= row->estimate[EXIT_NESTED]);
    }
}

int main(void)
{
    RUN(test_guesses());
    RUN(test_no_guess());
    RUN(test_rows());
    return unit_finish("unit_exits");
}
