/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/disk/pages.h"

#include "bench/disk/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"

#define MIB         (1024 * 1024ull)
#define FAILURE_MAX 96
/* instructions while the disk works, and of the check of a page */
#define MEANWHILE 980
#define CHECK     5000

void pages_options(struct pages *pages, bool interrupts)
{
    const struct file_settings *settings = file_settings();

    pages->count = pages->target.sectors * LAYOUT_SECTOR / FILE_PAGE;
    pages->options = (struct file_system_options){
        .depth = settings->read_ahead == 0 ? 1 : target_depth(&pages->target, 0),
        .interrupts = interrupts,
        .cache_bytes = settings->cache_mib * MIB,
        .read_ahead = settings->read_ahead,
        .policy = settings->policy,
    };
}

enum bench_state pages_find(struct bench_run *run, struct pages *pages)
{
    const enum bench_state result = target_find(run, &pages->target);

    if (result != BENCH_OK) {
        return result;
    }
    pages_options(pages, true);
    pages->page = bench_memory(FILE_PAGE);
    return pages->page != NULL ? BENCH_OK : bench_error(run, "no memory for a page");
}

void pages_expect(const struct bench_run *run, const struct pages *pages, const char *series,
                  uint64_t count, uint64_t (*place)(size_t thread, size_t read),
                  uint64_t instructions)
{
    const struct timing_load load = {.threads = 1,
                                     .each = count,
                                     .sectors = FILE_PAGE / LAYOUT_SECTOR,
                                     .depth = pages->options.depth,
                                     .place = place,
                                     .around = instructions,
                                     .meanwhile = MEANWHILE,
                                     .between = CHECK};

    if (pages->options.read_ahead == 0) {
        timing_expect(run, &pages->target, series, &load, false);
    }
}

/* ---- in the session ---- */

bool pages_read(struct pages *pages, uint64_t page, bool direct, struct page_read *read)
{
    const uint64_t offset = page * FILE_PAGE;

    pages->stamps = (struct file_stamps){0};
    const uint64_t begin = tsc_read();

    file_seek(pages->file, offset);
    const int64_t got = direct ? file_read_direct(pages->file, pages->page, FILE_PAGE)
                               : file_read(pages->file, pages->page, FILE_PAGE);

    read->ticks = (int64_t)(tsc_read() - begin);
    read->on_disk = pages->stamps.submitted != 0;
    if (got != FILE_PAGE) {
        return false;
    }
    target_check(&pages->target, pages->target.first + offset / LAYOUT_SECTOR, pages->page,
                 FILE_PAGE / LAYOUT_SECTOR);
    /* With read-ahead, the disk got requests that are not visible here. */
    if (read->on_disk && pages->options.read_ahead == 0) {
        timing_follow_read(&pages->follower, pages->stamps.submitted - pages->target.disk->opened,
                           pages->target.first + offset / LAYOUT_SECTOR, FILE_PAGE / LAYOUT_SECTOR,
                           (int64_t)(pages->stamps.due - pages->stamps.submitted));
    }
    return true;
}

static bool work_on_file(struct pages *pages, pages_work *work, void *argument)
{
    pages->file = file_open(LAYOUT_BENCH);
    if (pages->file == NULL) {
        return false;
    }
    file_stamp(pages->file, &pages->stamps);
    const bool good = work(pages, argument);

    file_close(pages->file);
    return good;
}

static enum bench_state failed(struct bench_run *run)
{
    char text[FAILURE_MAX];

    if (files_failure()->error == BLOCK_GOOD) {
        return bench_error(run,
                           "the file %s cannot be opened, or is shorter than its directory entry",
                           LAYOUT_BENCH);
    }
    files_failure_text(text, sizeof(text));
    return files_failure()->error == BLOCK_REFUSED ? bench_error(run, "%s", text)
                                                   : bench_fail(run, "%s", text);
}

enum bench_state pages_in_session(struct bench_run *run, struct pages *pages, pages_work *work,
                                  void *argument)
{
    const char *why = files_begin(pages->target.volume, &pages->options);
    bool good = true;

    if (why == NULL) {
        target_opened(&pages->target, pages->options.depth);
        timing_follow(&pages->follower, &pages->target);
        good = work_on_file(pages, work, argument);
        files_end();
    }
    if (why != NULL) {
        return bench_fail(run, "%s: %s", pages->target.disk->name, why);
    }
    return good ? BENCH_OK : failed(run);
}

enum bench_state pages_session(struct bench_run *run, struct pages *pages, pages_work *work,
                               void *argument)
{
    const struct task_settings settings = target_session(pages->reads);

    if (!task_begin(&settings)) {
        return bench_error(run, "no memory for threads");
    }
    const enum bench_state result = pages_in_session(run, pages, work, argument);

    task_end();
    return result;
}

/* ---- the verdict ---- */

void pages_count(struct cache_counts *counts)
{
    const struct cache_counts *now = files_counts();

    counts->reads += now->reads;
    counts->hits += now->hits;
    counts->misses += now->misses;
    counts->read_ahead += now->read_ahead;
    counts->evictions += now->evictions;
}

enum bench_state pages_judge(struct bench_run *run, const struct pages *pages,
                             const struct cache_counts *counts)
{
    const enum bench_state result = target_judge(run, &pages->target);

    bench_fact(run, FACT_AHEAD_PAGES, UNIT_COUNT, (int64_t)pages->options.read_ahead);
    if (result != BENCH_OK) {
        return result;
    }
    if (counts->hits + counts->misses + counts->read_ahead != counts->reads) {
        return bench_fail(run,
                          "the page cache counts %lu hits, %lu misses and %lu pages found by "
                          "read-ahead, which do not add up to its %lu reads",
                          counts->hits, counts->misses, counts->read_ahead, counts->reads);
    }
    return timing_follow_judge(run, &pages->follower);
}
