/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/model/model_words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tools/base/spelling.h"

const struct sim_token *sim_peek(const struct sim_reader *reader)
{
    return reader->token < reader->token_count ? &reader->tokens[reader->token] : NULL;
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

/* ---- what could stand there ---- */

/* The nearest of the known words; NULL: none is near. */
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

/* "a, b, c", as far as there is room. */
static void list_words(char *text, size_t size, const char *const *known, size_t count)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && length < size; i++) {
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", known[i]);
    }
}

bool sim_unexpected(struct sim_reader *reader, const char *what, const char *const *known,
                    size_t count)
{
    const struct sim_token *const token = sim_peek(reader);
    const char *const near = token != NULL ? nearest(token->text, known, count) : NULL;
    char list[140];

    if (near != NULL) {
        return sim_reader_fail(reader, "unknown %s \"%.40s\"; did you mean \"%s\"?", what,
                               token->text, near);
    }
    list_words(list, sizeof(list), known, count);
    if (token == NULL) {
        return sim_reader_fail(reader, "the line ends where a %s should be%s%s", what,
                               count > 0 ? ": " : "", list);
    }
    return sim_reader_fail(reader, "unknown %s \"%.40s\"%s%s", what, token->text,
                           count > 0 ? ": must be one of " : "", list);
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
    return SIM_NONE;
}

/* ---- numbers and names ---- */

bool sim_read_number(struct sim_reader *reader, const char *what, double *value)
{
    const struct sim_token *const token = sim_peek(reader);

    if (token == NULL) {
        return sim_reader_fail(reader, "the line ends where %s should be", what);
    }
    if (token->quoted || !sim_number(token->text, NULL, value, NULL)) {
        return sim_reader_fail(reader, "\"%.40s\" is not a number: %s should be here", token->text,
                               what);
    }
    reader->token++;
    return true;
}

bool sim_read_part(struct sim_reader *reader, const char *what, double *value)
{
    const struct sim_token *const token = sim_peek(reader);
    bool is_percent = false;

    if (token == NULL || token->quoted || !sim_number(token->text, "%", value, &is_percent)) {
        return sim_reader_fail(reader, "%s%.40s%s where %s should be, such as 15%%",
                               token != NULL ? "\"" : "", token != NULL ? token->text : "nothing",
                               token != NULL ? "\"" : "", what);
    }
    if (is_percent) {
        *value /= 100;
    }
    if (*value < 0) {
        return sim_reader_fail(reader, "%s is below 0: %.40s", what, token->text);
    }
    if (!is_percent && *value > 1) {
        return sim_reader_fail(reader, "%s is %.40s: write %.40s%% if percent are meant", what,
                               token->text, token->text);
    }
    reader->token++;
    return true;
}

bool sim_read_name(struct sim_reader *reader, const char *what, const char **name)
{
    const struct sim_token *const token = sim_peek(reader);

    if (token == NULL || (!token->quoted && strcmp(token->text, ",") == 0)) {
        return sim_reader_fail(reader, "the name of a %s is missing", what);
    }
    const size_t length = strlen(token->text);

    if (length == 0 || length > SIM_NAME_MAX) {
        return sim_reader_fail(reader, "the name of a %s has %zu characters: 1 to %d are possible",
                               what, length, SIM_NAME_MAX);
    }
    for (size_t i = 0; i < length; i++) {
        const char letter = token->text[i];

        if (letter < ' ' || letter > '~' || strchr("@=\\", letter) != NULL) {
            return sim_reader_fail(reader,
                                   "the name of a %s is of ASCII characters, without @, = "
                                   "and \\",
                                   what);
        }
    }
    reader->token++;
    *name = token->text;
    return true;
}

bool sim_read_known(struct sim_reader *reader, const char *what, char *const *names, size_t count,
                    size_t *index)
{
    const struct sim_token *const token = sim_peek(reader);

    for (size_t i = 0; token != NULL && i < count; i++) {
        if (strcmp(token->text, names[i]) == 0) {
            reader->token++;
            *index = i;
            return true;
        }
    }
    return sim_unexpected(reader, what, (const char *const *)names, count);
}
