/* SPDX-License-Identifier: BSD-2-Clause */
/* A history for a terminal: by group and verdict, the newest change first. */
#include <math.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/colour.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/judge/history_views.h"

#define PERCENT  100
#define LABELLED 13 /* columns of "  label      " */

static const enum colour verdict_colours[HISTORY_VERDICTS] = {
    [HISTORY_WORSE] = COLOUR_BAD,
    [HISTORY_BETTER] = COLOUR_GOOD,
    [HISTORY_CHANGED] = COLOUR_DOUBTFUL,
    [HISTORY_SMALL] = COLOUR_PLAIN,
};

static void put_labelled(FILE *out, const char *label, const char *text)
{
    fprintf(out, "  %-9s  ", label);
    print_wrapped(out, text, LABELLED, LABELLED);
}

/* Three or four digits of it, of a duration with its unit. */
static void add_figure(struct table *table, double value, const char *unit)
{
    char duration[DURATION_MAX];

    if (strcmp(unit, UNIT_NANOSECOND) == 0) {
        table_format(table, "%s%s", value < 0 ? "-" : "", duration_text(fabs(value), duration));
    } else if (fabs(value) >= 1e4 || value == round(value)) {
        table_format(table, "%.0f", value);
    } else {
        table_format(table, "%.4g", value);
    }
}

static void add_row(struct table *table, const struct history *history,
                    const struct history_change *change)
{
    const struct history_series *series = &history->series[change->series];

    table_row(table);
    table_text(table, series->name);
    table_text(table, change->fails ? "FAILS" : change->is_undone ? "undone" : "");
    add_figure(table, change->before, series->unit);
    add_figure(table, change->after, series->unit);
    if (isfinite(change->shift)) {
        table_format(table, "%+.*f", fabs(change->shift) < 1 ? 1 : 0, PERCENT * change->shift);
    } else {
        table_text(table, NULL);
    }
    if (isnan(change->p)) {
        table_text(table, "exact");
    } else {
        table_format(table, "%.2g", change->p);
    }
}

/* "since lab/0031.db (2026-11-21), with a new image and plan" */
static void put_since(FILE *out, const struct history *history, size_t at)
{
    const struct history_run *run = &history->runs[at];
    const struct history_change *change = NULL;
    const char *joint = ", with another ";
    struct long_text text;

    for (size_t i = 0; i < history->change_count && change == NULL; i++) {
        change = history->changes[i].at == at ? &history->changes[i] : NULL;
    }
    long_text_open(&text);
    fprintf(text.out, "since %s", run->name);
    if (run->date[0] != '\0') {
        fprintf(text.out, " (%.10s)", run->date);
    }
    for (enum history_label label = 0; label < HISTORY_LABELS && change != NULL; label++) {
        if (change->changed_labels[label]) {
            fprintf(text.out, "%s%s", joint, history_label_name(label));
            joint = " and ";
        }
    }
    long_text_close(&text);
    fputs("  ", out);
    print_wrapped(out, text.text, 2, 4);
    long_text_free(&text);
}

static bool is_shown(const struct history_change *change, size_t at, enum history_verdict verdict)
{
    return change->at == at && change->verdict == verdict;
}

/* Those of one verdict at one run. */
static void put_changes(FILE *out, const struct history *history, size_t at,
                        enum history_verdict verdict)
{
    static const char *const heads[] = {"metric", "", "before", "after", "shift %", "chance"};
    struct table table;

    table_head(&table, "llrrrr", heads);
    for (size_t i = 0; i < history->change_count; i++) {
        if (is_shown(&history->changes[i], at, verdict)) {
            add_row(&table, history, &history->changes[i]);
        }
    }
    put_since(out, history, at);
    table_print(&table, out, 4);
}

static void put_verdict(FILE *out, const struct history *history, size_t index,
                        enum history_verdict verdict)
{
    const struct history_group *group = &history->groups[index];
    bool begun = false;

    for (size_t at = group->first + group->count; at-- > group->first;) {
        size_t count = 0;

        for (size_t i = 0; i < history->change_count; i++) {
            count += is_shown(&history->changes[i], at, verdict);
        }
        if (count > 0) {
            if (!begun) {
                fputc('\n', out);
                colour_text(out, verdict_colours[verdict], history_verdict_name(verdict));
                fputc('\n', out);
                begun = true;
            }
            put_changes(out, history, at, verdict);
        }
    }
}

static void put_group(FILE *out, const struct history *history, size_t index, bool all)
{
    const struct history_group *group = &history->groups[index];
    const struct history_run *oldest = &history->runs[group->first];
    const struct history_run *newest = &history->runs[group->first + group->count - 1];
    char text[512];

    fputc('\n', out);
    put_labelled(out, "machine", group->machine);
    put_labelled(out, "time", group->time);
    snprintf(text, sizeof(text), "%zu: %.200s to %.200s", group->count, oldest->name, newest->name);
    put_labelled(out, "runs", text);
    if (group->searched < group->count) {
        snprintf(text, sizeof(text), "the newest %zu (--last)", group->searched);
        put_labelled(out, "searched", text);
    }
    if (group->searched < group->least) {
        snprintf(text, sizeof(text),
                 "%zu run%s: too few. A change can be found in %zu or more at --alpha %.4g",
                 group->searched, group->searched == 1 ? "" : "s", group->least,
                 history->settings.alpha);
        put_labelled(out, "judged", text);
    }
    for (enum history_verdict verdict = 0; verdict < HISTORY_VERDICTS; verdict++) {
        if (all || verdict != HISTORY_SMALL) {
            put_verdict(out, history, index, verdict);
        }
    }
}

void history_print(FILE *out, const struct history *history, bool all)
{
    char text[256];

    snprintf(text, sizeof(text), "%zu worse (%zu of them fail), %zu better, %zu changed, %zu small",
             history->verdicts[HISTORY_WORSE], history->failing, history->verdicts[HISTORY_BETTER],
             history->verdicts[HISTORY_CHANGED], history->verdicts[HISTORY_SMALL]);
    colour_text(out, history->failing > 0 ? COLOUR_BAD : COLOUR_GOOD, text);
    fputc('\n', out);
    snprintf(text, sizeof(text),
             "in exact time each difference; else chance <= %.4g of any change in a metric, and at "
             "least %.4g %%",
             history->settings.alpha,
             PERCENT * (isnan(history->settings.threshold) ? COMPARE_THRESHOLD
                                                           : history->settings.threshold));
    put_labelled(out, "rule", text);
    for (size_t i = 0; i < history->left_out_count; i++) {
        put_labelled(out, "left out", history->left_out[i]);
    }
    for (size_t i = 0; i < history->group_count; i++) {
        put_group(out, history, i, all);
    }
}
