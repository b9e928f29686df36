/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/judge/limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/judge/compare.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"

#define COUNT(array)    (sizeof(array) / sizeof((array)[0]))
#define LINE_MAX_BYTES  512
#define PER_INSTRUCTION "B/instruction"

static const char *const statistic_names[LIMIT_STATISTICS] = {
    "min", "median", "mean", "p90", "p99", "p999", "p9999", "max", "rate"};

enum unit_kind {
    UNIT_TIME,
    UNIT_TICKS,
    UNIT_INSTRUCTIONS,
    UNIT_RATE,
    UNIT_OTHER, /* the unit of a metric that is none of these */
};

/* Known units. `factor` is the number of units of column `metric`, or of nanoseconds, in one unit.
 */
static const struct unit {
    const char *name;
    enum unit_kind kind;
    double factor;
    const char *metric;
} units[] = {
    {"ns", UNIT_TIME, 1, UNIT_TICK},
    {"us", UNIT_TIME, 1e3, UNIT_TICK},
    {"ms", UNIT_TIME, 1e6, UNIT_TICK},
    {"s", UNIT_TIME, 1e9, UNIT_TICK},
    {"ticks", UNIT_TICKS, 1, UNIT_TICK},
    {"tick", UNIT_TICKS, 1, UNIT_TICK},
    {"instructions", UNIT_INSTRUCTIONS, 1, UNIT_TICK},
    {"instruction", UNIT_INSTRUCTIONS, 1, UNIT_TICK},
    {"/s", UNIT_RATE, 1, ""},
    {"Hz", UNIT_OTHER, 1, UNIT_HZ},
    {"hz", UNIT_OTHER, 1, UNIT_HZ},
    {"MB/s", UNIT_OTHER, 1, UNIT_MB_PER_S},
    {"GB/s", UNIT_OTHER, 1e3, UNIT_MB_PER_S},
    {PER_INSTRUCTION, UNIT_OTHER, 1, PER_INSTRUCTION},
    {"B/tick", UNIT_OTHER, 1, "B/tick"},
    {"ppm", UNIT_OTHER, 1, UNIT_PPM},
    {"%", UNIT_OTHER, 1e4, UNIT_PPM},
    {"count", UNIT_OTHER, 1, UNIT_COUNT},
};

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; i < COUNT(units); i++) {
        if (strcmp(units[i].name, name) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

/* ---- reading ---- */

__attribute__((format(printf, 3, 4))) static void add_error(struct limits *limits, size_t line,
                                                            const char *format, ...)
{
    char text[LIMITS_ERROR_MAX];
    const int length = snprintf(text, sizeof(text), "%zu: ", line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, sizeof(text) - (size_t)length, format, arguments);
    va_end(arguments);
    *ALLOC_NEXT(limits->errors, limits->error_count, limits->error_capacity) = strdup(text);
}

/* Returns the next word, terminated in place, or NULL. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    const size_t length = strcspn(word, " \t");

    if (length == 0) {
        return NULL;
    }
    *rest = word + length;
    if (**rest != '\0') {
        *(*rest)++ = '\0';
    }
    return word;
}

/* Parses a decimal number, as in "50us" and "50 us". Returns what follows it, or NULL if there is
 * no number. */
static char *read_number(char *word, double *value)
{
    char *end;

    if (strspn(word, "+-.0123456789") == 0) {
        return NULL; /* rejects inf and nan too */
    }
    *value = strtod(word, &end);
    return end > word && isfinite(*value) && memchr(word, 'x', (size_t)(end - word)) == NULL &&
                   memchr(word, 'X', (size_t)(end - word)) == NULL
               ? end
               : NULL;
}

/* Does the unit count instructions, which only exact time has? */
static bool counts_instructions(const struct unit *unit)
{
    return unit->kind == UNIT_INSTRUCTIONS || strcmp(unit->name, PER_INSTRUCTION) == 0;
}

/* Parses [in KIND], which follows the unit. */
static bool read_kind(struct limits *limits, struct limit *limit, const struct unit *unit,
                      char *rest)
{
    const char *in = next_word(&rest);
    char *kind = in != NULL ? next_word(&rest) : NULL;
    const char *extra = kind != NULL ? next_word(&rest) : NULL;
    char name[sizeof(TIME_EXACT_SHARED)];

    if (extra != NULL && strcmp(kind, TIME_EXACT ",") == 0) { /* a name of two words */
        snprintf(name, sizeof(name), "%s %s", kind, extra);
        kind = name;
        extra = next_word(&rest);
    }

    limit->time = counts_instructions(unit) ? RUN_TIME_EXACT : RUN_TIME_REAL;
    if (in == NULL) {
        return true;
    }
    if (strcmp(in, "in") != 0 || extra != NULL) {
        add_error(
            limits, limit->line,
            "unexpected \"%.40s\": only a time base may follow the unit, such as \"in exact\"",
            strcmp(in, "in") != 0 ? in : extra);
        return false;
    }
    if (kind == NULL || !run_time_read(kind, &limit->time)) {
        add_error(limits, limit->line,
                  "\"in %.40s\": the time bases are exact; exact, shared; emulated; real and model",
                  kind != NULL ? kind : "");
        return false;
    }
    if (counts_instructions(unit) && limit->time != RUN_TIME_EXACT &&
        limit->time != RUN_TIME_EXACT_SHARED) {
        add_error(limits, limit->line, "%s are counted only in exact time, not in %s", unit->name,
                  kind);
        return false;
    }
    limit->stated = true;
    return true;
}

/* Parses VALUE UNIT [in KIND]. */
static bool read_value(struct limits *limits, struct limit *limit, char *word, char *rest)
{
    char *name = word != NULL ? read_number(word, &limit->value) : NULL;

    if (name == NULL) {
        add_error(limits, limit->line, "%s%.40s%s; give one, such as 50us",
                  word != NULL ? "\"" : "", word != NULL ? word : "no value",
                  word != NULL ? "\" is not a value" : "");
        return false;
    }
    if (*name == '\0') {
        name = next_word(&rest);
    }
    const struct unit *unit = name != NULL ? find_unit(name) : NULL;

    if (unit == NULL) {
        add_error(limits, limit->line,
                  "%s%.40s%s: must be ns, us, ms, s, ticks, instructions, Hz, MB/s, GB/s, "
                  "B/instruction, B/tick, ppm, %%, count, or /s of rates",
                  name != NULL ? "unknown unit \"" : "",
                  name != NULL ? name : "the value has no unit", name != NULL ? "\"" : "");
        return false;
    }
    if (!read_kind(limits, limit, unit, rest)) {
        return false;
    }
    if ((limit->statistic == LIMIT_RATE) != (unit->kind == UNIT_RATE)) {
        add_error(limits, limit->line, "%s rate is limited in /s",
                  limit->statistic == LIMIT_RATE ? "a" : "only a");
        return false;
    }
    snprintf(limit->unit, sizeof(limit->unit), "%s", unit->name);
    return true;
}

static void read_line(struct limits *limits, size_t number, char *line)
{
    struct limit limit = {.line = number};
    char *rest = line;

    line[strcspn(line, "#\r")] = '\0';
    char *statistic = next_word(&rest);
    char *metric = next_word(&rest);
    char *word = next_word(&rest);

    if (statistic == NULL) {
        return;
    }
    while (limit.statistic < LIMIT_STATISTICS &&
           strcmp(statistic, statistic_names[limit.statistic]) != 0) {
        limit.statistic++;
    }
    if (limit.statistic == LIMIT_STATISTICS) {
        add_error(limits, number,
                  "unknown statistic \"%.40s\": must be min, median, mean, p90, p99, p999, p9999, "
                  "max or rate",
                  statistic);
        return;
    }
    if (metric == NULL) {
        add_error(limits, number, "%s needs a metric, such as idle.floor", statistic);
        return;
    }
    limit.at_least = limit.statistic == LIMIT_MIN;
    if (word != NULL && (strcmp(word, "<=") == 0 || strcmp(word, ">=") == 0)) {
        limit.at_least = *word == '>';
        word = next_word(&rest);
    }
    if (read_value(limits, &limit, word, rest)) {
        limit.metric = strdup(metric);
        *ALLOC_NEXT(limits->item, limits->count, limits->capacity) = limit;
    }
}

void limits_parse(struct limits *limits, const char *text, size_t length)
{
    const char *end = text + length;
    size_t number = 0;

    *limits = (struct limits){0};
    for (const char *at = text; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t size = (size_t)((stop != NULL ? stop : end) - at);
        char line[LINE_MAX_BYTES];

        number++;
        if (size >= sizeof(line)) {
            add_error(limits, number, "longer than %d characters", LINE_MAX_BYTES - 1);
        } else if (memchr(at, '\0', size) != NULL) {
            add_error(limits, number, "holds a NUL: this is not text");
        } else {
            memcpy(line, at, size);
            line[size] = '\0';
            read_line(limits, number, line);
        }
        at += size + 1;
    }
}

void limits_free(struct limits *limits)
{
    for (size_t i = 0; i < limits->count; i++) {
        free(limits->item[i].metric);
    }
    for (size_t i = 0; i < limits->error_count; i++) {
        free(limits->errors[i]);
    }
    free(limits->item);
    free((void *)limits->errors);
    *limits = (struct limits){0};
}

void limit_text(const struct limit *limit, char text[LIMITS_MESSAGE_MAX])
{
    char value[SHORTEST_MAX];

    snprintf(text, LIMITS_MESSAGE_MAX, "%s %.160s %s %s %s%s%s", statistic_names[limit->statistic],
             limit->metric, limit->at_least ? ">=" : "<=", shortest_digits(limit->value, value),
             limit->unit, limit->stated ? " in " : "",
             limit->stated ? run_time_text(limit->time) : "");
}

const char *limit_value_text(const struct limit *limit, double value, char text[SHORTEST_MAX])
{
    for (int digits = 4; digits <= 17; digits++) {
        snprintf(text, SHORTEST_MAX, "%.*g", digits, value);
        const double shown = strtod(text, NULL);

        if ((shown > limit->value) == (value > limit->value) &&
            (shown < limit->value) == (value < limit->value)) {
            break;
        }
    }
    return text;
}

/* ---- checking ---- */

/* Returns the units of the limit in one unit of the metric. If they do not fit, returns 0 and
 * stores the reason. */
static double per_metric_unit(const struct limit *limit, const struct metrics *metrics,
                              const struct metric *metric, const char **why)
{
    const struct unit *unit = find_unit(limit->unit);

    *why = "the metric has another unit";
    if (unit->kind != UNIT_RATE && strcmp(unit->metric, metric->unit) != 0) {
        return 0;
    }
    if (unit->kind == UNIT_TIME) {
        *why = "the rate of the TSC is unknown";
        return metrics->ns_per_tick / unit->factor;
    }
    if (unit->kind == UNIT_INSTRUCTIONS) {
        *why = "the run does not report the ticks of an instruction";
        return metrics->ticks_per_instruction > 0 ? 1 / metrics->ticks_per_instruction : 0;
    }
    return 1 / unit->factor;
}

__attribute__((format(printf, 2, 3))) static void explain(struct limit_result *result,
                                                          const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(result->message, sizeof(result->message), format, arguments);
    va_end(arguments);
}

static void judge(struct limit_result *result, double value)
{
    result->has_value = true;
    result->value = value;
    result->kept =
        result->limit->at_least ? value >= result->limit->value : value <= result->limit->value;
}

/* Judges the greatest gap, which may only be known to be between two bounds. */
static void judge_greatest(struct limit_result *result, const struct metric *metric, double scale)
{
    const double low = metric->greatest_low * scale;
    const double high = metric->greatest_high * scale;

    if (isnan(metric->greatest_high)) {
        explain(result, "the maximum is unknown");
        return;
    }
    char low_text[SHORTEST_MAX];
    char high_text[SHORTEST_MAX];

    judge(result, result->limit->at_least ? low : high);
    if (low != high) {
        explain(result, "%s: between %s and %s %s",
                metric->n + metric->unkept == 0 ? "none is longer than the threshold; the maximum"
                                                : "not all values were kept; the maximum",
                limit_value_text(result->limit, low, low_text),
                limit_value_text(result->limit, high, high_text), result->limit->unit);
    }
}

static void judge_rate(struct limit_result *result, const struct metrics *metrics,
                       const struct metric *metric)
{
    struct summary_rate rate;

    if (metric->observed <= 0) {
        explain(result, "the metric has no events with a rate");
        return;
    }
    if (metrics->ns_per_tick <= 0) {
        explain(result, "the rate of the TSC is unknown");
        return;
    }
    const double seconds = metric->observed * metrics->ns_per_tick / 1e9;

    summary_rate_of(metric->n + metric->unkept, seconds, &rate);
    judge(result, rate.events > 0 || result->limit->at_least ? rate.rate : rate.high);
    if (rate.events == 0) {
        result->has_value = false;
        explain(result, "none in %.4g s: < %.3g/s at 95 %%", seconds, rate.high);
    }
}

/* Judges a quantile. If it has too few values, the limit is kept if the maximum keeps it. */
static void judge_quantile(struct limit_result *result, const struct summary *summary,
                           const struct summary_quantile *quantile, double scale)
{
    char greatest[SHORTEST_MAX];

    if (quantile->reported) {
        judge(result, quantile->value * scale);
        return;
    }
    explain(result, "too few values, %zu; the maximum is %s %s", summary->n,
            limit_value_text(result->limit, summary->max * scale, greatest), result->limit->unit);
    result->kept = !result->limit->at_least && summary->max * scale <= result->limit->value;
}

static void judge_values(struct limit_result *result, const struct metric *metric, double scale)
{
    struct summary summary;
    const double *const values[LIMIT_STATISTICS] = {
        [LIMIT_MIN] = &summary.min, [LIMIT_MAX] = &summary.max, [LIMIT_MEAN] = &summary.mean};
    const struct summary_quantile *const quantiles[LIMIT_STATISTICS] = {
        [LIMIT_MEDIAN] = &summary.median, [LIMIT_P90] = &summary.p90,
        [LIMIT_P99] = &summary.p99,       [LIMIT_P999] = &summary.p999,
        [LIMIT_P9999] = &summary.p9999,
    };
    const enum limit_statistic statistic = result->limit->statistic;

    if (metric->n == 0 || metric->unkept > 0) {
        explain(result, metric->n == 0 ? "no values" : "not all values were kept");
        return;
    }
    if (statistic == LIMIT_MEAN && metric->is_share) {
        judge(result, metric->share * scale);
        return;
    }
    summary_of(metric->values, metric->n, &summary);
    if (values[statistic] != NULL) {
        judge(result, *values[statistic] * scale);
    } else {
        judge_quantile(result, &summary, quantiles[statistic], scale);
    }
}

/* Does the limit apply to the run's time base? If not, explains why, and what helps. */
static bool is_of_this_time(struct limit_result *result, const struct run *run)
{
    const struct limit *limit = result->limit;
    const char *kind = run_time_name(run);

    if (run_time(run) == limit->time) {
        return true;
    }
    if (limit->stated || limit->time == RUN_TIME_EXACT || kind == NULL) {
        explain(
            result,
            "the limit applies to %s time, but the run has %s time: check a run in that time base",
            run_time_text(limit->time), kind != NULL ? kind : "unknown");
    } else {
        explain(result,
                "the limit is of %s time, the run has %s time: if it is meant, write \"in %.20s\" "
                "after the unit",
                run_time_text(limit->time), kind, kind);
    }
    return false;
}

static void check_metric(struct limit_result *result, const struct metrics *metrics,
                         const struct metric *metric)
{
    const char *why;
    const double scale = per_metric_unit(result->limit, metrics, metric, &why);
    /* Only for events of which not all were kept, or of which there may have been none. */
    const bool is_greatest_known =
        !metric->counted_only && (metric->observed > 0 || metric->unkept > 0);

    result->metric = metric->name;
    if (!is_of_this_time(result, metrics->run)) {
        return;
    }
    if (scale <= 0) {
        explain(result, "%s", why);
    } else if (result->limit->statistic == LIMIT_RATE) {
        judge_rate(result, metrics, metric);
    } else if (result->limit->statistic == LIMIT_MAX && is_greatest_known) {
        judge_greatest(result, metric, scale);
    } else {
        judge_values(result, metric, scale);
    }
}

static struct limit_result *add_result(struct limit_results *results, const struct limit *limit)
{
    *ALLOC_NEXT(results->item, results->count, results->capacity) =
        (struct limit_result){.limit = limit};
    return &results->item[results->count - 1];
}

static void check_limit(struct limit_results *results, const struct limit *limit,
                        const struct metrics *metrics)
{
    const struct metric *metric = metrics_find(metrics, limit->metric);
    const size_t before = results->count;

    if (metric != NULL) {
        check_metric(add_result(results, limit), metrics, metric);
        return;
    }
    for (size_t i = 0; i < metrics->count; i++) {
        if (compare_is_wanted(limit->metric, metrics->item[i].name)) {
            check_metric(add_result(results, limit), metrics, &metrics->item[i]);
        }
    }
    if (results->count == before) {
        explain(add_result(results, limit), "the run has no such metric");
    }
}

void limits_check(const struct limits *limits, const struct metrics *metrics,
                  struct limit_results *results)
{
    *results = (struct limit_results){0};
    for (size_t i = 0; i < limits->count; i++) {
        check_limit(results, &limits->item[i], metrics);
    }
    for (size_t i = 0; i < results->count; i++) {
        results->broken += !results->item[i].kept;
    }
}

void limit_results_free(struct limit_results *results)
{
    free(results->item);
    *results = (struct limit_results){0};
}
