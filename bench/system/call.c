/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench call: what a procedure call costs with 0 to 7 arguments of 32 bits, passed as the ABI says
 * (six in registers, the seventh on the stack) or all on the stack.
 *
 * Functions and loops are written in assembly (kernels.S), so that no compiler inlines them. A call
 * includes loading its arguments, CALL, the function's frame and RET. The loop around it is
 * measured as the cost `loop` and is not part of the call's cost.
 */
#include "bench/system/cost.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"

static enum bench_state run(struct bench_run *run)
{
    const struct cost costs[] = {
        {SERIES_LOOP, SERIES_LOOP SUFFIX_TWICE, loop_register},
        {COST_REGISTER "0", COST_REGISTER "0" SUFFIX_TWICE, call_register[0]},
        {COST_REGISTER "1", COST_REGISTER "1" SUFFIX_TWICE, call_register[1]},
        {COST_REGISTER "2", COST_REGISTER "2" SUFFIX_TWICE, call_register[2]},
        {COST_REGISTER "3", COST_REGISTER "3" SUFFIX_TWICE, call_register[3]},
        {COST_REGISTER "4", COST_REGISTER "4" SUFFIX_TWICE, call_register[4]},
        {COST_REGISTER "5", COST_REGISTER "5" SUFFIX_TWICE, call_register[5]},
        {COST_REGISTER "6", COST_REGISTER "6" SUFFIX_TWICE, call_register[6]},
        {COST_REGISTER "7", COST_REGISTER "7" SUFFIX_TWICE, call_register[7]},
        {COST_STACK "0", COST_STACK "0" SUFFIX_TWICE, call_stack[0]},
        {COST_STACK "1", COST_STACK "1" SUFFIX_TWICE, call_stack[1]},
        {COST_STACK "2", COST_STACK "2" SUFFIX_TWICE, call_stack[2]},
        {COST_STACK "3", COST_STACK "3" SUFFIX_TWICE, call_stack[3]},
        {COST_STACK "4", COST_STACK "4" SUFFIX_TWICE, call_stack[4]},
        {COST_STACK "5", COST_STACK "5" SUFFIX_TWICE, call_stack[5]},
        {COST_STACK "6", COST_STACK "6" SUFFIX_TWICE, call_stack[6]},
        {COST_STACK "7", COST_STACK "7" SUFFIX_TWICE, call_stack[7]},
    };

    return measure_costs(run, costs, sizeof(costs) / sizeof(costs[0]));
}

static const struct bench_param params[] = {
    {"repetitions", "1000", "calls in a trial; each trial also runs with twice as many",
     PARAM_NUMBER(1, REPETITIONS_MAX)},
    {"trials", "10", "trials of each number of arguments", PARAM_NUMBER(1, TRIALS_MAX)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {SERIES_LOOP, 2, 1, UNIT_CYCLE, "DEC and JNZ, which fuse"},
    {COST_REGISTER "0", 5, 4, UNIT_CYCLE,
     "CALL, PUSH, MOV, POP, RET: two taken branches, in addition to the loop's"},
    {COST_REGISTER "1", 6, 4, UNIT_CYCLE, "one more load, for which a port is free"},
    {COST_REGISTER "2", 7, 5, UNIT_CYCLE, "two loads a cycle"},
    {COST_REGISTER "3", 8, 5, UNIT_CYCLE, "two loads a cycle"},
    {COST_REGISTER "4", 9, 5, UNIT_CYCLE, "two loads a cycle"},
    {COST_REGISTER "5", 10, 6, UNIT_CYCLE, "two loads a cycle"},
    {COST_REGISTER "6", 11, 6, UNIT_CYCLE, "two loads a cycle"},
    {COST_REGISTER "7", 13, 7, UNIT_CYCLE, "the seventh is loaded and stored"},
    {COST_STACK "0", 5, 4, UNIT_CYCLE, "the same as register0"},
    {COST_STACK "1", 7, 5, UNIT_CYCLE,
     "a load and a store: one store a cycle, in addition to those of CALL and PUSH"},
    {COST_STACK "2", 9, 6, UNIT_CYCLE, "a store a cycle"},
    {COST_STACK "3", 11, 7, UNIT_CYCLE, "a store a cycle"},
    {COST_STACK "4", 13, 8, UNIT_CYCLE, "a store a cycle"},
    {COST_STACK "5", 15, 9, UNIT_CYCLE, "a store a cycle"},
    {COST_STACK "6", 17, 10, UNIT_CYCLE, "a store a cycle"},
    {COST_STACK "7", 19, 11, UNIT_CYCLE, "a store a cycle"},
    {0},
};

static const struct bench call = {
    .name = BENCH_CALL,
    .group = GROUP_SYSTEM,
    .summary = "procedure calls with 0 to 7 arguments, in registers and on the stack",
    .unit = UNIT_TICK,
    .estimate = "5 instructions, one more for each argument in a register, two more for each on "
                "the stack; about 4 cycles, and half a cycle to one for each argument. The report: "
                "20 to 30 cycles, and 1 for each argument",
    .params = params,
    .estimates = estimates,
    .counted = true,
    .run = run,
};
BENCH_REGISTER(call);
