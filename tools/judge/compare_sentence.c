/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts a comparison into one sentence. */
#include <math.h>
#include <string.h>

#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/texts.h"
#include "tools/judge/compare_views.h"

#define ALIKE        0.1 /* two rates are of the same events */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a person calls the events of a rate. */
static const struct {
    const char *metric, *name;
} events[] = {
    {BENCH_GAP "." FACT_SMI " rate", "SMIs"},
    {BENCH_GAP "." SERIES_GAP_LENGTH " rate", "Gaps above the threshold"},
};

/* Returns the most serious verdict that any metric has. */
static enum compare_verdict most_serious(const struct compare *compare)
{
    enum compare_verdict verdict = 0;

    while (verdict + 1 < COMPARE_VERDICTS && compare->verdicts[verdict] == 0) {
        verdict++;
    }
    return verdict;
}

/* Adds the typical length of b's gaps, if these are the events of `row`: as many gaps as events. */
static void add_length(struct long_text *text, const struct compare *compare,
                       const struct compare_row *row)
{
    const struct compare_row *gaps = compare_find(compare, BENCH_GAP "." SERIES_GAP_LENGTH " rate");
    char length[COMPARED_VALUE_MAX];

    if (gaps != NULL && gaps->b_lengths > 0 &&
        fabs(gaps->b_median - row->b_median) <= ALIKE * row->b_median) {
        compared_value(gaps->b_values[gaps->b_lengths / 2], compare->lengths, length);
        fprintf(text->out, "; each takes %s%s", length,
                strcmp(compare->lengths, "instructions") == 0 ? " instructions" : "");
    }
}

/* Adds what changed most: events that have a name, otherwise the first metric with this verdict. */
static void add_change(struct long_text *text, const struct compare *compare,
                       enum compare_verdict verdict)
{
    const struct compare_row *row = NULL;
    const char *name = NULL;
    char before[COMPARED_VALUE_MAX];
    char after[COMPARED_VALUE_MAX];
    char change[COMPARED_VALUE_MAX];
    size_t known = 0;

    for (; known < COUNT(events) && row == NULL; known++) {
        row = compare_find(compare, events[known].metric);
        row = row != NULL && row->verdict == verdict ? row : NULL;
        name = events[known].name;
    }
    if (row != NULL) {
        compared_value(row->a_median, UNIT_COUNT, before);
        compared_value(row->b_median, UNIT_COUNT, after);
        fprintf(text->out, "%s went from %s to %s %s", name, before, after,
                strcmp(row->unit, "1/s") == 0 ? "a second" : row->unit);
        add_length(text, compare, row);
        return;
    }
    for (row = compare->item; row->verdict != verdict; row++) {
    }
    compared_value(row->by_tail ? row->tails.a : row->a_median, row->unit, before);
    compared_value(row->by_tail ? row->tails.b : row->b_median, row->unit, after);
    fprintf(text->out, "%s%s went from %s to %s%s (%s)", row->name, row->by_tail ? " (tail)" : "",
            before, after, strcmp(row->unit, "instructions") == 0 ? " instructions" : "",
            compared_change(row, COMPARED_MIDDLE, change));
}

char *compared_sentence(const struct compare *compare)
{
    static const char *const words[COMPARE_VERDICTS] = {
        [COMPARE_WORSE] = "worse",     [COMPARE_BETTER] = "better",
        [COMPARE_CHANGED] = "changed", [COMPARE_DIFFERS] = "different in these boots",
        [COMPARE_UNCLEAR] = "unclear", [COMPARE_SAME] = "the same",
    };
    const enum compare_verdict verdict = most_serious(compare);
    const char *between = "";
    struct long_text text;

    long_text_open(&text);
    if (compare->count == 0) {
        fputs("Nothing to compare: the runs have no metric in common", text.out);
    } else if (verdict < COMPARE_UNCLEAR) {
        add_change(&text, compare, verdict);
        between = ": ";
    } else {
        fputs(verdict == COMPARE_SAME ? "Nothing changed" : "No difference is proven", text.out);
        between = ": ";
    }
    for (enum compare_verdict i = verdict; i < COMPARE_VERDICTS; i++) {
        if (compare->verdicts[i] > 0 && (i == verdict || i < COMPARE_UNCLEAR)) {
            fprintf(text.out, "%s%s on %zu", between, words[i], compare->verdicts[i]);
            between = ", ";
        }
    }
    if (compare->count > 0) {
        fprintf(text.out, " of %zu question%s", compare->count, compare->count == 1 ? "" : "s");
    }
    long_text_close(&text);
    return text.text;
}
