/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench process: what ring 3 costs: a system call that does nothing, a page that is mapped when it
 * is first touched, a page that is copied when it is first written, and a message there and back
 * between two address spaces. Untraced and traced.
 *
 * Stamps are taken in ring 3, before and after each operation, and kept in the process's own
 * memory, which is touched beforehand; `empty` has nothing between its stamps. The bench checks
 * every word of the pages.
 */
#include "kernel/task/process.h"
#include "kernel/task/session.h"

#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/message.h"
#include "kernel/task/user.h"

#define PAGE       4096
#define PAGES_MAX  1024
#define CALLS_MAX  100000
#define ROUNDS_MAX 100000
#define WORDS      (PAGE / sizeof(uint64_t))
#define STACKS     32 /* upper limit for pages of stacks */
#define PRIORITY   10

#define TAG_START 1 /* the message's value is the id of the other thread */
#define TAG_BALL  2

/* layout of the memory of each process */
struct memory {
    uint64_t not_zero; /* words of fresh pages that were not 0 */
    uint64_t not_same; /* words that did not have the expected value */
    int64_t empty[CALLS_MAX];
    int64_t null_call[CALLS_MAX];
    int64_t demand_zero[PAGES_MAX];
    int64_t copy_on_write[PAGES_MAX];
    int64_t round_trip[ROUNDS_MAX];
    __attribute__((aligned(PAGE))) uint64_t page[PAGES_MAX][WORDS];
};
_Static_assert(sizeof(struct memory) <= PROCESS_BYTES, "larger than a process's memory");

#define MEMORY ((volatile struct memory *)PROCESS_BASE)

/* ---- in ring 3 ---- */

/* Returns the value that is written to a word. */
static inline __attribute__((always_inline)) uint64_t pattern(uint64_t page, uint64_t word)
{
    return (page * WORDS + word + 1) * 0x9e3779b97f4a7c15ull;
}

static PROCESS_CODE void touch(volatile int64_t *stamps, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        stamps[i] = 0;
    }
}

static PROCESS_CODE void count_differences(uint64_t pages, uint64_t mask)
{
    for (uint64_t i = 0; i < pages; i++) {
        for (uint64_t k = 0; k < WORDS; k++) {
            MEMORY->not_same += MEMORY->page[i][k] != (pattern(i, k) ^ mask) ? 1 : 0;
        }
    }
}

/* Writes page after page; times the first write to each, which raises a fault. */
static PROCESS_CODE void write_pages(volatile int64_t *stamps, uint64_t pages, uint64_t mask)
{
    for (uint64_t i = 0; i < pages; i++) {
        const uint64_t begin = user_tsc();

        MEMORY->page[i][0] = pattern(i, 0) ^ mask;
        stamps[i] = (int64_t)(user_tsc() - begin);
        for (uint64_t k = 1; k < WORDS; k++) {
            MEMORY->page[i][k] = pattern(i, k) ^ mask;
        }
    }
}

static PROCESS_CODE void fresh_main(void *argument)
{
    const uint64_t pages = (uint64_t)argument;

    touch(MEMORY->demand_zero, pages);
    for (uint64_t i = 0; i < pages; i++) {
        const uint64_t begin = user_tsc();
        const uint64_t first = MEMORY->page[i][0];

        MEMORY->demand_zero[i] = (int64_t)(user_tsc() - begin);
        MEMORY->not_zero += first != 0 ? 1 : 0;
        for (uint64_t k = 1; k < WORDS; k++) {
            MEMORY->not_zero += MEMORY->page[i][k] != 0 ? 1 : 0;
        }
        for (uint64_t k = 0; k < WORDS; k++) {
            MEMORY->page[i][k] = pattern(i, k);
        }
    }
}

/* Checks that the shared pages are as the other process wrote them, then overwrites them (timed).
 */
static PROCESS_CODE void copy_main(void *argument)
{
    const uint64_t pages = (uint64_t)argument;

    touch(MEMORY->copy_on_write, pages);
    count_differences(pages, 0);
    write_pages(MEMORY->copy_on_write, pages, UINT64_MAX);
}

/* Checks that the other process's writes are not visible, and writes pages, which must not be
 * visible there. */
static PROCESS_CODE void unchanged_main(void *argument)
{
    count_differences((uint64_t)argument, 0);
    write_pages(MEMORY->copy_on_write, (uint64_t)argument, 1);
}

static PROCESS_CODE void inverted_main(void *argument)
{
    count_differences((uint64_t)argument, UINT64_MAX);
}

static PROCESS_CODE void calls_main(void *argument)
{
    const uint64_t calls = (uint64_t)argument;

    touch(MEMORY->empty, calls);
    touch(MEMORY->null_call, calls);
    for (uint64_t i = 0; i < calls; i++) {
        const uint64_t begin = user_tsc();

        MEMORY->empty[i] = (int64_t)(user_tsc() - begin);
    }
    for (uint64_t i = 0; i < calls; i++) {
        const uint64_t begin = user_tsc();

        system_call(SYSCALL_NULL, 0, 0, 0);
        MEMORY->null_call[i] = (int64_t)(user_tsc() - begin);
    }
}

/* The first round also starts the other side and is not timed. */
static PROCESS_CODE void ping_main(void *argument)
{
    const uint64_t rounds = (uint64_t)argument;

    touch(MEMORY->round_trip, rounds);
    const uint64_t other = (uint32_t)system_call(SYSCALL_RECEIVE_TAG, TAG_START, 0, 0);

    system_call(SYSCALL_SEND, other, TAG_BALL, rounds);
    system_call(SYSCALL_RECEIVE_TAG, TAG_BALL, 0, 0);
    for (uint64_t i = 0; i < rounds; i++) {
        const uint64_t begin = user_tsc();

        system_call(SYSCALL_SEND, other, TAG_BALL, i);
        system_call(SYSCALL_RECEIVE_TAG, TAG_BALL, 0, 0);
        MEMORY->round_trip[i] = (int64_t)(user_tsc() - begin);
    }
}

static PROCESS_CODE void pong_main(void *argument)
{
    const uint64_t rounds = (uint64_t)argument;
    const uint64_t other = (uint32_t)system_call(SYSCALL_RECEIVE_TAG, TAG_START, 0, 0);

    for (uint64_t i = 0; i <= rounds; i++) {
        system_call(SYSCALL_RECEIVE_TAG, TAG_BALL, 0, 0);
        system_call(SYSCALL_SEND, other, TAG_BALL, i);
    }
}

/* ---- a session ---- */

enum series { EMPTY, NULL_CALL, DEMAND_ZERO, COPY_ON_WRITE, ROUND_TRIP, SERIES };

struct session {
    uint64_t pages;
    uint64_t calls;
    uint64_t rounds;
    int64_t *samples[SERIES];
    struct process *left;
    struct process *right;
    uint64_t not_zero;
    uint64_t not_same;
    uint64_t copies;
};

static uint64_t count_of(const struct session *session, enum series series)
{
    switch (series) {
    case EMPTY:
    case NULL_CALL:
        return session->calls;
    case ROUND_TRIP:
        return session->rounds;
    default:
        return session->pages;
    }
}

static bool take_samples(struct session *session)
{
    for (enum series i = 0; i < SERIES; i++) {
        session->samples[i] = bench_samples(count_of(session, i));
        if (session->samples[i] == NULL) {
            return false;
        }
    }
    return true;
}

static bool create_processes(struct session *session)
{
    const uint64_t words = 2 * session->calls + session->rounds + 3 * session->pages;
    const uint64_t kept = words * sizeof(int64_t) / PAGE + SERIES + 2;

    session->left = process_create("left");
    session->right = process_create("right");
    /* Each page is touched once and copied twice. */
    return session->left != NULL && session->right != NULL &&
           process_reserve(3 * session->pages + 2 * kept + STACKS);
}

static bool run_thread(struct process *process, const char *name, thread_entry *entry,
                       uint64_t argument)
{
    struct thread *thread = process_thread(process, name, PRIORITY, entry, argument);

    if (thread != NULL) {
        thread_join(thread);
    }
    return thread != NULL;
}

static bool run_pages(const struct session *session)
{
    return run_thread(session->left, "fresh", fresh_main, session->pages) &&
           process_share(session->right, session->left, offsetof(struct memory, page),
                         session->pages * PAGE) &&
           run_thread(session->right, "copy", copy_main, session->pages) &&
           run_thread(session->left, "unchanged", unchanged_main, session->pages) &&
           run_thread(session->right, "inverted", inverted_main, session->pages);
}

static bool run_messages(const struct session *session)
{
    struct thread *ping =
        process_thread(session->left, "ping", PRIORITY, ping_main, session->rounds);
    struct thread *pong =
        process_thread(session->right, "pong", PRIORITY, pong_main, session->rounds);

    if (ping == NULL || pong == NULL) {
        return false;
    }
    message_send(pong, TAG_START, thread_id(ping));
    message_send(ping, TAG_START, thread_id(pong));
    thread_join(ping);
    thread_join(pong);
    return true;
}

static bool read_series(const struct session *session, enum series series,
                        const struct process *process, size_t offset)
{
    return process_read(process, offset, session->samples[series],
                        count_of(session, series) * sizeof(int64_t));
}

static bool read_word(const struct process *process, size_t offset, uint64_t *sum)
{
    uint64_t value = 0;
    const bool good = process_read(process, offset, &value, sizeof(value));

    *sum += value;
    return good;
}

static bool read_memory(struct session *session)
{
    const struct process *left = session->left;
    const struct process *right = session->right;

    session->copies = process_fault_count(left, FAULT_COPY_ON_WRITE) +
                      process_fault_count(right, FAULT_COPY_ON_WRITE);
    return read_word(left, offsetof(struct memory, not_zero), &session->not_zero) &&
           read_word(left, offsetof(struct memory, not_same), &session->not_same) &&
           read_word(right, offsetof(struct memory, not_same), &session->not_same) &&
           read_series(session, EMPTY, left, offsetof(struct memory, empty)) &&
           read_series(session, NULL_CALL, left, offsetof(struct memory, null_call)) &&
           read_series(session, DEMAND_ZERO, left, offsetof(struct memory, demand_zero)) &&
           read_series(session, COPY_ON_WRITE, right, offsetof(struct memory, copy_on_write)) &&
           read_series(session, ROUND_TRIP, left, offsetof(struct memory, round_trip));
}

static bool run_session(struct session *session)
{
    const struct task_settings settings = {0};

    if (!task_begin(&settings)) {
        return false;
    }
    const bool good = create_processes(session) && run_pages(session) &&
                      run_thread(session->left, "calls", calls_main, session->calls) &&
                      run_messages(session) && read_memory(session);

    task_end();
    return good;
}

/* ---- the run ---- */

static void publish(const struct bench_run *run, const struct session *session,
                    const char *const names[SERIES])
{
    for (enum series i = 0; i < SERIES; i++) {
        bench_publish(run, names[i], UNIT_TICK, session->samples[i], count_of(session, i));
    }
}

static enum bench_state judge(struct bench_run *run, const struct session *session)
{
    if (session->not_zero != 0) {
        return bench_fail(run, "%lu words of fresh pages were not 0", session->not_zero);
    }
    if (session->not_same != 0) {
        return bench_fail(run, "%lu words of shared pages did not have the value that was written",
                          session->not_same);
    }
    if (session->copies != 2 * session->pages) {
        return bench_fail(run, "%lu pages were copied on write, expected %lu", session->copies,
                          2 * session->pages);
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    static const char *const names[SERIES] = {SERIES_EMPTY, "null_call", "demand_zero",
                                              "copy_on_write", "round_trip"};
    static const char *const traced_names[SERIES] = {"empty_traced", "null_call_traced",
                                                     "demand_zero_traced", "copy_on_write_traced",
                                                     "round_trip_traced"};
    struct session untraced = {
        .pages = bench_number(run, "pages"),
        .calls = bench_number(run, "calls"),
        .rounds = bench_number(run, "rounds"),
    };
    struct session traced = untraced;
    const char *why;

    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    if (!take_samples(&untraced) || !take_samples(&traced)) {
        return bench_error(run, "no memory for samples");
    }
    if (!run_session(&untraced)) {
        return bench_error(run, "no memory for processes");
    }
    if (!bench_trace_begin(run)) {
        return BENCH_ERROR;
    }
    if (!run_session(&traced) || !bench_trace_end(run)) {
        return bench_error(run, "no memory for processes or a trace");
    }
    publish(run, &untraced, names);
    publish(run, &traced, traced_names);
    const enum bench_state state = judge(run, &untraced);

    return state == BENCH_OK ? judge(run, &traced) : state;
}

static const struct bench_param params[] = {
    {"calls", "1000", "system calls that do nothing", PARAM_NUMBER(1, CALLS_MAX)},
    {"pages", "32", "pages that are touched, then shared and copied", PARAM_NUMBER(1, PAGES_MAX)},
    {"rounds", "200", "round trips of a message", PARAM_NUMBER(1, ROUNDS_MAX)},
    {0},
};

static const struct bench process = {
    .name = "process",
    .group = "tasks",
    .summary = "cost of system calls, page faults and messages of processes in ring 3",
    .unit = UNIT_TICK,
    .estimate = "null system call: about 30 instructions, 100 to 300 cycles on silicon, twice that "
                "when traced; page fault: 300 instructions plus 512 words to clear or copy; round "
                "trip: two switches of address space and four system calls, 1000 instructions",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .samples = "calls,pages,rounds",
    .relations = "empty<null_call<demand_zero<copy_on_write null_call<round_trip "
                 "null_call<null_call_traced demand_zero<demand_zero_traced "
                 "copy_on_write<copy_on_write_traced round_trip<round_trip_traced",
    .run = run,
};
BENCH_REGISTER(process);
