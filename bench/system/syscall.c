/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench syscall: ring 3 calls the kernel and returns: by SYSCALL with 0 to 6 arguments that the
 * kernel adds up, with 64 bytes that it copies from the process, and with a name that it looks up
 * and answers; and by the older instructions INT and SYSENTER.
 *
 * A series includes everything in ring 3 from the first instruction that sets up the call to the
 * first after it: number and arguments, the kernel's table of calls, and the call itself. `empty`
 * is two stamps with nothing between. The bench checks what the calls return, what was copied and
 * what was answered, and that the kernel neither reads from nor writes to addresses outside the
 * process.
 */
#include <stdint.h>
#include <string.h>

#include "bench/system/names.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/process.h"
#include "kernel/task/process_space.h"
#include "kernel/task/session.h"
#include "kernel/task/syscall.h"
#include "kernel/task/user.h"

/*
 * System calls timed in ring 3 (user_calls.S), written in assembly so that the code around a call
 * is the same for all of them and not a compiler's choice.
 *
 * Each function does its call `count` times (at least 1), puts the ticks of each, between two
 * stamps (LFENCE; RDTSC; LFENCE), into samples[], and returns the sum of what the calls returned.
 * Between the stamps are the call, a MOV for its number, one for each argument, and one that keeps
 * the result; user_calls_empty has the last one only.
 */

typedef uint64_t user_calls(int64_t *samples, uint64_t count, uint64_t address);

user_calls user_calls_empty __attribute__((visibility("hidden")));
user_calls user_calls_null __attribute__((visibility("hidden")));
/* SYSCALL_SUM1 to 6 with the arguments 1, 2, 4, 8, 16 and 32 */
user_calls user_calls_arguments1 __attribute__((visibility("hidden")));
user_calls user_calls_arguments2 __attribute__((visibility("hidden")));
user_calls user_calls_arguments3 __attribute__((visibility("hidden")));
user_calls user_calls_arguments4 __attribute__((visibility("hidden")));
user_calls user_calls_arguments5 __attribute__((visibility("hidden")));
user_calls user_calls_arguments6 __attribute__((visibility("hidden")));
/* SYSCALL_COPY64 from `address` */
user_calls user_calls_copy64 __attribute__((visibility("hidden")));
/* SYSCALL_STAT of the name at `address`; the answer is written after the name */
user_calls user_calls_stat __attribute__((visibility("hidden")));
/* the null call by INT and, in a called function, by SYSENTER */
user_calls user_calls_interrupt __attribute__((visibility("hidden")));
user_calls user_calls_sysenter __attribute__((visibility("hidden")));

/* user_calls.S repeats these numbers. */
_Static_assert(SYSCALL_NULL == 0 && SYSCALL_SUM1 == 10 && SYSCALL_COPY64 == 16 &&
                   SYSCALL_SUM6 == SYSCALL_SUM1 + 5 && SYSCALL_STAT == 17 &&
                   USER_NAME_BYTES == 64 && SYSCALL_VECTOR == 0x80,
               "user_calls.S knows them");

#define PAGE       4096
#define CALLS_MAX  10000
#define PRIORITY   10
#define STACKS     16 /* upper limit for pages of stacks */
#define REFUSALS   5  /* addresses that the kernel must refuse to copy from */
#define UNANSWERED 6  /* names and addresses that the kernel must refuse to answer */

enum kind {
    EMPTY,
    NULL_CALL,
    ARGUMENTS1,
    ARGUMENTS2,
    ARGUMENTS3,
    ARGUMENTS4,
    ARGUMENTS5,
    ARGUMENTS6,
    COPY64,
    INTERRUPT,
    SYSENTER,
    STAT,
    KINDS,
};

static const char *const names[KINDS] = {
    SERIES_EMPTY,       CALL_NULL,          CALL_ARGUMENTS "1", CALL_ARGUMENTS "2",
    CALL_ARGUMENTS "3", CALL_ARGUMENTS "4", CALL_ARGUMENTS "5", CALL_ARGUMENTS "6",
    CALL_COPY64,        "interrupt",        "sysenter",         CALL_STAT,
};

/* name of the calling thread, as a number: code in ring 3 can read no constant in the kernel's
 * memory */
#define CALLER      "calls"
#define CALLER_WORD ('c' | 'a' << 8 | 'l' << 16 | (uint64_t)'l' << 24 | (uint64_t)'s' << 32)

/* what SYSCALL_STAT reads and writes */
struct query {
    uint64_t name[USER_NAME_BYTES / sizeof(uint64_t)];
    struct user_stat stat;
};

/* layout of the process's memory */
struct memory {
    uint64_t sums[KINDS];
    uint64_t refused;
    uint64_t words[SYSCALL_COPY_WORDS];
    int64_t samples[KINDS][CALLS_MAX];
    uint64_t unanswered;
    struct query query;
    struct query unknown;
    __attribute__((aligned(PAGE))) uint8_t untouched[PAGE];
};
_Static_assert(sizeof(struct memory) <= PROCESS_BYTES, "larger than a process's memory");

#define MEMORY ((struct memory *)PROCESS_BASE)

/* Returns the word that is copied at `index`. */
static inline __attribute__((always_inline)) uint64_t word_at(uint64_t index)
{
    return (index + 1) * 0x9e3779b97f4a7c15ull;
}

/* ---- in ring 3 ---- */

/* Touches all pages before anything is timed. */
static PROCESS_CODE void prepare(uint64_t calls)
{
    volatile struct memory *memory = MEMORY;

    for (uint64_t i = 0; i < SYSCALL_COPY_WORDS; i++) {
        memory->words[i] = word_at(i);
    }
    for (uint64_t kind = 0; kind < KINDS; kind++) {
        for (uint64_t i = 0; i < calls; i++) {
            memory->samples[kind][i] = 0;
        }
    }
}

static PROCESS_CODE uint64_t copy_from(uint64_t address)
{
    return system_call(SYSCALL_COPY64, address, 0, 0) == SYSCALL_REFUSED ? 1 : 0;
}

static PROCESS_CODE uint64_t ask(uint64_t name, uint64_t to)
{
    return system_call(SYSCALL_STAT, name, to, 0) == SYSCALL_REFUSED ? 1 : 0;
}

static PROCESS_CODE uint64_t ask_in_vain(void)
{
    const uint64_t name = (uint64_t)MEMORY->query.name;
    const uint64_t to = (uint64_t)&MEMORY->query.stat;

    MEMORY->unknown.name[0] = CALLER_WORD + 1;
    return ask(PROCESS_BASE - 1, to) + ask((uint64_t)MEMORY->untouched, to) +
           ask((uint64_t)MEMORY->unknown.name, to) +
           ask(name, PROCESS_BASE + PROCESS_BYTES - USER_NAME_BYTES + 1) +
           ask(name, (uint64_t)MEMORY->untouched) + ask(name, 0);
}

static PROCESS_CODE void main_calls(void *argument)
{
    const uint64_t calls = (uint64_t)argument;
    const uint64_t words = (uint64_t)MEMORY->words;

    prepare(calls);
    MEMORY->refused = copy_from(PROCESS_BASE - 1) + copy_from(PROCESS_BASE + PROCESS_BYTES - 63) +
                      copy_from((uint64_t)MEMORY->untouched) + copy_from(0) + copy_from(UINT64_MAX);
    MEMORY->sums[EMPTY] = user_calls_empty(MEMORY->samples[EMPTY], calls, words);
    MEMORY->sums[NULL_CALL] = user_calls_null(MEMORY->samples[NULL_CALL], calls, words);
    MEMORY->sums[ARGUMENTS1] = user_calls_arguments1(MEMORY->samples[ARGUMENTS1], calls, words);
    MEMORY->sums[ARGUMENTS2] = user_calls_arguments2(MEMORY->samples[ARGUMENTS2], calls, words);
    MEMORY->sums[ARGUMENTS3] = user_calls_arguments3(MEMORY->samples[ARGUMENTS3], calls, words);
    MEMORY->sums[ARGUMENTS4] = user_calls_arguments4(MEMORY->samples[ARGUMENTS4], calls, words);
    MEMORY->sums[ARGUMENTS5] = user_calls_arguments5(MEMORY->samples[ARGUMENTS5], calls, words);
    MEMORY->sums[ARGUMENTS6] = user_calls_arguments6(MEMORY->samples[ARGUMENTS6], calls, words);
    MEMORY->sums[INTERRUPT] = user_calls_interrupt(MEMORY->samples[INTERRUPT], calls, words);
    MEMORY->sums[COPY64] = user_calls_copy64(MEMORY->samples[COPY64], calls, words);
    MEMORY->query.name[0] = CALLER_WORD;
    MEMORY->unanswered = ask_in_vain();
    MEMORY->sums[STAT] =
        user_calls_stat(MEMORY->samples[STAT], calls, (uint64_t)MEMORY->query.name);
}

static PROCESS_CODE void main_sysenter(void *argument)
{
    MEMORY->sums[SYSENTER] = user_calls_sysenter(MEMORY->samples[SYSENTER], (uint64_t)argument, 0);
}

/* ---- a session ---- */

struct session {
    uint64_t calls;
    bool sysenter; /* SYSENTER is open to ring 3 */
    struct process *process;
    int64_t *samples[KINDS];
    uint64_t sums[KINDS];
    uint64_t refused;
    uint64_t unanswered;
    struct user_stat expected;
    struct user_stat answered;
};

static bool take_samples(struct session *session)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        session->samples[kind] = bench_samples(session->calls);
        if (session->samples[kind] == NULL) {
            return false;
        }
    }
    return true;
}

static struct thread *run_thread(const struct session *session, const char *name,
                                 thread_entry *entry)
{
    struct thread *thread = process_thread(session->process, name, PRIORITY, entry, session->calls);

    if (thread != NULL) {
        thread_join(thread);
    }
    return thread;
}

/* Runs the calls and stores what the kernel has to answer about the caller itself. */
static bool run_calls(struct session *session)
{
    const struct thread *thread = run_thread(session, CALLER, main_calls);

    if (thread == NULL) {
        return false;
    }
    session->expected = (struct user_stat){
        .id = thread_id(thread),
        .process = process_id(session->process),
        .priority = PRIORITY,
        .base_priority = PRIORITY,
        .state = THREAD_RUNNING,
        .stack_bytes = thread->stack.top - thread->stack.low,
    };
    return true;
}

static bool read_memory(struct session *session)
{
    const struct process *process = session->process;
    bool good = process_read(process, offsetof(struct memory, sums), session->sums,
                             sizeof(session->sums)) &&
                process_read(process, offsetof(struct memory, refused), &session->refused,
                             sizeof(session->refused)) &&
                process_read(process, offsetof(struct memory, unanswered), &session->unanswered,
                             sizeof(session->unanswered)) &&
                process_read(process, offsetof(struct memory, query.stat), &session->answered,
                             sizeof(session->answered));

    for (enum kind kind = 0; kind < KINDS && good; kind++) {
        good = process_read(process, offsetof(struct memory, samples[kind]), session->samples[kind],
                            session->calls * sizeof(int64_t));
    }
    return good;
}

static bool run_process(struct session *session)
{
    const uint64_t pages = KINDS * (session->calls * sizeof(int64_t) / PAGE + 2) + STACKS;

    session->process = process_create("caller");
    return session->process != NULL && process_reserve(pages) && run_calls(session) &&
           (!session->sysenter || run_thread(session, "sysenter", main_sysenter) != NULL) &&
           read_memory(session);
}

static bool run_session(struct session *session)
{
    const struct task_settings settings = {0};

    if (!task_begin(&settings)) {
        return false;
    }
    const bool good = run_process(session);

    task_end();
    return good;
}

/* ---- the run ---- */

static uint64_t expected_sum(enum kind kind, uint64_t calls)
{
    const bool takes_arguments = kind >= ARGUMENTS1 && kind <= ARGUMENTS6;

    return takes_arguments ? calls * ((2ull << (kind - ARGUMENTS1)) - 1) : 0;
}

static bool is_done(const struct session *session, enum kind kind)
{
    return kind != SYSENTER || session->sysenter;
}

static enum bench_state judge(struct bench_run *run, const struct session *session)
{
    for (enum kind kind = NULL_CALL; kind < KINDS; kind++) {
        const uint64_t sum = expected_sum(kind, session->calls);

        if (is_done(session, kind) && session->sums[kind] != sum) {
            return bench_fail(run, "calls of %s: the sum of their results is %lu, expected %lu",
                              names[kind], session->sums[kind], sum);
        }
    }
    for (uint64_t i = 0; i < SYSCALL_COPY_WORDS; i++) {
        if (syscall_copied()[i] != word_at(i)) {
            return bench_fail(
                run,
                "copy64: word %lu (of words 0 to 7) was not copied from the process to the kernel",
                i);
        }
    }
    if (session->refused != REFUSALS) {
        return bench_fail(
            run, "copy64: the kernel rejected %lu addresses outside the process, expected %d",
            session->refused, REFUSALS);
    }
    if (session->unanswered != UNANSWERED) {
        return bench_fail(run,
                          "stat: the kernel rejected %lu invalid names and addresses, expected %d",
                          session->unanswered, UNANSWERED);
    }
    if (memcmp(&session->answered, &session->expected, sizeof(session->expected)) != 0) {
        return bench_fail(run,
                          "stat: the answer names thread %lu of process %lu and its state, "
                          "expected thread %lu of process %lu",
                          session->answered.id, session->answered.process, session->expected.id,
                          session->expected.process);
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    struct session session = {.calls = bench_number(run, "calls")};
    const char *why;

    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    if (!take_samples(&session)) {
        return bench_error(run, "no memory for samples");
    }
    syscall_open_interrupt();
    session.sysenter = syscall_open_sysenter(&why);
    if (!session.sysenter) {
        bench_absent(run, names[SYSENTER], why);
    }
    const bool good = run_session(&session);

    syscall_close();
    if (!good) {
        return bench_error(run, "no memory for a process");
    }
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (is_done(&session, kind)) {
            bench_publish(run, names[kind], UNIT_TICK, session.samples[kind], session.calls);
        }
    }
    return judge(run, &session);
}

static const struct bench_param params[] = {
    {"calls", "200", "calls of each kind", PARAM_NUMBER(1, CALLS_MAX)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {CALL_NULL, 22, 100, UNIT_CYCLE,
     "MOV, SYSCALL, 17 to save, look up, call and restore (2 of them in the call itself), SYSRET; "
     "SYSCALL and SYSRET 35 to 50 cycles each"},
    {CALL_ARGUMENTS "1", 23, 100, UNIT_CYCLE,
     "one MOV to pass it; returned by a MOV instead of an XOR"},
    {CALL_ARGUMENTS "2", 24, 100, UNIT_CYCLE, "a MOV to pass it; LEA adds both"},
    {CALL_ARGUMENTS "3", 26, 101, UNIT_CYCLE, "a MOV and an ADD"},
    {CALL_ARGUMENTS "4", 30, 103, UNIT_CYCLE,
     "a MOV and an ADD, and two more because SYSCALL uses RCX"},
    {CALL_ARGUMENTS "5", 32, 104, UNIT_CYCLE, "a MOV and an ADD"},
    {CALL_ARGUMENTS "6", 34, 105, UNIT_CYCLE, "a MOV and an ADD"},
    {CALL_COPY64, 50, 125, UNIT_CYCLE,
     "as null, plus 12 to check the range and call, 8 loads and 8 stores"},
    {CALL_STAT, 190, 220, UNIT_CYCLE,
     "20 for entry and return, 2 to pass two addresses, 50 to check both and fill in 8 words, 36 "
     "to copy the name in and the answer out, 16 for each of two threads with other names, 50 for "
     "the one whose five letters match"},
    {COST_INTERRUPT, 13, 400, UNIT_CYCLE,
     "fewer instructions than SYSCALL, but INT and IRET read descriptors, check rights and move "
     "five words: 100 to 250 each"},
    {"sysenter", 19, 150, UNIT_CYCLE,
     "as SYSCALL, plus STI and a call to the place where the kernel returns; SYSENTER 40, SYSEXIT "
     "50"},
    {0},
};

static const struct bench syscall = {
    .name = BENCH_SYSCALL,
    .group = GROUP_SYSTEM,
    .summary =
        "cost of system calls by SYSCALL, INT and SYSENTER, with arguments, a copy and a look-up",
    .unit = UNIT_TICK,
    .estimate = "null call 22 instructions, 100 cycles (200 and more in systems that switch page "
                "tables against side channels; this kernel does not); each argument 1 to 2 "
                "instructions; INT three times as long; a look-up by name with its answer 190 "
                "instructions. The report expected 1000 cycles for stat() and found 1062",
    .needs = NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .samples = "calls",
    .steady = true,
    .relations = "empty<null<arguments1<arguments2<arguments3<arguments4<arguments5<arguments6<"
                 "copy64<stat empty<interrupt<null",
    .run = run,
};
BENCH_REGISTER(syscall);
