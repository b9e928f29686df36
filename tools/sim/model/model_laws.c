/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads laws of times and arrivals, and the lists of values and files that they use. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/sim/model/model_reader.h"
#include "tools/store/runfile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- lists of values ---- */

static void append(struct sim_list *list, size_t *capacity, double value)
{
    list->values = alloc_append(list->values, &list->count, capacity, sizeof(*list->values));
    list->values[list->count - 1] = value;
}

static bool read_numbers(struct sim_reader *reader, struct sim_list *list)
{
    size_t capacity = 0;

    while (sim_at_number(reader)) {
        double value;

        if (!sim_read_number(reader, "a value", &value)) {
            return false;
        }
        append(list, &capacity, value);
    }
    return true;
}

/* The path of a file that the text names, to be freed; NULL, failed: it may name none. */
static char *path_of(struct sim_reader *reader, const char *name)
{
    char *path = NULL;

    if (reader->folder == NULL) {
        sim_reader_fail(reader, "it names the file \"%.80s\", and there is no folder to look in",
                        name);
    } else if (name[0] == '/') {
        path = strdup(name);
    } else if (asprintf(&path, "%s/%s", reader->folder, name) < 0) {
        path = NULL;
    }
    return path;
}

static bool parse_values(struct sim_reader *reader, const char *name, char *text, size_t length,
                         struct sim_list *list)
{
    size_t capacity = 0;
    size_t line = 0;
    char *rest = text;

    if (memchr(text, '\0', length) != NULL) {
        return sim_reader_fail(reader, "%.80s is not text", name);
    }
    while (rest != NULL) {
        char *words = strsep(&rest, "\n");
        char *word;

        line++;
        words[strcspn(words, "#")] = '\0';
        while ((word = strsep(&words, " \t\r,")) != NULL) {
            double value;

            if (*word != '\0' && !sim_number(word, NULL, &value, NULL)) {
                return sim_reader_fail(reader, "%.80s, line %zu: \"%.40s\" is not a number", name,
                                       line, word);
            }
            if (*word != '\0') {
                append(list, &capacity, value);
            }
        }
    }
    return true;
}

static bool read_file(struct sim_reader *reader, struct sim_list *list)
{
    const struct sim_token *const token = sim_peek(reader);

    if (token == NULL) {
        return sim_reader_fail(reader, "the line ends where a file should be");
    }
    char *const path = path_of(reader, token->text);
    struct sim_model_error why = {0};
    size_t length = 0;
    char *text = path != NULL ? sim_model_file(path, &length, &why) : NULL;

    free(path);
    if (text == NULL) {
        return !reader->failed && sim_reader_fail(reader, "%.80s: %s", token->text, why.text);
    }
    size_t capacity = length;

    text = alloc_grow(text, &capacity, length + 1, 1);
    text[length] = '\0';
    reader->token++;
    list->source = strndup(token->text, SIM_SOURCE_MAX);
    const bool parsed = parse_values(reader, token->text, text, length, list);

    free(text);
    return parsed;
}

/* The series that "BENCH.SERIES" names: either name may have dots in it. */
static const struct run_series *find_series(const struct run *run, const char *name)
{
    for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        char *const bench_name = strndup(name, (size_t)(dot - name));
        const struct run_bench *const bench = run_find_bench(run, bench_name);
        const struct run_series *const series =
            bench != NULL ? run_find_series(bench, dot + 1) : NULL;

        free(bench_name);
        if (series != NULL) {
            return series;
        }
    }
    return NULL;
}

/* How many nanoseconds one of the series's samples counts; 0: it counts no time. */
static double series_unit_ns(const struct run *run, const struct run_series *series)
{
    if (series->unit == NULL) {
        return 0;
    }
    if (strcmp(series->unit, UNIT_TICK) == 0) {
        return run_ns_per_tick(run);
    }
    return strcmp(series->unit, UNIT_NANOSECOND) == 0 ? 1 : 0;
}

static bool take_series(struct sim_reader *reader, const struct run *run, const char *name,
                        struct sim_list *list)
{
    const struct run_series *const series = find_series(run, name);
    const double unit_ns = series != NULL ? series_unit_ns(run, series) : 0;
    size_t capacity = 0;

    if (series == NULL) {
        return sim_reader_fail(reader,
                               "the run has no series %.80s: BENCH.SERIES is wanted, as "
                               "`tare show` lists them",
                               name);
    }
    if (!(unit_ns > 0)) {
        return sim_reader_fail(reader, "the series %.80s holds no times of a known unit: \"%.20s\"",
                               name, series->unit != NULL ? series->unit : "none");
    }
    if (series->received == 0) {
        return sim_reader_fail(reader, "the series %.80s is empty", name);
    }
    for (size_t i = 0; i < series->received; i++) {
        append(list, &capacity, (double)series->samples[i] * unit_ns / reader->model->unit_ns);
    }
    return true;
}

static bool read_series(struct sim_reader *reader, struct sim_list *list)
{
    if (reader->token + 2 > reader->token_count) {
        return sim_reader_fail(reader, "a series is: series RUN.db BENCH.SERIES");
    }
    const char *const file = reader->tokens[reader->token].text;
    const char *const name = reader->tokens[reader->token + 1].text;
    char *const path = path_of(reader, file);
    char why[RUNFILE_ERROR_MAX];
    struct run run;

    if (path == NULL) {
        return false;
    }
    reader->token += 2;
    reader->unit_used = true;
    partial_file_protect(path);
    run_init(&run);
    const bool taken = runfile_read(path, &run, why) ? take_series(reader, &run, name, list)
                                                     : sim_reader_fail(reader, "%.200s", why);

    run_free(&run);
    free(path);
    if (asprintf(&list->source, "%.*s %.*s", SIM_SOURCE_MAX / 2, file, SIM_SOURCE_MAX / 2 - 1,
                 name) < 0) {
        list->source = NULL;
    }
    return taken;
}

static bool read_named_values(struct sim_reader *reader, struct sim_list *list)
{
    const struct sim_token *const token = sim_peek(reader);

    for (size_t i = 0; token != NULL && i < reader->values_count; i++) {
        const struct sim_values *const values = &reader->values[i];

        if (strcmp(values->name, token->text) == 0) {
            list->count = values->count;
            list->values = alloc_zeroed(values->count * sizeof(*list->values));
            memcpy(list->values, values->values, values->count * sizeof(*list->values));
            list->source = strdup(values->name);
            reader->token++;
            return true;
        }
    }
    return sim_reader_fail(reader,
                           "%s%.40s%s is not a list of values: give it some before, with a "
                           "line: values NAME 1 2 3",
                           token != NULL ? "\"" : "", token != NULL ? token->text : "nothing",
                           token != NULL ? "\"" : "");
}

static bool read_scale(struct sim_reader *reader, struct sim_list *list)
{
    double factor;

    if (!sim_accept(reader, "scale")) {
        return true;
    }
    if (!sim_read_number(reader, "a factor", &factor)) {
        return false;
    }
    if (!(factor > 0)) {
        return sim_reader_fail(reader, "the scale %.10g is not above 0", factor);
    }
    for (size_t i = 0; i < list->count; i++) {
        list->values[i] *= factor;
    }
    return true;
}

static bool check_values(struct sim_reader *reader, const struct sim_list *list)
{
    if (list->count == 0) {
        return sim_reader_fail(reader, "the series %.80s is empty",
                               list->source != NULL ? list->source : "of values");
    }
    for (size_t i = 0; i < list->count; i++) {
        const double value = list->values[i];

        if (value != 0 && !(value >= SIM_NUMBER_LEAST && value <= SIM_NUMBER_MOST)) {
            return sim_reader_fail(reader, "value %zu of %zu, %.10g, is %s", i + 1, list->count,
                                   value, value < 0 ? "below 0" : "beyond what lengths can be");
        }
    }
    return true;
}

/* A short line may use a long list: what is copied has its own bound. */
static bool count_values(struct sim_reader *reader, const struct sim_list *list)
{
    reader->listed += list->count;
    return reader->listed <= SIM_LISTED_MAX ||
           sim_reader_fail(reader, "the lists that are used have more than %lu values in all",
                           SIM_LISTED_MAX);
}

bool sim_read_list(struct sim_reader *reader, struct sim_list *list)
{
    bool read;

    *list = (struct sim_list){0};
    if (sim_accept(reader, "file")) {
        read = read_file(reader, list);
    } else if (sim_accept(reader, "series")) {
        read = read_series(reader, list);
    } else if (sim_accept(reader, "values") && !sim_at_number(reader)) {
        read = read_named_values(reader, list);
    } else {
        read = read_numbers(reader, list);
    }
    if (read && count_values(reader, list) && read_scale(reader, list) &&
        check_values(reader, list)) {
        return true;
    }
    free(list->values);
    free(list->source);
    *list = (struct sim_list){0};
    return false;
}

/* ---- laws ---- */

static bool read_empirical(struct sim_reader *reader, struct sim_law *law)
{
    char why[SIM_LAW_ERROR_MAX];
    struct sim_list list;

    if (!sim_read_list(reader, &list)) {
        return false;
    }
    const bool made = sim_law_empirical(law, list.values, list.count, list.source, why);

    free(list.values);
    free(list.source);
    return made || sim_reader_fail(reader, "%s", why);
}

static bool read_parameter(struct sim_reader *reader, enum sim_tailed_parameter which,
                           double *value)
{
    char what[40];

    snprintf(what, sizeof(what), "the %s", sim_tailed_name(which));
    return which == SIM_TAILED_TAIL ? sim_read_part(reader, "the part in the tail", value)
                                    : sim_read_number(reader, what, value);
}

/* Three or more of average A, maximum B, tail P, knee X and ratio R, each once, in any order. */
static bool read_tailed(struct sim_reader *reader, struct sim_law *law)
{
    double given[SIM_TAILED_PARAMETERS] = {NAN, NAN, NAN, NAN, NAN};
    char why[SIM_LAW_ERROR_MAX];
    bool more = true;

    while (more) {
        more = false;
        for (enum sim_tailed_parameter i = 0; i < SIM_TAILED_PARAMETERS; i++) {
            if (isnan(given[i]) && sim_accept(reader, sim_tailed_name(i))) {
                more = true;
                if (!read_parameter(reader, i, &given[i])) {
                    return false;
                }
            }
        }
    }
    return sim_law_tailed_by(law, given, why) || sim_reader_fail(reader, "%s", why);
}

static bool read_constant(struct sim_reader *reader, struct sim_law *law)
{
    char why[SIM_LAW_ERROR_MAX];
    double value;

    return sim_read_number(reader, "a length", &value) &&
           (sim_law_constant(law, value, why) || sim_reader_fail(reader, "%s", why));
}

static bool read_uniform(struct sim_reader *reader, struct sim_law *law)
{
    char why[SIM_LAW_ERROR_MAX];
    double low;
    double high;

    return sim_read_number(reader, "the lower end", &low) &&
           sim_read_number(reader, "the upper end", &high) &&
           (sim_law_uniform(law, low, high, why) || sim_reader_fail(reader, "%s", why));
}

static bool read_exponential(struct sim_reader *reader, struct sim_law *law)
{
    char why[SIM_LAW_ERROR_MAX];
    double mean;

    return sim_read_number(reader, "a mean", &mean) &&
           (sim_law_exponential(law, mean, why) || sim_reader_fail(reader, "%s", why));
}

bool sim_read_law(struct sim_reader *reader, struct sim_law *law)
{
    static const struct {
        const char *keyword;
        bool (*read)(struct sim_reader *reader, struct sim_law *law);
        bool again; /* the keyword is part of what it reads */
    } laws[] = {{"constant", read_constant, false},
                {"uniform", read_uniform, false},
                {"exponential", read_exponential, false},
                {"average", read_tailed, true},
                {"maximum", read_tailed, true},
                {"tail", read_tailed, true},
                {"knee", read_tailed, true},
                {"ratio", read_tailed, true},
                {"series", read_empirical, true},
                {"file", read_empirical, true},
                {"values", read_empirical, true}};
    const char *known[COUNT(laws)];

    if (sim_at_number(reader)) {
        return read_constant(reader, law);
    }
    for (size_t i = 0; i < COUNT(laws); i++) {
        known[i] = laws[i].keyword;
    }
    const size_t found = sim_read_keyword(reader, "law of times", known, COUNT(known));

    if (found == SIM_NONE) {
        return false;
    }
    reader->token -= laws[found].again ? 1 : 0;
    return laws[found].read(reader, law);
}

/* ---- arrivals ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool sim_given_twice(struct sim_reader *reader, const char *what)
{
    return sim_reader_fail(reader, "%s is given twice", what);
}

static const char *const amounts[] = {"rate", "interval", "occupancy", "total"};

void sim_clauses_kind(struct sim_clauses *clauses, enum sim_law_kind kind)
{
    clauses->arrivals.kind = SIM_RENEWAL;
    clauses->arrivals.interval = (struct sim_law){.kind = kind, .mean = NAN};
    clauses->needs_amount = true;
}

static bool read_times(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    struct sim_list list;

    if (!sim_read_list(reader, &list)) {
        return false;
    }
    free(list.source);
    arrivals->kind = SIM_TRACE;
    arrivals->times = list.values;
    arrivals->count = list.count;
    for (size_t i = 1; i < list.count; i++) {
        if (list.values[i] < list.values[i - 1]) {
            return sim_reader_fail(reader, "time %zu of %zu, %.10g, is before the one ahead of it",
                                   i + 1, list.count, list.values[i]);
        }
    }
    return true;
}

/* Of every arrival there must be a later one. */
static bool read_interval_law(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    arrivals->kind = SIM_RENEWAL;
    if (!sim_read_law(reader, &arrivals->interval)) {
        return false;
    }
    return arrivals->interval.mean > 0 ||
           sim_reader_fail(reader, "the mean interval of arrivals is not above 0");
}

static bool read_every(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    double interval;

    if (!sim_read_number(reader, "an interval", &interval)) {
        return false;
    }
    arrivals->kind = SIM_RENEWAL;
    arrivals->interval =
        (struct sim_law){.kind = SIM_CONSTANT, .mean = interval, .low = interval, .high = interval};
    return interval > 0 || sim_reader_fail(reader, "the interval %.10g is not above 0", interval);
}

static bool read_arrivals(struct sim_reader *reader, struct sim_clauses *clauses)
{
    static const char *const known[] = {"poisson", "uniform", "every", "trace", "by"};

    if (clauses->has_kind) {
        return sim_given_twice(reader, "how it arrives");
    }
    clauses->has_kind = true;
    clauses->arrivals.fixed = true;
    switch (sim_read_keyword(reader, "kind of arrivals", known, COUNT(known))) {
    case 0:
        sim_clauses_kind(clauses, SIM_EXPONENTIAL);
        return true;
    case 1:
        sim_clauses_kind(clauses, SIM_UNIFORM);
        return true;
    case 2:
        return read_every(reader, &clauses->arrivals);
    case 3:
        return read_times(reader, &clauses->arrivals);
    case 4:
        return read_interval_law(reader, &clauses->arrivals);
    default:
        return false;
    }
}

static bool read_amount(struct sim_reader *reader, struct sim_clauses *clauses,
                        enum sim_amount amount)
{
    if (clauses->has_amount) {
        return sim_given_twice(reader, "how often it arrives");
    }
    clauses->has_amount = true;
    clauses->amount = amount;
    if (amount == SIM_BY_OCCUPANCY || amount == SIM_BY_TOTAL) {
        return sim_read_part(reader, "an occupancy", &clauses->value);
    }
    return sim_read_number(reader, amounts[amount], &clauses->value) &&
           (clauses->value > 0 || sim_reader_fail(reader, "the %s %.10g is not above 0",
                                                  amounts[amount], clauses->value));
}

bool sim_read_clause(struct sim_reader *reader, struct sim_clauses *clauses, bool *found)
{
    *found = true;
    if (sim_accept(reader, "arrivals")) {
        return read_arrivals(reader, clauses);
    }
    for (enum sim_amount i = SIM_BY_RATE; i < SIM_AMOUNTS; i++) {
        if (sim_accept(reader, amounts[i])) {
            return read_amount(reader, clauses, i);
        }
    }
    *found = false;
    return false;
}

bool sim_clauses_finish(struct sim_reader *reader, struct sim_clauses *clauses, const char *name)
{
    if (clauses->needs_amount && !clauses->has_amount) {
        return sim_reader_fail(reader,
                               "how often \"%s\" arrives is missing: give rate, interval, "
                               "or of a load occupancy or total",
                               name);
    }
    if (!clauses->needs_amount && clauses->has_amount) {
        return sim_reader_fail(reader, "the arrivals of \"%s\" already set how often they are",
                               name);
    }
    if (clauses->has_amount && clauses->amount <= SIM_BY_INTERVAL) {
        struct sim_arrivals *const arrivals = &clauses->arrivals;

        sim_arrivals_of(arrivals,
                        arrivals->interval.kind == SIM_UNIFORM ? SIM_UNIFORM_ARRIVALS
                                                               : SIM_POISSON_ARRIVALS,
                        clauses->amount == SIM_BY_RATE ? 1 / clauses->value : clauses->value);
    }
    return true;
}

void sim_clauses_free(struct sim_clauses *clauses)
{
    sim_law_free(&clauses->arrivals.interval);
    free(clauses->arrivals.times);
}
