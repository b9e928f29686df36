/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench order: in which order stimuli are served, compared with orders derived by hand.
 *
 * Stimuli travel as messages from process to process (Shub, "On Determining the Distribution of
 * Software Response Times", sections 3.1 and 3.3). Processes are threads that serve the first
 * message that arrives: they work for a fixed time and send the stimulus on to the next process of
 * its route.
 *
 * The bench notes the start of each service and, in scenarios where services interrupt each other,
 * also the end. A note is a code whose bytes are stimulus, process and, for an end, '.'.
 */
#include "bench/tasks/names.h"
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/message.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/timer.h"
#include "kernel/trace/object.h"

#include <string.h>

#define PROCESSES_MAX 4
#define STIMULI_MAX   4
#define NOTES_MAX     32
#define WORK          2000    /* iterations of a service */
#define SETTLE_US     200     /* time after which all processes wait for messages */
#define SCENARIO_US   5000    /* time after which all stimuli are served if nothing delays them */
#define LIMIT_US      2000000 /* limit if something delays them */

#define PAUSE_INSTRUCTIONS 20000 /* shortest pause in exact time */

/* In a route, "P" is served by process P; "p" is what P does when the answer has come for which it
 * waits, and for no other message. */
struct stimulus {
    char name;
    const char *route;
};

struct process_plan {
    char name;
    unsigned priority;
};

struct scenario {
    const char *series;
    struct process_plan process[PROCESSES_MAX];
    struct stimulus stimulus[STIMULI_MAX]; /* sent in this order, before any process runs */
    struct stimulus late;                  /* sent by a timer's handler during the first service */
    bool ends;                             /* ends of services are noted as well */
    const char *expected;
};

/*
 * 1. The paper's example. P, Q and R have one priority. A and B wait at P, C at Q; Q is after P in
 * the ready queue. P serves A and sends it to R, which is queued after Q; P goes on with B and
 * sends it to Q. Q serves C, then B. Only now R serves A: B has overtaken it.
 *
 * 2. Preemption. H has a higher priority than P. While P serves A, X arrives at H from a device. P
 * is interrupted until H has served X, continues with A, and then serves B.
 *
 * 3. A specific message. P serves A, asks Q and waits only for Q's answer. Q has C before it, then
 * serves A and answers. B, which has been waiting at P all the time, is served after the answer.
 *
 * 4. A preempted process stays first in the queue. P serves A, C waits at Q, which has the same
 * priority. X preempts P at H, and H sends it on to Q. P continues before Q, although Q was ready
 * before P was preempted; Q then serves C and X in the order in which they came.
 */
static const struct scenario scenarios[] = {
    {.series = "fcfs",
     .process = {{'P', 10}, {'Q', 10}, {'R', 10}},
     .stimulus = {{'A', "PR"}, {'B', "PQ"}, {'C', "Q"}},
     .expected = "AP BP CQ BQ AR"},
    {.series = "preemption",
     .process = {{'P', 10}, {'H', 20}},
     .stimulus = {{'A', "P"}, {'B', "P"}},
     .late = {'X', "H"},
     .ends = true,
     .expected = "AP XH XH. AP. BP BP."},
    {.series = "specific",
     .process = {{'P', 10}, {'Q', 10}},
     .stimulus = {{'A', "PQp"}, {'B', "P"}, {'C', "Q"}},
     .expected = "AP CQ AQ AP BP"},
    {.series = "first_in_line",
     .process = {{'P', 10}, {'Q', 10}, {'H', 20}},
     .stimulus = {{'A', "P"}, {'C', "Q"}},
     .late = {'X', "HQ"},
     .ends = true,
     .expected = "AP XH XH. AP. CQ CQ. XQ XQ."},
};

#define SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

/* state of the current scenario */
static struct {
    const struct scenario *scenario;
    struct thread *thread[PROCESSES_MAX];
    struct timer late;
    bool late_started;
    volatile bool late_sent;
    int64_t *notes;
    size_t count;
} now;

static void note(char stimulus, char process, bool end)
{
    if (now.count < NOTES_MAX && (!end || now.scenario->ends)) {
        const int64_t code = stimulus | process << 8 | (end ? '.' << 16 : 0);

        now.notes[now.count++] = code;
        trace_mark(0, (uint64_t)code);
    }
}

static struct thread *thread_of(char process)
{
    for (size_t i = 0; i < PROCESSES_MAX; i++) {
        if (now.scenario->process[i].name == process) {
            return now.thread[i];
        }
    }
    return NULL;
}

/* A message's tag is its stimulus; its value is the index of its stop on the route. */
static const char *route_of(uint16_t tag)
{
    for (size_t i = 0; i < STIMULI_MAX; i++) {
        if (now.scenario->stimulus[i].name == tag) {
            return now.scenario->stimulus[i].route;
        }
    }
    return now.scenario->late.route;
}

static char upper(char stop)
{
    return (char)(stop & ~0x20);
}

static bool is_answer(char stop)
{
    return stop != upper(stop);
}

/* Acts as a device that needs attention during the first service. */
static void send_late(void *argument)
{
    const struct stimulus *late = argument;

    message_send(thread_of(late->route[0]), (uint16_t)late->name, 0);
    now.late_sent = true;
}

/* Works for a service. The first service lasts until the late stimulus has been sent, however late
 * that is: timers of emulators and hypervisors may take long. */
static void work(void)
{
    const uint64_t start = tsc_read();
    const bool first = now.scenario->late.name != '\0' && !now.late_started;

    if (first) {
        now.late_started = true;
        timer_start(&now.late, start, 0, send_late, (void *)&now.scenario->late);
    }
    do {
        idle_loop_spin(WORK);
    } while (first && !now.late_sent && tsc_read() - start < clock_ticks_from_us(LIMIT_US));
}

static void serve(char process, struct message message)
{
    const char *route = route_of(message.tag);
    const uint32_t next = message.value + 1;

    note((char)message.tag, process, false);
    work();
    note((char)message.tag, process, true);
    if (route[next] != '\0') {
        message_send(thread_of(upper(route[next])), message.tag, next);
    }
    /* If the stimulus comes back to this process two stops later, the process waits for that
     * message and no other. */
    if (route[next] != '\0' && is_answer(route[next + 1])) {
        serve(process, message_receive_tag(message.tag));
    }
}

static void process_main(void *argument)
{
    const struct process_plan *plan = argument;

    for (;;) {
        serve(plan->name, message_receive());
    }
}

static const char *const names[PROCESSES_MAX][SCENARIOS] = {
    {"1:P", "2:P", "3:P", "4:P"},
    {"1:Q", "2:H", "3:Q", "4:Q"},
    {"1:R", "", "", "4:H"},
};

/* Returns the number of processes, or 0 if there is no memory for one. */
static size_t create_processes(size_t index)
{
    const struct process_plan *plan = scenarios[index].process;
    size_t count = 0;

    while (count < PROCESSES_MAX && plan[count].name != '\0') {
        now.thread[count] = thread_create(names[count][index], plan[count].priority, process_main,
                                          (void *)&plan[count]);
        if (now.thread[count] == NULL) {
            return 0;
        }
        count++;
    }
    return count;
}

static void send_stimuli(const struct scenario *scenario)
{
    for (size_t i = 0; i < STIMULI_MAX && scenario->stimulus[i].name != '\0'; i++) {
        message_send(thread_of(scenario->stimulus[i].route[0]),
                     (uint16_t)scenario->stimulus[i].name, 0);
    }
}

/* Returns a pause long enough for others to run meanwhile, even if an instruction takes 1 us. */
static uint64_t pause_ticks(uint64_t us)
{
    const uint64_t ticks = clock_ticks_from_us(us);
    const uint64_t least = (uint64_t)PAUSE_INSTRUCTIONS * clock_state()->ticks_per_instruction;

    return ticks > least ? ticks : least;
}

/* Sleeps in steps of `us` until all processes wait for messages. Returns false if they do not
 * within LIMIT_US. */
static bool settle(size_t processes, uint64_t us)
{
    const uint64_t pause = pause_ticks(us);
    const uint64_t start = tsc_read();
    size_t waiting;

    do {
        thread_sleep_until(tsc_read() + pause);
        waiting = 0;
        while (waiting < processes && thread_waits(now.thread[waiting])) {
            waiting++;
        }
    } while (waiting < processes && tsc_read() - start < clock_ticks_from_us(LIMIT_US));
    return waiting == processes;
}

/* Runs a scenario. Returns BENCH_OK if all stimuli were served, in any order. */
static enum bench_state play(struct bench_run *run, size_t index)
{
    const struct scenario *scenario = &scenarios[index];

    now.scenario = scenario;
    now.late_started = now.late_sent = false;
    now.count = 0;
    const size_t processes = create_processes(index);

    if (processes == 0) {
        return bench_error(run, "no memory for threads");
    }
    if (!settle(processes, SETTLE_US)) {
        return bench_fail(run, "%s: after 2 s, not all processes were waiting for messages",
                          scenario->series);
    }
    send_stimuli(scenario);
    const bool served = settle(processes, SCENARIO_US);

    timer_stop(&now.late);
    if (!served) {
        return bench_fail(run, "%s: after 2 s, not all messages had been served", scenario->series);
    }
    return BENCH_OK;
}

/* Returns true if the notes match the expected order. */
static bool as_expected(const struct scenario *scenario)
{
    const char *at = scenario->expected;

    for (size_t i = 0; i < now.count; i++) {
        const char *code = (const char *)&now.notes[i];
        const size_t length = strlen(code);

        if (strncmp(at, code, length) != 0 || (at[length] != ' ' && at[length] != '\0')) {
            return false;
        }
        at += at[length] == ' ' ? length + 1 : length;
    }
    return *at == '\0';
}

static enum bench_state run(struct bench_run *run)
{
    const struct task_settings settings = {0};
    int64_t *notes[SCENARIOS];
    size_t counts[SCENARIOS];
    const char *wrong = NULL;
    enum bench_state state = BENCH_OK;

    now = (typeof(now)){0};
    for (size_t i = 0; i < SCENARIOS; i++) {
        notes[i] = bench_samples(NOTES_MAX);
        if (notes[i] == NULL) {
            return bench_error(run, "no memory for %d notes", NOTES_MAX);
        }
    }
    if (!bench_trace_begin(run)) {
        return BENCH_ERROR;
    }
    trace_object_add(OBJECT_MARK, "service");
    if (!task_begin(&settings)) {
        return bench_error(run, "no memory for threads");
    }
    for (size_t i = 0; i < SCENARIOS && state == BENCH_OK; i++) {
        now.notes = notes[i];
        state = play(run, i);
        counts[i] = now.count;
        wrong = wrong == NULL && !as_expected(&scenarios[i]) ? scenarios[i].series : wrong;
    }
    task_end();
    if (!bench_trace_end(run)) {
        return bench_error(run, "no memory for a trace");
    }
    if (state != BENCH_OK) {
        return state;
    }
    for (size_t i = 0; i < SCENARIOS; i++) {
        bench_publish(run, scenarios[i].series, UNIT_CODE, notes[i], counts[i]);
    }
    return wrong == NULL ? bench_ok(run)
                         : bench_fail(run,
                                      "scenario %s: messages were not served in the expected "
                                      "order; `tare show` prints the order",
                                      wrong);
}

static const struct bench order = {
    .name = BENCH_ORDER,
    .group = "tasks",
    .summary = "checks the order in which messages are served against orders derived by hand",
    .unit = UNIT_CODE,
    .estimate = "A-P B-P C-Q B-Q A-R (Shub, section 3.3), and three more scenarios with preemption "
                "and specific messages",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .run = run,
};
BENCH_REGISTER(order);
