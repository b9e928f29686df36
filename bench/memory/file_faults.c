/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/memory/file_faults.h"

#include <stdio.h>

#include "bench/disk/names.h"
#include "bench/disk/target.h"
#include "bench/memory/names.h"
#include "kernel/block/file.h"
#include "kernel/block/file_map.h"
#include "kernel/run/names.h"
#include "kernel/task/process.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/user.h"

#define WORDS       (FILE_PAGE / sizeof(uint64_t))
#define PRIORITY    10
#define STACKS      16 /* upper limit for pages of stacks */
#define CACHE_SPARE 16 /* pages of the cache in addition to those that are mapped */
#define SESSIONS    2

#define WHY_MAX 160

/* instructions of a fault whose page is on the disk, its wait apart, and while the disk works */
#define FAULT_AROUND    1363
#define FAULT_MEANWHILE 980

/* packs a thread's argument: number of pages and stride */
#define ARGUMENT(pages, stride) ((uint64_t)(pages) | (uint64_t)(stride) << 32)

/* layout of the memory of each process, where `page` is mapped to the file */
struct memory {
    int64_t begin[FILE_FAULT_PAGES_MAX];
    int64_t end[FILE_FAULT_PAGES_MAX];
    uint64_t hash[FILE_FAULT_PAGES_MAX];
    __attribute__((aligned(FILE_PAGE))) uint64_t page[FILE_FAULT_PAGES_MAX][WORDS];
};
_Static_assert(sizeof(struct memory) <= PROCESS_BYTES, "larger than a process's memory");

#define MEMORY ((volatile struct memory *)PROCESS_BASE)

/* ---- in ring 3 ---- */

static inline __attribute__((always_inline)) uint64_t hash_word(uint64_t hash, uint64_t word)
{
    return (hash << 7 | hash >> 57) + word;
}

/* Touches each page for the first time, then hashes every word of it. */
static PROCESS_CODE void touch_main(void *argument)
{
    const uint64_t pages = (uint32_t)(uint64_t)argument;
    const uint64_t stride = (uint64_t)argument >> 32;
    uint64_t at = 0;

    for (uint64_t i = 0; i < pages; i++) {
        MEMORY->begin[i] = 0;
        MEMORY->end[i] = 0;
        MEMORY->hash[i] = 0;
    }
    for (uint64_t i = 0; i < pages; i++) {
        const uint64_t begin = user_tsc();

        (void)MEMORY->page[at][0];
        MEMORY->end[at] = (int64_t)user_tsc();
        MEMORY->begin[at] = (int64_t)begin;
        at += stride;
        at -= at >= pages ? pages : 0;
    }
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t hash = 0;

        for (uint64_t k = 0; k < WORDS; k++) {
            hash = hash_word(hash, MEMORY->page[i][k]);
        }
        MEMORY->hash[i] = hash;
    }
}

/* ---- sessions ---- */

enum kind { OF_FILE, SOFT, KINDS };
static const char *const kind_names[KINDS] = {KIND_FILE, KIND_SOFT};
static const enum fault_kind kind_faults[KINDS] = {FAULT_FILE, FAULT_SOFT};

enum part { ENTRY, LOOKUP, DEVICE, FILL, RETURN, PARTS };
static const char *const part_names[PARTS] = {PART_ENTRY, PART_LOOKUP, PART_DEVICE, PART_FILL,
                                              PART_RETURN};

static struct {
    size_t pages;
    uint64_t stride;
    bool tags;
    const struct block_volume *volume;
    int64_t *total[KINDS];
    int64_t *part[KINDS][PARTS];
    int64_t *begin; /* begin and end: of the kind being measured */
    int64_t *end;
    struct file_fault_stamps *stamps;
    uint64_t wrong; /* pages that ring 3 saw differently from the kernel */
    uint64_t checked;
    char why[WHY_MAX]; /* why a session had to end; empty if none did */
} state;

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Returns a stride s, about the golden section of `pages`, such that 0, s, 2s, ... modulo `pages`
 * visits every page: the two have no common divisor. */
static uint64_t stride_of(uint64_t pages)
{
    uint64_t stride = pages * 618 / 1000;

    while (stride < 2 || common_divisor(stride, pages) != 1) {
        stride++;
    }
    return stride % pages;
}

static bool stop(const char *why)
{
    if (state.why[0] == '\0') {
        snprintf(state.why, sizeof(state.why), "%s", why);
    }
    return false;
}

static void keep_parts(enum kind kind)
{
    for (size_t i = 0; i < file_faults_stamped(); i++) {
        const struct file_fault_stamps *stamps = &state.stamps[i];
        const uint64_t page = (stamps->address - (uint64_t)(uintptr_t)MEMORY->page) / FILE_PAGE;
        int64_t *const *part = state.part[kind];

        part[ENTRY][page] = (int64_t)stamps->entered - state.begin[page];
        part[RETURN][page] = state.end[page] - (int64_t)stamps->shown;
        if (kind == SOFT) {
            part[LOOKUP][page] = (int64_t)(stamps->found - stamps->entered);
            part[FILL][page] = (int64_t)(stamps->shown - stamps->found);
        } else {
            part[LOOKUP][page] = (int64_t)(stamps->submitted - stamps->entered);
            part[DEVICE][page] = (int64_t)(stamps->completed - stamps->submitted);
            part[FILL][page] = (int64_t)(stamps->shown - stamps->completed);
        }
    }
}

/* Checks that the process saw what its pages hold, and that they hold the file. */
static bool check_pages(const struct process *process, const struct file *file)
{
    static uint64_t words[WORDS];

    for (size_t i = 0; i < state.pages; i++) {
        uint64_t seen;
        uint64_t hash = 0;

        if (!process_read(process, offsetof(struct memory, hash) + i * sizeof(seen), &seen,
                          sizeof(seen)) ||
            !process_read(process, offsetof(struct memory, page) + i * FILE_PAGE, words,
                          sizeof(words))) {
            return stop("a page of the file was not mapped into the process");
        }
        for (size_t k = 0; k < WORDS; k++) {
            hash = hash_word(hash, words[k]);
        }
        state.wrong += hash != seen ? 1 : 0;
        file_check(file, i * FILE_PAGE, words, sizeof(words));
        state.checked += state.volume->verified ? FILE_PAGE / LAYOUT_SECTOR : 0;
    }
    return true;
}

static bool read_stamps(const struct process *process)
{
    const size_t bytes = state.pages * sizeof(int64_t);

    return process_read(process, offsetof(struct memory, begin), state.begin, bytes) &&
           process_read(process, offsetof(struct memory, end), state.end, bytes);
}

/* Lets a thread in ring 3 touch all pages of the file. All faults must be of the given kind. */
static bool time_kind(enum kind kind, struct file *file, bool split)
{
    const uint64_t before = file_fault_count(kind_faults[kind]);
    struct process *process = process_create(kind_names[kind]);
    const char *why;

    if (process == NULL) {
        return stop("no memory for processes");
    }
    why = file_map(file, process, offsetof(struct memory, page), 0, state.pages);
    if (why != NULL) {
        return stop(why);
    }
    file_stamp_faults(state.stamps, split ? state.pages : 0);
    struct thread *thread = process_thread(process, "faults", PRIORITY, touch_main,
                                           ARGUMENT(state.pages, state.stride));

    if (thread == NULL) {
        return stop("no memory for threads");
    }
    thread_join(thread);
    if (files_failure()->error != BLOCK_GOOD) {
        return false;
    }
    if (!read_stamps(process) || file_fault_count(kind_faults[kind]) - before != state.pages) {
        return stop("the number or kind of page faults differs from the pages of the file that "
                    "were touched");
    }
    if (split) {
        keep_parts(kind);
    }
    for (size_t i = 0; i < state.pages && !split; i++) {
        state.total[kind][i] = state.end[i] - state.begin[i];
    }
    return check_pages(process, file);
}

static bool time_kinds(bool split)
{
    const struct file_system_options options = {
        .depth = 1,
        .interrupts = true,
        .cache_bytes = (KINDS * state.pages + CACHE_SPARE) * FILE_PAGE,
        .policy = file_settings()->policy,
    };
    const size_t kept = KINDS * (3 * state.pages * sizeof(int64_t) / FILE_PAGE + 4);
    const char *why = files_begin(state.volume, &options);

    if (why != NULL) {
        return stop(why);
    }
    struct file *file = file_open(LAYOUT_BENCH);

    if (file == NULL || file_bytes(file) < state.pages * FILE_PAGE) {
        return stop("the file " LAYOUT_BENCH " of the volume has fewer pages than pagefault.pages");
    }
    if (!process_reserve(kept + STACKS)) {
        return stop("no memory for processes");
    }
    return time_kind(OF_FILE, file, split) && time_kind(SOFT, file, split);
}

static bool run_session(bool split)
{
    const struct task_settings settings = {0};

    if (!task_begin(&settings)) {
        return stop("no memory for threads");
    }
    const char *why = state.tags ? process_use_tags() : NULL;
    const bool good = why == NULL ? time_kinds(split) : stop(why);

    files_end();
    task_end();
    return good;
}

/* ---- results ---- */

static void publish(const struct bench_run *run)
{
    char name[32];

    for (enum kind kind = 0; kind < KINDS; kind++) {
        bench_publish(run, kind_names[kind], UNIT_TICK, state.total[kind], state.pages);
        for (enum part part = 0; part < PARTS; part++) {
            if (kind == SOFT && part == DEVICE) {
                continue;
            }
            snprintf(name, sizeof(name), "%s.%s", kind_names[kind], part_names[part]);
            bench_publish(run, name, UNIT_TICK, state.part[kind][part], state.pages);
        }
    }
    bench_found(run, FOUND_DISK, state.volume->disk->name);
    bench_found(run, FOUND_DRIVER, state.volume->disk->driver->name);
    bench_found(run, FOUND_VERIFIED, state.volume->verified ? "yes" : "no");
    bench_fact(run, FACT_CHECKED, UNIT_COUNT, (int64_t)state.checked);
    bench_fact(run, FACT_WRONG, UNIT_COUNT, (int64_t)files_failure()->wrong_sectors);
}

static void state_absent(const struct bench_run *run, const char *why)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        bench_absent(run, kind_names[kind], why);
    }
}

static uint64_t place_of(size_t thread, size_t read)
{
    (void)thread;
    return read * state.stride % state.pages * (FILE_PAGE / LAYOUT_SECTOR);
}

/* The report (section 9) expects 30 us, 10 of them for its disk. */
static void expect_faults(const struct bench_run *run)
{
    const struct timing_load load = {.threads = 1,
                                     .each = state.pages,
                                     .sectors = FILE_PAGE / LAYOUT_SECTOR,
                                     .depth = 1,
                                     .place = place_of,
                                     .around = FAULT_AROUND,
                                     .meanwhile = FAULT_MEANWHILE};
    struct target target;

    if (target_use(&target, state.volume) == NULL) {
        timing_expect(run, &target, KIND_FILE, &load, false);
    }
}

static bool take_samples(void)
{
    bool good = true;

    state.begin = bench_samples(state.pages);
    state.end = bench_samples(state.pages);
    state.stamps = bench_memory(state.pages * sizeof(*state.stamps));
    for (enum kind kind = 0; kind < KINDS; kind++) {
        state.total[kind] = bench_samples(state.pages);
        good = good && state.total[kind] != NULL;
        for (enum part part = 0; part < PARTS; part++) {
            state.part[kind][part] = bench_samples(state.pages);
            good = good && state.part[kind][part] != NULL;
        }
    }
    return good && state.begin != NULL && state.end != NULL && state.stamps != NULL;
}

enum bench_state file_faults_run(struct bench_run *run, size_t pages, bool tags)
{
    const char *why = block_volume(&state.volume);
    char failed[WHY_MAX];

    if (why != NULL) {
        state_absent(run, why);
        return BENCH_OK;
    }
    state.pages = pages;
    state.stride = stride_of(pages);
    state.tags = tags;
    state.wrong = 0;
    state.checked = 0;
    state.why[0] = '\0';
    if (!take_samples()) {
        return bench_error(run, "no memory for samples");
    }
    expect_faults(run);
    for (size_t i = 0; i < SESSIONS; i++) {
        const bool good = run_session(i == 1);

        files_failure_text(failed, sizeof(failed));
        if (failed[0] != '\0') {
            return bench_fail(run, "%s", failed);
        }
        if (!good) {
            state_absent(run, state.why);
            return BENCH_OK;
        }
    }
    publish(run);
    if (state.wrong != 0) {
        return bench_fail(run, "in %llu mapped pages, ring 3 read other data than the kernel",
                          (unsigned long long)state.wrong);
    }
    return BENCH_OK;
}
