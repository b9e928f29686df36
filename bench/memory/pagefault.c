/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench pagefault: how long it takes until a page that ring 3 touches is accessible. The page is
 * cleared (demand zero), copied (copy on write), made writable (protection) or only mapped again
 * (minor). The bench also measures what it costs to invalidate translations, and what a load costs
 * whose translation was invalidated.
 *
 * A fault is timed in ring 3, around the one instruction that raises it. In a separate run, stamps
 * in the kernel split this time. entry: from before the instruction to the handler of page faults;
 * walk: until the kernel knows how to resolve the fault; fill: until the page is in the tables;
 * return: until after the instruction, which is executed again. Frame, stack switch and the common
 * entry code of all interrupts are part of entry and return. The bench checks every word of the
 * pages.
 *
 * If there is a disk to read, the bench finally measures faults of a mapped file: see
 * file_faults.h.
 */
#include <stdio.h>

#include "bench/disk/names.h"
#include "bench/memory/file_faults.h"
#include "bench/memory/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/process.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/user.h"

#define PAGE      4096
#define WORDS     (PAGE / sizeof(uint64_t))
#define PAGES_MAX FILE_FAULT_PAGES_MAX
#define STACKS    16 /* upper limit for pages of stacks */
#define SPARE     32 /* stamps for faults of other pages: stacks and arrays of stamps */
#define PRIORITY  10

#define CPUID_1_EDX_PGE (1u << 13)

enum kind { DEMAND_ZERO, MINOR, PROTECTION, COPY_ON_WRITE, KINDS };
static const char *const kind_names[KINDS] = {KIND_DEMAND_ZERO, KIND_MINOR, KIND_PROTECTION,
                                              KIND_COPY_ON_WRITE};

/* layout of the memory of each process */
struct memory {
    uint64_t wrong; /* words that did not have the expected value */
    int64_t begin[PAGES_MAX];
    int64_t end[PAGES_MAX];
    __attribute__((aligned(PAGE))) uint64_t page[PAGES_MAX][WORDS];
};
_Static_assert(sizeof(struct memory) <= PROCESS_BYTES, "larger than a process's memory");

#define MEMORY ((volatile struct memory *)PROCESS_BASE)

/* ---- in ring 3; the argument is the number of pages ---- */

static inline __attribute__((always_inline)) uint64_t pattern(uint64_t page, uint64_t word)
{
    return (page * WORDS + word + 1) * 0x9e3779b97f4a7c15ull;
}

static inline __attribute__((always_inline)) void touch_stamps(uint64_t pages)
{
    for (uint64_t i = 0; i < pages; i++) {
        MEMORY->begin[i] = 0;
        MEMORY->end[i] = 0;
    }
}

static PROCESS_CODE void empty_main(void *argument)
{
    touch_stamps((uint64_t)argument);
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        const uint64_t begin = user_tsc();

        MEMORY->end[i] = (int64_t)user_tsc();
        MEMORY->begin[i] = (int64_t)begin;
    }
}

static PROCESS_CODE void read_main(void *argument)
{
    touch_stamps((uint64_t)argument);
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        const uint64_t begin = user_tsc();

        (void)MEMORY->page[i][0];
        MEMORY->end[i] = (int64_t)user_tsc();
        MEMORY->begin[i] = (int64_t)begin;
    }
}

/* Sets word 0 of each page to the page's number. */
static PROCESS_CODE void write_main(void *argument)
{
    touch_stamps((uint64_t)argument);
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        const uint64_t begin = user_tsc();

        MEMORY->page[i][0] = i;
        MEMORY->end[i] = (int64_t)user_tsc();
        MEMORY->begin[i] = (int64_t)begin;
    }
}

/* Checks that all words are 0 and then fills in the pattern. */
static PROCESS_CODE void fill_main(void *argument)
{
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        for (uint64_t k = 0; k < WORDS; k++) {
            MEMORY->wrong += MEMORY->page[i][k] != 0 ? 1 : 0;
            MEMORY->page[i][k] = pattern(i, k);
        }
    }
}

static inline __attribute__((always_inline)) void count_wrong(uint64_t pages, bool written)
{
    for (uint64_t i = 0; i < pages; i++) {
        MEMORY->wrong += MEMORY->page[i][0] != (written ? i : pattern(i, 0)) ? 1 : 0;
        for (uint64_t k = 1; k < WORDS; k++) {
            MEMORY->wrong += MEMORY->page[i][k] != pattern(i, k) ? 1 : 0;
        }
    }
}

static PROCESS_CODE void check_main(void *argument)
{
    count_wrong((uint64_t)argument, false);
}

/* Checks that word 0 is the page's number and restores the pattern there. */
static PROCESS_CODE void check_written_main(void *argument)
{
    count_wrong((uint64_t)argument, true);
    for (uint64_t i = 0; i < (uint64_t)argument; i++) {
        MEMORY->page[i][0] = pattern(i, 0);
    }
}

/* ---- faults ---- */

enum part { ENTRY, WALK, FILL, RETURN, PARTS };
static const char *const part_names[PARTS] = {PART_ENTRY, PART_WALK, PART_FILL, PART_RETURN};

static struct {
    size_t pages;
    bool tags;
    const char *why; /* why there were no faults; NULL if there were */
    bool split;
    int64_t *empty;
    int64_t *total[KINDS];
    int64_t *part[KINDS][PARTS];
    int64_t *begin; /* begin and end: of the kind being measured */
    int64_t *end;
    struct process_fault_stamps *stamps;
    uint64_t wrong;
    struct process *left;
    struct process *right;
} state;

static bool run_thread(struct process *process, thread_entry *entry)
{
    struct thread *thread = process_thread(process, "faults", PRIORITY, entry, state.pages);

    if (thread != NULL) {
        thread_join(thread);
    }
    return thread != NULL;
}

static bool read_stamps(const struct process *process)
{
    const size_t bytes = state.pages * sizeof(int64_t);

    return process_read(process, offsetof(struct memory, begin), state.begin, bytes) &&
           process_read(process, offsetof(struct memory, end), state.end, bytes);
}

/* Keeps only the stamps of the measured pages; each page faults once. */
static void keep_parts(enum kind kind)
{
    for (size_t i = 0; i < process_faults_stamped(); i++) {
        const struct process_fault_stamps *stamps = &state.stamps[i];
        const uint64_t page = (stamps->address - (uint64_t)(uintptr_t)MEMORY->page) / PAGE;

        if (page < state.pages) {
            state.part[kind][ENTRY][page] = (int64_t)stamps->entered - state.begin[page];
            state.part[kind][WALK][page] = (int64_t)(stamps->found - stamps->entered);
            state.part[kind][FILL][page] = (int64_t)(stamps->shown - stamps->found);
            state.part[kind][RETURN][page] = state.end[page] - (int64_t)stamps->shown;
        }
    }
}

/* Times the first touch of every page by a thread of `process`. */
static bool time_kind(struct process *process, enum kind kind, thread_entry *entry)
{
    if (state.split) {
        process_stamp_faults(state.stamps, state.pages + SPARE);
    }
    const bool good = run_thread(process, entry) && read_stamps(process);

    if (good && state.split) {
        keep_parts(kind);
    }
    process_stamp_faults(NULL, 0);
    for (size_t i = 0; i < state.pages && good && !state.split; i++) {
        state.total[kind][i] = state.end[i] - state.begin[i];
    }
    return good;
}

static bool time_empty(void)
{
    const bool good = run_thread(state.left, empty_main) && read_stamps(state.left);

    for (size_t i = 0; i < state.pages && good; i++) {
        state.empty[i] = state.end[i] - state.begin[i];
    }
    return good;
}

static bool time_faults(void)
{
    struct process *left = state.left;
    struct process *right = state.right;
    const size_t offset = offsetof(struct memory, page);
    const size_t bytes = state.pages * PAGE;

    return time_kind(left, DEMAND_ZERO, read_main) && run_thread(left, fill_main) &&
           process_hide(left, offset, bytes) && time_kind(left, MINOR, read_main) &&
           run_thread(left, check_main) && process_protect(left, offset, bytes) &&
           time_kind(left, PROTECTION, write_main) && run_thread(left, check_written_main) &&
           process_share(right, left, offset, bytes) &&
           time_kind(right, COPY_ON_WRITE, write_main) && run_thread(right, check_written_main) &&
           run_thread(left, check_main);
}

static bool count_all_wrong(void)
{
    struct process *const processes[] = {state.left, state.right};

    for (size_t i = 0; i < 2; i++) {
        uint64_t wrong;

        if (!process_read(processes[i], offsetof(struct memory, wrong), &wrong, sizeof(wrong))) {
            return false;
        }
        state.wrong += wrong;
    }
    return true;
}

static bool run_session(bool split)
{
    const struct task_settings settings = {0};
    const size_t kept = 2 * (2 * state.pages * sizeof(int64_t) / PAGE + 3);

    if (!task_begin(&settings)) {
        return false;
    }
    state.split = split;
    state.why = state.tags ? process_use_tags() : NULL;
    state.left = process_create("left");
    state.right = process_create("right");
    const bool good = state.why == NULL && state.left != NULL && state.right != NULL &&
                      process_reserve(2 * state.pages + kept + STACKS) && (split || time_empty()) &&
                      time_faults() && count_all_wrong();

    task_end();
    return good;
}

static void publish_faults(const struct bench_run *run)
{
    char name[32];

    bench_publish(run, SERIES_EMPTY, UNIT_TICK, state.empty, state.pages);
    for (enum kind i = 0; i < KINDS; i++) {
        bench_publish(run, kind_names[i], UNIT_TICK, state.total[i], state.pages);
        for (enum part k = 0; k < PARTS; k++) {
            snprintf(name, sizeof(name), "%s.%s", kind_names[i], part_names[k]);
            bench_publish(run, name, UNIT_TICK, state.part[i][k], state.pages);
        }
    }
}

/* ---- translations ---- */

enum forgotten { NOTHING, PAGE_ALONE, ALL, ALL_GLOBAL, WAYS };
static const char *const forget_names[WAYS] = {"forget_nothing", "invlpg", "flush_all",
                                               "flush_global"};
static const char *const walk_names[WAYS] = {"load", "walk_after_invlpg", "walk_after_flush",
                                             "walk_after_global"};

static inline __attribute__((always_inline)) void forget(enum forgotten way, uint64_t address)
{
    if (way == PAGE_ALONE) {
        tlb_forget(address);
    } else if (way == ALL) {
        cr3_write(cr3_read());
    } else if (way == ALL_GLOBAL) {
        const uint64_t cr4 = cr4_read();

        cr4_write(cr4 ^ CR4_PGE); /* a change in either direction flushes everything */
        cr4_write(cr4);
    }
}

/* Inlined once for each way, so that the timed code contains no test. */
static inline __attribute__((always_inline)) void time_way(enum forgotten way, const void *page,
                                                           int64_t *forgets, int64_t *walks)
{
    const volatile uint64_t *word = page;

    for (size_t i = 0; i < state.pages; i++) {
        const uint64_t begin = tsc_read_ordered();

        forget(way, (uint64_t)(uintptr_t)page);
        const uint64_t middle = tsc_read_ordered();

        (void)*word;
        walks[i] = (int64_t)(tsc_read_ordered() - middle);
        forgets[i] = (int64_t)(middle - begin);
    }
}

static void publish_way(const struct bench_run *run, enum forgotten way, const int64_t *forgets,
                        const int64_t *walks)
{
    if (way != NOTHING) {
        bench_publish(run, forget_names[way], UNIT_TICK, forgets, state.pages);
    }
    bench_publish(run, walk_names[way], UNIT_TICK, walks, state.pages);
}

static bool time_translations(const struct bench_run *run)
{
    const void *page = bench_alias_pages(1);
    const bool has_global = (cpuid_instruction(1, 0).edx & CPUID_1_EDX_PGE) != 0;

    for (enum forgotten way = 0; way < WAYS; way++) {
        int64_t *forgets = bench_samples(state.pages);
        int64_t *walks = bench_samples(state.pages);

        if (page == NULL || forgets == NULL || walks == NULL) {
            return false;
        }
        if (way == ALL_GLOBAL && !has_global) {
            bench_absent(run, forget_names[way], "the processor does not have global pages");
            bench_absent(run, walk_names[way], "the processor does not have global pages");
            return true;
        }
        switch (way) {
        case NOTHING:
            time_way(NOTHING, page, forgets, walks);
            break;
        case PAGE_ALONE:
            time_way(PAGE_ALONE, page, forgets, walks);
            break;
        case ALL:
            time_way(ALL, page, forgets, walks);
            break;
        default:
            time_way(ALL_GLOBAL, page, forgets, walks);
            break;
        }
        publish_way(run, way, forgets, walks);
    }
    return true;
}

/* ---- the run ---- */

static bool take_samples(void)
{
    bool good = true;

    state.empty = bench_samples(state.pages);
    state.begin = bench_samples(state.pages);
    state.end = bench_samples(state.pages);
    state.stamps = bench_memory((state.pages + SPARE) * sizeof(*state.stamps));
    for (enum kind i = 0; i < KINDS; i++) {
        state.total[i] = bench_samples(state.pages);
        good = good && state.total[i] != NULL;
        for (enum part k = 0; k < PARTS; k++) {
            state.part[i][k] = bench_samples(state.pages);
            good = good && state.part[i][k] != NULL;
        }
    }
    return good && state.empty != NULL && state.begin != NULL && state.end != NULL &&
           state.stamps != NULL;
}

static enum bench_state run(struct bench_run *run)
{
    const char *why;

    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    state.pages = bench_number(run, "pages");
    state.tags = bench_number(run, "pcid") != 0;
    state.wrong = 0;
    if (!take_samples()) {
        return bench_error(run, "no memory for samples");
    }
    if (!run_session(false) || !run_session(true)) {
        return state.why != NULL ? bench_skip(run, "%s", state.why)
                                 : bench_error(run, "no memory for processes");
    }
    publish_faults(run);
    if (!time_translations(run)) {
        return bench_error(run, "no memory for translations");
    }
    if (state.wrong != 0) {
        return bench_fail(run, "%llu words of the pages did not have the expected value",
                          (unsigned long long)state.wrong);
    }
    const enum bench_state files = file_faults_run(run, state.pages, state.tags);

    return files == BENCH_OK ? bench_ok(run) : files;
}

static const struct bench_param params[] = {
    {"pages", "32", "pages touched for each kind of fault", PARAM_NUMBER(1, PAGES_MAX)},
    {"pcid", "0", "1: address spaces with PCID", PARAM_NUMBER(0, 1)},
    {0},
};

/* The report (section 9) expects 0.03 ms for a fault that reads its disk. */
static const struct bench_estimate estimates[] = {
    {KIND_DEMAND_ZERO, 760, 1500, UNIT_CYCLE,
     "entry and return 800 (both switch rings, IRET serialises), 512 words cleared 100, lines that "
     "these evict; the report: 0.03 ms"},
    {KIND_COPY_ON_WRITE, 780, 1700, UNIT_CYCLE, "as demand_zero with 512 words copied, INVLPG 200"},
    {KIND_PROTECTION, 250, 1300, UNIT_CYCLE, "as copy_on_write without the words"},
    {KIND_MINOR, 220, 1100, UNIT_CYCLE, "as protection without INVLPG"},
    {KIND_SOFT, 340, 1300, UNIT_CYCLE,
     "as minor, plus 140 instructions for the table and lists of the page cache"},
    {"invlpg", 1, 200, UNIT_CYCLE, "microcode"},
    {"flush_all", 2, 300, UNIT_CYCLE, "CR3 read and written"},
    {"flush_global", 4, 600, UNIT_CYCLE, "CR4 read and written twice"},
    {"walk_after_invlpg", ESTIMATE_NONE, 40, UNIT_CYCLE,
     "four loads, from the first or second cache"},
    {"walk_after_flush", ESTIMATE_NONE, 60, UNIT_CYCLE,
     "as walk_after_invlpg, plus one page walk for the code"},
    {0},
};

static const struct bench pagefault = {
    .name = BENCH_PAGEFAULT,
    .group = GROUP_MEMORY,
    .summary = "cost of page faults by kind, of memory and of a mapped file, whole and split; cost "
               "of TLB flushes",
    .unit = UNIT_TICK,
    .estimate = "entry and return 250 instructions, or 800 cycles; clearing or copying a page 512 "
                "words; in all 1 us (the report: 30 us with its disk). Page of a file: a read of "
                "the disk plus 3 us",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .samples = "pages",
    .relations = "demand_zero.return<demand_zero.walk<demand_zero.entry<demand_zero.fill "
                 "empty<minor<protection<demand_zero<copy_on_write empty<soft<file",
    .run = run,
};
BENCH_REGISTER(pagefault);
