/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/parse_options.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "tools/base/spelling.h"
#include "tools/base/table.h"
#include "tools/base/texts.h"

#define WIDTH      80 /* columns of the help */
#define LEFT_MAX   24 /* an option longer than this has a line to itself in the help */
#define WORDS_MAX  64
#define SHOWN_MAX  80 /* longest option text that a message shows */
#define FOUND_NONE SIZE_MAX

/* A table in which nested tables are replaced by their lines. */
struct flat {
    const struct option_line *line[OPTIONS_MAX];
    bool seen[OPTIONS_MAX];
    size_t count;
};

static void flatten(struct flat *flat, const struct option_line *table)
{
    for (const struct option_line *line = table; line->name != NULL; line++) {
        if (line->kind == OPTION_TABLE) {
            flatten(flat, line->to.table);
            continue;
        }
        assert(flat->count < OPTIONS_MAX);
        flat->line[flat->count++] = line;
    }
}

static bool is_option(const struct option_line *line)
{
    return line->kind > OPTION_NONE && line->kind < OPTION_TABLE;
}

static bool takes_value(const struct option_line *line)
{
    return line->kind > OPTION_CHOICE && (line->kind != OPTION_CALL || line->argument != NULL ||
                                          line->words != NULL || line->word_at != NULL);
}

/* Returns an allowed value by index, or NULL after the last. */
static const char *word_at(const struct option_line *line, size_t index)
{
    return line->word_at != NULL ? line->word_at(index)
           : line->words != NULL ? line->words[index]
                                 : NULL;
}

static const struct option_line *find_kind(const struct flat *flat, enum option_kind kind)
{
    for (size_t i = 0; i < flat->count; i++) {
        if (flat->line[i]->kind == kind) {
            return flat->line[i];
        }
    }
    return NULL;
}

/* ---- messages ---- */

__attribute__((format(printf, 2, 3))) static bool refuse(char *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error, OPTION_ERROR_MAX, format, arguments);
    va_end(arguments);
    return false;
}

static const char *separator(size_t at, size_t count)
{
    return at == 0 ? "" : at + 1 == count ? " or " : ", ";
}

void options_unknown_word(const char *what, const char *given, size_t count,
                          const char *const *words, char error[OPTION_ERROR_MAX])
{
    struct spelling spelling;

    spelling_begin(&spelling, given);
    for (size_t i = 0; i < count; i++) {
        spelling_offer(&spelling, words[i]);
    }
    const char *meant = spelling_nearest(&spelling);

    if (meant != NULL) {
        refuse(error, "%s %s is unknown; did you mean %s?", what, given, meant);
        return;
    }
    refuse(error, "%s %s: must be ", what, given);
    for (size_t i = 0; i < count; i++) {
        text_append(error, OPTION_ERROR_MAX, "%s%s", separator(i, count), words[i]);
    }
}

/* ---- names ---- */

static bool refuse_name(const struct flat *flat, const char *name, size_t length, char *error)
{
    char shown[SHOWN_MAX];
    size_t count = 0;
    struct spelling spelling;

    snprintf(shown, sizeof(shown), "%.*s", (int)length, name);
    spelling_begin(&spelling, shown);
    refuse(error, "option --%s may be ", shown);
    for (size_t i = 0; i < flat->count; i++) {
        if (is_option(flat->line[i])) {
            spelling_offer(&spelling, flat->line[i]->name);
            if (strncmp(flat->line[i]->name, name, length) == 0) {
                text_append(error, OPTION_ERROR_MAX, "%s--%s", count++ > 0 ? " or " : "",
                            flat->line[i]->name);
            }
        }
    }
    if (count > 1 && length > 0) {
        text_append(error, OPTION_ERROR_MAX, ": write it out");
        return false;
    }
    const char *meant = spelling_nearest(&spelling);

    return meant != NULL ? refuse(error, "unknown option --%s; did you mean --%s?", shown, meant)
                         : refuse(error, "unknown option --%s", shown);
}

/* Returns the index of the option with this long name, or of the only option that begins with it.
 */
static size_t find_name(const struct flat *flat, const char *name, size_t length)
{
    size_t found = FOUND_NONE;
    size_t count = 0;

    for (size_t i = 0; i < flat->count; i++) {
        const char *known = flat->line[i]->name;

        if (is_option(flat->line[i]) && strncmp(known, name, length) == 0) {
            if (known[length] == '\0') {
                return i;
            }
            found = i;
            count++;
        }
    }
    return count == 1 && length > 0 ? found : FOUND_NONE;
}

static size_t find_letter(const struct flat *flat, char letter)
{
    for (size_t i = 0; i < flat->count; i++) {
        if (is_option(flat->line[i]) && flat->line[i]->letter == letter) {
            return i;
        }
    }
    return FOUND_NONE;
}

/* ---- values ---- */

static bool refuse_value(const struct option_line *line, const char *shown, const char *text,
                         char *error)
{
    if (line->expected != NULL) {
        return refuse(error, "%s %s: must be %s", shown, text, line->expected);
    }
    if (line->kind == OPTION_REAL) {
        return refuse(error, "%s %s: must be a number from %g to %g", shown, text, line->from,
                      line->up_to);
    }
    return refuse(error, "%s %s: must be a number from %" PRIu64 " to %" PRIu64, shown, text,
                  line->least, line->most);
}

static bool take_number(const struct option_line *line, const char *shown, const char *text,
                        char *error)
{
    uint64_t value;

    if (!parse_unsigned(text, &value) || value < line->least || value > line->most) {
        return refuse_value(line, shown, text, error);
    }
    if (line->kind == OPTION_UNSIGNED) {
        *line->to.number = (unsigned)value;
    } else {
        *line->to.wide = value;
    }
    return true;
}

static bool take_real(const struct option_line *line, const char *shown, const char *text,
                      char *error)
{
    char *end;
    const double value = strtod(text, &end);

    if (end == text || *end != '\0' || strchr(" \t\n\v\f\r", *text) != NULL ||
        !(value >= line->from && value <= line->up_to)) {
        return refuse_value(line, shown, text, error);
    }
    *line->to.real = value;
    return true;
}

static bool take_word(const struct option_line *line, const char *shown, const char *text,
                      char *error)
{
    const char *words[WORDS_MAX];
    size_t count = 0;

    for (; count < WORDS_MAX && (words[count] = word_at(line, count)) != NULL; count++) {
        if (strcmp(words[count], text) == 0) {
            *line->to.number = (unsigned)count;
            return true;
        }
    }
    options_unknown_word(shown, text, count, words, error);
    return false;
}

static bool take_call(const struct option_line *line, const char *shown, char *text, char *error)
{
    char why[OPTION_ERROR_MAX] = "";

    if (line->to.take(text, why)) {
        return true;
    }
    refuse(error, "%s%s", shown, why[0] == ':' ? "" : " ");
    text_append(error, OPTION_ERROR_MAX, "%s", why);
    return false;
}

/* Stores the value of an option. `shown` is the option as given, without its value. */
static bool take_value(const struct option_line *line, const char *shown, char *text, char *error)
{
    if (line->given != NULL) {
        *line->given = true;
    }
    switch (line->kind) {
    case OPTION_FLAG:
        *line->to.flag = line->most == 1;
        return true;
    case OPTION_CHOICE:
        *line->to.number = (unsigned)line->least;
        return true;
    case OPTION_TEXT:
        *line->to.text = text;
        return true;
    case OPTION_LIST:
        if (*line->count == line->most) {
            return refuse(error, "%s %s: may be given at most %" PRIu64 " times", shown, text,
                          line->most);
        }
        line->to.text[(*line->count)++] = text;
        return true;
    case OPTION_UNSIGNED:
    case OPTION_NUMBER:
        return take_number(line, shown, text, error);
    case OPTION_REAL:
        return take_real(line, shown, text, error);
    case OPTION_WORD:
        return take_word(line, shown, text, error);
    default:
        return take_call(line, shown, text, error);
    }
}

/* ---- combinations of options ---- */

/* Does the list "a b" contain the word? */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        const size_t here = strcspn(at, " ");

        if (here == length && strncmp(at, word, length) == 0) {
            return true;
        }
        at += here;
    }
    return false;
}

static bool refuse_missing(const struct option_line *line, char *error)
{
    size_t count = 0;
    size_t i = 0;

    for (const char *at = line->needs; *at != '\0'; at += strspn(at, " ")) {
        at += strcspn(at, " ");
        count++;
    }
    refuse(error, "--%s needs ", line->name);
    for (const char *at = line->needs; *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");

        text_append(error, OPTION_ERROR_MAX, "%s--%.*s", separator(i++, count), (int)length, at);
        at += length;
    }
    return false;
}

static bool check_pair(const struct flat *flat, const struct option_line *line, char *error)
{
    bool has_partner = line->needs == NULL;

    for (size_t i = 0; i < flat->count; i++) {
        if (flat->seen[i] && has_word(line->excludes, flat->line[i]->name)) {
            return refuse(error, "--%s and --%s exclude each other", line->name,
                          flat->line[i]->name);
        }
        has_partner = has_partner || (flat->seen[i] && has_word(line->needs, flat->line[i]->name));
    }
    return has_partner || refuse_missing(line, error);
}

static bool check_arguments(const struct flat *flat, const struct option_rest *rest, char *error)
{
    const struct option_line *line = find_kind(flat, OPTION_ARGUMENTS);

    if (line == NULL) {
        return rest->count == 0 || refuse(error, "unexpected argument %s", rest->arguments[0]);
    }
    if (rest->count < line->least) {
        return line->least == 1 ? refuse(error, "no %s given", line->name)
                                : refuse(error, "%" PRIu64 " %ss expected, got %zu", line->least,
                                         line->name, rest->count);
    }
    if (rest->count > line->most) {
        return line->most == 1 ? refuse(error, "more than one %s given: %s and %s", line->name,
                                        rest->arguments[0], rest->arguments[1])
                               : refuse(error, "at most %" PRIu64 " %ss expected, got %zu",
                                        line->most, line->name, rest->count);
    }
    return true;
}

static bool check_all(const struct flat *flat, const struct option_rest *rest, char *error)
{
    for (size_t i = 0; i < flat->count; i++) {
        if (flat->seen[i] && flat->line[i]->alone) {
            return true;
        }
    }
    for (size_t i = 0; i < flat->count; i++) {
        if (flat->seen[i] && !check_pair(flat, flat->line[i], error)) {
            return false;
        }
    }
    if (!check_arguments(flat, rest, error)) {
        return false;
    }
    for (size_t i = 0; i < flat->count; i++) {
        const struct option_line *line = flat->line[i];

        if (line->required && !flat->seen[i]) {
            return refuse(error, "no %s given: add -%c %s", line->name, line->letter,
                          line->argument);
        }
    }
    return true;
}

/* ---- parsing ---- */

struct parse {
    struct flat flat;
    char **argv;
    int argc, at;
    char *error;
};

/* Parses an option and, if its value is the next argument, that argument. */
static bool parse_option(struct parse *parse)
{
    char *given = parse->argv[parse->at++];
    const bool is_long = given[1] == '-';
    char *name = given + (is_long ? 2 : 1);
    const size_t length = is_long ? strcspn(name, "=") : 1;
    const size_t found =
        is_long ? find_name(&parse->flat, name, length) : find_letter(&parse->flat, *name);
    char *attached = name + length;
    char shown[SHOWN_MAX];

    if (found == FOUND_NONE) {
        return is_long ? refuse_name(&parse->flat, name, length, parse->error)
                       : refuse(parse->error, "unknown option %s", given);
    }
    const struct option_line *line = parse->flat.line[found];

    snprintf(shown, sizeof(shown), "%s%.*s", is_long ? "--" : "-", is_long ? SHOWN_MAX : 1,
             is_long ? line->name : name);
    parse->flat.seen[found] = true;
    if (!takes_value(line)) {
        return *attached == '\0' ? take_value(line, shown, NULL, parse->error)
                                 : refuse(parse->error, "option %s takes no value", shown);
    }
    if (*attached != '\0') {
        return take_value(line, shown, attached + (is_long ? 1 : 0), parse->error);
    }
    return parse->at < parse->argc ? take_value(line, shown, parse->argv[parse->at++], parse->error)
                                   : refuse(parse->error, "option %s needs a value", shown);
}

bool options_parse(const struct option_line *table, int argc, char **argv, bool leading,
                   struct option_rest *rest, char error[OPTION_ERROR_MAX])
{
    struct parse parse = {.argv = argv, .argc = argc, .at = 1, .error = error};
    bool ended = false;

    *rest = (struct option_rest){.arguments = argv + 1};
    flatten(&parse.flat, table);
    const bool keeps_rest = find_kind(&parse.flat, OPTION_REST) != NULL;

    while (parse.at < argc) {
        char *text = argv[parse.at];

        if (!ended && strcmp(text, "--") == 0 && !leading) {
            parse.at++;
            ended = true;
            rest->has_rest = keeps_rest;
            if (keeps_rest) {
                break;
            }
        } else if (!ended && text[0] == '-' && text[1] != '\0') {
            if (!parse_option(&parse)) {
                return false;
            }
        } else {
            ended = ended || leading;
            rest->arguments[rest->count++] = text;
            parse.at++;
        }
    }
    rest->rest = argv + parse.at;
    rest->rest_count = (size_t)(argc - parse.at);
    return leading || check_all(&parse.flat, rest, error);
}

/* ---- help ---- */

/* Writes the left column of the help, such as "  -o, --output RUN.db". */
static void make_left(const struct option_line *line, char left[OPTION_ERROR_MAX])
{
    const bool has_words = line->argument == NULL && word_at(line, 0) != NULL;

    left[0] = '\0';
    if (line->kind == OPTION_ARGUMENTS || line->kind == OPTION_REST) {
        text_append(left, OPTION_ERROR_MAX, "  %s", line->argument);
        return;
    }
    if (line->letter != 0) {
        text_append(left, OPTION_ERROR_MAX, "  -%c, --%s", line->letter, line->name);
    } else {
        text_append(left, OPTION_ERROR_MAX, "  --%s", line->name);
    }
    if (line->argument != NULL || has_words) {
        text_append(left, OPTION_ERROR_MAX, " %s", has_words ? word_at(line, 0) : line->argument);
    }
    for (size_t i = 1; has_words && word_at(line, i) != NULL; i++) {
        text_append(left, OPTION_ERROR_MAX, "|%s", word_at(line, i));
    }
}

void options_help(FILE *out, const struct option_line *table)
{
    struct flat flat = {.count = 0};
    char left[OPTION_ERROR_MAX];
    size_t column = 0;

    flatten(&flat, table);
    for (size_t i = 0; i < flat.count; i++) {
        make_left(flat.line[i], left);
        if (flat.line[i]->help != NULL && strlen(left) <= LEFT_MAX && strlen(left) + 2 > column) {
            column = strlen(left) + 2;
        }
    }
    for (size_t i = 0; i < flat.count; i++) {
        if (flat.line[i]->kind == OPTION_NONE) {
            fputs(i > 0 ? "\n" : "", out);
            print_wrapped_at(out, flat.line[i]->name, 0, 0, WIDTH);
        } else if (flat.line[i]->help != NULL) {
            make_left(flat.line[i], left);
            fputs(left, out);
            if (strlen(left) + 2 > column) {
                fputc('\n', out);
                left[0] = '\0';
            }
            fprintf(out, "%*s", (int)(column - strlen(left)), "");
            print_wrapped_at(out, flat.line[i]->help, column, column, WIDTH);
        }
    }
}

/* ---- completion ---- */

/* Prints the allowed values that begin with `text`. For a list, completes the last item and keeps
 * the items before it. */
static void complete_value(FILE *out, const struct option_line *line, const char *text)
{
    const char *comma = line->comma ? strrchr(text, ',') : NULL;
    const char *begun = comma != NULL ? comma + 1 : text;
    const char *word;

    for (size_t i = 0; (word = word_at(line, i)) != NULL; i++) {
        if (strncmp(word, begun, strlen(begun)) == 0) {
            fprintf(out, "%.*s%s\n", (int)(begun - text), text, word);
        }
    }
}

static void complete_name(FILE *out, const struct flat *flat, const char *text)
{
    for (size_t i = 0; i < flat->count; i++) {
        const struct option_line *line = flat->line[i];

        if (is_option(line) && (!flat->seen[i] || line->repeats) &&
            strncmp(line->name, text + 2, strlen(text) > 2 ? strlen(text) - 2 : 0) == 0) {
            fprintf(out, "--%s\n", line->name);
        }
    }
}

void options_complete(FILE *out, const struct option_line *table, size_t count,
                      const char *const *words)
{
    struct flat flat = {.count = 0};
    const struct option_line *waiting = NULL; /* the option whose value comes next */

    flatten(&flat, table);
    for (size_t i = 0; i + 1 < count; i++) {
        /* bash passes "=" as a separate word */
        if (waiting != NULL && strcmp(words[i], "=") != 0) {
            waiting = NULL;
            continue;
        }
        if (waiting != NULL || words[i][0] != '-' || words[i][1] == '\0') {
            continue;
        }
        if (strcmp(words[i], "--") == 0) {
            return;
        }
        const size_t found = words[i][1] == '-'
                                 ? find_name(&flat, words[i] + 2, strlen(words[i] + 2))
                                 : find_letter(&flat, words[i][1]);

        if (found != FOUND_NONE) {
            flat.seen[found] = true;
            waiting = takes_value(flat.line[found]) ? flat.line[found] : NULL;
        }
    }
    const char *last = words[count - 1];

    if (waiting != NULL) {
        complete_value(out, waiting, strcmp(last, "=") == 0 ? "" : last);
    } else if (last[0] == '-') {
        complete_name(out, &flat, last);
    } else if (find_kind(&flat, OPTION_ARGUMENTS) != NULL) {
        complete_value(out, find_kind(&flat, OPTION_ARGUMENTS), last);
    }
}
