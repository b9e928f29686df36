/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/model/model_reader.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernel/plan/text_mark.h"
#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/base/spelling.h"

/* ---- errors ---- */

__attribute__((format(printf, 3, 0))) static void
keep_error(struct sim_model_error *error, size_t line, const char *format, va_list arguments)
{
    if (!sim_refused(error)) {
        error->line = line;
        vsnprintf(error->text, sizeof(error->text), format, arguments);
    }
}

bool sim_require(struct sim_model_error *error, size_t line, bool holds, const char *format, ...)
{
    va_list arguments;

    if (!holds) {
        va_start(arguments, format);
        keep_error(error, line, format, arguments);
        va_end(arguments);
    }
    return holds;
}

bool sim_need(struct sim_reader *reader, bool holds, const char *format, ...)
{
    va_list arguments;

    if (!holds) {
        va_start(arguments, format);
        keep_error(reader->error, reader->line, format, arguments);
        va_end(arguments);
    }
    return holds;
}

const char *sim_quoted(const char *word, char text[SIM_QUOTED_MAX])
{
    if (word == NULL) {
        return "nothing";
    }
    snprintf(text, SIM_QUOTED_MAX, "\"%.40s\"", word);
    return text;
}

/* ---- lines ---- */

/* Takes the next line, without its end. Returns false if there is none. */
static bool take_line(struct sim_reader *reader, const char **line, size_t *length)
{
    if (reader->left == 0) {
        return false;
    }
    const char *const end = memchr(reader->rest, '\n', reader->left);

    *line = reader->rest;
    *length = end != NULL ? (size_t)(end - reader->rest) : reader->left;
    const size_t taken = end != NULL ? *length + 1 : *length;

    reader->rest += taken;
    reader->left -= taken;
    reader->line++;
    if (*length > 0 && (*line)[*length - 1] == '\r') {
        --*length;
    }
    return true;
}

static bool check_characters(struct sim_reader *reader, const char *line, size_t length)
{
    bool good = sim_need(reader, length <= SIM_LINE_MAX,
                         "the line has %zu characters, more than %d: continue in a second line",
                         length, SIM_LINE_MAX);

    for (size_t i = 0; good && i < length; i++) {
        const unsigned char byte = (unsigned char)line[i];

        good = sim_need(reader, (byte >= ' ' || byte == '\t') && byte != 0x7f,
                        "there is a control character (0x%02x): the file may not be text", byte);
    }
    return good;
}

bool sim_reader_next(struct sim_reader *reader)
{
    const char *line = NULL;
    size_t length = 0;

    while (!sim_failed(reader) && take_line(reader, &line, &length) &&
           check_characters(reader, line, length)) {
        memcpy(reader->text, line, length);
        reader->text[length] = '\0';
        const char first = reader->text[strspn(reader->text, " \t")];

        if (first != '\0' && first != '#') {
            return true;
        }
    }
    return false;
}

/* ---- numbers ---- */

bool sim_number(const char *text, const char *suffix, double *value, bool *has_suffix)
{
    const size_t length = strspn(text, "+-.0123456789eE");
    char *end;

    if (length == 0 || strchr("eE", *text) != NULL) {
        return false; /* rejects inf and nan too */
    }
    const double number = strtod(text, &end);
    const bool has = suffix != NULL && strcmp(end, suffix) == 0 && *suffix != '\0';

    if (end == text || (*end != '\0' && !has) || !(fabs(number) <= SIM_NUMBER_MOST) ||
        memchr(text, 'x', (size_t)(end - text)) != NULL ||
        memchr(text, 'X', (size_t)(end - text)) != NULL) {
        return false;
    }
    if (has_suffix != NULL) {
        *has_suffix = has;
    }
    *value = number;
    return number == 0 || fabs(number) >= SIM_NUMBER_LEAST;
}

/* ---- parts of a model ---- */

struct sim_load *sim_reader_add_load(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    model->loads = alloc_append(model->loads, &model->load_count, &reader->load_capacity,
                                sizeof(*model->loads));
    model->loads[model->load_count - 1].line = reader->line;
    return &model->loads[model->load_count - 1];
}

struct sim_stimulus *sim_reader_add_stimulus(struct sim_reader *reader)
{
    struct sim_model *const model = reader->model;

    model->stimuli = alloc_append(model->stimuli, &model->stimulus_count,
                                  &reader->stimulus_capacity, sizeof(*model->stimuli));
    model->stimuli[model->stimulus_count - 1].line = reader->line;
    reader->stop_capacity = 0;
    return &model->stimuli[model->stimulus_count - 1];
}

struct sim_stop *sim_reader_add_stop(struct sim_reader *reader)
{
    struct sim_stimulus *const last = &reader->model->stimuli[reader->model->stimulus_count - 1];

    return ALLOC_NEXT(last->stops, last->stop_count, reader->stop_capacity);
}

/* ---- words of a line ---- */

const struct sim_token *sim_peek(const struct sim_reader *reader)
{
    return !sim_failed(reader) && reader->token < reader->token_count
               ? &reader->tokens[reader->token]
               : NULL;
}

bool sim_accept(struct sim_reader *reader, const char *keyword)
{
    const struct sim_token *const token = sim_peek(reader);

    if (token == NULL || token->quoted || strcasecmp(token->text, keyword) != 0) {
        return false;
    }
    reader->token++;
    return true;
}

bool sim_at_number(const struct sim_reader *reader)
{
    const struct sim_token *const token = sim_peek(reader);

    return token != NULL && !token->quoted && strchr("+-.0123456789", token->text[0]) != NULL;
}

/* ---- suggestions ---- */

/* Returns the nearest of the known words, or NULL if none is near. */
static const char *nearest(const char *word, const char *const *known, size_t count)
{
    const char *best = NULL;
    size_t least = SPELLING_NEAR + 1;

    for (size_t i = 0; i < count; i++) {
        const size_t distance =
            strcasecmp(word, known[i]) == 0 ? 0 : spelling_distance(word, known[i]);

        if (distance < least && distance < strlen(known[i])) {
            least = distance;
            best = known[i];
        }
    }
    return best;
}

/* Writes "a, b, c", as far as there is space. */
static void list_words(char *text, size_t size, const char *const *known, size_t count)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && length < size; i++) {
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", known[i]);
    }
}

void sim_unexpected(struct sim_reader *reader, const char *what, const char *const *known,
                    size_t count)
{
    const struct sim_token *const token = sim_peek(reader);
    const char *const near = token != NULL ? nearest(token->text, known, count) : NULL;
    char list[140];

    list_words(list, sizeof(list), known, count);
    if (token == NULL) {
        sim_need(reader, false, "the line ends where a %s is expected%s%s", what,
                 count > 0 ? ": " : "", list);
    } else if (near != NULL) {
        sim_need(reader, false, "unknown %s \"%.40s\"; did you mean \"%s\"?", what, token->text,
                 near);
    } else {
        sim_need(reader, false, "unknown %s \"%.40s\"%s%s", what, token->text,
                 count > 0 ? ": must be one of " : "", list);
    }
}

size_t sim_read_keyword(struct sim_reader *reader, const char *what, const char *const *known,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (sim_accept(reader, known[i])) {
            return i;
        }
    }
    sim_unexpected(reader, what, known, count);
    return 0;
}

/* ---- numbers and names ---- */

double sim_read_number(struct sim_reader *reader, const char *what)
{
    const struct sim_token *const token = sim_peek(reader);
    double value = 0;

    if (token == NULL) {
        sim_need(reader, false, "the line ends where %s is expected", what);
    } else if (sim_need(reader, !token->quoted && sim_number(token->text, NULL, &value, NULL),
                        "\"%.40s\" is not a number: %s should be here", token->text, what)) {
        reader->token++;
    }
    return value;
}

uint64_t sim_read_whole(struct sim_reader *reader, uint64_t least, uint64_t most,
                        const char *format, ...)
{
    const struct sim_token *const token = sim_peek(reader);
    double value = 0;
    va_list arguments;

    if (token == NULL || !sim_number(token->text, NULL, &value, NULL) || value < (double)least ||
        value > (double)most || value != floor(value)) {
        va_start(arguments, format);
        keep_error(reader->error, reader->line, format, arguments);
        va_end(arguments);
        return least;
    }
    reader->token++;
    return (uint64_t)value;
}

double sim_read_part(struct sim_reader *reader, const char *what)
{
    const struct sim_token *const token = sim_peek(reader);
    char word[SIM_QUOTED_MAX];
    bool is_percent = false;
    double value = 0;

    if (!sim_need(reader,
                  token != NULL && !token->quoted &&
                      sim_number(token->text, "%", &value, &is_percent),
                  "%s: expected %s, such as 15%%",
                  sim_quoted(token != NULL ? token->text : NULL, word), what)) {
        return 0;
    }
    value /= is_percent ? 100 : 1;
    sim_need(reader, value >= 0, "%s is below 0: %.40s", what, token->text);
    sim_need(reader, is_percent || value <= 1, "%s is %.40s: write %.40s%% if per cent are meant",
             what, token->text, token->text);
    reader->token++;
    return value;
}

const char *sim_read_name(struct sim_reader *reader, const char *what)
{
    const struct sim_token *const token = sim_peek(reader);

    if (!sim_need(reader, token != NULL && (token->quoted || strcmp(token->text, ",") != 0),
                  "the name of a %s is missing", what)) {
        return "";
    }
    const size_t length = strlen(token->text);

    sim_need(reader, length > 0 && length <= SIM_NAME_MAX,
             "the name of a %s has %zu characters: it must have 1 to %d", what, length,
             SIM_NAME_MAX);
    for (size_t i = 0; i < length; i++) {
        const char letter = token->text[i];

        sim_need(reader, letter >= ' ' && letter <= '~' && strchr("@=\\", letter) == NULL,
                 "the name of a %s must consist of ASCII characters, without @, = and \\", what);
    }
    reader->token++;
    return token->text;
}

size_t sim_read_known(struct sim_reader *reader, const char *what, char *const *names, size_t count)
{
    const struct sim_token *const token = sim_peek(reader);
    const size_t found =
        token != NULL ? sim_find(names, count, sizeof(*names), token->text) : SIM_NONE;

    if (found == SIM_NONE) {
        sim_unexpected(reader, what, (const char *const *)names, count);
        return 0;
    }
    reader->token++;
    return found;
}

/* Reads a model from a text or a file, in either form. */

/* largest size of a model in bytes, which may include the values of a series */
#define TEXT_MAX (64UL << 20)

/* 100 us: the paper's pass then takes 1.3 ms, so that on a current processor the simulation's
 * overhead is as negligible as it was then. */
#define UNIT_NS_DEFAULT      100000
#define DELAY_FACTOR_DEFAULT 4

/* Returns whether the first line that is not a comment begins with a number, as the paper's input
 * does. */
static bool begins_with_number(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        while (at < length && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') {
            at++;
        }
        if (at == length || text[at] != '#') {
            break;
        }
        const char *const end = memchr(text + at, '\n', length - at);

        at = end != NULL ? (size_t)(end - text) : length;
    }
    return at < length && text[at] != '\0' && strchr("+-.0123456789", text[at]) != NULL;
}

bool sim_model_read(struct sim_model *model, const char *text, size_t length, const char *folder,
                    const struct sim_setting *settings, size_t setting_count,
                    struct sim_model_error *error)
{
    struct sim_reader *const reader = alloc_zeroed(sizeof(*reader));

    *error = (struct sim_model_error){0};
    *model = (struct sim_model){
        .name = strdup("model"), .unit_ns = UNIT_NS_DEFAULT, .delay_factor = DELAY_FACTOR_DEFAULT};
    *reader = (struct sim_reader){
        .model = model, .error = error, .folder = folder, .rest = text, .left = length};
    reader->keeps_unit = sim_settings_begin(model, settings, setting_count, error);
    if (begins_with_number(text, length)) {
        sim_read_paper(reader);
    } else {
        sim_read_named(reader);
    }
    sim_settings_apply(model, settings, setting_count, error);
    const size_t last = reader->line;
    bool made = sim_model_settle(model, last, error);

    if (sim_settings_finish(model, settings, setting_count, error)) {
        made = sim_model_settle(model, last, error);
    }
    made = made && sim_model_check(model, last, error);
    for (size_t i = 0; i < reader->values_count; i++) {
        free(reader->values[i].name);
        free(reader->values[i].values);
    }
    free(reader->values);
    free(reader);
    if (!made) {
        sim_model_free(model);
    }
    return made;
}

/* ---- files ---- */

/* Reads the whole file. Returns NULL with errno set on failure. */
static char *read_all(FILE *file, size_t *length)
{
    size_t capacity = 0;
    char *text = NULL;

    *length = 0;
    do {
        text = alloc_grow(text, &capacity, *length + 65536, 1);
        *length += fread(text + *length, 1, 65536, file);
    } while (!feof(file) && !ferror(file) && *length <= TEXT_MAX);
    if (ferror(file) || *length > TEXT_MAX) {
        errno = ferror(file) ? errno : EFBIG;
        free(text);
        return NULL;
    }
    return text;
}

/* Returns the folder of a path, which the caller frees. */
static char *folder_of(const char *path)
{
    const char *const slash = strrchr(path, '/');

    if (slash == NULL) {
        return strdup(".");
    }
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

char *sim_model_file(const char *path, size_t *length, struct sim_model_error *error)
{
    const bool is_standard = strcmp(path, "-") == 0;
    FILE *const file = is_standard ? stdin : fopen(path, "rb");
    char *const text = file != NULL ? read_all(file, length) : NULL;

    if (!is_standard) {
        partial_file_protect(path);
    }
    sim_require(error, 0, text != NULL, "cannot read the file: %s", strerror(errno));
    if (file != NULL && !is_standard) {
        fclose(file);
    }
    if (text != NULL && !sim_require(error, 0, text_take_mark(text, length),
                                     "the file is UTF-16: save it as UTF-8")) {
        free(text);
        return NULL;
    }
    return text;
}

bool sim_model_load(struct sim_model *model, const char *path, const struct sim_setting *settings,
                    size_t setting_count, struct sim_model_error *error)
{
    size_t length = 0;

    *error = (struct sim_model_error){0};
    char *const text = sim_model_file(path, &length, error);

    if (text == NULL) {
        *model = (struct sim_model){0};
        return false;
    }
    char *const folder = folder_of(path);
    const bool made = sim_model_read(model, text, length, folder, settings, setting_count, error);

    if (made && strcmp(path, "-") != 0) {
        const char *const slash = strrchr(path, '/');

        free(model->name);
        model->name = strdup(slash != NULL ? slash + 1 : path);
    }
    free(folder);
    free(text);
    return made;
}
