/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a model from a text or a file, in either form. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/text_mark.h"
#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/sim/model/model_reader.h"

#define TEXT_MAX (64UL << 20) /* bytes of a model: values of a series may be in it */

/* 100 us: the paper's pass is then 1.3 ms long, of which a processor of today notices its own work
 * as little as it did then. */
#define UNIT_NS_DEFAULT      100000
#define DELAY_FACTOR_DEFAULT 4

/* Does the first line that is no comment begin with a number, as the paper's input does? */
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

static bool make_model(struct sim_reader *reader, const struct sim_setting *settings,
                       size_t setting_count)
{
    struct sim_model *const model = reader->model;
    const bool is_paper = begins_with_number(reader->rest, reader->left);

    if (!sim_settings_begin(model, settings, setting_count, &reader->keeps_unit, reader->error) ||
        !(is_paper ? sim_read_paper(reader) : sim_read_named(reader)) ||
        !sim_settings_apply(model, settings, setting_count, reader->error)) {
        return false;
    }
    const struct sim_lines lines = sim_reader_lines(reader);

    return sim_model_settle(model, &lines, reader->error) &&
           sim_settings_finish(model, settings, setting_count, &lines, reader->error) &&
           sim_model_check(model, &lines, reader->error);
}

bool sim_model_read(struct sim_model *model, const char *text, size_t length, const char *folder,
                    const struct sim_setting *settings, size_t setting_count,
                    struct sim_model_error *error)
{
    struct sim_reader *const reader = alloc_zeroed(sizeof(*reader));

    *error = (struct sim_model_error){0};
    *model = (struct sim_model){
        .name = strdup("model"), .unit_ns = UNIT_NS_DEFAULT, .delay_factor = DELAY_FACTOR_DEFAULT};
    sim_reader_init(reader, model, text, length, folder, error);
    const bool made = make_model(reader, settings, setting_count);

    sim_reader_free(reader);
    free(reader);
    if (!made) {
        sim_model_free(model);
    }
    return made;
}

/* ---- files ---- */

/* All of it; NULL with errno set. */
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

/* The folder of a path, to be freed. */
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
    if (text == NULL) {
        sim_refuse(error, 0, "cannot read the file: %s", strerror(errno));
    }
    if (file != NULL && !is_standard) {
        fclose(file);
    }
    if (text != NULL && !text_take_mark(text, length)) {
        sim_refuse(error, 0, "the file is UTF-16: save it as UTF-8");
        free(text);
        return NULL;
    }
    return text;
}

bool sim_model_load(struct sim_model *model, const char *path, const struct sim_setting *settings,
                    size_t setting_count, struct sim_model_error *error)
{
    size_t length = 0;
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
