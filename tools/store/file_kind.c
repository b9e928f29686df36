/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/file_kind.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/shell_text.h"

#define HEAD          65536 /* bytes searched: firmware text may come before that of the image */
#define APPLICATION   68    /* offset of the application_id in an SQLite database, big endian */
#define DATABASE_HEAD 100

static const char database_mark[] = "SQLite format 3";
/* Start of the first META frame of a log (kernel/link/frame.h), in binary and in text format. */
static const char frame_mark[] = {0, 2, 20, 1};
static const char text_mark[] = "[#FAAA";
static const char picture_mark[] = "\x89PNG\r\n\x1a\n";

static enum file_kind of_database(const uint8_t *head, size_t length)
{
    if (length < DATABASE_HEAD) {
        return FILE_OTHER;
    }
    const uint8_t *id = head + APPLICATION;
    const uint32_t application =
        (uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3];

    return application == RUNFILE_APPLICATION_ID ? FILE_RUN
           : application == FLEET_APPLICATION_ID ? FILE_FLEET
                                                 : FILE_DATABASE;
}

enum file_kind file_kind_of(const char *path)
{
    static uint8_t head[HEAD];
    struct stat status;

    if (stat(path, &status) != 0) {
        return FILE_OTHER;
    }
    if (S_ISDIR(status.st_mode)) {
        return FILE_FOLDER;
    }
    FILE *file = S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;

    if (file == NULL) {
        return FILE_OTHER;
    }
    const size_t length = fread(head, 1, sizeof(head), file);

    fclose(file);
    if (length == 0) {
        return FILE_EMPTY;
    }
    if (length >= sizeof(database_mark) &&
        memcmp(head, database_mark, sizeof(database_mark)) == 0) {
        return of_database(head, length);
    }
    if (length >= strlen(picture_mark) && memcmp(head, picture_mark, strlen(picture_mark)) == 0) {
        return FILE_PICTURE;
    }
    return memmem(head, length, frame_mark, sizeof(frame_mark)) != NULL ||
                   memmem(head, length, text_mark, strlen(text_mark)) != NULL
               ? FILE_LOG
               : FILE_OTHER;
}

const char *file_kind_command(const char *path, const char *before, const char *after,
                              char text[FILE_KIND_MAX])
{
    char *word = shell_text(path);

    snprintf(text, FILE_KIND_MAX, "%s%s%s%s", path, before, word, after);
    free(word);
    return text;
}

const char *file_kind_no_run(const char *path, char text[FILE_KIND_MAX])
{
    /* Texts after the path, and after the path given a second time. */
    static const char *const words[][2] = {
        [FILE_OTHER] = {" is not a run file"},
        [FILE_FOLDER] = {" is a directory, not a run file"},
        [FILE_EMPTY] = {" is empty, not a run file"},
        [FILE_LOG] = {" is a serial log; run \"tare decode ", " -o RUN.db\""},
        [FILE_RUN] = {" is not a run file"},
        [FILE_FLEET] = {" is a fleet; run \"tare db extract ", " ID -o RUN.db\""},
        [FILE_PICTURE] = {" is a picture; run \"tare decode ", " -o RUN.db\""},
        [FILE_DATABASE] = {" is a database, but not a run file of tare"},
    };
    const char *const *at = words[file_kind_of(path)];

    if (at[1] != NULL) {
        return file_kind_command(path, at[0], at[1], text);
    }
    snprintf(text, FILE_KIND_MAX, "%s%s", path, at[0]);
    return text;
}
