/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/convolve/convolution_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/sim/model/model_words.h"

/* Probabilities in decimals add to 1 within this. */
#define TOTAL_TOLERANCE 1e-6

struct text_reader {
    struct sim_reader words;
    struct sim_model model; /* of which the readers of laws need the unit */
    struct convolution *convolution;
    size_t lines[CONVOLUTION_PARTS]; /* where each delay is; 0: not yet */
};

/* ---- values and histograms ---- */

/* Braces and colons become words of their own, but in quotes and remarks. */
static bool space_out(struct sim_reader *words)
{
    char line[SIM_LINE_MAX + 1];
    size_t length = 0;
    bool quoted = false;

    for (const char *at = words->text; *at != '\0' && (quoted || *at != '#'); at++) {
        const bool is_mark = !quoted && strchr("{}:", *at) != NULL;

        if (length + 3 > SIM_LINE_MAX) {
            return sim_reader_fail(words, "the line is too long: use file or histogram");
        }
        quoted ^= *at == '"';
        if (is_mark) {
            line[length++] = ' ';
        }
        line[length++] = *at;
        if (is_mark) {
            line[length++] = ' ';
        }
    }
    line[length] = '\0';
    memcpy(words->text, line, length + 1);
    return true;
}

/* "0.25", "25%" or "1/4". */
static bool read_probability(struct sim_reader *words, double *value)
{
    const struct sim_token *const token = sim_peek(words);
    char *const slash = token != NULL && !token->quoted ? strchr(token->text, '/') : NULL;
    double parts;

    if (slash == NULL) {
        return sim_read_part(words, "a probability", value);
    }
    *slash = '\0';
    const bool is_fraction = sim_number(token->text, NULL, value, NULL) &&
                             sim_number(slash + 1, NULL, &parts, NULL) && parts > 0;

    *slash = '/';
    if (!is_fraction || *value < 0 || *value > parts) {
        return sim_reader_fail(words, "\"%.40s\" is not a probability, such as 1/4", token->text);
    }
    *value /= parts;
    words->token++;
    return true;
}

static bool read_value(struct sim_reader *words, struct convolution_part *part, double *total)
{
    char why[SIM_LAW_ERROR_MAX];
    struct sim_law law;
    double probability;
    double value;

    if (!sim_read_number(words, "a value", &value)) {
        return false;
    }
    if (!sim_accept(words, ":")) {
        return sim_reader_fail(words, "values are given as {VALUE: PROBABILITY, ...}");
    }
    if (!read_probability(words, &probability)) {
        return false;
    }
    if (!sim_law_constant(&law, value, why)) {
        return sim_reader_fail(words, "%s", why);
    }
    *total += probability;
    if (probability > 0) {
        convolution_add_term(part, probability, &law);
    }
    return true;
}

/* Behind "values {". */
static bool read_values(struct sim_reader *words, struct convolution_part *part)
{
    double total = 0;

    do {
        if (!read_value(words, part, &total)) {
            return false;
        }
    } while (sim_accept(words, ","));
    if (!sim_accept(words, "}")) {
        return sim_reader_fail(words, "a \"}\" is missing after the values");
    }
    return fabs(total - 1) <= TOTAL_TOLERANCE ||
           sim_reader_fail(words, "the probabilities add to %.10g, not to 1", total);
}

/* A class: FROM TO COUNT. */
static bool add_class(struct convolution_part *part, char *line, const char **why)
{
    double number[3];
    size_t count = 0;
    char *rest = line;
    char *word;
    char unused[SIM_LAW_ERROR_MAX];
    struct sim_law law;

    line[strcspn(line, "#\r")] = '\0';
    while ((word = strsep(&rest, " \t,")) != NULL) {
        if (*word != '\0' && (count == 3 || !sim_number(word, NULL, &number[count++], NULL))) {
            *why = "a class is three numbers: from, to, and how many";
            return false;
        }
    }
    if (count == 0) {
        return true;
    }
    *why = count < 3               ? "a class is three numbers: from, to, and how many"
           : number[2] < 0         ? "the number of a class is below 0"
           : number[0] < 0         ? "a class begins below 0"
           : number[0] > number[1] ? "a class ends before it begins"
                                   : NULL;
    if (*why != NULL || !sim_law_uniform(&law, number[0], number[1], unused)) {
        return false;
    }
    if (number[2] > 0) {
        convolution_add_term(part, number[2], &law);
    }
    return true;
}

static bool parse_histogram(struct sim_reader *words, const char *name, char *text, size_t length,
                            struct convolution_part *part)
{
    char *rest = text;
    size_t number = 0;
    char *line;

    if (memchr(text, '\0', length) != NULL) {
        return sim_reader_fail(words, "%.80s is not text", name);
    }
    while ((line = strsep(&rest, "\n")) != NULL) {
        const char *why = NULL;

        number++;
        if (!add_class(part, line, &why)) {
            return sim_reader_fail(words, "%.80s, line %zu: %s", name, number, why);
        }
    }
    return convolution_part_finish(part) ||
           sim_reader_fail(words, "the histogram %.80s is empty", name);
}

static bool read_histogram(struct sim_reader *words, struct convolution_part *part)
{
    const struct sim_token *const token = sim_peek(words);
    struct sim_model_error why = {0};
    size_t length = 0;
    char *path = NULL;

    if (token == NULL) {
        return sim_reader_fail(words, "the line ends where a file should be");
    }
    if (words->folder == NULL) {
        return sim_reader_fail(words,
                               "it names the file \"%.80s\", and there is no folder to "
                               "look in",
                               token->text);
    }
    if (asprintf(&path, "%s%s%s", token->text[0] == '/' ? "" : words->folder,
                 token->text[0] == '/' ? "" : "/", token->text) < 0) {
        return sim_reader_fail(words, "%.80s: out of memory", token->text);
    }
    char *text = sim_model_file(path, &length, &why);

    free(path);
    if (text == NULL) {
        return sim_reader_fail(words, "%.80s: %s", token->text, why.text);
    }
    size_t capacity = length;

    text = alloc_grow(text, &capacity, length + 1, 1);
    text[length] = '\0';
    words->token++;
    const bool parsed = parse_histogram(words, token->text, text, length, part);

    free(text);
    return parsed;
}

/* ---- delays ---- */

static bool read_simple(struct text_reader *reader, struct convolution_part *part)
{
    struct sim_reader *const words = &reader->words;
    const size_t start = words->token;
    struct sim_law law = {0};

    if (sim_accept(words, "values") && sim_accept(words, "{")) {
        return read_values(words, part);
    }
    words->token = start;
    if (sim_accept(words, "histogram")) {
        return read_histogram(words, part);
    }
    if (sim_accept(words, "series") && reader->convolution->unit_ns <= 0) {
        return sim_reader_fail(words, "a series of a run needs a unit of time: put a line such as "
                                      "unit 1us above");
    }
    words->token = start;
    if (!sim_read_law(words, &law)) {
        return false;
    }
    convolution_add_term(part, 1, &law);
    return true;
}

static void free_terms(struct convolution_part *part)
{
    for (size_t i = 0; i < part->count; i++) {
        sim_law_free(&part->terms[i].law);
    }
    free(part->terms);
    *part = (struct convolution_part){0};
}

/* Adds what is chosen with probability `weight`. */
static void join(struct convolution_part *part, struct convolution_part *chosen, double weight)
{
    if (weight > 0 && convolution_part_finish(chosen)) {
        for (size_t i = 0; i < chosen->count; i++) {
            convolution_add_term(part, weight * chosen->terms[i].weight, &chosen->terms[i].law);
            chosen->terms[i].law = (struct sim_law){0};
        }
    }
    free_terms(chosen);
}

/* LAW [with PART else LAW...] */
static bool read_mixture(struct text_reader *reader, struct convolution_part *part)
{
    struct sim_reader *const words = &reader->words;
    double left = 1;

    for (;;) {
        struct convolution_part chosen = {0};
        double share = 1;

        if (!read_simple(reader, &chosen) ||
            (sim_accept(words, "with") && !sim_read_part(words, "a part", &share))) {
            free_terms(&chosen);
            return false;
        }
        if (share > 1) {
            free_terms(&chosen);
            return sim_reader_fail(words, "the part is %.10g %%, more than 100 %%", share * 100);
        }
        join(part, &chosen, left * share);
        left *= 1 - share;
        if (!sim_accept(words, "else")) {
            return left == 0 || sim_reader_fail(words,
                                                "what is it with the other %.4g %%? Go on with: "
                                                "else LAW",
                                                left * 100);
        }
    }
}

static bool read_times(struct sim_reader *words, size_t *times)
{
    uint64_t value = 1;

    if (sim_accept(words, "times")) {
        const struct sim_token *const token = sim_peek(words);

        if (token == NULL || !sim_whole_number(token->text, 0, &value) ||
            value > CONVOLUTION_TIMES_MAX) {
            return sim_reader_fail(words, "after times comes a whole number from 0 to %d",
                                   CONVOLUTION_TIMES_MAX);
        }
        words->token++;
    }
    *times = (size_t)value;
    return true;
}

static bool read_unit(struct text_reader *reader)
{
    static const struct {
        const char *suffix;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    struct sim_reader *const words = &reader->words;
    const struct sim_token *const token = sim_peek(words);
    double value = 0;
    bool is_in = false;

    if (words->unit_used || reader->convolution->unit_ns > 0) {
        return sim_reader_fail(words, "the unit is given once, above the first series of a run");
    }
    for (size_t i = 0; token != NULL && i < sizeof(units) / sizeof(units[0]); i++) {
        if (sim_number(token->text, units[i].suffix, &value, &is_in) && is_in && value > 0) {
            words->token++;
            reader->model.unit_ns = value * units[i].ns;
            reader->convolution->unit_ns = value * units[i].ns;
            return true;
        }
    }
    return sim_reader_fail(words, "the unit is a time in ns, us, ms or s: unit 1us");
}

static bool read_line(struct text_reader *reader)
{
    static const char *const known[] = {"arrival",    "departure",  "transmission",
                                        "processing", "contention", "unit"};
    struct sim_reader *const words = &reader->words;
    const size_t role = sim_read_keyword(words, "delay", known, CONVOLUTION_PARTS + 1);

    if (role == SIM_NONE) {
        return false;
    }
    if (role == CONVOLUTION_PARTS) {
        return read_unit(reader);
    }
    struct convolution_part *part = &reader->convolution->part[role];

    if (reader->lines[role] > 0) {
        return sim_reader_fail(words,
                               "the %s delay stands in line %zu already: give sums a law "
                               "each, or write times N",
                               known[role], reader->lines[role]);
    }
    reader->lines[role] = words->line;
    return read_mixture(reader, part) && read_times(words, &part->times) &&
           (convolution_part_finish(part) || sim_reader_fail(words, "no law has any weight"));
}

static bool read_lines(struct text_reader *reader)
{
    struct sim_reader *const words = &reader->words;
    bool is_any = false;

    while (sim_reader_next(words)) {
        if (!space_out(words) || !sim_reader_tokens(words) || !read_line(reader)) {
            return false;
        }
        if (sim_peek(words) != NULL) {
            return sim_reader_fail(words, "\"%.40s\" should not be here: the line has ended",
                                   sim_peek(words)->text);
        }
    }
    for (size_t i = 0; i < CONVOLUTION_PARTS; i++) {
        is_any |= reader->lines[i] > 0;
    }
    return !words->failed &&
           (is_any || sim_reader_fail(words, "it names no delay: arrival, departure, transmission, "
                                             "processing or contention"));
}

bool convolution_read(struct convolution *convolution, const char *text, size_t length,
                      const char *folder, struct sim_model_error *error)
{
    struct text_reader *const reader = alloc_zeroed(sizeof(*reader));

    *error = (struct sim_model_error){0};
    convolution_init(convolution);
    reader->convolution = convolution;
    sim_reader_init(&reader->words, &reader->model, text, length, folder, error);
    const bool made = read_lines(reader);

    sim_reader_free(&reader->words);
    free(reader);
    if (!made) {
        convolution_free(convolution);
    }
    return made;
}

bool convolution_load(struct convolution *convolution, const char *path,
                      struct sim_model_error *error)
{
    const char *const slash = strrchr(path, '/');
    char *const folder = slash != NULL ? strndup(path, (size_t)(slash - path + 1)) : strdup(".");
    size_t length = 0;

    *error = (struct sim_model_error){0};
    *convolution = (struct convolution){0};
    char *const text = sim_model_file(path, &length, error);
    const bool made = text != NULL && convolution_read(convolution, text, length, folder, error);

    free(text);
    free(folder);
    return made;
}
