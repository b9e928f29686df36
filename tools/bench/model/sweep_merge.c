/* SPDX-License-Identifier: BSD-2-Clause */
/* Shards of a sweep put together (sweep_rows.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/names.h"
#include "tools/base/alloc.h"
#include "tools/bench/model/sweep_rows.h"

struct part {
    const struct run *run;
    int64_t number;
    struct sweep_rows rows;
};

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* What differs; NULL: they are of one sweep. */
static const char *difference(const struct part *a, const struct part *b)
{
    if (!same_text(a->rows.spec, b->rows.spec)) {
        return "another sweep";
    }
    if (!same_text(a->run->plan_text, b->run->plan_text)) {
        return "another model, or of other passes or replications";
    }
    if (!same_text(run_pair_value(&a->run->info, INFO_VERSION),
                   run_pair_value(&b->run->info, INFO_VERSION))) {
        return "of another version of tare";
    }
    if (a->rows.seed != b->rows.seed) {
        return "of another seed";
    }
    if (a->rows.shards != b->rows.shards || a->rows.points != b->rows.points) {
        return "split into another number of shards";
    }
    return NULL;
}

static bool check_one(const struct part *parts, size_t at, char error[SWEEP_ERROR_MAX])
{
    const struct part *part = &parts[at];
    const char *differs = difference(&parts[0], part);

    if (differs != NULL) {
        snprintf(error, SWEEP_ERROR_MAX,
                 "run %" PRId64 " is %s than run %" PRId64 ": name the runs of one sweep",
                 part->number, differs, parts[0].number);
        return false;
    }
    for (size_t i = 0; i < at; i++) {
        if (parts[i].rows.shard == part->rows.shard) {
            snprintf(error, SWEEP_ERROR_MAX,
                     "shard %zu of %zu is there twice, as runs %" PRId64 " and %" PRId64
                     ": name the runs to merge, each shard once",
                     part->rows.shard, part->rows.shards, parts[i].number, part->number);
            return false;
        }
    }
    return true;
}

/* "shards 2, 5 of 8 are not there". */
static bool check_all(const struct part *parts, size_t count, char error[SWEEP_ERROR_MAX])
{
    const size_t shards = parts[0].rows.shards;
    size_t used =
        (size_t)snprintf(error, SWEEP_ERROR_MAX, "of %zu shards these are not there:", shards);
    bool complete = true;

    for (size_t shard = 1; shard <= shards && used < SWEEP_ERROR_MAX; shard++) {
        bool is_there = false;

        for (size_t i = 0; i < count; i++) {
            is_there = is_there || parts[i].rows.shard == shard;
        }
        if (!is_there) {
            used += (size_t)snprintf(error + used, SWEEP_ERROR_MAX - used, "%s %zu",
                                     complete ? "" : ",", shard);
            complete = false;
        }
    }
    if (!complete && used < SWEEP_ERROR_MAX) {
        snprintf(error + used, SWEEP_ERROR_MAX - used,
                 "; simulate them with --shard I/%zu and add them", shards);
    }
    return complete;
}

static const struct sweep_row *find_point(const struct part *parts, size_t count, size_t point,
                                          const struct sweep_rows **of)
{
    for (size_t i = 0; i < count; i++) {
        if (sweep_shard_has(point, parts[i].rows.shard, parts[i].rows.shards)) {
            *of = &parts[i].rows;
            return &parts[i].rows.rows[(point - 1) / parts[i].rows.shards];
        }
    }
    return NULL;
}

/* A shard all of whose points were refused has no subjects. */
static void take_subjects(struct sweep_rows *rows, const struct part *parts, size_t count)
{
    for (size_t i = 0; i < count && rows->subject_count == 0; i++) {
        for (size_t s = 0; s < parts[i].rows.subject_count; s++) {
            sweep_rows_add_subject(rows, parts[i].rows.subjects[s]);
        }
    }
}

static void merge_rows(struct run *whole, const struct part *parts, size_t count)
{
    struct sweep_rows rows = {
        .spec = parts[0].rows.spec,
        .seed = parts[0].rows.seed,
        .points = parts[0].rows.points,
        .shard = 1,
        .shards = 1,
    };

    take_subjects(&rows, parts, count);
    for (size_t point = 1; point <= rows.points; point++) {
        const struct sweep_rows *of = NULL;
        const struct sweep_row *from = find_point(parts, count, point, &of);
        struct sweep_row *row = sweep_rows_add(&rows);
        struct sweep_amount *amount = row->amount;

        *row = *from;
        row->amount = amount;
        if (of->subject_count == rows.subject_count) {
            memcpy(amount, from->amount, rows.subject_count * SWEEP_MEASURES * sizeof(*amount));
        }
    }
    sweep_rows_publish(&rows, whole);
    sweep_rows_free(&rows);
}

static void copy_pairs(struct run *whole, struct run_pairs *to, const struct run_pairs *from)
{
    for (size_t i = 0; i < from->count; i++) {
        run_add_pair(whole, to, from->item[i].key, from->item[i].value);
    }
}

/* All that the first says of itself holds for the others, but for when and where. */
static void merge_head(struct run *whole, const struct run *first)
{
    copy_pairs(whole, &whole->info, &first->info);
    copy_pairs(whole, &whole->machine, &first->machine);
    whole->plan_source = run_text(whole, first->plan_source);
    whole->plan_text = run_text(whole, first->plan_text);
    whole->verdict = first->verdict;
    whole->verdict.by = run_text(whole, first->verdict.by);
    whole->verdict.reason = run_text(whole, first->verdict.reason);
    whole->ended = first->ended;
}

static bool read_parts(struct part *parts, const struct run *runs, const int64_t *numbers,
                       size_t count, char error[SWEEP_ERROR_MAX])
{
    for (size_t i = 0; i < count; i++) {
        const struct run_bench *bench = run_find_bench(&runs[i], SWEEP_BENCH);

        parts[i].run = &runs[i];
        parts[i].number = numbers[i];
        if (bench == NULL || !sweep_rows_read(bench, &parts[i].rows)) {
            snprintf(error, SWEEP_ERROR_MAX, "run %" PRId64 " holds no sweep, or a damaged one",
                     numbers[i]);
            return false;
        }
        if (!check_one(parts, i, error)) {
            return false;
        }
    }
    return true;
}

bool sweep_merge(struct run *whole, const struct run *runs, const int64_t *numbers, size_t count,
                 char error[SWEEP_ERROR_MAX])
{
    struct part *parts = alloc_zeroed((count + 1) * sizeof(*parts));

    snprintf(error, SWEEP_ERROR_MAX, "there is no shard of a sweep");
    const bool ok = count > 0 && read_parts(parts, runs, numbers, count, error) &&
                    check_all(parts, count, error);

    if (ok) {
        merge_head(whole, &runs[0]);
        merge_rows(whole, parts, count);
    }
    for (size_t i = 0; i < count; i++) {
        sweep_rows_free(&parts[i].rows);
    }
    free(parts);
    return ok;
}
