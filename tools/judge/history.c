/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/plan/bytes.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/judge/boots.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"

const char *const history_label_names[HISTORY_LABELS] = {"image", "firmware", "emulator", "plan",
                                                         "L1 kernel"};
const char *const history_order_names[HISTORY_ORDERS] = {"capture", "name", "date"};
const char *const history_verdict_names[HISTORY_VERDICTS] = {"worse", "better", "changed", "small",
                                                             "dropped"};

static const char *text_or(const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

void history_init(struct history *history, const struct history_settings *settings)
{
    *history = (struct history){.settings = *settings};
}

void history_free(struct history *history)
{
    for (size_t i = 0; i < history->run_count; i++) {
        for (size_t k = 0; k < HISTORY_LABELS; k++) {
            free(history->runs[i].labels[k]);
        }
        free(history->runs[i].name);
        free(history->runs[i].captured);
        free(history->runs[i].date);
        free(history->runs[i].values);
    }
    for (size_t i = 0; i < history->series_count; i++) {
        free(history->series[i].name);
        free(history->series[i].unit);
    }
    for (size_t i = 0; i < history->group_count; i++) {
        free(history->groups[i].key);
        free(history->groups[i].kind);
        free(history->groups[i].time);
        free(history->groups[i].machine);
    }
    for (size_t i = 0; i < history->left_out_count; i++) {
        free(history->left_out[i]);
    }
    free(history->runs);
    free(history->series);
    free(history->groups);
    free(history->changes);
    free(history->left_out);
    *history = (struct history){0};
}

/* ---- groups ---- */

static char *machine_text(const struct run *run)
{
    char number[RUN_KIND_MAX];
    const char *processors = run_processors_text(run, number);
    const char *emulator = run_pair_value(&run->info, "emulator.machine");
    struct long_text text;

    long_text_open(&text);
    fputs(text_or(run_pair_value(&run->machine, FACT_CPU_BRAND), "unknown processor"), text.out);
    if (processors != NULL) {
        fprintf(text.out, ", %s", processors);
    }
    if (emulator != NULL) {
        fprintf(text.out, ", machine %s of an emulator", emulator);
    }
    long_text_close(&text);
    return text.text;
}

/* Returns a key that is equal for runs whose figures may be compared. */
static char *group_key(const struct run *run, const char *machine)
{
    return text_format("%s|%s|%s|%s|%s", text_or(run_time_name(run), "unknown"), machine,
                       text_or(run_pair_value(&run->info, INFO_HYPERVISOR), ""),
                       text_or(run_pair_value(&run->info, INFO_TICKS_PER_INSTRUCTION), ""),
                       text_or(run_pair_value(&run->info, "emulator.cpu"), ""));
}

static size_t group_of(struct history *history, const struct run *run)
{
    char *machine = machine_text(run);
    char *key = group_key(run, machine);

    for (size_t i = 0; i < history->group_count; i++) {
        if (strcmp(history->groups[i].key, key) == 0) {
            free(machine);
            free(key);
            return i;
        }
    }
    *ALLOC_NEXT(history->groups, history->group_count, history->group_capacity) =
        (struct history_group){
            .key = key,
            .machine = machine,
            .kind = alloc_text(text_or(run_time_name(run), "unknown")),
            .time = alloc_text(run_time_label(run)),
            .exact = run_counts_instructions(run) || run_is_simulated(run),
            .is_shared = run_counts_instructions(run) && !run_is_exact(run),
        };
    return history->group_count - 1;
}

/* ---- figures ---- */

static size_t series_of(struct history *history, const char *name, const char *unit,
                        const struct metric *metric)
{
    for (size_t i = 0; i < history->series_count; i++) {
        if (strcmp(history->series[i].name, name) == 0 &&
            strcmp(history->series[i].unit, unit) == 0) {
            return i;
        }
    }
    *ALLOC_NEXT(history->series, history->series_count, history->series_capacity) =
        (struct history_series){
            .name = alloc_text(name),
            .unit = alloc_text(unit),
            .better = metric->better,
            .work = metric->work,
            .is_share = metric->is_share,
        };
    return history->series_count - 1;
}

static struct history_value *add_value(struct history_run *run, size_t series, double value,
                                       uint64_t print)
{
    struct history_value *added = ALLOC_NEXT(run->values, run->value_count, run->value_capacity);

    *added = (struct history_value){series, value, print, NAN, NAN, NAN, NAN};
    return added;
}

/* Sets the spread. The values of a share of the time are those of its parts, of which only the
 * maximum is meaningful. */
static void take_spread(struct history_value *value, const struct boot *boot, bool is_share)
{
    struct summary summary;

    value->max = boot->sorted[boot->n - 1];
    if (is_share) {
        return;
    }
    summary_of(boot->taken, boot->n, &summary);
    if (summary.median.has_interval) {
        value->low = boot->sorted[summary.median.low_rank - 1];
        value->high = boot->sorted[summary.median.high_rank - 1];
    }
    if (summary.p99.reported) {
        value->p99 = summary_quantile_of(boot->sorted, boot->n, 0.99);
    }
}

struct taking {
    struct history *history;
    struct history_run *run;
    struct boot_group group; /* a group of one run */
    struct boot_scale scale;
};

static void take_values(const struct taking *taking, const struct metric *metric,
                        enum boot_values which, const char *ending)
{
    const char *unit = strcmp(metric->unit, UNIT_TICK) == 0 ? taking->scale.unit : metric->unit;
    char name[METRIC_NAME_MAX + 8];
    struct boots boots;

    snprintf(name, sizeof(name), "%s%s", metric->name, ending);
    const size_t series = series_of(taking->history, name, unit, metric);
    struct metric like = *metric;

    like.work = taking->history->series[series].work;
    boots_of(taking->group, &like, which, &taking->scale, &boots);
    if (boots.count > 0) {
        struct history_value *value = add_value(
            taking->run, series, boots.item[0].median,
            bytes_hash(BYTES_HASH_BEGIN, boots.item[0].sorted, boots.item[0].n * sizeof(double)));

        if (taking->history->settings.spread) {
            take_spread(value, &boots.item[0], metric->is_share && which == BOOT_WARM);
        }
    }
    boots_free(&boots);
}

static void take_rate(const struct taking *taking, const struct metric *metric)
{
    char name[METRIC_NAME_MAX + 8];
    struct boot_rates rates;

    boot_rates_of(taking->group, metric, &taking->scale, &rates);
    if (rates.boots > 0) {
        struct metric of_rate = *metric;
        struct summary_rate bounds;

        of_rate.work = 0;
        of_rate.is_share = false;
        snprintf(name, sizeof(name), "%s rate", metric->name);
        struct history_value *value =
            add_value(taking->run, series_of(taking->history, name, rates.unit, &of_rate),
                      rates.rate[0], bytes_hash(BYTES_HASH_BEGIN, rates.rate, sizeof(double)));

        summary_rate_of(rates.events, rates.time, &bounds);
        value->low = rates.events > 0 ? bounds.low : 0;
        value->high = bounds.high;
    }
    boot_rates_free(&rates);
}

static void take_figures(struct history *history, struct history_run *taken, const struct run *run)
{
    struct metrics metrics;

    metrics_of(run, &metrics);
    const struct metrics *list[] = {&metrics};
    struct taking taking = {history, taken, {list, 1}, {0}};

    taking.scale = boot_scale_of(taking.group, taking.group);
    for (size_t i = 0; i < metrics.count; i++) {
        const struct metric *metric = &metrics.item[i];

        if (!compare_is_wanted(history->settings.pattern, metric->name)) {
            continue;
        }
        take_rate(&taking, metric);
        if (metric->n > 0) {
            take_values(&taking, metric, BOOT_WARM, "");
        }
        if (metric->cold_count > 0) {
            take_values(&taking, metric, BOOT_COLD, " cold");
        }
    }
    metrics_free(&metrics);
}

/* ---- runs ---- */

static void take_labels(struct history_run *taken, const struct run *run)
{
    taken->labels[HISTORY_IMAGE] = alloc_text(text_or(run_pair_value(&run->info, "image.sha256"),
                                                      run_pair_value(&run->info, INFO_VERSION)));
    taken->labels[HISTORY_FIRMWARE] =
        alloc_text(text_or(run_pair_value(&run->info, "firmware.sha256"),
                           run_pair_value(&run->machine, FACT_FIRMWARE_REVISION)));
    taken->labels[HISTORY_EMULATOR] = alloc_text(run_pair_value(&run->info, "emulator"));
    taken->labels[HISTORY_PLAN] = alloc_text(run->plan_text);
    taken->labels[HISTORY_L1] =
        text_format("%s %s", text_or(run_pair_value(&run->info, "under.l1.kernel"), ""),
                    text_or(run_pair_value(&run->info, "under.l1.command_line"), ""));
}

void history_add(struct history *history, const char *name, int64_t number, struct run *run)
{
    struct run_texts reasons = {0};
    const bool valid = run_valid(run, &reasons);

    if (!valid) {
        *ALLOC_NEXT(history->left_out, history->left_out_count, history->left_out_capacity) =
            text_format("%s: INVALID: %s", name,
                        reasons.count > 0 ? reasons.item[0] : "reason unknown");
    }
    run_texts_free(&reasons);
    if (!valid) {
        return;
    }
    const size_t group = group_of(history, run);

    run_leave_out(run);
    struct history_run *taken =
        ALLOC_NEXT(history->runs, history->run_count, history->run_capacity);

    taken->name = alloc_text(name);
    taken->number = number;
    taken->group = group;
    const bool exact = history->groups[group].exact;

    taken->captured =
        alloc_text(exact ? "" : text_or(run_pair_value(&run->info, INFO_CAPTURED), ""));
    taken->date = alloc_text(exact ? "" : text_or(run_pair_value(&run->info, INFO_DATE), ""));
    take_labels(taken, run);
    take_figures(history, taken, run);
}

/* Returns a value below, equal to or above 0, as for strcmp(). Unknown times are equal to all. */
static int by_order(enum history_order order, const struct history_run *a,
                    const struct history_run *b)
{
    const char *left = order == HISTORY_BY_CAPTURE ? a->captured : a->date;
    const char *right = order == HISTORY_BY_CAPTURE ? b->captured : b->date;

    if (order != HISTORY_BY_NAME) {
        return left[0] != '\0' && right[0] != '\0' ? strcmp(left, right) : 0;
    }
    return a->number != b->number ? (a->number < b->number ? -1 : 1) : strverscmp(a->name, b->name);
}

static int in_order(const void *left, const void *right)
{
    const struct history_run *a = left;
    const struct history_run *b = right;
    const int order = by_order(a->order, a, b);

    return a->group != b->group ? (a->group < b->group ? -1 : 1)
           : order != 0         ? order
                                : by_order(HISTORY_BY_NAME, a, b);
}

void history_order(struct history *history)
{
    struct history_run *runs = history->runs;
    const size_t count = history->run_count;

    if (count == 0) {
        return;
    }
    sort_stable(runs, count, sizeof(*runs), in_order);
    for (size_t i = 0; i < count; i++) {
        struct history_group *group = &history->groups[runs[i].group];

        group->first = group->count == 0 ? i : group->first;
        if (runs[i].captured[0] == '\0' ||
            (group->count > 0 && strcmp(runs[i - 1].captured, runs[i].captured) == 0)) {
            group->order = HISTORY_BY_NAME;
        }
        group->count++;
    }
    for (size_t i = 0; i < history->group_count; i++) {
        struct history_group *group = &history->groups[i];

        group->searched =
            group->count < history->settings.last ? group->count : history->settings.last;
        group->least = group->exact ? 2 : change_points_least(history->settings.alpha);
    }
    for (size_t i = 0; i < count; i++) {
        runs[i].order = history->groups[runs[i].group].order;
    }
    sort_stable(runs, count, sizeof(*runs), in_order);
    for (size_t i = 1; i < count; i++) {
        for (enum history_order order = 0; order < HISTORY_ORDERS; order++) {
            history->groups[runs[i].group].against[order] +=
                runs[i - 1].group == runs[i].group && by_order(order, &runs[i - 1], &runs[i]) > 0;
        }
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
    size_t *runs; /* run of each value */
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
            /* In shared time a tick of the hypervisor takes part in other samples each time. */
            figures->prints[figures->n] =
                of->is_shared ? bytes_hash(BYTES_HASH_BEGIN, &value->value, sizeof(value->value))
                              : value->print;
            figures->runs[figures->n++] = i;
        }
    }
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

    if (settings->by_instructions &&
        strcmp(history->series[change->series].unit, "instructions") == 0) {
        return fabs(change->after - change->before) <= settings->instructions;
    }
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

    if (change->kind == CHANGE_DROPPED) {
        return HISTORY_DROPPED;
    }
    if (is_small(history, change)) {
        return HISTORY_SMALL;
    }
    if (better == METRIC_NEITHER || change->after == change->before) {
        return HISTORY_CHANGED;
    }
    return (change->after > change->before) == (better == METRIC_MORE) ? HISTORY_BETTER
                                                                       : HISTORY_WORSE;
}

static void add_change(struct history *history, const struct history_change *found)
{
    const struct history_group *group = &history->groups[found->group];
    const struct history_run *from = &history->runs[found->from];
    const struct history_run *at = &history->runs[found->at];

    struct history_change *change =
        ALLOC_NEXT(history->changes, history->change_count, history->change_capacity);

    *change = *found;
    change->shift = change->after == change->before ? 0
                    : change->before == 0           ? copysign(INFINITY, change->after)
                                          : (change->after - change->before) / fabs(change->before);
    change->verdict = verdict_of(history, change);
    change->is_recent =
        change->at + history_recent(history, change->group) >= group->first + group->count;
    for (enum history_label label = 0; label < HISTORY_LABELS && change->kind == CHANGE_STEP;
         label++) {
        const char *was = from->labels[label];
        const char *is = at->labels[label];

        change->changed_labels[label] =
            was != NULL && is != NULL ? strcmp(was, is) != 0 : was != is;
    }
    history->verdicts[change->verdict]++;
}

/* Judges the changes of one series, from `first` on, as failures or not. */
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

/* Finds where the level changed. In exact time, each difference from the previous run is a change.
 */
static size_t find_changes(const struct history *history, bool exact, const struct figures *figures,
                           struct change_point *points)
{
    size_t count = 0;

    if (!exact) {
        return change_points_find(figures->values, figures->n, history->settings.alpha, points);
    }
    for (size_t i = 1; i < figures->n; i++) {
        if (figures->prints[i] != figures->prints[i - 1]) {
            points[count++] = (struct change_point){CHANGE_STEP, i, NAN, figures->values[i - 1],
                                                    figures->values[i]};
        }
    }
    return count;
}

static void judge_series(struct history *history, size_t group, size_t series)
{
    const size_t first = history->change_count;
    struct figures figures;

    figures_of(history, group, series, &figures);
    struct change_point *points = alloc_zeroed((figures.n + 1) * sizeof(*points));
    const size_t count = find_changes(history, history->groups[group].exact, &figures, points);

    for (size_t i = 0; i < count; i++) {
        add_change(history,
                   &(struct history_change){
                       .group = group,
                       .series = series,
                       .from = points[i].kind == CHANGE_TREND ? figures.runs[0]
                                                              : figures.runs[points[i].at - 1],
                       .at = figures.runs[points[i].at],
                       .kind = points[i].kind,
                       .before = points[i].before,
                       .after = points[i].after,
                       .p = points[i].p,
                   });
    }
    judge_failures(history, first);
    free(points);
    free(figures.values);
    free(figures.prints);
    free(figures.runs);
}

void history_judge(struct history *history)
{
    history_order(history);
    for (size_t group = 0; group < history->group_count; group++) {
        for (size_t series = 0; series < history->series_count; series++) {
            judge_series(history, group, series);
        }
    }
}
