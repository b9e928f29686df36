/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/compare_views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/colour.h"
#include "tools/base/json.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"
#include "tools/present/exit_profile.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"

#define PERCENT        100
#define NAMES_SHOWN    5
#define EXCERPT_MAX    200 /* bytes shown of a text that differs between two runs */
#define EXCERPT_BEFORE 40

/* ---- for a terminal: verdicts in groups, differences between the runs, and limits ---- */

const char compared_one_boot[] =
    "one on each side: the variation between boots is unknown, and a difference may be that of any "
    "two boots. \"tare boot --repeat\" makes more boots, \"tare compare A1 A2 A3 -- B1 B2 B3\" "
    "compares them";

static const enum colour verdict_colours[COMPARE_VERDICTS] = {
    [COMPARE_WORSE] = COLOUR_BAD,        [COMPARE_BETTER] = COLOUR_GOOD,
    [COMPARE_CHANGED] = COLOUR_DOUBTFUL, [COMPARE_DIFFERS] = COLOUR_DOUBTFUL,
    [COMPARE_UNCLEAR] = COLOUR_DOUBTFUL, [COMPARE_SAME] = COLOUR_PLAIN,
};

bool compared_is_good(const struct compared *compared)
{
    for (size_t i = 0; i < compared->count; i++) {
        const struct compared_run *run = &compared->runs[i];

        if (!run->valid || (run->limited && run->results.broken > 0)) {
            return false;
        }
    }
    return !SEARCH_ANY(i, compared_pairs(compared),
                       compared->compares[i].verdicts[COMPARE_WORSE] > 0);
}

size_t compared_pairs(const struct compared *compared)
{
    return compared->a_group > 0 ? 1 : compared->count - 1;
}

size_t compared_b_first(const struct compared *compared, size_t index)
{
    return compared->a_group > 0 ? compared->a_group : index + 1;
}

const char *compared_a(const struct compared *compared)
{
    return compared->a_label != NULL ? compared->a_label : compared->runs[0].path;
}

const char *compared_b(const struct compared *compared, size_t index)
{
    return compared->b_label != NULL ? compared->b_label : compared->runs[index + 1].path;
}

const char *compared_summary(const struct compare *compare, char text[COMPARED_SUMMARY_MAX])
{
    const size_t *count = compare->verdicts;
    char changed[32] = "";
    char differ[32] = "";

    if (count[COMPARE_CHANGED] > 0) {
        snprintf(changed, sizeof(changed), ", %zu changed", count[COMPARE_CHANGED]);
    }
    if (compare->one_boot || count[COMPARE_DIFFERS] > 0) {
        snprintf(differ, sizeof(differ), ", %zu differ", count[COMPARE_DIFFERS]);
    }
    snprintf(text, COMPARED_SUMMARY_MAX, "%zu worse, %zu better%s%s, %zu same, %zu unclear",
             count[COMPARE_WORSE], count[COMPARE_BETTER], changed, differ, count[COMPARE_SAME],
             count[COMPARE_UNCLEAR]);
    return text;
}

const char *compared_value(double value, const char *unit, char text[COMPARED_VALUE_MAX])
{
    char number[NUMBER_MAX];

    if (strcmp(unit, UNIT_NANOSECOND) == 0 && isfinite(value)) {
        return duration_text(value, text);
    }
    if (strcmp(unit, UNIT_PPM) == 0) {
        return share_text(value / 1e6, text);
    }
    const bool bare = strcmp(unit, "instructions") == 0 || strcmp(unit, UNIT_COUNT) == 0 ||
                      strcmp(unit, "1") == 0 || !isfinite(value);

    snprintf(text, COMPARED_VALUE_MAX, "%s%s%.24s", number_text(value, number), bare ? "" : " ",
             bare ? "" : unit + (unit[0] == '1'));
    return text;
}

const char *compared_change(const struct compare_row *row, enum compared_bound bound,
                            char text[COMPARED_VALUE_MAX])
{
    const double differences[] = {row->difference, row->difference_low, row->difference_high};
    const double parts[] = {row->shift, row->low, row->high};
    const bool absolute =
        row->is_share || !isfinite(row->shift) || strcmp(row->unit, "instructions") == 0;
    const double change = absolute ? differences[bound] : parts[bound];
    char value[COMPARED_VALUE_MAX];

    if (isnan(change)) {
        return NULL;
    }
    if (!absolute) {
        return share_signed(change, text);
    }
    if (row->is_share) { /* in per cent it would look like a part of a's share */
        snprintf(text, COMPARED_VALUE_MAX, "%s ppm", number_signed(change, value));
        return text;
    }
    snprintf(text, COMPARED_VALUE_MAX, "%s%.60s", change > 0 ? "+" : "",
             compared_value(change, row->unit, value));
    return text;
}

char *compared_boots(const struct compare *compare, double alpha)
{
    const bool few = compare->least_p > alpha;

    if (compare->one_boot) {
        return alloc_text(compared_one_boot);
    }
    if (compare->tested == 0 || (!few && compare->verdicts[COMPARE_UNCLEAR] == 0)) {
        return NULL;
    }
    char *needed = compare->needed == 0
                       ? alloc_text("no number of boots decides at this --alpha")
                       : text_format("%zu of each decide about a difference of %d standard "
                                     "deviations of boots",
                                     compare->needed, PERMUTATION_CLEAR);
    char least[NUMBER_MAX];
    char *text =
        text_format("%s%s; in %zu tests, %s",
                    few ? "too few to tell a difference from chance: the smallest probability that "
                          "such groups can have is "
                        : "the smallest probability that such groups can have is ",
                    number_text(compare->least_p, least), compare->tested, needed);

    free(needed);
    return text;
}

const char *compared_order(const struct compare *compare)
{
    static const char *const texts[] = {
        [BOOT_ORDER_UNKNOWN] =
            "neither drawn at random nor by turns: a drift of the machine cannot be told from a "
            "difference. \"tare boot --repeat N --interleave OTHER\" draws an order; elsewhere, "
            "boot a and b by turns",
        [BOOT_ORDER_DRAWN] = "drawn at random: a drift of the machine affects both groups alike",
        [BOOT_ORDER_TURNS] = "by turns: a slow drift of the machine affects both groups alike",
    };

    return compare->boots_vary && compare->tested > 0 ? texts[compare->order] : NULL;
}

static void interval_cell(struct table *table, const struct compare_row *row)
{
    char low[COMPARED_VALUE_MAX];
    char high[COMPARED_VALUE_MAX];

    if (row->exact) {
        table_text(table, "exact");
    } else {
        const char *const from = compared_change(row, COMPARED_LOW, low);
        const char *const to = compared_change(row, COMPARED_HIGH, high);

        table_if(table, row->has_interval && from != NULL && to != NULL, "%s..%s", from, to);
    }
}

static void add_row(struct table *table, const struct compare_row *row, enum colour colour)
{
    const bool tail = row->by_tail;
    char text[COMPARED_VALUE_MAX];

    table_row(table);
    table_format(table, "%s%s", row->name, !tail ? "" : row->tails.q == 0.99 ? " p99" : " p90");
    table_text(table, compared_value(tail ? row->tails.a : row->a_median, row->unit, text));
    table_text(table, compared_value(tail ? row->tails.b : row->b_median, row->unit, text));
    table_text(table, compared_change(row, COMPARED_MIDDLE, text));
    table_colour(table, colour);
    interval_cell(table, row);
    table_if(table, compare_is_sampled(row), "%+.2f", row->samples.delta);
}

static void print_head(FILE *out, enum compare_verdict verdict, const char *why)
{
    fputc('\n', out);
    colour_begin(out, verdict_colours[verdict]);
    fprintf(out, "%s%s%s", compare_verdict_names[verdict], why != NULL ? ": " : "",
            why != NULL ? why : "");
    colour_end(out, verdict_colours[verdict]);
    fputc('\n', out);
}

/* Prints the rows of a verdict with the same reason; if `why` is NULL, those without a reason. */
static void print_rows(FILE *out, const struct compare *compare, enum compare_verdict verdict,
                       const char *why)
{
    struct table table;
    size_t count = 0;

    table_open(&table, "lrrrrr", "metric\ta\tb\tchange\t95 %%\tdelta");
    for (size_t i = 0; i < compare->count; i++) {
        const struct compare_row *row = &compare->item[i];

        if (row->verdict == verdict && row->why == why) {
            add_row(&table, row, verdict_colours[verdict]);
            count++;
        }
    }
    if (count > 0) {
        print_head(out, verdict, why);
    } else {
        table.rows = 0;
    }
    table_print(&table, out, 2);
}

/* Has an earlier row the same verdict for the same reason? */
static bool was_printed(const struct compare *compare, size_t index)
{
    return SEARCH_ANY(i, index,
                      compare->item[i].verdict == compare->item[index].verdict &&
                          compare->item[i].why == compare->item[index].why);
}

static void print_verdict(FILE *out, const struct compare *compare, enum compare_verdict verdict)
{
    for (size_t i = 0; i < compare->count; i++) {
        if (compare->item[i].verdict == verdict && !was_printed(compare, i)) {
            print_rows(out, compare, verdict, compare->item[i].why);
        }
    }
}

static void print_names(FILE *out, const char *label, const char *const *names, size_t count)
{
    struct long_text text;

    if (count == 0) {
        return;
    }
    long_text_open(&text);
    for (size_t i = 0; i < count && i < NAMES_SHOWN; i++) {
        fprintf(text.out, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (count > NAMES_SHOWN) {
        fprintf(text.out, " and %zu more", count - NAMES_SHOWN);
    }
    print_labelled(out, label, long_text_close(&text));
    long_text_free(&text);
}

/* Is this the first byte of a character? */
static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* Returns where an excerpt begins: 0 if both texts can be shown completely, otherwise slightly
 * before the first difference. */
static size_t excerpt_begin(const char *a, const char *b)
{
    size_t same = 0;

    if (strlen(a) <= EXCERPT_MAX && strlen(b) <= EXCERPT_MAX) {
        return 0;
    }
    while (a[same] != '\0' && a[same] == b[same]) {
        same++;
    }
    same = same > EXCERPT_BEFORE ? same - EXCERPT_BEFORE : 0;
    while (same > 0 && !begins_character(a[same])) {
        same--;
    }
    return same;
}

static void put_excerpt(FILE *out, const char *text, size_t begin)
{
    size_t length = strlen(text + begin);
    const bool is_cut = length > EXCERPT_MAX;

    length = is_cut ? EXCERPT_MAX : length;
    while (is_cut && length > 0 && !begins_character(text[begin + length])) {
        length--;
    }
    fprintf(out, "%s%.*s%s", begin > 0 ? "..." : "", (int)length, text + begin,
            is_cut ? "..." : "");
}

static void print_differences(FILE *out, const struct compare_differences *differences)
{
    for (size_t i = 0; i < differences->count; i++) {
        const struct compare_difference *difference = &differences->item[i];
        const char *const a = difference->a != NULL ? difference->a : "-";
        const char *const b = difference->b != NULL ? difference->b : "-";
        const size_t begin = excerpt_begin(a, b);
        struct long_text text;

        long_text_open(&text);
        fprintf(text.out, "%s: ", difference->what);
        put_excerpt(text.out, a, begin);
        fputs(" | ", text.out);
        put_excerpt(text.out, b, begin);
        long_text_close(&text);
        for (char *at = text.text; (at = strchr(at, '\n')) != NULL;) {
            *at = ' ';
        }
        print_labelled(out, "differs", text.text);
        long_text_free(&text);
    }
}

/* Prints the time base, or both if they differ. */
static void print_time(FILE *out, const struct run *a, const struct run *b)
{
    const char *const left = run_time_label(a);
    const char *const right = run_time_label(b);
    char text[RUN_KIND_MAX];

    snprintf(text, sizeof(text), "%s%s%s", left, strcmp(left, right) == 0 ? "" : " | ",
             strcmp(left, right) == 0 ? "" : right);
    print_labelled(out, "time", text);
}

const char *compared_threshold(const struct compare_settings *settings,
                               char text[COMPARED_THRESHOLD_MAX])
{
    char number[NUMBER_MAX];

    snprintf(text, COMPARED_THRESHOLD_MAX,
             settings->by_instructions ? "%s instructions" : "%s %% of a's median",
             number_text(settings->by_instructions ? settings->instructions
                                                   : PERCENT * settings->threshold,
                         number));
    return text;
}

static bool has_shares(const struct compare *compare)
{
    return SEARCH_ANY(i, compare->count, compare->item[i].is_share);
}

static void print_comparison(FILE *out, const struct compared *compared, size_t index, bool all)
{
    const struct compare *compare = &compared->compares[index];
    const bool worse = compare->verdicts[COMPARE_WORSE] > 0;
    const char *order = compared_order(compare);
    char *boots = compared_boots(compare, compared->settings.alpha);
    char summary[COMPARED_SUMMARY_MAX];
    char rule[240];
    char number[NUMBER_MAX];
    char stolen[64] = "";
    char threshold[COMPARED_THRESHOLD_MAX];

    char *sentence = compared_sentence(compare);

    colour_begin(out, worse ? COLOUR_BAD : COLOUR_GOOD);
    print_wrapped(out, sentence, 0, 0);
    colour_end(out, worse ? COLOUR_BAD : COLOUR_GOOD);
    free(sentence);
    fprintf(out, "%s\n", compared_summary(compare, summary));
    print_labelled(out, "a", compared_a(compared));
    print_labelled(out, "b", compared_b(compared, index));
    print_time(out, &compared->runs[0].run, &compared->runs[compared_b_first(compared, index)].run);
    if (boots != NULL) {
        print_labelled(out, "boots", boots);
    }
    if (order != NULL) {
        print_labelled(out, "order", order);
    }
    free(boots);
    if (has_shares(compare)) {
        snprintf(stolen, sizeof(stolen), " (lost time: beyond %s ppm of the time)",
                 number_text(compared->settings.stolen, number));
    }
    snprintf(rule, sizeof(rule), "beyond %s%s, and p <= %.4g (%s); lengths in %s",
             compared_threshold(&compared->settings, threshold), stolen, compared->settings.alpha,
             compare->tested > 0 ? "permutation of boots" : "Holm",
             strcmp(compare->lengths, UNIT_NANOSECOND) == 0 ? "time"
             : strcmp(compare->lengths, UNIT_TICK) == 0     ? "ticks"
                                                            : compare->lengths);
    print_labelled(out, "rule", rule);
    print_differences(out, &compared->differences[index]);
    print_names(out, "only in a", compare->only_a, compare->only_a_count);
    print_names(out, "only in b", compare->only_b, compare->only_b_count);
    for (enum compare_verdict verdict = 0; verdict < COMPARE_VERDICTS; verdict++) {
        if (all || verdict < COMPARE_UNCLEAR) {
            print_verdict(out, compare, verdict);
        }
    }
    exit_profiles_compare(out, &compared->runs[0].run,
                          &compared->runs[compared_b_first(compared, index)].run);
}

/* ---- limits ---- */

static void print_limit(FILE *out, const struct limit_result *result)
{
    char limit[LIMITS_MESSAGE_MAX];
    char text[3 * LIMITS_MESSAGE_MAX] = "";
    size_t used;

    limit_text(result->limit, limit);
    used = (size_t)snprintf(text, sizeof(text), "%s", limit);
    if (result->metric != NULL && strcmp(result->metric, result->limit->metric) != 0) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, ", %.160s", result->metric);
    }
    if (result->has_value) {
        char value[SHORTEST_MAX];

        used += (size_t)snprintf(text + used, sizeof(text) - used, ": %s %s",
                                 limit_value_text(result->limit, result->value, value),
                                 result->limit->unit);
    }
    if (result->message[0] != '\0') {
        snprintf(text + used, sizeof(text) - used, "%s%s", result->has_value ? "; " : ": ",
                 result->message);
    }
    fputs("  ", out);
    colour_text(out, result->kept ? COLOUR_GOOD : COLOUR_BAD, result->kept ? "kept  " : "BROKEN");
    fputs("  ", out);
    print_wrapped(out, text, 10, 10);
}

static void print_limits(FILE *out, const struct compared_run *run)
{
    fprintf(out, "limits of %s: %zu kept, %zu broken\n", run->path,
            run->results.count - run->results.broken, run->results.broken);
    fprintf(out, "  time    %s\n", run_time_label(&run->run));
    for (size_t i = 0; i < run->results.count; i++) {
        print_limit(out, &run->results.item[i]);
    }
}

void compared_print_warnings(FILE *out, const struct compared *compared)
{
    for (size_t i = 0; i < compared->warnings.count; i++) {
        const bool forced =
            strncmp(compared->warnings.item[i], COMPARED_FORCED, strlen(COMPARED_FORCED)) == 0;

        colour_text(out, COLOUR_BAD, forced ? "FORCED" : "COPY  ");
        fputs("  ", out);
        print_wrapped(out, compared->warnings.item[i], 8, 8);
    }
}

void compared_print(FILE *out, const struct compared *compared, bool all)
{
    compared_print_warnings(out, compared);
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        fputs(i > 0 ? "\n" : "", out);
        print_comparison(out, compared, i, all);
    }
    for (size_t i = 0; i < compared->count; i++) {
        if (compared->runs[i].limited) {
            fputs(compared->count > 1 ? "\n" : "", out);
            print_limits(out, &compared->runs[i]);
        }
    }
}

/* ---- as JSON ---- */

static void limits(struct json *json, const struct limit_results *results)
{
    json_array(json, "limits");
    for (size_t i = 0; i < results->count; i++) {
        const struct limit_result *result = &results->item[i];
        char text[LIMITS_MESSAGE_MAX];

        limit_text(result->limit, text);
        json_object(json, NULL);
        json_unsigned(json, "line", result->limit->line);
        json_text(json, "limit", text);
        json_text(json, "metric", result->metric);
        json_bool(json, "kept", result->kept);
        json_real(json, "value", result->has_value ? result->value : NAN);
        json_text(json, "message", result->message[0] != '\0' ? result->message : NULL);
        json_close(json);
    }
    json_close(json);
}

static void run_object(struct json *json, const struct compared_run *run)
{
    json_object(json, NULL);
    JSON_TEXTS(json, {"file", run->path}, {"kind", run_time_name(&run->run)},
               {"time", run_time_label(&run->run)});
    json_bool(json, "valid", run->valid);
    json_texts(json, "reasons", run->reasons.item, run->reasons.count);
    if (run->limited) {
        limits(json, &run->results);
    }
    json_close(json);
}

static void side(struct json *json, const char *key, size_t boots, const double *medians, size_t n,
                 double median)
{
    json_object(json, key);
    json_unsigned(json, "boots", boots);
    json_unsigned(json, "n", n);
    json_real(json, "median", median);
    if (medians != NULL && boots > 1) {
        json_array(json, "medians");
        for (size_t i = 0; i < boots; i++) {
            json_real(json, NULL, medians[i]);
        }
        json_close(json);
    }
    json_close(json);
}

static void tail(struct json *json, const struct compare_row *row)
{
    const struct two_tails *tails = &row->tails;

    json_object(json, "tail");
    json_number(json, "quantile", tails->q, 2);
    json_real(json, "a", tails->a);
    json_real(json, "a_low", tails->a_low);
    json_real(json, "a_high", tails->a_high);
    json_real(json, "b", tails->b);
    json_real(json, "b_low", tails->b_low);
    json_real(json, "b_high", tails->b_high);
    json_real(json, "p", tails->p);
    json_real(json, "p_corrected", row->tail_p);
    json_close(json);
}

static void metric(struct json *json, const struct compare_row *row)
{
    const bool sampled = compare_is_sampled(row);

    json_object(json, NULL);
    JSON_TEXTS(json, {"name", row->name}, {"unit", row->unit},
               {"verdict", compare_verdict_names[row->verdict]}, {"why", row->why});
    json_bool(json, "by_tail", row->by_tail);
    json_bool(json, "exact", row->exact);
    json_bool(json, "by_boots", row->by_boots);
    side(json, "a", row->a_boots, row->a_medians, row->a_count, row->a_median);
    side(json, "b", row->b_boots, row->b_medians, row->b_count, row->b_median);
    json_real(json, "shift", row->shift);
    json_real(json, "shift_low", row->has_interval ? row->low : NAN);
    json_real(json, "shift_high", row->has_interval ? row->high : NAN);
    json_real(json, "difference", row->difference);
    json_real(json, "difference_low", row->difference_low);
    json_real(json, "difference_high", row->difference_high);
    json_real(json, "p", row->test_p);
    json_real(json, "p_corrected", row->p);
    json_real(json, "delta", sampled ? row->samples.delta : NAN);
    json_real(json, "ks", sampled ? row->samples.ks : NAN);
    json_real(json, "ks_p", sampled ? row->samples.ks_p : NAN);
    json_real(json, "inflation", sampled && isfinite(row->inflation) ? row->inflation : NAN);
    if (row->has_tails) {
        tail(json, row);
    }
    json_close(json);
}

static void boots(struct json *json, const char *key, const struct compared *compared, size_t first,
                  size_t end)
{
    json_array(json, key);
    for (size_t i = first; i < end; i++) {
        json_text(json, NULL, compared->runs[i].path);
    }
    json_close(json);
}

static void comparison(struct json *json, const struct compared *compared, size_t index)
{
    static const char *const orders[] = {"unknown", "drawn", "turns"};
    const struct compare *compare = &compared->compares[index];
    const struct compare_differences *differences = &compared->differences[index];

    json_object(json, NULL);
    json_text(json, "a", compared_a(compared));
    json_text(json, "b", compared_b(compared, index));
    boots(json, "a_boots", compared, 0, compared->a_group > 0 ? compared->a_group : 1);
    boots(json, "b_boots", compared, compared_b_first(compared, index),
          compared->a_group > 0 ? compared->count : index + 2);
    json_bool(json, "one_boot", compare->one_boot);
    json_text(json, "order", orders[compare->order]);
    json_unsigned(json, "tests_by_boots", compare->tested);
    json_real(json, "least_p", compare->tested > 0 ? compare->least_p : NAN);
    json_real(json, "boots_needed",
              compare->tested > 0 && compare->needed > 0 ? (double)compare->needed : NAN);
    json_text(json, "lengths", compare->lengths);
    json_object(json, "summary");
    for (enum compare_verdict verdict = 0; verdict < COMPARE_VERDICTS; verdict++) {
        json_unsigned(json, compare_verdict_names[verdict], compare->verdicts[verdict]);
    }
    json_close(json);
    json_array(json, "differences");
    for (size_t i = 0; i < differences->count; i++) {
        json_object(json, NULL);
        JSON_TEXTS(json, {"what", differences->item[i].what}, {"a", differences->item[i].a},
                   {"b", differences->item[i].b});
        json_close(json);
    }
    json_close(json);
    json_texts(json, "only_a", compare->only_a, compare->only_a_count);
    json_texts(json, "only_b", compare->only_b, compare->only_b_count);
    json_array(json, "metrics");
    for (size_t i = 0; i < compare->count; i++) {
        metric(json, &compare->item[i]);
    }
    json_close(json);
    json_close(json);
}

void compared_json(FILE *out, const struct compared *compared)
{
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_text(&json, "schema", "tare compare");
    json_unsigned(&json, "version", 2);
    json_real(&json, "threshold", compared->settings.threshold);
    json_real(&json, "threshold_stolen_ppm", compared->settings.stolen);
    json_real(&json, "threshold_instructions",
              compared->settings.by_instructions ? compared->settings.instructions : NAN);
    json_real(&json, "alpha", compared->settings.alpha);
    json_texts(&json, "warnings", compared->warnings.item, compared->warnings.count);
    json_array(&json, "runs");
    for (size_t i = 0; i < compared->count; i++) {
        run_object(&json, &compared->runs[i]);
    }
    json_close(&json);
    json_array(&json, "comparisons");
    for (size_t i = 0; i < compared_pairs(compared); i++) {
        comparison(&json, compared, i);
    }
    json_close(&json);
    json_close(&json);
}
