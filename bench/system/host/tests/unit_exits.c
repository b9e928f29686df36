/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench exits: modes and their shares, and what is judged to be trapped, in each time base. */
#include <math.h>
#include <string.h>

#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define REPETITIONS 10

static struct run_bench *start_run(struct run *run, const char *kind, const char *hypervisor)
{
    run_init(run);
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    run_add_pair(run, &run->info, "kind", kind);
    if (strncmp(kind, "exact", 5) == 0) {
        run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    }
    if (hypervisor != NULL) {
        run_add_pair(run, &run->info, "hypervisor", hypervisor);
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
                                const char *series)
{
    struct exit_result result;

    CHECK(exit_read(run, bench, find_row(series), &result));
    return result.guess;
}

/* The loop takes 2 ticks: 2 ticks are a cycle. CPUID, a certain exit, takes 1200 cycles, a
 * hypercall 1100. */
static void test_real(void)
{
    char text[EXIT_TEXT_MAX];
    struct exit_result result;
    size_t trapped;
    struct run run;
    struct run_bench *bench = start_run(&run, "real", "KVMKVMKVM");

    ADD_COST(bench, "loop", 2);
    ADD_COST(bench, "cpuid", 2 + 2 * 1200);
    ADD_COST(bench, "vmcall", 2 + 2 * 1100);
    ADD_COST(bench, "rdmsr", 2 + 2 * 550);
    ADD_COST(bench, "tsc_deadline", 2 + 2 * 549);
    ADD_COST(bench, "rdtsc", 2 + 2 * 275);
    ADD_COST(bench, "invlpg", 2 + 2 * 276);
    ADD_COST(bench, "hpet_read", 2 + 2 * 2550); /* 2000 cycles without an exit */
    ADD_COST(bench, "nothing_read", 2 + 2 * 2549);
    CHECK_EQUAL(guess_of(&run, bench, "cpuid"), EXIT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "rdmsr"), EXIT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "tsc_deadline"), EXIT_UNKNOWN);
    CHECK_EQUAL(guess_of(&run, bench, "rdtsc"), EXIT_NOT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "invlpg"), EXIT_UNKNOWN);
    CHECK_EQUAL(guess_of(&run, bench, "hpet_read"), EXIT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "nothing_read"), EXIT_UNKNOWN);
    CHECK(!exit_read(&run, bench, find_row("vmmcall"), &result));
    CHECK(exit_read(&run, bench, find_row("cpuid"), &result) && result.cycles == 1200);
    CHECK(exit_summarise(&run, bench, &trapped, text));
    CHECK_EQUAL((int64_t)trapped, 4);
    CHECK_TEXT(text,
               "the hypervisor traps 4 of 8 operations (unknown: 3); the cheapest certain exit "
               "is VMCALL (2.200 us), the dearest instruction MMIO read, HPET (5.100 us)");
    run_free(&run);
}

/* An instruction is 8 ticks. CPUID takes 1000 instructions less the loop's 2. */
static void test_shared(void)
{
    char text[EXIT_TEXT_MAX];
    size_t trapped;
    struct run run;
    struct run_bench *bench = start_run(&run, "exact, shared", NULL);

    ADD_COST(bench, "loop", 16);
    ADD_COST(bench, "cpuid", 16 + 8 * 1000);
    ADD_COST(bench, "hpet_read", 16 + 8 * 7580);
    ADD_COST(bench, "cr3", 16 + 8);
    ADD_COST(bench, "cr0_wp", 16 + 8 * 2);
    ADD_COST(bench, "invlpg", 16 + 8 * 2);
    ADD_COST(bench, "elcr_read", 16 + 8 * 500);
    ADD_COST(bench, "elcr_write", 16 + 8 * 499);
    CHECK_EQUAL(guess_of(&run, bench, "hpet_read"), EXIT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "cr3"), EXIT_NOT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "cr0_wp"), EXIT_NOT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "invlpg"), EXIT_UNKNOWN);
    CHECK_EQUAL(guess_of(&run, bench, "elcr_read"), EXIT_TRAPPED);
    CHECK_EQUAL(guess_of(&run, bench, "elcr_write"), EXIT_UNKNOWN);
    run_free(&run);

    /* CPUID as a processor executes it: nothing certain exits. */
    bench = start_run(&run, "exact, shared", "KVMKVMKVM");
    ADD_COST(bench, "loop", 16);
    ADD_COST(bench, "cpuid", 16 + 8 * 2);
    ADD_COST(bench, "rdmsr", 16 + 8 * 3000);
    CHECK_EQUAL(guess_of(&run, bench, "rdmsr"), EXIT_UNKNOWN);
    CHECK(!exit_summarise(&run, bench, &trapped, text));
    run_free(&run);
}

/* Nothing is judged in exact time, of an emulator, or without a hypervisor. */
static void test_unknown(void)
{
    static const struct {
        const char *kind, *hypervisor;
    } runs[] = {{"exact", "KVMKVMKVM"}, {"emulated", "TCGTCGTCGTCG"}, {"real", NULL}};
    struct run run;

    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        struct run_bench *bench = start_run(&run, runs[i].kind, runs[i].hypervisor);

        ADD_COST(bench, "loop", 16);
        ADD_COST(bench, "rdtsc", 16 + 8);
        ADD_COST(bench, "cpuid", 16 + 8 * 1000);
        CHECK_EQUAL(guess_of(&run, bench, "cpuid"), EXIT_UNKNOWN);
        CHECK_EQUAL(guess_of(&run, bench, "rdtsc"), EXIT_UNKNOWN);
        run_free(&run);
    }
}

/* Once: 6 of 8 samples are equal; twice: 5 of 8, and 2 are the next value. */
static void test_modes(void)
{
    struct exit_result result;
    struct run run;
    struct run_bench *bench = start_run(&run, "exact, shared", NULL);

    ADD_COST(bench, "loop", 16);
    build_series(bench, "cpuid", NULL, NULL,
                 (int64_t[]){9000, 9000, 900, 9000, 9000, 9000, 20000, 9000}, 8);
    build_series(bench, "cpuid.twice", NULL, NULL,
                 (int64_t[]){17080, 17000, 17000, 17080, 17000, 40000, 17000, 17000}, 8);
    build_series(bench, "empty", NULL, NULL, (int64_t[]){48, 48, 40}, 3);
    build_series(bench, "page_first", NULL, NULL, (int64_t[]){1048, 3000, 1048, 2000}, 4);
    CHECK(exit_read(&run, bench, find_row("cpuid"), &result));
    CHECK_EQUAL((int64_t)result.once, 9000);
    CHECK_EQUAL((int64_t)result.twice, 17000);
    CHECK_EQUAL((int64_t)result.mode, 8000 / REPETITIONS - 16);
    CHECK(result.weakest.share == 0.625 && result.weakest.next_share == 0.25);
    CHECK_EQUAL(result.weakest.next, 17080);
    CHECK(exit_read(&run, bench, find_row("page_first"), &result));
    CHECK_EQUAL((int64_t)result.mode, 1000);
    CHECK(isnan(result.twice) && result.weakest.share == 0.5);
    run_free(&run);
}

/* No estimate under KVM is below that for bare metal, except where the hypervisor does less. */
static void test_rows(void)
{
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        const double bare = row->estimate[EXIT_BARE];
        const bool spared =
            strstr(row->series, "elcr") != NULL || strcmp(row->series, "wbinvd") == 0;

        CHECK(isnan(bare) || spared ||
              (bare <= row->estimate[EXIT_AMD] && bare <= row->estimate[EXIT_INTEL]));
        for (size_t i = EXIT_AMD; i < EXIT_PLACES; i++) {
            CHECK(!(row->instructions[i] < row->instructions[EXIT_BARE]));
        }
    }
}

int main(void)
{
    RUN(test_real());
    RUN(test_shared());
    RUN(test_unknown());
    RUN(test_modes());
    RUN(test_rows());
    return unit_finish("unit_exits");
}
