/* SPDX-License-Identifier: BSD-2-Clause */
/* The second judgement of a run, by what its own records say (run.h, run_rejudge()). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/network/names.h"
#include "kernel/link/names.h"
#include "kernel/plan/number.h"
#include "kernel/pmu/names.h"
#include "kernel/run/expectation.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/run/run.h"
#include "tools/run/run_kind.h"

#define REASON_MAX 256

/* ---- facts of the run and of the machine ---- */

/* Names whose values are numbers in every run. */
static const char *const numbers[] = {
    INFO_FORMAT,
    FIELD_CODEC,
    INFO_TICKS_PER_INSTRUCTION,

    FACT_TSC_AT_BEGIN,
    FACT_TICKS_TO_BANNER,
    FACT_DRAM_DEVICES,
    FACT_MEMORY_FREE_BYTES,
    FACT_MEMORY_MAP_RANGES,
    FACT_DRAM_MT_S,
    FACT_DRAM_WIDTH_BITS,
    FACT_MEMORY_SPECIAL,
    FACT_EXIT_ATTEMPTS,
    FACT_PROCESSOR_KINDS,
};

static bool is_number(const char *name)
{
    return SEARCH_ANY(i, sizeof(numbers) / sizeof(numbers[0]), strcmp(name, numbers[i]) == 0);
}

/* Each fact has one value, except that a machine may have been stopped several times. */
static void check_pairs(struct run *run, const struct run_pairs *pairs, struct run_texts *reasons)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const struct run_pair *pair = &pairs->item[i];
        const char *first = run_pair_value(pairs, pair->key);
        uint64_t number;

        if (pair->value == NULL) {
            continue;
        }
        if (is_number(pair->key) && !parse_unsigned(pair->value, &number)) {
            run_add_text(
                run, reasons,
                run_format(run, "%s: expected a number, got \"%.60s\"", pair->key, pair->value));
        }
        if (first != NULL && strcmp(first, pair->value) != 0 &&
            strcmp(pair->key, INFO_EMULATOR_STOPPED) != 0) {
            run_add_text(run, reasons,
                         run_format(run, "%s: expected one value, got \"%.60s\" and \"%.60s\"",
                                    pair->key, first, pair->value));
        }
    }
}

/* In exact time, and only there, an instruction takes ticks. */
static void check_ticks(struct run *run, struct run_texts *reasons)
{
    const char *kind = run_pair_value(&run->info, INFO_KIND);
    const char *ticks = run_pair_value(&run->info, INFO_TICKS_PER_INSTRUCTION);
    const bool exact = run_counts_instructions(run);
    const bool good =
        run_ticks_per_instruction(run) >= 1 && run_ticks_per_instruction(run) <= UINT32_MAX;

    if (kind != NULL && good != exact) {
        run_add_text(run, reasons,
                     run_format(run, "%s time: expected %s ticks per instruction, got %.20s", kind,
                                exact ? "at least 1" : "no", ticks != NULL ? ticks : "none"));
    }
}

/* A crash ends its bench. */
static void check_crashes(struct run *run, struct run_texts *reasons)
{
    for (size_t i = 0; i < run->crash_count; i++) {
        const struct run_pairs *fields = &run->crashes[i].fields;
        const char *name = run_pair_value(fields, "name");
        const char *of = run_pair_value(fields, "bench");
        bool found = false;

        for (size_t b = 0; b < run->bench_count; b++) {
            const struct run_bench *bench = &run->benches[b];

            found = found ||
                    ((of == NULL || strcmp(of, bench->name) == 0) &&
                     strcmp(bench->state, STATE_OK) != 0 && strcmp(bench->state, STATE_SKIP) != 0);
        }
        if (!found && run->errors.count == 0) {
            run_add_text(run, reasons,
                         run_format(run,
                                    "crash report (%.20s in bench %.64s): expected a bench that "
                                    "ended as %s, got none",
                                    name != NULL ? name : "of an unknown kind",
                                    of != NULL ? of : "unknown", STATE_CRASH));
        }
    }
}

/* ---- benches ---- */

/* Facts of a bench that ended as OK can have one value only: a clock that was verified after it,
 * and data that were compared. */
static void check_facts(struct run *run, const struct run_bench *bench, const char *label,
                        struct run_texts *reasons)
{
    const int64_t ticks = (int64_t)run_ticks_per_instruction(run);
    const int64_t began = run_fact_or(bench, FACT_BEGAN, INT64_MIN);
    const int64_t ended = run_fact_or(bench, FACT_ENDED, INT64_MAX);

    for (size_t i = 0; i < bench->fact_count; i++) {
        const struct run_fact *fact = &bench->facts[i];
        const bool is_ticks = ticks > 0 && strcmp(fact->name, FACT_PROOF_INSTRUCTION_TICKS) == 0;
        const int64_t expected = is_ticks ? ticks : 0;

        if ((is_ticks || strcmp(fact->name, FACT_WRONG) == 0 ||
             strncmp(fact->name, FACT_BYTES_WRONG ".", strlen(FACT_BYTES_WRONG ".")) == 0) &&
            fact->value != expected) {
            run_add_text(run, reasons,
                         run_format(run,
                                    "%s: %s: expected %" PRId64 " %s, got %" PRId64
                                    "; the image reports %s",
                                    label, fact->name, expected,
                                    fact->unit != NULL ? fact->unit : "", fact->value, STATE_OK));
        }
    }
    if (began > ended) {
        run_add_text(run, reasons,
                     run_format(run, "%s: end: expected at least %" PRId64 " ticks, got %" PRId64,
                                label, began, ended));
    }
}

/* Returns whether events were counted: then the image does not judge, because counting adds its own
 * instructions. */
static bool is_counted(const struct run *run, const struct run_bench *bench)
{
    for (size_t i = 0; i < run->event_count; i++) {
        if (strcmp(run->events[i].state, EVENT_STATE_COUNTED) == 0) {
            return true;
        }
    }
    return SEARCH_ANY(i, bench->series_count, bench->series[i].event != NULL);
}

/* Are all samples there that the image judged? */
static bool is_whole(const struct run_bench *bench)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        if (!run_series_whole(&bench->series[i]) || bench->series[i].left_out > 0) {
            return false;
        }
    }
    return !bench->cut;
}

static void check_expectations(struct run *run, const struct run_bench *bench, const char *label,
                               struct run_texts *reasons)
{
    struct bench_estimate *estimates = alloc_zeroed((bench->expect_count + 1) * sizeof(*estimates));
    const struct bench stated = {.name = bench->name, .estimates = estimates};
    const double ticks = run_is_exact(run) ? run_ticks_per_instruction(run) : 0;
    char reason[REASON_MAX];

    expectation_begin();
    expectation_absent(NULL); /* the log does not say what the plan leaves out */
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        expectation_series(series->name, series->unit != NULL ? series->unit : "", series->samples,
                           series->n);
    }
    for (size_t i = 0; i < bench->fact_count; i++) {
        expectation_fact(bench->facts[i].name, bench->facts[i].value);
    }
    for (size_t i = 0; i < bench->expect_count; i++) {
        const struct run_expect *expect = &bench->expects[i];

        estimates[i] = (struct bench_estimate){
            .series = expect->series,
            .instructions = expect->has_instructions ? expect->instructions : ESTIMATE_NONE,
        };
    }
    if (!expectation_met(&stated, ticks <= UINT32_MAX ? (uint32_t)ticks : 0, reason,
                         sizeof(reason))) {
        run_add_text(run, reasons,
                     run_format(run, "%s: %s; the image reports %s", label, reason, STATE_OK));
    }
    free(estimates);
}

void run_rejudge(struct run *run, struct run_texts *reasons)
{
    char label[RUN_LABEL_MAX];

    check_pairs(run, &run->info, reasons);
    check_pairs(run, &run->machine, reasons);
    check_ticks(run, reasons);
    check_crashes(run, reasons);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (strcmp(bench->state, STATE_OK) != 0 || !is_whole(bench)) {
            continue;
        }
        run_bench_label(run, bench, label);
        check_facts(run, bench, label, reasons);
        /* `tare host` leaves out points that Linux spoiled, after the bench has judged them. */
        const bool left_out = bench->absent_count > 0 && !run_is_exact(run);

        if (!is_counted(run, bench) && !left_out) {
            check_expectations(run, bench, label, reasons);
        }
    }
}
