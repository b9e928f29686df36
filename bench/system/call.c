/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench call: what a procedure call costs with 0 to 7 arguments of 32 bits, six of them in
 * registers as the ABI has it, or all on the stack.
 *
 * Functions and loops are the assembler's (kernels.S): no compiler inlines them. A call includes
 * the loading of its arguments, CALL, the function's frame and RET; the loop around it is the cost
 * `loop`, and is not the call's.
 */
#include "bench/system/cost.h"

static enum bench_state run(struct bench_run *run)
{
    const struct cost costs[] = {
        {"loop", "loop.twice", loop_register},
        {"register0", "register0.twice", call_register[0]},
        {"register1", "register1.twice", call_register[1]},
        {"register2", "register2.twice", call_register[2]},
        {"register3", "register3.twice", call_register[3]},
        {"register4", "register4.twice", call_register[4]},
        {"register5", "register5.twice", call_register[5]},
        {"register6", "register6.twice", call_register[6]},
        {"register7", "register7.twice", call_register[7]},
        {"stack0", "stack0.twice", call_stack[0]},
        {"stack1", "stack1.twice", call_stack[1]},
        {"stack2", "stack2.twice", call_stack[2]},
        {"stack3", "stack3.twice", call_stack[3]},
        {"stack4", "stack4.twice", call_stack[4]},
        {"stack5", "stack5.twice", call_stack[5]},
        {"stack6", "stack6.twice", call_stack[6]},
        {"stack7", "stack7.twice", call_stack[7]},
    };

    return measure_costs(run, costs, sizeof(costs) / sizeof(costs[0]));
}

static const struct bench_param params[] = {
    {"repetitions", "1000", "in a trial; and twice as many", PARAM_NUMBER, 1, REPETITIONS_MAX},
    {"trials", "10", "of each", PARAM_NUMBER, 1, TRIALS_MAX},
    {0},
};

static const struct bench_estimate estimates[] = {
    {"loop", 2, 1, "cycle", "DEC and JNZ, which fuse"},
    {"register0", 5, 4, "cycle",
     "CALL, PUSH, MOV, POP, RET: two taken branches, and the loop's own beside them"},
    {"register1", 6, 4, "cycle", "a load more, which finds a free port"},
    {"register2", 7, 5, "cycle", "two loads a cycle"},
    {"register3", 8, 5, "cycle", "two loads a cycle"},
    {"register4", 9, 5, "cycle", "two loads a cycle"},
    {"register5", 10, 6, "cycle", "two loads a cycle"},
    {"register6", 11, 6, "cycle", "two loads a cycle"},
    {"register7", 13, 7, "cycle", "the seventh is loaded and stored"},
    {"stack0", 5, 4, "cycle", "as register0"},
    {"stack1", 7, 5, "cycle",
     "a load and a store: one store a cycle, beside those of CALL and PUSH"},
    {"stack2", 9, 6, "cycle", "a store a cycle"},
    {"stack3", 11, 7, "cycle", "a store a cycle"},
    {"stack4", 13, 8, "cycle", "a store a cycle"},
    {"stack5", 15, 9, "cycle", "a store a cycle"},
    {"stack6", 17, 10, "cycle", "a store a cycle"},
    {"stack7", 19, 11, "cycle", "a store a cycle"},
    {0},
};

static const struct bench call = {
    .name = "call",
    .group = "system",
    .summary = "procedure calls with 0 to 7 arguments, in registers and on the stack",
    .unit = "tick",
    .estimate = "5 instructions and one more for each argument in a register, two on the stack; "
                "some 4 cycles, and half a cycle or one for each argument. The report: 20 to 30 "
                "and 1 for each",
    .params = params,
    .estimates = estimates,
    .run = run,
};
BENCH_REGISTER(call);
