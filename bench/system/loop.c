/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench loop: what one iteration of a loop costs, by the difference of n and 2 n iterations. One
 * loop has its variable in a register; the other is the report's loop, with its variable in memory.
 *
 * A cost includes all instructions of an iteration and nothing else: the two stamps, and entry and
 * exit of the loop, are the same for n and 2 n and cancel out.
 */
#include "bench/system/cost.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"

static enum bench_state run(struct bench_run *run)
{
    static const struct cost costs[] = {
        {COST_REGISTER, COST_REGISTER SUFFIX_TWICE, loop_register},
        {COST_MEMORY, COST_MEMORY SUFFIX_TWICE, loop_memory},
    };

    return measure_costs(run, costs, sizeof(costs) / sizeof(costs[0]));
}

static const struct bench_param params[] = {
    {"repetitions", "1000", "iterations in a trial; each trial also runs with twice as many",
     PARAM_NUMBER(1, REPETITIONS_MAX)},
    {"trials", "10", "trials of each loop", PARAM_NUMBER(1, TRIALS_MAX)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {COST_REGISTER, 2, 1, UNIT_CYCLE, "DEC and JNZ, which fuse into one micro-operation per cycle"},
    {COST_MEMORY, 8, 6, UNIT_CYCLE,
     "eight instructions; a store is forwarded to the load of the next iteration in 4 to 5 cycles "
     "and ADD takes 1"},
    {0},
};

static const struct bench loop = {
    .name = BENCH_LOOP,
    .group = GROUP_SYSTEM,
    .summary = "cost of an empty loop, with its variable in a register and in memory",
    .unit = UNIT_TICK,
    .estimate =
        "in registers 2 instructions, 1 cycle; in memory 8 instructions, and 6 cycles because each "
        "load waits for the store before it. The report expected 3 cycles and found 8",
    .params = params,
    .estimates = estimates,
    .counted = true,
    .run = run,
};
BENCH_REGISTER(loop);
