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

/* A list of values, given in the line, by a file, by a series of a run, or by the name of a list.
 */
struct list {
    double *values; /* must be freed */
    size_t count;
    char *source; /* must be freed; NULL: the values are given in the line */
};

static void append(struct list *list, size_t *capacity, double value)
{
    list->values = alloc_append(list->values, &list->count, capacity, sizeof(*list->values));
    list->values[list->count - 1] = value;
}

static void read_numbers(struct sim_reader *reader, struct list *list)
{
    size_t capacity = 0;

    while (sim_at_number(reader)) {
        append(list, &capacity, sim_read_number(reader, "a value"));
    }
}

/* Returns the path of a file that the text names, which the caller frees. Fails and returns NULL if
 * the text may not name files. */
static char *path_of(struct sim_reader *reader, const char *name)
{
    char *path = NULL;

    if (!sim_need(reader, reader->folder != NULL,
                  "it names the file \"%.80s\", but there is no folder to look for it", name)) {
        return NULL;
    }
    if (name[0] == '/') {
        return strdup(name);
    }
    return asprintf(&path, "%s/%s", reader->folder, name) < 0 ? NULL : path;
}

static void parse_values(struct sim_reader *reader, const char *name, char *text, size_t length,
                         struct list *list)
{
    size_t capacity = 0;
    size_t line = 0;
    char *rest = text;

    sim_need(reader, memchr(text, '\0', length) == NULL, "%.80s is not text", name);
    while (rest != NULL && !sim_failed(reader)) {
        char *words = strsep(&rest, "\n");
        char *word;

        line++;
        words[strcspn(words, "#")] = '\0';
        while ((word = strsep(&words, " \t\r,")) != NULL) {
            double value;

            if (*word != '\0' &&
                sim_need(reader, sim_number(word, NULL, &value, NULL),
                         "%.80s, line %zu: \"%.40s\" is not a number", name, line, word)) {
                append(list, &capacity, value);
            }
        }
    }
}

static void read_file(struct sim_reader *reader, struct list *list)
{
    const struct sim_token *const token = sim_peek(reader);

    if (token == NULL) {
        sim_need(reader, false, "the line ends where a file name is expected");
        return;
    }
    char *const path = path_of(reader, token->text);
    struct sim_model_error why = {0};
    size_t length = 0;
    char *text = path != NULL ? sim_model_file(path, &length, &why) : NULL;

    free(path);
    if (!sim_need(reader, text != NULL, "%.80s: %s", token->text, why.text)) {
        return;
    }
    size_t capacity = length;

    text = alloc_grow(text, &capacity, length + 1, 1);
    text[length] = '\0';
    reader->token++;
    list->source = strndup(token->text, SIM_SOURCE_MAX);
    parse_values(reader, token->text, text, length, list);
    free(text);
}

/* Finds the series that "BENCH.SERIES" names. Either name may contain dots. */
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

/* Returns the nanoseconds of one unit of the series's samples, or 0 if they are not times. */
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

static void take_series(struct sim_reader *reader, const struct run *run, const char *name,
                        struct list *list)
{
    const struct run_series *const series = find_series(run, name);
    size_t capacity = 0;

    if (!sim_need(reader, series != NULL,
                  "the run has no series %.80s: expected BENCH.SERIES as listed by `tare show`",
                  name)) {
        return;
    }
    const double unit_ns = series_unit_ns(run, series);

    sim_need(reader, unit_ns > 0,
             "the series %.80s has no times in a known unit; its unit is \"%.20s\"", name,
             series->unit != NULL ? series->unit : "none");
    sim_need(reader, series->received > 0, "the series %.80s is empty", name);
    for (size_t i = 0; i < series->received && !sim_failed(reader); i++) {
        append(list, &capacity, (double)series->samples[i] * unit_ns / reader->model->unit_ns);
    }
}

static void read_series(struct sim_reader *reader, struct list *list)
{
    if (!sim_need(reader, reader->token + 2 <= reader->token_count,
                  "expected: series RUN.db BENCH.SERIES")) {
        return;
    }
    const char *const file = reader->tokens[reader->token].text;
    const char *const name = reader->tokens[reader->token + 1].text;
    char *const path = path_of(reader, file);
    char why[RUNFILE_ERROR_MAX];
    struct run run;

    if (path == NULL) {
        return;
    }
    reader->token += 2;
    reader->unit_used = true;
    partial_file_protect(path);
    run_init(&run);
    if (sim_need(reader, runfile_read(path, &run, why), "%.200s", why)) {
        take_series(reader, &run, name, list);
    }
    run_free(&run);
    free(path);
    if (asprintf(&list->source, "%.*s %.*s", SIM_SOURCE_MAX / 2, file, SIM_SOURCE_MAX / 2 - 1,
                 name) < 0) {
        list->source = NULL;
    }
}

static void read_named_values(struct sim_reader *reader, struct list *list)
{
    const struct sim_token *const token = sim_peek(reader);
    const size_t found = token != NULL ? sim_find(reader->values, reader->values_count,
                                                  sizeof(*reader->values), token->text)
                                       : SIM_NONE;
    char word[SIM_QUOTED_MAX];

    if (!sim_need(reader, found != SIM_NONE,
                  "%s is not a list of values: define it first, with a line: values NAME 1 2 3",
                  sim_quoted(token != NULL ? token->text : NULL, word))) {
        return;
    }
    const struct sim_values *const values = &reader->values[found];

    list->count = values->count;
    list->values = alloc_zeroed(values->count * sizeof(*list->values));
    memcpy(list->values, values->values, values->count * sizeof(*list->values));
    list->source = strdup(values->name);
    reader->token++;
}

/* Checks a list. A short line may use a long list, so copied values have a separate limit. */
static void check_values(struct sim_reader *reader, struct list *list)
{
    reader->listed += list->count;
    sim_need(reader, reader->listed <= SIM_LISTED_MAX,
             "the lists of the model have more than %lu values in total", SIM_LISTED_MAX);
    if (sim_accept(reader, "scale")) {
        const double factor = sim_read_number(reader, "a factor");

        sim_need(reader, factor > 0, "the scale %.10g is not above 0", factor);
        for (size_t i = 0; i < list->count; i++) {
            list->values[i] *= factor;
        }
    }
    sim_need(reader, list->count > 0, "the series %.80s is empty",
             list->source != NULL ? list->source : "of values");
    for (size_t i = 0; i < list->count && !sim_failed(reader); i++) {
        const double value = list->values[i];

        sim_need(reader, value == 0 || (value >= SIM_NUMBER_LEAST && value <= SIM_NUMBER_MOST),
                 "value %zu of %zu, %.10g, is %s", i + 1, list->count, value,
                 value < 0 ? "below 0" : "outside the range of a length");
    }
}

/* Reads a list, which must be freed even after a failure. */
static struct list read_list(struct sim_reader *reader)
{
    struct list list = {0};

    if (sim_accept(reader, "file")) {
        read_file(reader, &list);
    } else if (sim_accept(reader, "series")) {
        read_series(reader, &list);
    } else if (sim_accept(reader, "values") && !sim_at_number(reader)) {
        read_named_values(reader, &list);
    } else {
        read_numbers(reader, &list);
    }
    check_values(reader, &list);
    return list;
}

/* ---- laws ---- */

/* Each of these functions reads a law after its keyword. They return false, with the reason, if
 * there is no such law. */

static bool read_empirical(struct sim_reader *reader, struct sim_law *law,
                           char why[SIM_LAW_ERROR_MAX])
{
    struct list list = read_list(reader);
    const bool made = sim_law_empirical(law, list.values, list.count, list.source, why);

    free(list.values);
    free(list.source);
    return made;
}

/* Reads three or more of average A, maximum B, tail P, knee X and ratio R, each at most once, in
 * any order. */
static bool read_tailed(struct sim_reader *reader, struct sim_law *law, char why[SIM_LAW_ERROR_MAX])
{
    double given[SIM_TAILED_PARAMETERS] = {NAN, NAN, NAN, NAN, NAN};
    bool more = true;

    while (more) {
        more = false;
        for (enum sim_tailed_parameter i = 0; i < SIM_TAILED_PARAMETERS; i++) {
            if (isnan(given[i]) && sim_accept(reader, sim_tailed_name(i))) {
                char what[40];

                more = true;
                snprintf(what, sizeof(what), "the %s", sim_tailed_name(i));
                given[i] = i == SIM_TAILED_TAIL ? sim_read_part(reader, "the part in the tail")
                                                : sim_read_number(reader, what);
            }
        }
    }
    return sim_law_tailed_by(law, given, why);
}

static bool read_constant(struct sim_reader *reader, struct sim_law *law,
                          char why[SIM_LAW_ERROR_MAX])
{
    return sim_law_constant(law, sim_read_number(reader, "a length"), why);
}

static bool read_uniform(struct sim_reader *reader, struct sim_law *law,
                         char why[SIM_LAW_ERROR_MAX])
{
    const double low = sim_read_number(reader, "the lower end");

    return sim_law_uniform(law, low, sim_read_number(reader, "the upper end"), why);
}

static bool read_exponential(struct sim_reader *reader, struct sim_law *law,
                             char why[SIM_LAW_ERROR_MAX])
{
    return sim_law_exponential(law, sim_read_number(reader, "a mean"), why);
}

static bool read_shaped(struct sim_reader *reader, enum sim_shape_kind shape, struct sim_law *law,
                        char why[SIM_LAW_ERROR_MAX])
{
    double given[SIM_SHAPE_NUMBERS] = {0};

    for (size_t i = 0; i < SIM_SHAPE_NUMBERS && sim_shapes[shape].word[i] != NULL; i++) {
        const char *const word = sim_shapes[shape].word[i];

        if (i > 0 && !sim_need(reader, sim_accept(reader, word), "expected \"%s\" of a %s law",
                               word, sim_shapes[shape].name)) {
            return true; /* the error is known */
        }
        given[i] = shape == SIM_HYPEREXPONENTIAL && i == 1 ? sim_read_part(reader, word)
                                                           : sim_read_number(reader, word);
    }
    return sim_failed(reader) || sim_law_shaped(law, shape, given, why);
}

void sim_read_law(struct sim_reader *reader, struct sim_law *law)
{
    static const struct {
        const char *keyword;
        bool (*read)(struct sim_reader *reader, struct sim_law *law, char why[SIM_LAW_ERROR_MAX]);
        bool again; /* the read function reads the keyword again */
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
    const char *known[COUNT(laws) + SIM_SHAPES];
    char why[SIM_LAW_ERROR_MAX];
    size_t found = 0; /* without a keyword, a number is a constant */

    for (size_t i = 0; i < COUNT(laws); i++) {
        known[i] = laws[i].keyword;
    }
    for (size_t i = 0; i < SIM_SHAPES; i++) {
        known[COUNT(laws) + i] = sim_shapes[i].name;
    }
    if (!sim_at_number(reader)) {
        found = sim_read_keyword(reader, "law of times", known, COUNT(known));
    }
    if (!sim_failed(reader) && found >= COUNT(laws)) {
        sim_need(reader, read_shaped(reader, found - COUNT(laws), law, why), "%s", why);
    } else if (!sim_failed(reader)) {
        reader->token -= laws[found].again ? 1 : 0;
        sim_need(reader, laws[found].read(reader, law, why), "%s", why);
    }
}

/* ---- arrivals ---- */

bool sim_need_once(struct sim_reader *reader, bool given, const char *what)
{
    return sim_need(reader, !given, "%s is given twice", what);
}

static const char *const amounts[] = {"rate", "interval", "occupancy", "total"};

bool sim_clauses_begin(struct sim_reader *reader, struct sim_clauses *clauses)
{
    const bool first = sim_need_once(reader, clauses->has_kind, "how it arrives");

    clauses->has_kind = true;
    return first;
}

void sim_clauses_kind(struct sim_clauses *clauses, enum sim_law_kind kind)
{
    clauses->arrivals->kind = SIM_RENEWAL;
    clauses->arrivals->interval = (struct sim_law){.kind = kind, .mean = NAN};
    clauses->needs_amount = true;
}

static void read_times(struct sim_reader *reader, struct sim_arrivals *arrivals)
{
    struct list list = read_list(reader);

    free(list.source);
    arrivals->kind = SIM_TRACE;
    arrivals->times = list.values;
    arrivals->count = list.count;
    for (size_t i = 1; i < list.count && !sim_failed(reader); i++) {
        sim_need(reader, list.values[i] >= list.values[i - 1],
                 "time %zu of %zu, %.10g, is before the previous one", i + 1, list.count,
                 list.values[i]);
    }
}

static void read_arrivals(struct sim_reader *reader, struct sim_clauses *clauses)
{
    static const char *const known[] = {"poisson", "uniform", "every", "trace", "by"};
    struct sim_arrivals *const arrivals = clauses->arrivals;
    double interval;

    if (!sim_clauses_begin(reader, clauses)) {
        return;
    }
    arrivals->fixed = true;
    arrivals->kind = SIM_RENEWAL;
    switch (sim_read_keyword(reader, "kind of arrivals", known, COUNT(known))) {
    case 0:
        sim_clauses_kind(clauses, SIM_EXPONENTIAL);
        break;
    case 1:
        sim_clauses_kind(clauses, SIM_UNIFORM);
        break;
    case 2:
        interval = sim_read_number(reader, "an interval");
        sim_need(reader, interval > 0, "the interval %.10g is not above 0", interval);
        arrivals->interval = (struct sim_law){
            .kind = SIM_CONSTANT, .mean = interval, .low = interval, .high = interval};
        break;
    case 3:
        read_times(reader, arrivals);
        break;
    default: /* every arrival must be followed by a later one */
        sim_read_law(reader, &arrivals->interval);
        sim_need(reader, arrivals->interval.mean > 0,
                 "the mean interval of arrivals is not above 0");
    }
}

bool sim_read_clause(struct sim_reader *reader, struct sim_clauses *clauses)
{
    enum sim_amount amount = 0;

    if (sim_accept(reader, "arrivals")) {
        read_arrivals(reader, clauses);
        return true;
    }
    while (amount < SIM_AMOUNTS && !sim_accept(reader, amounts[amount])) {
        amount++;
    }
    if (amount == SIM_AMOUNTS) {
        return false;
    }
    sim_need_once(reader, clauses->has_amount, "how often it arrives");
    clauses->has_amount = true;
    clauses->amount = amount;
    if (amount == SIM_BY_OCCUPANCY || amount == SIM_BY_TOTAL) {
        clauses->value = sim_read_part(reader, "an occupancy");
    } else {
        clauses->value = sim_read_number(reader, amounts[amount]);
        sim_need(reader, clauses->value > 0, "the %s %.10g must be above 0", amounts[amount],
                 clauses->value);
    }
    return true;
}

void sim_clauses_finish(struct sim_reader *reader, struct sim_clauses *clauses, const char *name)
{
    struct sim_arrivals *const arrivals = clauses->arrivals;

    sim_need(reader, !clauses->needs_amount || clauses->has_amount,
             "the rate of arrivals of \"%s\" is missing: give rate or interval, or for a load "
             "occupancy or total",
             name);
    sim_need(reader, clauses->needs_amount || !clauses->has_amount,
             "the arrivals of \"%s\" already determine their rate", name);
    if (clauses->has_amount && clauses->amount <= SIM_BY_INTERVAL && !sim_failed(reader)) {
        sim_arrivals_of(arrivals,
                        arrivals->interval.kind == SIM_UNIFORM ? SIM_UNIFORM_ARRIVALS
                                                               : SIM_POISSON_ARRIVALS,
                        clauses->amount == SIM_BY_RATE ? 1 / clauses->value : clauses->value);
    }
}
