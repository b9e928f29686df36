/* SPDX-License-Identifier: BSD-2-Clause */
/* Histories (history.h): the order of runs, the changes of each series, and which of them fail. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/history/history.h"
#include "tools/stats/change_points.h"

static const char *const verdict_names[HISTORY_VERDICTS] = {
    [HISTORY_WORSE] = "worse",
    [HISTORY_BETTER] = "better",
    [HISTORY_CHANGED] = "changed",
    [HISTORY_SMALL] = "small",
};

const char *history_verdict_name(enum history_verdict verdict)
{
    return verdict_names[verdict];
}

/* ---- order ---- */

static int in_order(const void *left, const void *right)
{
    const struct history_run *a = left;
    const struct history_run *b = right;

    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    const int by_date = strcmp(a->date, b->date);

    if (by_date != 0) {
        return by_date;
    }
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return strverscmp(a->name, b->name);
}

void history_order(struct history *history)
{
    if (history->run_count > 1) {
        sort_stable(history->runs, history->run_count, sizeof(*history->runs), in_order);
    }
    for (size_t i = 0; i < history->run_count; i++) {
        struct history_group *group = &history->groups[history->runs[i].group];

        group->first = group->count == 0 ? i : group->first;
        group->count++;
    }
    for (size_t i = 0; i < history->group_count; i++) {
        struct history_group *group = &history->groups[i];

        group->searched =
            group->count < history->settings.last ? group->count : history->settings.last;
        group->least = group->exact ? 2 : change_points_least(history->settings.alpha);
    }
}

size_t history_recent(const struct history *history, size_t group)
{
    return history->settings.recent > 0   ? history->settings.recent
           : history->groups[group].exact ? HISTORY_RECENT_EXACT
                                          : HISTORY_RECENT;
}

/* ---- one series of a group ---- */

struct figures {
    size_t n;
    double *values;
    uint64_t *prints;
    size_t *runs; /* of which each is */
};

const struct history_value *history_value_in(const struct history_run *run, size_t series)
{
    for (size_t i = 0; i < run->value_count; i++) {
        if (run->values[i].series == series) {
            return &run->values[i];
        }
    }
    return NULL;
}

static void figures_of(const struct history *history, size_t group, size_t series,
                       struct figures *figures)
{
    const struct history_group *of = &history->groups[group];

    *figures = (struct figures){
        .values = alloc_zeroed((of->searched + 1) * sizeof(double)),
        .prints = alloc_zeroed((of->searched + 1) * sizeof(uint64_t)),
        .runs = alloc_zeroed((of->searched + 1) * sizeof(size_t)),
    };
    for (size_t i = of->first + of->count - of->searched; i < of->first + of->count; i++) {
        const struct history_value *value = history_value_in(&history->runs[i], series);

        if (value != NULL) {
            figures->values[figures->n] = value->value;
            figures->prints[figures->n] = value->print;
            figures->runs[figures->n++] = i;
        }
    }
}

static void figures_free(struct figures *figures)
{
    free(figures->values);
    free(figures->prints);
    free(figures->runs);
}

size_t history_figures(const struct history *history, size_t group, size_t series)
{
    const struct history_group *of = &history->groups[group];
    size_t n = 0;

    for (size_t i = of->first + of->count - of->searched; i < of->first + of->count; i++) {
        n += history_value_in(&history->runs[i], series) != NULL;
    }
    return n;
}

static bool is_small(const struct history *history, const struct history_change *change)
{
    const struct history_settings *settings = &history->settings;
    const bool exact = history->groups[change->group].exact;

    if (isnan(settings->threshold) && exact) {
        return false;
    }
    if (history->series[change->series].is_share) {
        return fabs(change->after - change->before) < settings->stolen;
    }
    return fabs(change->shift) <
           (isnan(settings->threshold) ? COMPARE_THRESHOLD : settings->threshold);
}

static enum history_verdict verdict_of(const struct history *history,
                                       const struct history_change *change)
{
    const enum metric_better better = history->series[change->series].better;

    if (is_small(history, change)) {
        return HISTORY_SMALL;
    }
    if (better == METRIC_NEITHER || change->after == change->before) {
        return HISTORY_CHANGED;
    }
    return (change->after > change->before) == (better == METRIC_MORE) ? HISTORY_BETTER
                                                                       : HISTORY_WORSE;
}

static bool differ(const char *a, const char *b)
{
    return (a == NULL) != (b == NULL) || (a != NULL && strcmp(a, b) != 0);
}

static void add_change(struct history *history, const struct history_change *found)
{
    const struct history_group *group = &history->groups[found->group];
    const struct history_run *from = &history->runs[found->from];
    const struct history_run *at = &history->runs[found->at];

    history->changes = alloc_append(history->changes, &history->change_count,
                                    &history->change_capacity, sizeof(*history->changes));
    struct history_change *change = &history->changes[history->change_count - 1];

    *change = *found;
    change->shift = change->after == change->before ? 0
                    : change->before == 0           ? copysign(INFINITY, change->after)
                                          : (change->after - change->before) / fabs(change->before);
    change->verdict = verdict_of(history, change);
    change->is_recent =
        change->at + history_recent(history, change->group) >= group->first + group->count;
    for (enum history_label label = 0; label < HISTORY_LABELS; label++) {
        change->changed_labels[label] = differ(from->labels[label], at->labels[label]);
    }
    history->verdicts[change->verdict]++;
}

/* Of the changes of one series, from `first` on. */
static void judge_failures(struct history *history, size_t first)
{
    for (size_t i = first; i < history->change_count; i++) {
        struct history_change *change = &history->changes[i];
        const double newest = history->changes[history->change_count - 1].after;
        const bool more = history->series[change->series].better == METRIC_MORE;
        const bool is_worse = change->verdict == HISTORY_WORSE;

        change->is_undone =
            is_worse && (more ? newest >= change->before : newest <= change->before);
        change->fails = is_worse && change->is_recent && !change->is_undone;
        history->failing += change->fails;
    }
}

/* Each difference from the run before. */
static void judge_exact(struct history *history, size_t group, size_t series,
                        const struct figures *figures)
{
    for (size_t i = 1; i < figures->n; i++) {
        if (figures->prints[i] != figures->prints[i - 1]) {
            add_change(history, &(struct history_change){
                                    .group = group,
                                    .series = series,
                                    .from = figures->runs[i - 1],
                                    .at = figures->runs[i],
                                    .before = figures->values[i - 1],
                                    .after = figures->values[i],
                                    .p = NAN,
                                });
        }
    }
}

static void judge_sampled(struct history *history, size_t group, size_t series,
                          const struct figures *figures)
{
    struct change_point *points = alloc_zeroed((figures->n + 1) * sizeof(*points));
    const size_t count =
        change_points_find(figures->values, figures->n, history->settings.alpha, points);

    for (size_t i = 0; i < count; i++) {
        add_change(history, &(struct history_change){
                                .group = group,
                                .series = series,
                                .from = figures->runs[points[i].at - 1],
                                .at = figures->runs[points[i].at],
                                .before = points[i].before,
                                .after = points[i].after,
                                .p = points[i].p,
                            });
    }
    free(points);
}

void history_judge(struct history *history)
{
    history_order(history);
    for (size_t group = 0; group < history->group_count; group++) {
        for (size_t series = 0; series < history->series_count; series++) {
            const size_t first = history->change_count;
            struct figures figures;

            figures_of(history, group, series, &figures);
            if (history->groups[group].exact) {
                judge_exact(history, group, series, &figures);
            } else {
                judge_sampled(history, group, series, &figures);
            }
            judge_failures(history, first);
            figures_free(&figures);
        }
    }
}
