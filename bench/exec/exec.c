/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench exec: runs machine code of the plan in the sandbox (kernel/sandbox) and measures it as
 * nanoBench does.
 *
 * Each code has two forms. Unrolled: `repetitions` copies one after the other, and twice as many.
 * Looped: `body` copies in a loop of repetitions / body turns, and twice as many copies. Runs of
 * once and twice alternate. Their difference is the cost of `repetitions` executions of the code,
 * because entry, readings and loop are in both.
 *
 * A last run of one copy, unmeasured, gives the registers, flags and memory that the code leaves,
 * for comparing two machines.
 *
 * Code that faults, is rejected or does not end has no results: they are missing, with the reason,
 * and the bench ends as FAIL after all other codes have run.
 */
#include <stdio.h>
#include <string.h>

#include "bench/exec/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/exception.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/counting.h"
#include "kernel/run/names.h"
#include "kernel/sandbox/code_list.h"
#include "kernel/sandbox/sandbox.h"

#define NAME_MAX 48

_Static_assert(PROGRAM_COUNTERS_MAX == READER_COUNTERS_MAX,
               "a row of the sandbox has all counters");

struct exec_plan {
    uint32_t repetitions;
    uint32_t body;
    size_t trials;
    uint64_t limit_ms;
    uint64_t limit_ticks;
    uint32_t rdpmc[READER_COUNTERS_MAX];
    size_t counters;
    bool smi;
};

/* The code of the plan that is being measured. */
struct item {
    size_t number;
    struct code init;
    struct code code;
    char why[FAULT_TEXT_MAX]; /* why it ended; "" if it ended normally */
};

/* The built-in code: MOV $2, %ecx; 1: DEC %ecx; JNZ 1b; NOP; NOP. */
static const uint8_t known_code[] = {0xb9, 2, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0x90, 0x90};
#define KNOWN_INSTRUCTIONS 7

static struct item item; /* static because it is too large for a stack */

/* ---- measuring ---- */

static void describe(const struct exec_plan *plan, enum sandbox_end end)
{
    const struct sandbox_fault *fault = sandbox_fault();
    char text[FAULT_TEXT_MAX];

    switch (end) {
    case SANDBOX_FAULT:
        fault_text(fault, exception_name(fault->vector), item.why);
        break;
    case SANDBOX_LIMIT:
        fault_text(fault, "", text);
        snprintf(item.why, sizeof(item.why), "it did not end within %lu ms:%.80s",
                 (unsigned long)plan->limit_ms, text);
        break;
    default:
        snprintf(item.why, sizeof(item.why),
                 "it ended without reading the counters, or overwrote a value that was read");
        break;
    }
}

/* Runs program 0 or 1. */
static bool run_program(const struct exec_plan *plan, unsigned number,
                        const struct bench_rows *rows, size_t trial)
{
    int64_t *begin = bench_row(rows->rows, 2 * trial);
    int64_t *end_row = bench_row(rows->rows, 2 * trial + 1);
    const uint64_t smi = plan->smi ? pmu_smi_count() : 0;
    const enum sandbox_end end =
        sandbox_run(number, plan->limit_ticks, 1 + plan->counters, begin, end_row);

    if (end != SANDBOX_DONE) {
        describe(plan, end);
        return false;
    }
    if (plan->smi) {
        begin[1 + plan->counters] = (int64_t)smi;
        end_row[1 + plan->counters] = (int64_t)pmu_smi_count();
    }
    return true;
}

/* Runs programs 0 and 1 in turn. Program 1 contains twice as many copies of the code. The first
 * trial only warms both programs and is discarded. */
static bool run_trials(const struct exec_plan *plan, const struct bench_rows rows[2])
{
    for (size_t i = 0; i <= plan->trials; i++) {
        const size_t trial = i == 0 ? 0 : i - 1;

        if (!run_program(plan, 0, &rows[0], trial) || !run_program(plan, 1, &rows[1], trial)) {
            return false;
        }
    }
    return true;
}

static bool build(const struct exec_plan *plan, uint32_t copies, uint32_t loops)
{
    struct program_source source = {
        .init = item.init.bytes,
        .init_bytes = item.init.length,
        .code = item.code.bytes,
        .code_bytes = item.code.length,
        .copies = copies,
        .loops = loops,
        .rdpmc = plan->rdpmc,
        .counters = plan->counters,
    };

    if (!sandbox_build(0, &source)) {
        return false;
    }
    source.copies = 2 * copies;
    return sandbox_build(1, &source);
}

/* Returns whether a repetition of the built-in code took exactly KNOWN_INSTRUCTIONS instructions.
 * Outside exact time, returns true. */
static bool is_known(const struct exec_plan *plan, const struct bench_rows rows[2])
{
    const int64_t ticks = (int64_t)clock_state()->ticks_per_instruction;
    const int64_t once = *bench_row(rows[0].rows, 1) - *bench_row(rows[0].rows, 0);
    const int64_t twice = *bench_row(rows[1].rows, 1) - *bench_row(rows[1].rows, 0);

    return !bench_is_exact() ||
           twice - once == ticks * KNOWN_INSTRUCTIONS * (int64_t)plan->repetitions;
}

/* Returns true, or false with the reason in item.why. */
static bool measure_form(struct bench_run *run, const struct exec_plan *plan, const char *form,
                         uint32_t copies, uint32_t loops)
{
    struct bench_rows rows[2];
    char name[NAME_MAX];
    char twice[NAME_MAX + sizeof(SUFFIX_TWICE)];

    for (unsigned i = 0; i < 2; i++) {
        rows[i] = (struct bench_rows){bench_rows(2 * plan->trials), plan->trials, ROWS_PAIRS};
    }
    snprintf(name, sizeof(name), "%s.%zu", form, item.number);
    snprintf(twice, sizeof(twice), "%s" SUFFIX_TWICE, name);
    if (rows[0].rows == NULL || rows[1].rows == NULL) {
        snprintf(item.why, sizeof(item.why), "no memory for samples");
    } else if (!build(plan, copies, loops)) {
        snprintf(item.why, sizeof(item.why), "%u copies of %zu bytes exceed the sandbox's %u bytes",
                 (unsigned)(2 * copies), item.code.length, SANDBOX_PROGRAM_BYTES);
    } else if (run_trials(plan, rows) && (!bench_publish_rows(run, name, &rows[0]) ||
                                          !bench_publish_rows(run, twice, &rows[1]))) {
        snprintf(item.why, sizeof(item.why), "no memory for counts");
    } else if (item.why[0] == '\0' && item.number == 0 && !is_known(plan, rows)) {
        snprintf(item.why, sizeof(item.why),
                 "in exact time a repetition did not take the %d instructions of the code",
                 KNOWN_INSTRUCTIONS);
    }
    if (item.why[0] != '\0') {
        bench_absent(run, name, item.why);
    }
    return item.why[0] == '\0';
}

/* Measures the looped form, except for code that changes R15: R15 counts the iterations, so the
 * loop could end at any of them. */
static bool measure_loop(struct bench_run *run, const struct exec_plan *plan)
{
    char name[NAME_MAX];

    if (sandbox_r15() == PROGRAM_R15) {
        return measure_form(run, plan, FORM_LOOPED, plan->body, plan->repetitions / plan->body);
    }
    snprintf(name, sizeof(name), FORM_LOOPED ".%zu", item.number);
    bench_absent(run, name, "the code changes R15, which counts the turns of the loop");
    return true;
}

/* Runs the code once, unmeasured, and publishes what it left in registers and memory. Code that
 * does not end normally has none. */
static void publish_left(const struct bench_run *run, const struct exec_plan *plan)
{
    const struct program_source source = {
        .init = item.init.bytes,
        .init_bytes = item.init.length,
        .code = item.code.bytes,
        .code_bytes = item.code.length,
        .copies = 1,
        .keeps = true,
    };
    int64_t *registers = bench_samples(SANDBOX_REGISTERS);
    int64_t *words = bench_samples(SANDBOX_MEMORY);
    int64_t row[1];
    char name[NAME_MAX];

    sandbox_clear();
    if (registers != NULL && words != NULL && sandbox_build(0, &source) &&
        sandbox_run(0, plan->limit_ticks, 1, row, row) == SANDBOX_DONE) {
        sandbox_registers(registers);
        snprintf(name, sizeof(name), PREFIX_REGISTERS "%zu", item.number);
        bench_publish(run, name, UNIT_COUNT, registers, SANDBOX_REGISTERS);
        sandbox_memory(words);
        snprintf(name, sizeof(name), PREFIX_MEMORY "%zu", item.number);
        bench_publish(run, name, UNIT_COUNT, words, SANDBOX_MEMORY);
    }
}

static bool measure_item(struct bench_run *run, const struct exec_plan *plan)
{
    char name[NAME_MAX];

    snprintf(name, sizeof(name), FACT_CODE_BYTES ".%zu", item.number);
    bench_fact(run, name, UNIT_COUNT, (int64_t)item.code.length);
    sandbox_clear();
    if (!measure_form(run, plan, FORM_UNROLLED, plan->repetitions, 0) || !measure_loop(run, plan)) {
        return false;
    }
    publish_left(run, plan);
    return true;
}

/* ---- the plan ---- */

static void plan_counters(struct exec_plan *plan)
{
    const struct counting_pass *pass = counting_current();

    if (pass == NULL) {
        return;
    }
    plan->counters = pass->slot_count;
    plan->smi = pass->smi;
    for (size_t i = 0; i < pass->slot_count; i++) {
        plan->rdpmc[i] = pmu_state()->counter[pass->slot[i].counter].rdpmc;
    }
}

static void take_known(void)
{
    item = (struct item){.code.length = sizeof(known_code)};
    memcpy(item.code.bytes, known_code, sizeof(known_code));
}

/* Takes code `index` and its init; the plan has one init for all codes, or one for each. Returns
 * NULL, or what is wrong with the plan. */
static const char *take_item(const struct bench_run *run, size_t index)
{
    const char *init = bench_text(run, PARAM_INIT);
    const size_t inits = code_list_count(init);
    const char *why = code_list_read(bench_text(run, PARAM_CODE), index, &item.code);

    item.number = index + 1;
    item.why[0] = '\0';
    item.init.length = 0;
    if (why == NULL && inits > 0) {
        why = code_list_read(init, inits == 1 ? 0 : index, &item.init);
    }
    return why;
}

static enum bench_state run_codes(struct bench_run *run, const struct exec_plan *plan, size_t codes)
{
    char first[FAULT_TEXT_MAX] = "";
    size_t failed = 0;

    take_known();
    if (!measure_item(run, plan)) {
        return bench_fail(run, "the built-in code: %.80s", item.why);
    }
    for (size_t i = 0; i < codes; i++) {
        const char *why = take_item(run, i);

        if (why != NULL) {
            return bench_error(run, "code %zu: %s", i + 1, why);
        }
        if (!measure_item(run, plan) && failed++ == 0) {
            snprintf(first, sizeof(first), "code %zu: %.90s", item.number, item.why);
        }
    }
    return failed == 0 ? bench_ok(run) : bench_fail(run, "%s", first);
}

static enum bench_state run(struct bench_run *run)
{
    struct exec_plan plan = {
        .repetitions = (uint32_t)bench_number(run, "repetitions"),
        .body = (uint32_t)bench_number(run, "body"),
        .trials = bench_number(run, "trials"),
        .limit_ms = bench_number(run, "limit_ms"),
    };
    const size_t codes = code_list_count(bench_text(run, PARAM_CODE));

    if (codes == 0) {
        return bench_skip(run, "the plan has no code; set exec.code, or use tare boot --exec");
    }
    if (codes > CODES_MAX || plan.repetitions % plan.body != 0) {
        return bench_error(run, codes > CODES_MAX
                                    ? "exec.code has more than 256 codes"
                                    : "exec.repetitions must be a multiple of exec.body");
    }
    const char *why = sandbox_open();

    if (why != NULL) {
        return bench_skip(run, "%s", why);
    }
    plan.limit_ticks = clock_ticks_from_us(plan.limit_ms * 1000);
    plan_counters(&plan);
    bench_fact(run, FACT_REPETITIONS, UNIT_COUNT, plan.repetitions);
    bench_fact(run, FACT_CODES, UNIT_COUNT, (int64_t)codes);
    bench_fact(run, FACT_KNOWN_INSTRUCTIONS, UNIT_COUNT, KNOWN_INSTRUCTIONS);
    bench_found(run, FOUND_VECTORS, sandbox_vectors());
    const enum bench_state state = run_codes(run, &plan, codes);

    sandbox_close();
    return state;
}

static const struct bench_param params[] = {
    {PARAM_CODE, "", "machine code in hexadecimal; several codes as a,b,c", PARAM_TEXT()},
    {PARAM_INIT, "", "machine code that runs once before it: one for all codes, or one for each",
     PARAM_TEXT()},
    {PARAM_TEXT_OF_CODE, "", "source text of each code, one line per code; only shown",
     PARAM_TEXT()},
    {"repetitions", "1000",
     "repetitions of the code in a trial; each trial also runs with twice as many",
     PARAM_NUMBER(1, 100000)},
    {"body", "10", "copies in the loop's body; must divide repetitions", PARAM_NUMBER(1, 1000)},
    {"trials", "10", "trials of each form", PARAM_NUMBER(1, 10000)},
    {"limit_ms", "200", "code that takes longer in one trial, in ms, is ended",
     PARAM_TIME(1, 4000)},
    {0},
};

static const struct bench exec = {
    .name = BENCH_EXEC,
    .group = GROUP_EXEC,
    .summary = "cost of any machine code in a sandbox, unrolled and looped",
    .unit = UNIT_TICK,
    .estimate = "exact time: exactly the instructions on the code's path, in both forms; "
                "otherwise, unrolled, the throughput of the code, or its latency if each copy "
                "waits for the one before",
    .needs = NEED_CLOCK,
    .on_request = true,
    .params = params,
    .steady = true,
    .run = run,
};
BENCH_REGISTER(exec);
