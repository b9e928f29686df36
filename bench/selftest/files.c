/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench files: checks what the file layer guarantees (kernel/block) on any disk: exact counts of
 * the page cache, one request for a page that several threads want, read-ahead, no deadlock with
 * many threads and few frames, the system calls, and what happens to a thread whose mapped page
 * cannot be read. Every page that is read is checked. Runs only if the plan asks for it.
 */
#include <stdio.h>
#include <string.h>

#include "kernel/block/file.h"
#include "kernel/block/file_calls.h"
#include "kernel/block/file_map.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/process.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/user.h"

#define PRIORITY    10
#define SHARERS     4  /* threads that read the same pages */
#define SHARED      16 /* pages that they read */
#define CROWD       12 /* threads that compete for few frames */
#define CROWD_READS 40 /* reads of each of these threads */
#define FRAMES_FEW  5
#define AHEAD       4
#define IN_ORDER    32   /* pages read in order */
#define RANGE       1024 /* pages among which the crowd chooses */
#define PAGES_USED  64   /* pages of memory for a process */

#define WHY_MAX 160

static struct {
    const struct block_volume *volume;
    uint8_t *buffers; /* one page for each thread */
    char why[WHY_MAX];
} state;

struct reader {
    struct file *file;
    uint8_t *buffer;
    uint64_t draw; /* state of the random generator; not used if pages are read in order */
    bool good;
};
static struct reader readers[CROWD];

static bool stop(const char *why)
{
    if (state.why[0] == '\0') {
        files_failure_text(state.why, sizeof(state.why));
    }
    if (state.why[0] == '\0') {
        snprintf(state.why, sizeof(state.why), "%s", why);
    }
    return false;
}

static bool expect(const char *what, uint64_t got, uint64_t wanted)
{
    char text[WHY_MAX];

    if (got == wanted) {
        return true;
    }
    snprintf(text, sizeof(text), "%s: got %llu, expected %llu", what, (unsigned long long)got,
             (unsigned long long)wanted);
    return stop(text);
}

/* ---- sessions ---- */

typedef bool body(void);

static bool sums_up(void)
{
    const struct cache_counts *counts = files_counts();

    return counts->reads == counts->hits + counts->misses + counts->read_ahead ||
           stop("the hits, misses and read-ahead of the page cache do not add up to its reads");
}

/* Runs without threads: the reader polls. */
static bool polled(uint64_t frames, uint64_t read_ahead, uint32_t depth, body *run)
{
    const struct file_system_options options = {
        .depth = depth,
        .cache_bytes = frames * FILE_PAGE,
        .read_ahead = read_ahead,
        .policy = file_settings()->policy,
    };
    const char *why = files_begin(state.volume, &options);
    const bool good = why == NULL ? run() && sums_up() : stop(why);

    files_end();
    return good;
}

static bool in_session(uint64_t frames, uint64_t read_ahead, uint32_t depth, body *run)
{
    const struct task_settings settings = {0};
    const struct file_system_options options = {
        .depth = depth,
        .interrupts = true,
        .cache_bytes = frames * FILE_PAGE,
        .read_ahead = read_ahead,
        .policy = file_settings()->policy,
    };

    if (!task_begin(&settings)) {
        return stop("no memory for threads");
    }
    const char *why = files_begin(state.volume, &options);
    const bool good = why == NULL ? run() && sums_up() : stop(why);

    files_end();
    task_end();
    return good;
}

/* ---- threads that read ---- */

static bool read_page(struct reader *reader, uint64_t page)
{
    const uint64_t offset = page * FILE_PAGE;

    file_seek(reader->file, offset);
    return file_read(reader->file, reader->buffer, FILE_PAGE) == FILE_PAGE &&
           file_check(reader->file, offset, reader->buffer, FILE_PAGE);
}

static void share_main(void *argument)
{
    struct reader *reader = argument;

    reader->good = true;
    for (uint64_t page = 0; page < SHARED && reader->good; page++) {
        reader->good = read_page(reader, page);
    }
}

static void crowd_main(void *argument)
{
    struct reader *reader = argument;
    const uint64_t pages = file_bytes(reader->file) / FILE_PAGE;
    const uint64_t range = pages < RANGE ? pages : RANGE;

    reader->good = true;
    for (uint64_t i = 0; i < CROWD_READS && reader->good; i++) {
        reader->draw = reader->draw * 6364136223846793005ull + 1442695040888963407ull;
        reader->good = read_page(reader, (reader->draw >> 33) % range);
    }
}

static bool read_by(size_t count, thread_entry *entry)
{
    struct thread *threads[CROWD];
    bool good = true;

    for (size_t i = 0; i < count; i++) {
        readers[i] = (struct reader){
            .file = file_open(LAYOUT_BENCH), .buffer = state.buffers + i * FILE_PAGE, .draw = i};
        threads[i] =
            readers[i].file != NULL ? thread_create("reader", PRIORITY, entry, &readers[i]) : NULL;
        if (threads[i] == NULL) {
            return stop("no memory for threads, or no " LAYOUT_BENCH);
        }
    }
    for (size_t i = 0; i < count; i++) {
        thread_join(threads[i]);
        good = good && readers[i].good;
    }
    return good || stop("a page could not be read");
}

/* Checks that if all threads want the same page at the same time, one request goes to the disk, and
 * all threads get the page. */
static bool share_pages(void)
{
    return read_by(SHARERS, share_main) &&
           expect("page cache reads while threads share pages", files_counts()->reads,
                  SHARERS * SHARED) &&
           expect("page cache misses while threads share pages", files_counts()->misses, SHARED) &&
           expect("page cache hits while threads share pages", files_counts()->hits,
                  (SHARERS - 1) * SHARED);
}

/* Checks reads if more threads than frames want pages, and the disk takes few requests at a time.
 */
static bool crowd_pages(void)
{
    return read_by(CROWD, crowd_main) && expect("page cache reads with more threads than frames",
                                                files_counts()->reads, CROWD * CROWD_READS);
}

/* Checks reads of pages in order. The first page is a miss; every other page is in memory or on its
 * way from the disk when it is needed. Each request reads AHEAD pages ahead. The first request also
 * reads the missing page. */
static bool read_in_order(void)
{
    struct reader reader = {.file = file_open(LAYOUT_BENCH), .buffer = state.buffers};
    const uint32_t before = state.volume->disk->serial;

    for (uint64_t page = 0; page < IN_ORDER; page++) {
        if (!read_page(&reader, page)) {
            return stop("a page could not be read");
        }
    }
    return expect("page cache misses with read-ahead", files_counts()->misses, 1) &&
           expect("pages found by read-ahead", files_counts()->read_ahead, IN_ORDER - 1) &&
           expect("pages read ahead", files_counts()->ahead, IN_ORDER - 1 + 1) &&
           expect("disk requests with read-ahead", state.volume->disk->serial - before,
                  IN_ORDER / AHEAD);
}

/* Checks a read-ahead that fails. After the first two pages nothing may be read, but no page before
 * that is lost. */
static bool read_before_failure(void)
{
    struct block_disk *disk = state.volume->disk;
    const uint64_t of_block = disk->block_bytes / LAYOUT_SECTOR;
    const uint64_t allowed = disk->allowed;
    struct file *file = file_open(LAYOUT_BENCH);
    struct reader reader = {.file = file, .buffer = state.buffers};
    const uint64_t end = file->extent->first + 2 * PAGE_SECTORS;

    disk->allowed = end / of_block;
    const bool before = read_page(&reader, 0) && read_page(&reader, 1);
    const bool good = files_failure()->error == BLOCK_GOOD;
    const bool behind = read_page(&reader, 2);

    disk->allowed = allowed;
    return ((before && good) ||
            stop("a failing read-ahead made the read of an earlier page fail")) &&
           expect("pages read after a failing read-ahead", behind, 0) &&
           expect("block of the failing read-ahead", files_failure()->block,
                  (state.volume->first_sector + end) / of_block);
}

/* Checks reads that bypass the page cache, including one that goes beyond the end of the file. */
static bool read_past_cache(void)
{
    struct file *file = file_open(LAYOUT_BENCH);
    const uint64_t bytes = CROWD * FILE_PAGE;
    const uint64_t end = file_bytes(file) - FILE_PAGE;

    if (file_read_direct(file, state.buffers, bytes) != (int64_t)bytes ||
        !file_check(file, 0, state.buffers, bytes)) {
        return stop("data of a read that bypasses the cache is not the file's");
    }
    file_seek(file, end);
    return expect("bytes read over the end of the file",
                  (uint64_t)file_read_direct(file, state.buffers, bytes), FILE_PAGE) &&
           (file_check(file, end, state.buffers, FILE_PAGE) ||
            stop("data read at the end of the file is not the file's")) &&
           expect("bytes read after the end of the file",
                  (uint64_t)file_read_direct(file, state.buffers, bytes), 0) &&
           expect("page cache reads while reads bypass the cache", files_counts()->reads, 0);
}

/* ---- system calls, in ring 3 ---- */

enum answer {
    OPEN_UNKNOWN,
    OPEN,
    READ_UNTOUCHED,
    READ_TWO,
    SEEK,
    READ_ONE,
    READ_ODD,
    READ_UNKNOWN,
    READ_OUTSIDE,
    MAP_TOUCHED,
    MAP,
    MAP_TWICE,
    READ_MAPPED,
    ANSWERS,
};

#define NAME_BENCH_0 0x41442e48434e4542ull /* "BENCH.DA" */
#define NAME_BENCH_1 0x54ull               /* "T" */
#define NAME_UNKNOWN 0x4548544full         /* "OTHE" */
#define SEEK_PAGE    5
#define MAP_PAGES    3

struct memory {
    uint64_t answer[ANSWERS];
    uint64_t name[USER_NAME_BYTES / sizeof(uint64_t)];
    uint64_t seen; /* sum of the words of all mapped pages */
    __attribute__((aligned(FILE_PAGE))) uint8_t page[3][FILE_PAGE];
    uint8_t mapped[MAP_PAGES][FILE_PAGE];
};

#define MEMORY ((volatile struct memory *)PROCESS_BASE)

static inline __attribute__((always_inline)) uint64_t place(const volatile void *at)
{
    return (uint64_t)(uintptr_t)at;
}

static PROCESS_CODE void call_main(void *argument)
{
    const uint64_t name = place(MEMORY->name);
    const uint64_t page = place(MEMORY->page[0]);
    const uint64_t mapped = place(MEMORY->mapped[0]);
    volatile uint64_t *answer = MEMORY->answer;

    (void)argument;
    MEMORY->name[0] = NAME_UNKNOWN;
    answer[OPEN_UNKNOWN] = system_call(SYSCALL_OPEN, name, 0, 0);
    MEMORY->name[0] = NAME_BENCH_0;
    MEMORY->name[1] = NAME_BENCH_1;
    const uint64_t file = system_call(SYSCALL_OPEN, name, 0, 0);

    answer[OPEN] = file;
    answer[READ_UNTOUCHED] = system_call(SYSCALL_READ, file, page, FILE_PAGE);
    for (uint64_t i = 0; i < 3; i++) {
        MEMORY->page[i][0] = 1;
    }
    answer[READ_TWO] = system_call(SYSCALL_READ, file, page, 2ull * FILE_PAGE);
    answer[SEEK] = system_call(SYSCALL_SEEK, file, SEEK_PAGE * FILE_PAGE, 0);
    answer[READ_ONE] = system_call(SYSCALL_READ, file, page + 2ull * FILE_PAGE, FILE_PAGE);
    answer[READ_ODD] = system_call(SYSCALL_READ, file, page, 1);
    answer[READ_UNKNOWN] = system_call(SYSCALL_READ, file + 1, page, FILE_PAGE);
    answer[READ_OUTSIDE] = system_call(SYSCALL_READ, file, page, 2 * PROCESS_BYTES);
    system_call(SYSCALL_SEEK, file, SEEK_PAGE * FILE_PAGE, 0);
    answer[MAP_TOUCHED] = system_call(SYSCALL_MAP, file, page, FILE_PAGE);
    answer[MAP] = system_call(SYSCALL_MAP, file, mapped, (uint64_t)MAP_PAGES * FILE_PAGE);
    answer[MAP_TWICE] = system_call(SYSCALL_MAP, file, mapped, FILE_PAGE);
    uint64_t seen = 0;

    for (uint64_t i = 0; i < MAP_PAGES * FILE_PAGE / sizeof(uint64_t); i++) {
        seen += ((volatile uint64_t *)MEMORY->mapped)[i];
    }
    MEMORY->seen = seen;
    answer[READ_MAPPED] = system_call(SYSCALL_READ, file, mapped, FILE_PAGE);
}

/* Checks that `pages` of the process's memory are the file's, from its page `first` on. Adds their
 * words to *sum. */
static bool is_file(const struct process *process, const struct file *file, uint64_t offset,
                    uint64_t first, uint64_t pages, uint64_t *sum)
{
    uint64_t word;

    for (uint64_t i = 0; i < pages; i++) {
        if (!process_read(process, offset + i * FILE_PAGE, state.buffers, FILE_PAGE) ||
            !file_check(file, (first + i) * FILE_PAGE, state.buffers, FILE_PAGE)) {
            return stop("a page that a process has read or mapped is not the file's");
        }
        for (uint64_t at = 0; at < FILE_PAGE; at += sizeof(word)) {
            memcpy(&word, state.buffers + at, sizeof(word));
            *sum += word;
        }
    }
    return true;
}

static bool check_answers(const struct process *process)
{
    static const uint64_t wanted[ANSWERS] = {
        [OPEN_UNKNOWN] = SYSCALL_REFUSED,
        [OPEN] = 0,
        [READ_UNTOUCHED] = SYSCALL_REFUSED,
        [READ_TWO] = 2ull * FILE_PAGE,
        [SEEK] = 0,
        [READ_ONE] = FILE_PAGE,
        [READ_ODD] = SYSCALL_REFUSED,
        [READ_UNKNOWN] = SYSCALL_REFUSED,
        [READ_OUTSIDE] = SYSCALL_REFUSED,
        [MAP_TOUCHED] = SYSCALL_REFUSED,
        [MAP] = 0,
        [MAP_TWICE] = SYSCALL_REFUSED,
        [READ_MAPPED] = SYSCALL_REFUSED,
    };
    uint64_t got[ANSWERS];
    char what[32];

    if (!process_read(process, offsetof(struct memory, answer), got, sizeof(got))) {
        return stop("the process did not store the results of its system calls");
    }
    for (size_t i = 0; i < ANSWERS; i++) {
        snprintf(what, sizeof(what), "result %u of the system calls", (unsigned)i);
        if (!expect(what, got[i], wanted[i])) {
            return false;
        }
    }
    return true;
}

/* Adds up all words of the mapped pages and stores the sum at the thread's index. */
static PROCESS_CODE void touch_main(void *argument)
{
    uint64_t seen = 0;

    for (uint64_t i = 0; i < MAP_PAGES * FILE_PAGE / sizeof(uint64_t); i++) {
        seen += ((volatile uint64_t *)MEMORY->mapped)[i];
    }
    MEMORY->answer[(uint64_t)argument] = seen;
}

/* Checks that if threads of one process touch the same pages at the same time, each page takes one
 * request. */
static bool share_mapping(void)
{
    struct process *process = process_create("sharers");
    struct file *file = file_open(LAYOUT_BENCH);
    struct thread *threads[SHARERS];
    uint64_t seen[SHARERS];
    uint64_t sum = 0;

    if (process == NULL || !process_reserve(PAGES_USED) ||
        file_map(file, process, offsetof(struct memory, mapped), 0, MAP_PAGES) != NULL) {
        return stop("no memory for processes");
    }
    for (size_t i = 0; i < SHARERS; i++) {
        threads[i] = process_thread(process, "sharer", PRIORITY, touch_main, i);
        if (threads[i] == NULL) {
            return stop("no memory for threads");
        }
    }
    for (size_t i = 0; i < SHARERS; i++) {
        thread_join(threads[i]);
    }
    if (!is_file(process, file, offsetof(struct memory, mapped), 0, MAP_PAGES, &sum) ||
        !process_read(process, offsetof(struct memory, answer), seen, sizeof(seen))) {
        return stop("a mapped page is missing");
    }
    for (size_t i = 0; i < SHARERS; i++) {
        if (!expect("sum of the mapped words in a thread that shares them", seen[i], sum)) {
            return false;
        }
    }
    return expect("page cache misses of a shared mapping", files_counts()->misses, MAP_PAGES);
}

static struct process *run_process(thread_entry *entry, struct process *process)
{
    struct thread *thread = process != NULL && process_reserve(PAGES_USED)
                                ? process_thread(process, "caller", PRIORITY, entry, 0)
                                : NULL;

    if (thread == NULL) {
        stop("no memory for processes");
        return NULL;
    }
    thread_join(thread);
    return process;
}

static bool call_files(void)
{
    file_calls_open();
    struct process *process = run_process(call_main, process_create("calls"));
    const struct file *file = file_open(LAYOUT_BENCH);
    uint64_t sum = 0;
    uint64_t seen = 0;

    if (process == NULL || !check_answers(process) ||
        !is_file(process, file, offsetof(struct memory, page), 0, 2, &sum) ||
        !is_file(process, file, offsetof(struct memory, page) + 2ull * FILE_PAGE, SEEK_PAGE, 1,
                 &sum)) {
        return false;
    }
    sum = 0;
    return is_file(process, file, offsetof(struct memory, mapped), SEEK_PAGE, MAP_PAGES, &sum) &&
           process_read(process, offsetof(struct memory, seen), &seen, sizeof(seen)) &&
           expect("sum of the mapped words", seen, sum) &&
           expect("page faults of pages in the cache", file_fault_count(FAULT_SOFT), 1) &&
           expect("page faults of pages on the disk", file_fault_count(FAULT_FILE), MAP_PAGES - 1);
}

/* ---- a mapped page that cannot be read ---- */

static PROCESS_CODE void lose_main(void *argument)
{
    (void)argument;
    MEMORY->seen = 1;
    MEMORY->seen = MEMORY->mapped[0][0];
    MEMORY->seen = 2;
}

/* Checks that a thread is ended when it touches the page, that the reason is reported, and that the
 * page can be read later. */
static bool lose_page(void)
{
    struct block_disk *disk = state.volume->disk;
    const uint64_t allowed = disk->allowed;
    struct process *process = process_create("loser");
    struct file *file = file_open(LAYOUT_BENCH);
    struct reader reader = {.file = file, .buffer = state.buffers};
    uint64_t seen = 0;

    if (process == NULL ||
        file_map(file, process, offsetof(struct memory, mapped), 0, MAP_PAGES) != NULL) {
        return stop("no memory for processes");
    }
    disk->allowed = 0;
    process = run_process(lose_main, process);
    disk->allowed = allowed;
    if (process == NULL ||
        !process_read(process, offsetof(struct memory, seen), &seen, sizeof(seen)) ||
        !expect("progress of the thread that touched an unreadable page", seen, 1) ||
        !expect("error of the unreadable page", files_failure()->error, BLOCK_REFUSED)) {
        return false;
    }
    return read_page(&reader, 0) || stop("a page cannot be read although that is allowed again");
}

/* ---- the run ---- */

static enum bench_state run(struct bench_run *run)
{
    const char *why = block_volume(&state.volume);

    if (why != NULL) {
        return bench_skip(run, "%s", why);
    }
    if (!process_supported(&why)) {
        return bench_skip(run, "%s", why);
    }
    state.why[0] = '\0';
    state.buffers = bench_memory(CROWD * FILE_PAGE);
    if (state.buffers == NULL) {
        return bench_error(run, "no memory for pages");
    }
    const bool good = in_session(2ull * SHARED, 0, 2, share_pages) &&
                      in_session(FRAMES_FEW, 0, 1, crowd_pages) &&
                      in_session(FRAMES_FEW, 2, 4, crowd_pages) &&
                      in_session(2ull * IN_ORDER, AHEAD, 2 * AHEAD, read_in_order) &&
                      polled(2ull * IN_ORDER, AHEAD, 2 * AHEAD, read_in_order) &&
                      in_session(2ull * IN_ORDER, AHEAD, 2 * AHEAD, read_before_failure) &&
                      in_session(2ull * IN_ORDER, 0, 2, read_past_cache) &&
                      polled(2ull * IN_ORDER, 0, 2, read_past_cache) &&
                      in_session(2ull * IN_ORDER, 0, 1, share_mapping) &&
                      in_session(2ull * IN_ORDER, 0, 1, lose_page);

    if (!good) {
        return bench_fail(run, "%s", state.why);
    }
    if (!bench_trace_begin(run)) {
        return BENCH_ERROR;
    }
    const bool called = in_session(2ull * IN_ORDER, 0, 1, call_files);

    if (!bench_trace_end(run)) {
        return bench_error(run, "the trace cannot be sent");
    }
    return called ? bench_ok(run) : bench_fail(run, "%s", state.why);
}

static const struct bench files = {
    .name = "files",
    .group = "selftest",
    .summary = "checks files, page cache, read-ahead and their system calls",
    .unit = UNIT_COUNT,
    .estimate = "nothing is timed; every check holds",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .on_request = true,
    .run = run,
};
BENCH_REGISTER(files);
