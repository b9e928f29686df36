/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes comparisons as a page: shifts, distributions, curves, and limits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/figure/page.h"
#include "tools/judge/compare_views.h"
#include "tools/run/run_kind.h"

#define PERCENT           100
#define SHIFTS_SHOWN      40
#define DISTRIBUTIONS_MAX 24
#define BOOTS_SHOWN       12
#define BINS              30
#define DISTRIBUTION_MIN  10 /* values; fewer show no more than the table */
#define NOTES_MAX         32
#define FACTS_MAX         48
#define TEXT_MAX          256
#define LETTERS           26
#define RUNS_FIRST        3   /* with more runs, their list comes after the figures */
#define PLAN_SHOWN        120 /* characters */
#define SUM_SHOWN         12

#define SHIFTS_HOW                                                                                 \
    "Median of all pairwise differences, in per cent of a's median, with its 95 %% interval; for " \
    "a tail, the difference of that quantile."

static const char shifts_section[] = "Shifts";

/* Labels "a: before.db", "b: after.db": with the name of the file, or its path if two have the same
 * name. Runs after z, and the sides of groups, have a number. */
struct labels {
    char **item; /* label of each run */
    size_t count;
    char *a, *b;           /* labels of groups, "a: 5 boots from before.db"; otherwise NULL */
    char *a_head, *b_head; /* short labels of groups, "a: 5 boots" */
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static bool is_unique(const struct compared *compared, size_t index)
{
    return !SEARCH_ANY(i, compared->count,
                       i != index && strcmp(file_name(compared->runs[i].path),
                                            file_name(compared->runs[index].path)) == 0);
}

static char *run_label(const struct compared *compared, size_t index)
{
    const char *path = compared->runs[index].path;
    const char *name = is_unique(compared, index) ? file_name(path) : path;
    const bool of_b = index >= compared->a_group;

    if (compared->a_group > 0) {
        return text_format("%c%zu: %s", of_b ? 'b' : 'a',
                           index + 1 - (of_b ? compared->a_group : 0), name);
    }
    return index < LETTERS ? text_format("%c: %s", 'a' + (int)index, name)
                           : text_format("%zu: %s", index + 1, name);
}

static char *group_label(char side, size_t boots, const char *first)
{
    return text_format("%c: %zu boot%s%s%s", side, boots, boots == 1 ? "" : "s",
                       first != NULL ? " from " : "", first != NULL ? file_name(first) : "");
}

static void labels_of(const struct compared *compared, struct labels *labels)
{
    *labels = (struct labels){
        .item = alloc_zeroed(compared->count * sizeof(*labels->item)),
        .count = compared->count,
    };
    for (size_t i = 0; i < compared->count; i++) {
        labels->item[i] = run_label(compared, i);
    }
    if (compared->a_group > 0) {
        labels->a_head = group_label('a', compared->a_group, NULL);
        labels->b_head = group_label('b', compared->count - compared->a_group, NULL);
        labels->a = group_label('a', compared->a_group, compared->runs[0].path);
        labels->b = group_label('b', compared->count - compared->a_group,
                                compared->runs[compared->a_group].path);
    }
}

static void labels_free(struct labels *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        free(labels->item[i]);
    }
    free(labels->item);
    free(labels->a);
    free(labels->b);
    free(labels->a_head);
    free(labels->b_head);
}

static const char *label_a(const struct labels *labels)
{
    return labels->a != NULL ? labels->a : labels->item[0];
}

static const char *label_b(const struct labels *labels, size_t index)
{
    return labels->b != NULL ? labels->b : labels->item[index + 1];
}

/* Returns the label without its letter. */
static const char *bare(const char *label)
{
    return strchr(label, ' ') + 1;
}

static bool has_changed(const struct compare_row *row)
{
    return row->verdict < COMPARE_UNCLEAR;
}

/* ---- shifts ---- */

struct changed {
    const char *name;
    double shift; /* largest shift in all comparisons, without its sign */
};

struct changes {
    struct changed *item;
    size_t count, capacity;
};

static int largest_first(const void *left, const void *right)
{
    const struct changed *a = left;
    const struct changed *b = right;

    return a->shift > b->shift ? -1 : a->shift < b->shift;
}

static void note_change(struct changes *changes, const struct compare_row *row)
{
    for (size_t i = 0; i < changes->count; i++) {
        if (strcmp(changes->item[i].name, row->name) == 0) {
            changes->item[i].shift = fmax(changes->item[i].shift, fabs(row->shift));
            return;
        }
    }
    *ALLOC_NEXT(changes->item, changes->count, changes->capacity) =
        (struct changed){row->name, fabs(row->shift)};
}

/* Collects what has changed in any of the comparisons, the largest change first; the caller frees
 * the items. */
static void collect_changes(const struct compared *compared, struct changes *changes)
{
    *changes = (struct changes){0};
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        const struct compare *compare = &compared->compares[i];

        for (size_t k = 0; k < compare->count; k++) {
            if (has_changed(&compare->item[k])) {
                note_change(changes, &compare->item[k]);
            }
        }
    }
    if (changes->count > 1) {
        sort_stable(changes->item, changes->count, sizeof(*changes->item), largest_first);
    }
}

static void add_shift(struct figure_series *series, size_t at, const struct compare_row *row)
{
    const double shift = row != NULL ? row->shift : NAN;
    const bool known =
        row != NULL && row->has_interval && isfinite(row->low) && isfinite(row->high);

    figure_add_range(series, (double)at, PERCENT * shift, PERCENT * (known ? row->low : shift),
                     PERCENT * (known ? row->high : shift));
}

/* Adds the shifts of one comparison that have this verdict. The series has the verdict's name, and
 * a page its colour. */
static void add_shifts_of(struct figures *figures, const struct compare *compare,
                          const struct changes *changes, enum compare_verdict verdict)
{
    static const char *const titles[COMPARE_VERDICTS] = {
        [COMPARE_WORSE] = "Worse",
        [COMPARE_BETTER] = "Better",
        [COMPARE_CHANGED] = "Changed (neither good nor bad)",
        [COMPARE_DIFFERS] = "Differ, as any two boots might",
    };
    size_t shown = 0;

    /* A change from 0 is no part of a's value: it is among the boots and in the table. */
    if (!SEARCH_ANY(i, compare->count,
                    compare->item[i].verdict == verdict && isfinite(compare->item[i].shift))) {
        return;
    }
    struct figure *figure = figure_add(figures, FIGURE_BARS, shifts_section, titles[verdict],
                                       "shifts-%s", compare_verdict_names[verdict]);
    struct figure_series *series = figure_add_series(figure, compare_verdict_names[verdict]);

    figure_axes(figure, NULL, NULL, "shift", "%");
    for (size_t i = 0; i < changes->count && shown < SHIFTS_SHOWN; i++) {
        const struct compare_row *row = compare_find(compare, changes->item[i].name);

        if (row != NULL && row->verdict == verdict && isfinite(row->shift)) {
            figure_add_group(figure, row->name);
            add_shift(series, shown++, row);
        }
    }
    figure_how(figure, SHIFTS_HOW " The largest %zu of %zu; changes from 0 have no shift.", shown,
               compare->verdicts[verdict]);
}

static void add_shifts(struct figures *figures, const struct compared *compared,
                       const struct labels *labels, const struct changes *changes)
{
    const size_t count = changes->count < SHIFTS_SHOWN ? changes->count : SHIFTS_SHOWN;

    if (count == 0) {
        figure_add_absent(figures, shifts_section, "What has changed", "shifts",
                          "nothing is worse, better or changed");
        return;
    }
    if (compared_pairs(compared) == 1) {
        for (enum compare_verdict verdict = 0; verdict < COMPARE_UNCLEAR; verdict++) {
            add_shifts_of(figures, &compared->compares[0], changes, verdict);
        }
        return;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, shifts_section, "What has changed", "shifts");

    figure_how(figure, SHIFTS_HOW " The largest %zu of %zu.", count, changes->count);
    figure_axes(figure, NULL, NULL, "shift", "%");
    for (size_t n = 0; n < count; n++) {
        figure_add_group(figure, changes->item[n].name);
    }
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        struct figure_series *series = figure_add_series(figure, label_b(labels, i));

        for (size_t n = 0; n < count; n++) {
            add_shift(series, n, compare_find(&compared->compares[i], changes->item[n].name));
        }
    }
}

/* Adds a cell, which is empty if the text is unknown. */
static void text_cell(struct figure *figure, const char *text)
{
    figure_cell(figure, "%s", text != NULL ? text : "");
}

static void add_table_row(struct figure *figure, const struct compare_row *row, bool has_why)
{
    char text[COMPARED_VALUE_MAX];

    figure_cell(figure, "%s\t%s", row->name, compare_verdict_names[row->verdict]);
    text_cell(figure, compared_value(row->by_tail ? row->tails.a : row->a_median, row->unit, text));
    text_cell(figure, compared_value(row->by_tail ? row->tails.b : row->b_median, row->unit, text));
    text_cell(figure, compared_change(row, COMPARED_MIDDLE, text));
    text_cell(figure,
              row->has_interval && !row->exact ? compared_change(row, COMPARED_LOW, text) : NULL);
    text_cell(figure,
              row->has_interval && !row->exact ? compared_change(row, COMPARED_HIGH, text) : NULL);
    text_cell(figure, compare_is_sampled(row) ? number_signed(row->samples.delta, text) : NULL);
    text_cell(figure, !isnan(row->p) ? number_text(row->p, text) : row->exact ? "exact" : NULL);
    if (has_why) {
        text_cell(figure, row->why);
    }
}

static bool is_any_explained(const struct compare *compare)
{
    return SEARCH_ANY(i, compare->count, compare->item[i].why != NULL);
}

/* Adds the table of metrics, sorted by verdict, then in the order of the run. */
static void add_table(struct figures *figures, const struct compared *compared,
                      const struct labels *labels, size_t index)
{
    const char *const heads[] = {
        "metric",
        "verdict",
        labels->a != NULL ? labels->a_head : label_a(labels),
        labels->b != NULL ? labels->b_head : label_b(labels, index),
        "change",
        "low",
        "high",
        "delta",
        "p, corrected",
        "why",
    };
    const struct compare *compare = &compared->compares[index];
    const bool has_why = is_any_explained(compare);
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, shifts_section,
                   compared_pairs(compared) > 1 ? label_b(labels, index) : "All metrics",
                   "metrics-%zu", index + 1);

    figure_how(figure,
               "a: %s, b: %s; medians, of groups the mean of the boots' medians, of tails the "
               "quantile.",
               compared_a(compared), compared_b(compared, index));
    figure_table(figure, has_why ? "llrrrrrrrl" : "llrrrrrrr", heads);
    for (enum compare_verdict verdict = 0; verdict < COMPARE_VERDICTS; verdict++) {
        for (size_t i = 0; i < compare->count; i++) {
            if (compare->item[i].verdict == verdict) {
                add_table_row(figure, &compare->item[i], has_why);
            }
        }
    }
}

/* ---- boots ---- */

/* Adds a dot for each boot, from number `first` on. */
static void add_dots(struct figure *figure, const char *name, const double *values, size_t count,
                     size_t first)
{
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            figure_add_point(series, (double)(first + i), values[i]);
        }
    }
}

/* Adds what each boot found of the metrics that changed most: the statistic by which they are
 * judged.
 */
static void add_boots(struct figures *figures, const struct compared *compared,
                      const struct labels *labels, const struct changes *changes)
{
    const size_t a_count = compared->a_group;
    size_t drawn = 0;

    for (size_t i = 0; i < changes->count && drawn < BOOTS_SHOWN; i++) {
        const struct compare_row *row = compare_find(&compared->compares[0], changes->item[i].name);
        const double *values = row == NULL || a_count == 0 ? NULL
                               : row->by_tail              ? row->upper
                                                           : row->middles;

        if (values == NULL) {
            continue;
        }
        struct figure *figure =
            figure_add(figures, FIGURE_POINTS, "Boots", row->name, "boots-%s", row->name);

        figure_how(figure, "Each boot is a dot: its %s.",
                   row->is_rate    ? "rate"
                   : row->is_share ? "share of the time"
                   : row->by_tail  ? "upper quantile"
                                   : "median");
        figure_axes(figure, "boot", NULL, "value", row->unit);
        figure_axis_holds(&figure->x, 0, (double)compared->count + 1);
        add_dots(figure, labels->a, values, a_count, 1);
        add_dots(figure, labels->b, values + a_count, compared->count - a_count, a_count + 1);
        drawn++;
    }
}

/* ---- distributions ---- */

/* Adds the share of values in each of BINS bins of equal width, or of equal ratio, from `least` on.
 */
static void add_bins(struct figure *figure, const char *name, const double *sorted, size_t n,
                     double least, double greatest)
{
    struct figure_series *series = figure_add_series(figure, name);
    const bool logarithmic = figure->x.logarithmic;
    double low = least;
    size_t at = 0;

    for (size_t i = 1; i <= BINS; i++) {
        const double part = (double)i / BINS;
        const double high =
            logarithmic ? least * pow(greatest / least, part) : least + (greatest - least) * part;
        const size_t first = at;

        while (at < n && (i == BINS || sorted[at] < high)) {
            at++;
        }
        figure_add_range(series, (low + high) / 2, PERCENT * (double)(at - first) / (double)n, low,
                         high);
        low = high;
    }
}

/* Returns how many values of side a, or b, of a row are drawn: of a rate, the lengths of its
 * events. */
static size_t drawn_of(const struct compare_row *row, bool of_b)
{
    if (row->is_rate) {
        return of_b ? row->b_lengths : row->a_lengths;
    }
    return of_b ? row->b_count : row->a_count;
}

static void extend(double *least, double *greatest, const double *sorted, size_t n)
{
    if (n > 0) {
        *least = fmin(*least, sorted[0]);
        *greatest = fmax(*greatest, sorted[n - 1]);
    }
}

/* Adds the histograms of a, and of b in each comparison, over each other. */
static void add_distribution(struct figures *figures, const struct compared *compared,
                             const struct labels *labels, const struct compare_row *row)
{
    struct figure *figure =
        figure_add(figures, FIGURE_HISTOGRAM, "Distributions",
                   row->is_rate ? row->a->name : row->name, "values-%s", row->name);
    const size_t a_count = drawn_of(row, false);
    double least = INFINITY;
    double greatest = -INFINITY;

    extend(&least, &greatest, row->a_values, a_count);
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        const struct compare_row *other = compare_find(&compared->compares[i], row->name);

        if (other != NULL) {
            extend(&least, &greatest, other->b_values, drawn_of(other, true));
        }
    }
    greatest = greatest > least ? greatest : least + fmax(1, fabs(least) / BINS);
    figure_how(figure, "Share of the values of each side in each of %d ranges%s.", BINS,
               a_count == 0 ? "; a has none" : "");
    figure_axes(figure, "value", row->is_rate ? compared->compares[0].lengths : row->unit,
                "share of its values", "%");
    figure->x.logarithmic = least > 0 && greatest > 100 * least;
    if (a_count > 0) {
        add_bins(figure, label_a(labels), row->a_values, a_count, least, greatest);
    }
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        const struct compare_row *other = compare_find(&compared->compares[i], row->name);

        if (other != NULL && drawn_of(other, true) > 0) {
            add_bins(figure, label_b(labels, i), other->b_values, drawn_of(other, true), least,
                     greatest);
        }
    }
}

static bool has_distribution(const struct compare_row *row)
{
    const size_t a = drawn_of(row, false);
    const size_t b = drawn_of(row, true);

    return row->is_rate ? a + b >= DISTRIBUTION_MIN && (a == 0) != (b == 0)
                        : !row->exact && a >= DISTRIBUTION_MIN && b >= DISTRIBUTION_MIN;
}

/* Adds the distributions of the metrics that have changed most. */
static void add_distributions(struct figures *figures, const struct compared *compared,
                              const struct labels *labels, const struct changes *changes)
{
    size_t drawn = 0;

    for (size_t i = 0; i < changes->count && drawn < DISTRIBUTIONS_MAX; i++) {
        const struct compare_row *row = compare_find(&compared->compares[0], changes->item[i].name);

        if (row != NULL && has_distribution(row)) {
            add_distribution(figures, compared, labels, row);
            drawn++;
        }
    }
}

/* ---- curves ---- */

static bool is_point_of(const struct metric *metric, const struct metric *first)
{
    return !isnan(metric->x) && metric->pass == first->pass &&
           strcmp(metric->bench, first->bench) == 0 && strcmp(metric->series, first->series) == 0;
}

static void add_curve_of(struct figure *figure, const char *name, const struct compare *compare,
                         const struct metric *first, bool of_b)
{
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < compare->count; i++) {
        const struct compare_row *row = &compare->item[i];

        if (is_point_of(row->a, first)) {
            figure_add_point(series, row->a->x, of_b ? row->b_median : row->a_median);
        }
    }
}

/* Adds the medians of the same curve in all runs, if a point of the curve has changed. */
static void add_curve(struct figures *figures, const struct compared *compared,
                      const struct labels *labels, size_t index)
{
    const struct compare *compare = &compared->compares[0];
    const struct compare_row *row = &compare->item[index];
    const struct metric *first = row->a;
    const bool bytes = strcmp(first->x_unit, UNIT_BYTE) == 0 || strcmp(first->x_unit, UNIT_B) == 0;
    struct figure *figure = figure_add(figures, FIGURE_LINES, "Curves", first->name, "curve-%s-%s",
                                       first->bench, first->series);

    free(figure->title);
    figure->title = text_format("%s.%s", first->bench, first->series);
    figure_how(figure, "Median of the trials of each point.");
    figure_axes(figure, bytes ? "size" : first->x_unit, bytes ? "bytes" : NULL, "median",
                row->unit);
    figure->x.logarithmic = bytes && first->x > 0;
    add_curve_of(figure, label_a(labels), compare, first, false);
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        add_curve_of(figure, label_b(labels, i), &compared->compares[i], first, true);
    }
}

static bool curve_has_changed(const struct compare *compare, const struct metric *first)
{
    return SEARCH_ANY(i, compare->count,
                      is_point_of(compare->item[i].a, first) && has_changed(&compare->item[i]));
}

static void add_curves(struct figures *figures, const struct compared *compared,
                       const struct labels *labels)
{
    const struct compare *compare = &compared->compares[0];

    for (size_t i = 0; i < compare->count; i++) {
        const struct metric *metric = compare->item[i].a;

        if (!isnan(metric->x) && (i == 0 || !is_point_of(compare->item[i - 1].a, metric)) &&
            curve_has_changed(compare, metric)) {
            add_curve(figures, compared, labels, i);
        }
    }
}

/* ---- runs ---- */

/* Adds a cell with the first `most` characters of a text, on one line. */
static void put_short(struct figure *figure, const char *text, size_t most)
{
    const size_t length = text != NULL ? strlen(text) : 0;
    char *line =
        text_format("%.*s%s", (int)most, text != NULL ? text : "", length > most ? "..." : "");

    for (char *at = line; (at = strchr(at, '\n')) != NULL;) {
        *at = ' ';
    }
    figure_cell(figure, "%s", line);
    free(line);
}

static const char *text_of(const struct run_pairs *pairs, const char *key)
{
    const char *text = run_pair_value(pairs, key);

    return text != NULL ? text : "";
}

/* Adds the table of what each letter stands for. */
static void add_runs(struct figures *figures, const struct compared *compared,
                     const struct labels *labels)
{
    static const char *const heads[] = {"run",      "verdict",  "date",  "machine",
                                        "firmware", "emulator", "image", "plan"};
    struct figure *figure = figure_add(figures, FIGURE_TABLE, "Runs", "Runs", "runs");

    figure_how(figure,
               "The image is identified by its SHA-256 if tare boot recorded it, otherwise by its "
               "version. In exact time the machine's clock always starts with the same date.");
    figure_table(figure, "llllllll", heads);
    for (size_t i = 0; i < compared->count; i++) {
        const struct compared_run *run = &compared->runs[i];
        const char *emulator = text_of(&run->run.info, "emulator");
        const char *image = run_pair_value(&run->run.info, "image.sha256");

        figure_cell(figure, "%s", labels->item[i]);
        figure_cell(figure, "%s", run->valid ? "VALID" : "INVALID");
        figure_cell(figure, "%s", text_of(&run->run.info, INFO_DATE));
        figure_cell(figure, "%s", text_of(&run->run.machine, FACT_CPU_BRAND));
        figure_cell(figure, "%s", text_of(&run->run.machine, FACT_FIRMWARE_VENDOR));
        figure_cell(figure, "%.*s", (int)strcspn(emulator, "("), emulator);
        figure_cell(figure, "%.*s", SUM_SHOWN,
                    image != NULL ? image : text_of(&run->run.info, INFO_VERSION));
        put_short(figure, run->run.plan_text, PLAN_SHOWN);
    }
}

/* ---- limits ---- */

static void add_limits(struct figures *figures, const struct compared_run *run)
{
    static const char *const heads[] = {"limit", "metric", "kept", "value", "unit", ""};
    char text[LIMITS_MESSAGE_MAX];
    char value[SHORTEST_MAX];
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, "Limits", "Limits", "limits-%s", run->path);

    figure_how(figure, "%s: %zu broken.", run->path, run->results.broken);
    figure_table(figure, "lllrll", heads);
    for (size_t i = 0; i < run->results.count; i++) {
        const struct limit_result *result = &run->results.item[i];

        limit_text(result->limit, text);
        figure_cell(figure, "%s", text);
        figure_cell(figure, "%s", result->metric != NULL ? result->metric : "");
        figure_cell(figure, "%s", result->kept ? "kept" : "broken");
        figure_cell(figure, "%s",
                    result->has_value ? limit_value_text(result->limit, result->value, value) : "");
        figure_cell(figure, "%s", result->limit->unit);
        figure_cell(figure, "%s", result->message);
    }
}

struct texts {
    const char *notes[NOTES_MAX];
    size_t note_count;
    struct page_fact facts[FACTS_MAX];
    size_t fact_count;
    char summaries[FACTS_MAX][COMPARED_SUMMARY_MAX];
    char values[FACTS_MAX][TEXT_MAX];
};

static void add_fact(struct texts *texts, const char *label, const char *value)
{
    if (texts->fact_count < FACTS_MAX) {
        texts->facts[texts->fact_count++] = (struct page_fact){label, value};
    }
}

static void add_facts(struct texts *texts, const struct compared *compared,
                      const struct labels *labels)
{
    for (size_t i = 0; i < compared_pairs(compared) && i < FACTS_MAX; i++) {
        const struct compare_differences *differences = &compared->differences[i];

        if (i == 0) {
            add_fact(texts, "time", run_time_label(&compared->runs[0].run));
        }
        add_fact(texts, label_b(labels, i),
                 compared_summary(&compared->compares[i], texts->summaries[i]));
        for (size_t k = 0; k < differences->count && texts->fact_count < FACTS_MAX; k++) {
            char *value = texts->values[texts->fact_count];

            snprintf(value, TEXT_MAX, "a: %.100s | b: %.100s",
                     differences->item[k].a != NULL ? differences->item[k].a : "-",
                     differences->item[k].b != NULL ? differences->item[k].b : "-");
            add_fact(texts, differences->item[k].what, value);
        }
    }
}

static void add_notes(struct texts *texts, const struct compared *compared,
                      const struct labels *labels, char *rule, const char *boots)
{
    const char *const order = compared_order(&compared->compares[0]);
    char threshold[COMPARED_THRESHOLD_MAX];
    char alpha[NUMBER_MAX];

    for (size_t i = 0; i < compared->warnings.count && i + 4 < NOTES_MAX; i++) {
        texts->notes[texts->note_count++] = compared->warnings.item[i];
    }
    snprintf(rule, 2 * TEXT_MAX,
             "Worse or better: the probability of such a difference by chance is at most %s (%s, "
             "corrected for all metrics), and the interval of the shift is beyond %s. "
             "Each run is compared with %.100s.",
             number_text(compared->settings.alpha, alpha),
             compared->compares[0].tested > 0 ? "permutation of boots" : "Mann and Whitney, Holm",
             compared_threshold(&compared->settings, threshold), label_a(labels));
    if (boots != NULL) {
        texts->notes[texts->note_count++] = boots;
    }
    if (order != NULL) {
        texts->notes[texts->note_count++] = order;
    }
    texts->notes[texts->note_count++] = rule;
}

/* Writes the sentence of the first comparison, with the number of limits broken by any run. */
static const char *verdict_text(const struct compared *compared, char text[TEXT_MAX])
{
    char *sentence = compared_sentence(&compared->compares[0]);
    size_t broken = 0;

    for (size_t i = 0; i < compared->count; i++) {
        broken += compared->runs[i].results.broken;
    }
    snprintf(text, TEXT_MAX, "%s", sentence);
    free(sentence);
    if (broken > 0) {
        text_append(text, TEXT_MAX, "; %zu limit%s broken", broken, broken > 1 ? "s" : "");
    }
    return text;
}

bool compared_page(FILE *out, const struct compared *compared)
{
    struct texts *texts = alloc_zeroed(sizeof(*texts));
    struct figures figures;
    struct changes changes;
    char verdict[TEXT_MAX];
    char rule[2 * TEXT_MAX];
    char title[2 * TEXT_MAX];
    char *boots = compared_boots(&compared->compares[0], compared->settings.alpha);
    struct labels labels;

    labels_of(compared, &labels);
    snprintf(title, sizeof(title), "tare: %.200s against %.200s",
             compared_pairs(compared) == 1 ? bare(label_b(&labels, 0)) : "several runs",
             bare(label_a(&labels)));
    figures_init(&figures);
    collect_changes(compared, &changes);
    if (compared->count <= RUNS_FIRST) {
        add_runs(&figures, compared, &labels);
    }
    for (size_t i = 0; i < compared->count; i++) {
        if (compared->runs[i].limited) {
            add_limits(&figures, &compared->runs[i]);
        }
    }
    add_boots(&figures, compared, &labels, &changes);
    add_shifts(&figures, compared, &labels, &changes);
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        add_table(&figures, compared, &labels, i);
    }
    if (compared->count > RUNS_FIRST) {
        add_runs(&figures, compared, &labels);
    }
    add_curves(&figures, compared, &labels);
    add_distributions(&figures, compared, &labels, &changes);
    add_facts(texts, compared, &labels);
    add_notes(texts, compared, &labels, rule, boots);
    const struct page page = {
        .title = title,
        .verdict = verdict_text(compared, verdict),
        .good = compared_is_good(compared),
        .notes = texts->notes,
        .note_count = texts->note_count,
        .facts = texts->facts,
        .fact_count = texts->fact_count,
        .figures = &figures,
    };
    const bool written = page_write(out, &page);

    figures_free(&figures);
    free(changes.item);
    labels_free(&labels);
    free(texts);
    free(boots);
    return written;
}
