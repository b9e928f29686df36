/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench creation: what it costs to create a thread or a process, and what its whole life costs:
 * create, run, exit and join.
 *
 * No memory is allocated while the time runs: stacks are kept for the threads of a session and
 * pages come from a pool. A session fills both beforehand, because the allocator takes nothing
 * back. The time includes a thread's control block, the first words of its stack and the ready
 * queue; for a process also its page tables, cleared or copied whole. The process's thread writes
 * to one page and uses one page of stack, both not mapped until then: two page faults.
 */
#include "bench/system/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/process.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"

#define SAMPLES_MAX 10000
#define PRIORITY    10
/* samples of a session; each takes one thread or process that is only created and one that runs */
#define THREADS_OF_SESSION   32
#define PROCESSES_OF_SESSION 2

enum series { EMPTY, THREAD, THREAD_CREATE, PROCESS, PROCESS_CREATE, SERIES };

static const char *const series_names[SERIES] = {SERIES_EMPTY, SERIES_THREAD, "thread_create",
                                                 SERIES_PROCESS, "process_create"};

static struct {
    size_t samples; /* number of samples of each series */
    int64_t *series[SERIES];
    /* the last thread and the last process that were created */
    struct thread *thread;
    struct process *process;
} state;

/* ---- what is timed ---- */

static void thread_main(void *argument)
{
    (void)argument;
}

static PROCESS_CODE void process_main(void *argument)
{
    *(volatile uint64_t *)PROCESS_BASE = (uint64_t)argument;
}

static bool do_nothing(void)
{
    return true;
}

static bool create_thread(void)
{
    state.thread = thread_create("created", PRIORITY, thread_main, NULL);
    return state.thread != NULL;
}

static bool run_thread(void)
{
    struct thread *thread = thread_create("run", PRIORITY, thread_main, NULL);

    if (thread != NULL) {
        thread_join(thread);
    }
    return thread != NULL;
}

static bool create_process(void)
{
    state.process = process_create("created");
    return state.process != NULL;
}

static bool run_process(void)
{
    state.process = process_create("run");
    struct thread *thread = state.process == NULL
                                ? NULL
                                : process_thread(state.process, "run", PRIORITY, process_main, 1);

    if (thread != NULL) {
        thread_join(thread);
    }
    return thread != NULL;
}

static bool (*const timed[SERIES])(void) = {do_nothing, run_thread, create_thread, run_process,
                                            create_process};

static bool time_one(enum series series, size_t sample)
{
    const uint64_t begin = tsc_read_ordered();
    const bool good = timed[series]();

    state.series[series][sample] = (int64_t)(tsc_read_ordered() - begin);
    return good;
}

/* ---- sessions ---- */

/* Takes the samples of a session, starting with sample `first`. */
static bool time_threads(size_t first)
{
    bool good = true;

    for (size_t i = first; i < state.samples && i < first + THREADS_OF_SESSION && good; i++) {
        good = time_one(EMPTY, i) && time_one(THREAD, i) && time_one(THREAD_CREATE, i);
        if (good) {
            thread_join(state.thread); /* otherwise it would run while the next sample is timed */
        }
    }
    return good;
}

static bool has_touched(void)
{
    uint64_t value = 0;

    return process_read(state.process, 0, &value, sizeof(value)) && value == 1;
}

/* The first process of a session sets up what all processes share, so it is not timed. */
static bool time_processes(size_t first)
{
    bool good = create_process();

    for (size_t i = first; i < state.samples && i < first + PROCESSES_OF_SESSION && good; i++) {
        good = time_one(PROCESS, i) && has_touched() && time_one(PROCESS_CREATE, i);
    }
    return good;
}

/* Runs sessions until all samples are taken. The first session is repeated: its first run fills the
 * kept stacks and the pool. */
static bool run_sessions(bool (*time_some)(size_t first), size_t step)
{
    const struct task_settings settings = {0};
    bool good = true;
    size_t first = 0;

    for (size_t i = 0; first < state.samples && good; i++) {
        task_forget(); /* ids start again; this is safe because nothing is traced */
        good = task_begin(&settings);
        if (good) {
            good = time_some(first);
            task_end();
        }
        first += i > 0 ? step : 0;
    }
    return good;
}

static enum bench_state run(struct bench_run *run)
{
    const char *why = NULL;

    state.samples = bench_number(run, "samples");
    for (enum series i = 0; i < SERIES; i++) {
        state.series[i] = bench_samples(state.samples);
        if (state.series[i] == NULL) {
            return bench_error(run, "no memory for %zu samples", state.samples);
        }
    }
    const bool processes = process_supported(&why);

    if (!run_sessions(time_threads, THREADS_OF_SESSION) ||
        (processes && !run_sessions(time_processes, PROCESSES_OF_SESSION))) {
        return bench_error(run, "no memory for threads or processes");
    }
    for (enum series i = 0; i < SERIES; i++) {
        if (i < PROCESS || processes) {
            bench_publish(run, series_names[i], UNIT_TICK, state.series[i], state.samples);
        } else {
            bench_absent(run, series_names[i], why);
        }
    }
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"samples", "32", "samples of each series", PARAM_NUMBER(1, SAMPLES_MAX)},
    {0},
};

/* The report (section 5) expects 100,000 cycles for a thread, and 20 to 30 times that for a
 * process. */
static const struct bench_estimate estimates[] = {
    {"thread_create", 300, 200, UNIT_CYCLE,
     "34 to clear a control block of 34 double words, 33 for 8 words of stack, 12 to copy an "
     "object for the trace, and 14 functions of about 15 each; no memory is allocated"},
    {SERIES_THREAD, 560, 600, UNIT_CYCLE,
     "thread_create, two switches of 100, exit and join 30 each; the report: 100000"},
    {"process_create", 7500, 4000, UNIT_CYCLE,
     "13 page tables of 512 words cleared or copied, 300 cycles each"},
    {SERIES_PROCESS, 9500, 7000, UNIT_CYCLE,
     "process_create, a thread, two page faults of 760; the report: 20 to 30 times a thread"},
    {0},
};

static const struct bench creation = {
    .name = BENCH_CREATION,
    .group = GROUP_SYSTEM,
    .summary =
        "cost of creating threads and processes, and of creating, running, ending and joining them",
    .unit = UNIT_TICK,
    .estimate = "thread: hundreds of instructions, not 100000 cycles as on an OS, because no "
                "memory is allocated; process: almost only its 13 page tables of 512 words",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .samples = "samples",
    .steady = true,
    .relations = "empty<thread_create<thread<process_create<process",
    .run = run,
};
BENCH_REGISTER(creation);
