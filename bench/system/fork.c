/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench fork: what it costs to create a process as a copy of another one, by the number of pages
 * that the other has touched.
 *
 * Curves (tools/run/curves.h): x is the number of pages. A repetition is one process, from its
 * creation to its end: page tables, the pages of its parent, a thread that writes to them, and the
 * join. `copy` copies every page at once, and its thread writes to one. `share` maps them read-only
 * in both processes, and its thread writes to one, which is copied then. `write` does the same, but
 * its thread writes to all: a page fault and a copy each.
 *
 * As in bench creation, no memory is allocated while the time runs. If the pool of pages ends in
 * one region and continues in another, a page costs 8 instructions more. In the end the bench
 * checks, page by page, what each process and its parent hold, and how many faults that took.
 */
#include "bench/system/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/process.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"

#define PAGE        4096
#define WORDS       (PAGE / sizeof(uint64_t)) /* words of a page */
#define PRIORITY    10
#define PAGES_MAX   1024
#define POINTS_MAX  11 /* 1, 2, 4, ... PAGES_MAX */
#define TRIALS_MAX  1000
#define STACKS      64 /* pages of stacks and page tables, more than all processes have */
#define MARK_PARENT 0x9e3779b97f4a7c15ull
#define MARK_CHILD  0xc2b2ae3d27d4eb4full

enum curve { COPY, SHARE, WRITE, CURVES };

static const struct {
    const char *name;
    const char *x;
    const char *n;
    bool copies; /* copies all pages at once */
    bool writes; /* writes to all pages */
} curves[CURVES] = {
    {CURVE_COPY, CURVE_COPY SUFFIX_X, CURVE_COPY SUFFIX_N, true, false},
    {CURVE_SHARE, CURVE_SHARE SUFFIX_X, CURVE_SHARE SUFFIX_N, false, false},
    {CURVE_WRITE, CURVE_WRITE SUFFIX_X, CURVE_WRITE SUFFIX_N, false, true},
};

static struct {
    size_t trials;
    size_t points;
    int64_t *pages;
    int64_t *one; /* repetitions of each point: 1 */
    int64_t *ticks[CURVES];
    /* what is wrong; NULL if nothing is. wrong_page is then the page, or the number of faults */
    const char *wrong;
    size_t wrong_page;
} state;

/* ---- in ring 3 ---- */

/* Writes two words in each page: the child overwrites only the first. */
static PROCESS_CODE void parent_main(void *argument)
{
    volatile uint64_t *word = (volatile uint64_t *)PROCESS_BASE;

    for (uint64_t page = 0; page < (uint64_t)argument; page++, word += WORDS) {
        word[0] = word[1] = MARK_PARENT + page;
    }
}

static PROCESS_CODE void child_main(void *argument)
{
    volatile uint64_t *word = (volatile uint64_t *)PROCESS_BASE;

    for (uint64_t page = 0; page < (uint64_t)argument; page++, word += WORDS) {
        word[0] = MARK_CHILD;
    }
}

/* ---- one process ---- */

static bool run_in(struct process *process, thread_entry *entry, uint64_t pages)
{
    struct thread *thread = process_thread(process, "fork", PRIORITY, entry, pages);

    if (thread != NULL) {
        thread_join(thread);
    }
    return thread != NULL;
}

/* Does what is timed. Returns NULL if there is no memory. */
static struct process *create_from(struct process *parent, enum curve curve, uint64_t pages)
{
    struct process *child = process_create("child");
    const bool good = child != NULL &&
                      (curves[curve].copies ? process_copy(child, parent, 0, pages * PAGE)
                                            : process_share(child, parent, 0, pages * PAGE)) &&
                      run_in(child, child_main, curves[curve].writes ? pages : 1);

    return good ? child : NULL;
}

/* ---- checking the result ---- */

static bool holds(const struct process *process, size_t page, uint64_t first, uint64_t second)
{
    uint64_t words[2] = {0};

    return process_read(process, page * PAGE, words, sizeof(words)) && words[0] == first &&
           words[1] == second;
}

static void check_pages(const struct process *parent, const struct process *child, size_t pages,
                        size_t written)
{
    for (size_t page = 0; page < pages && state.wrong == NULL; page++) {
        const uint64_t mark = MARK_PARENT + page;

        state.wrong_page = page;
        if (!holds(parent, page, mark, mark)) {
            state.wrong = "the child changed the parent's page, number";
        } else if (!holds(child, page, page < written ? MARK_CHILD : mark, mark)) {
            state.wrong = "the child's copy differs from the parent's page, number";
        }
    }
}

static void check(const struct process *parent, const struct process *child, enum curve curve,
                  size_t pages)
{
    const size_t written = curves[curve].writes ? pages : 1;
    const uint64_t copies = curves[curve].copies ? 0 : written;

    check_pages(parent, child, pages, written);
    if (state.wrong == NULL && process_fault_count(child, FAULT_COPY_ON_WRITE) != copies) {
        state.wrong =
            "the number of copy-on-write faults differs from the pages written to; faults";
        state.wrong_page = (size_t)process_fault_count(child, FAULT_COPY_ON_WRITE);
    }
}

/* ---- sessions ---- */

/* Takes one sample of all curves, each with another child of the same parent. Copies first: pages
 * that were shared stay shared. Does not keep the times if `kept` is false. */
static bool time_children(size_t pages, size_t sample, bool kept)
{
    struct process *parent = process_create("parent");
    bool good =
        parent != NULL && process_reserve(3 * pages + STACKS) && run_in(parent, parent_main, pages);

    for (enum curve curve = 0; curve < CURVES && good; curve++) {
        const uint64_t begin = tsc_read_ordered();
        const struct process *child = create_from(parent, curve, pages);
        const uint64_t end = tsc_read_ordered();

        good = child != NULL;
        if (good) {
            check(parent, child, curve, pages);
        }
        if (kept) {
            state.ticks[curve][sample] = (int64_t)(end - begin);
        }
    }
    return good;
}

static bool run_session(size_t pages, size_t sample, bool kept)
{
    const struct task_settings settings = {0};

    task_forget(); /* ids start again; this is safe because nothing is traced */
    if (!task_begin(&settings)) {
        return false;
    }
    const bool good = time_children(pages, sample, kept);

    task_end();
    return good;
}

/* Starts with an unmeasured session of the largest size, which takes all the memory that later ones
 * need. */
static bool run_sessions(void)
{
    bool good = run_session((size_t)state.pages[state.points - 1], 0, false);

    for (size_t i = 0; i < state.points && good; i++) {
        for (size_t k = 0; k < state.trials && good; k++) {
            good = run_session((size_t)state.pages[i], i * state.trials + k, true);
        }
    }
    return good;
}

/* ---- the run ---- */

static bool take_memory(const struct bench_run *run)
{
    const uint64_t most = bench_number(run, "max_pages");
    bool good = true;

    state.wrong = NULL;
    state.points = 0;
    state.trials = bench_number(run, "trials");
    state.pages = bench_samples(POINTS_MAX);
    state.one = bench_samples(POINTS_MAX);
    for (enum curve curve = 0; curve < CURVES; curve++) {
        state.ticks[curve] = bench_samples(POINTS_MAX * state.trials);
        good = good && state.ticks[curve] != NULL;
    }
    if (!good || state.pages == NULL || state.one == NULL) {
        return false;
    }
    for (uint64_t pages = 1; pages <= most; pages *= 2) {
        state.one[state.points] = 1;
        state.pages[state.points++] = (int64_t)pages;
    }
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const char *why = NULL;

    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    if (!take_memory(run)) {
        return bench_error(run, "no memory for samples");
    }
    if (!run_sessions()) {
        return bench_error(run, "no memory for processes of %ld pages",
                           state.pages[state.points - 1]);
    }
    for (enum curve curve = 0; curve < CURVES; curve++) {
        bench_publish(run, curves[curve].x, UNIT_COUNT, state.pages, state.points);
        bench_publish(run, curves[curve].n, UNIT_COUNT, state.one, state.points);
        bench_publish(run, curves[curve].name, UNIT_TICK, state.ticks[curve],
                      state.points * state.trials);
    }
    return state.wrong == NULL ? bench_ok(run)
                               : bench_fail(run, "%s %zu", state.wrong, state.wrong_page);
}

static const struct bench_param params[] = {
    {"max_pages", "256",
     "largest number of pages that the parent has touched; measures 1, 2, 4, ...",
     PARAM_NUMBER(1, PAGES_MAX)},
    {"trials", "5", "trials for each number of pages", PARAM_NUMBER(1, TRIALS_MAX)},
    {0},
};

/* The parts of the estimates are those of benches creation and pagefault. */
static const struct bench_estimate estimates[] = {
    {CURVE_COPY "@1", 9300, 7000, UNIT_CYCLE,
     "a process as in bench creation, 9500, with the copy instead of one of its two page faults"},
    {CURVE_COPY "@256", 155000, 100000, UNIT_CYCLE,
     "as for 1 page, plus 512 words to copy and 60 to find the page and map the copy, for each "
     "page; 300 cycles per page if both are in the caches; the report: 1742520 for a whole process "
     "of OS X"},
    {CURVE_SHARE "@1", 9500, 7000, UNIT_CYCLE,
     "as copy, because the page is copied when it is written to"},
    {CURVE_SHARE "@256", 34000, 33000, UNIT_CYCLE,
     "as for 1 page, plus 95 per page to find it and map it twice; 100 cycles with INVLPG"},
    {CURVE_WRITE "@256", 230000, 330000, UNIT_CYCLE,
     "share, plus a page fault of 760 per page; 1100 cycles: exception, copy, INVLPG"},
    {0},
};

static const struct bench fork = {
    .name = BENCH_FORK,
    .group = GROUP_SYSTEM,
    .summary = "cost of creating a process as a copy of another one, by the number of its pages",
    .unit = UNIT_TICK,
    .estimate =
        "a process as in bench creation, plus 570 instructions for each page that is copied, or 95 "
        "for each that is shared; a write to a shared page costs the copy and a page fault, so "
        "sharing is faster if fewer than two thirds of the pages are written to",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .steady = true,
    .run = run,
};
BENCH_REGISTER(fork);
