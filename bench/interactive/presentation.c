/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/interactive/presentation.h"

#include <stdio.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "kernel/block/use.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define EVENT_US 2000000
#define WIDTH    640
#define HEIGHT   480
#define NAME_MAX 48

/* Name of the bench parameter for each parameter number of the program. A bench defines those that
 * it uses. */
static const char *const times[SLIDES_SHOWN] = {
    [SLIDES_START_US] = "start_us",     [SLIDES_OPEN_US] = "open_us",
    [SLIDES_PAGE_US] = "page_us",       [SLIDES_OBJECT_US] = "object_us",
    [SLIDES_SESSION_US] = "session_us", [SLIDES_EDIT_US] = "edit_us",
    [SLIDES_SAVE_US] = "save_us",       [SLIDES_LEAK_KIB] = "leak_kib",
};

static const char *const actions[DECK_SPARE] = {
    [DECK_START] = ACTION_NAME_START,   [DECK_OPEN] = ACTION_NAME_OPEN,
    [DECK_EDIT_1] = ACTION_NAME_EDIT_1, [DECK_EDIT_2] = ACTION_NAME_EDIT_2,
    [DECK_EDIT_3] = ACTION_NAME_EDIT_3, [DECK_SAVE] = ACTION_NAME_SAVE,
};

static const char *const results[SLIDES_RESULTS] = {
    [SLIDES_CHECKSUM] = FACT_DOCUMENT_CHECKSUM,
    [SLIDES_NUMBER] = "shown",
    [SLIDES_EDITS] = "edits",
    [SLIDES_WRONG] = "wrong",
    [SLIDES_FLUSH] = FACT_FLUSH_ONE,
    [SLIDES_FLUSH_FULL] = FACT_FLUSH_FULL,
    [SLIDES_ROUND_FLUSHES] = FACT_ROUND_FLUSHES,
    [SLIDES_ROUND_REQUESTS] = FACT_ROUND_REQUESTS,
};

static const char *const file_results[SLIDES_RESULTS] = {
    [SLIDES_WARM + DECK_START] = FACT_WARM "." ACTION_NAME_START,
    [SLIDES_WARM + DECK_OPEN] = FACT_WARM "." ACTION_NAME_OPEN,
    [SLIDES_WARM + DECK_EDIT_1] = FACT_WARM "." ACTION_NAME_EDIT_1,
    [SLIDES_WARM + DECK_EDIT_2] = FACT_WARM "." ACTION_NAME_EDIT_2,
    [SLIDES_WARM + DECK_EDIT_3] = FACT_WARM "." ACTION_NAME_EDIT_3,
    [SLIDES_WARM + DECK_SAVE] = FACT_WARM "." ACTION_NAME_SAVE,
    [SLIDES_MISS] = FACT_MISS,
    [SLIDES_HIT] = FACT_HIT,
};

_Static_assert(FLUSH_FULL == BATCH_MAX, "a full batch");

static struct {
    uint64_t wrong;                /* wrong reads, in all phases */
    const struct block_disk *disk; /* NULL: the presentation uses no files */
    size_t phases;
    const char *name[APP_PHASES_MAX];
    uint64_t opened[APP_PHASES_MAX];
} seen;

static void phase_over(struct bench_run *run, const char *phase)
{
    (void)run;
    seen.wrong += window_shared()->results[SLIDES_WRONG];
    if (seen.disk != NULL && seen.phases < APP_PHASES_MAX) {
        seen.name[seen.phases] = phase;
        seen.opened[seen.phases++] = seen.disk->opened;
    }
}

/* Publishes the series asked.ACTION. */
static enum bench_state publish_asked(struct bench_run *run, const struct task *task)
{
    const struct block_volume *volume;
    const char *why = block_volume_like(task->disk, &volume);

    if (why != NULL) {
        return bench_skip(run, "%s", why);
    }
    seen.disk = volume->disk;
    const struct layout_file *slides = layout_find(&volume->layout, LAYOUT_SLIDES);
    const struct layout_file *doc = layout_find(&volume->layout, LAYOUT_DOC);

    for (unsigned action = 0; action <= DECK_SPARE && slides != NULL && doc != NULL; action++) {
        const size_t count = deck_pages(action);
        int64_t *sectors = bench_samples(count);
        char name[NAME_MAX];

        if (sectors == NULL) {
            return bench_error(run, "cannot allocate memory for a series of %zu pages", count);
        }
        for (size_t i = 0; i < count; i++) {
            const struct deck_page page = deck_page(action, i);

            sectors[i] = (int64_t)(volume->first_sector + (page.document ? doc : slides)->first +
                                   (uint64_t)page.page * (DECK_PAGE / LAYOUT_SECTOR));
        }
        snprintf(name, sizeof(name), SERIES_ASKED ".%s",
                 action < DECK_SPARE ? actions[action] : FACT_MISS);
        bench_publish(run, name, UNIT_CODE, sectors, count);
    }
    return slides != NULL && doc != NULL
               ? BENCH_OK
               : bench_skip(run, "disk %s lacks " LAYOUT_SLIDES " or " LAYOUT_DOC,
                            volume->disk->name);
}

/* Publishes, for each phase, time 0 of the disk's timing model. */
static void publish_opened(const struct bench_run *run)
{
    char name[NAME_MAX];

    for (size_t i = 0; i < seen.phases; i++) {
        snprintf(name, sizeof(name), FACT_DISK_OPENED ".%s", seen.name[i]);
        bench_fact(run, name, UNIT_TICK, (int64_t)seen.opened[i]);
    }
}

enum bench_state presentation_run(struct bench_run *run, const struct presentation *presentation)
{
    struct task task = {
        .name = presentation->name,
        .program = user_show_slides,
        .event_us = EVENT_US,
        .files = presentation->files,
        .disk = "hdd1996",
        .own_bytes = SLIDES_OWN_BYTES,
        .width = WIDTH,
        .height = HEIGHT,
        .parameters = {[SLIDES_SHOWN] = presentation->shown, [SLIDES_FILES] = presentation->files},
        .same = 1u << SLIDES_CHECKSUM | 1u << SLIDES_NUMBER | 1u << SLIDES_EDITS,
        .phase_over = phase_over,
    };
    enum bench_state state = BENCH_OK;

    seen = (typeof(seen)){0};
    for (unsigned i = 0; i < SLIDES_SHOWN; i++) {
        task.parameters[i] = bench_number(run, times[i]);
    }
    task.own_bytes += task.parameters[SLIDES_LEAK_KIB] != 0 ? SLIDES_LEAK_MAX : 0;
    for (unsigned i = 0; i < SLIDES_RESULTS; i++) {
        task.results[i] = presentation->files && results[i] == NULL ? file_results[i] : results[i];
    }
    if (presentation->files) {
        state = publish_asked(run, &task);
    }
    state = state == BENCH_OK ? task_run(run, &task) : state;
    publish_opened(run);
    if (state == BENCH_OK && seen.wrong > 0) {
        return bench_fail(run, "%lu reads failed, or sectors had the wrong content", seen.wrong);
    }
    return state;
}
