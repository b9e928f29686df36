/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/export_directory.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/export/ctf_writer.h"
#include "tools/figure/figure_values.h"

#define TEMPORARY_PREFIX ".tare-export."
#define START_BYTES      128 /* bytes at the start of a PNG that contain its mark */
#define REMOVE_FILES     16  /* open at a time */

/* names inside the temporary directory */
static const char new_part[] = "new";
static const char old_part[] = "old";

/* Writes "A/B" or "A/B/C". Returns false if it is too long. */
static bool join(char path[EXPORT_PATH_MAX], const char *first, const char *second,
                 const char *third)
{
    const int length = snprintf(path, EXPORT_PATH_MAX, "%s/%s%s%s", first, second,
                                third != NULL ? "/" : "", third != NULL ? third : "");

    if ((size_t)length >= EXPORT_PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

static bool fail(char error[EXPORT_ERROR_MAX], const char *verb, const char *path)
{
    snprintf(error, EXPORT_ERROR_MAX, "cannot %s %.300s: %s", verb, path, strerror(errno));
    return false;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool is_temporary(const char *name)
{
    return strncmp(name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) == 0;
}

/* Calls `look` with each name. Stops and returns false if `look` does. */
static bool each_entry(const char *path, bool (*look)(void *context, const char *name),
                       void *context)
{
    DIR *directory = opendir(path);
    bool go_on = directory != NULL;

    while (go_on) {
        const struct dirent *entry = readdir(directory);

        if (entry == NULL) {
            break;
        }
        go_on = is_dots(entry->d_name) || look(context, entry->d_name);
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return go_on;
}

/* ---- former exports ---- */

static bool is_kernel(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "kernel") == 0;
}

static bool is_trace_file(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "metadata") == 0 ||
           strncmp(name, CTF_STREAM_PREFIX, strlen(CTF_STREAM_PREFIX)) == 0;
}

static bool is_own_screen(const char *path)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    static const char mark[] = EXPORT_SCREEN_KEY "\0" EXPORT_SCREEN_TEXT;
    char start[START_BYTES];
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return false;
    }
    const size_t length = fread(start, 1, sizeof(start), file);

    fclose(file);
    return length >= 8 && memcmp(start, signature, 8) == 0 &&
           memmem(start, length, mark, sizeof(mark) - 1) != NULL;
}

static bool is_former(enum export_layout layout, const char *path, const char *name)
{
    char whole[EXPORT_PATH_MAX];
    char metadata[EXPORT_PATH_MAX];

    if (!join(whole, path, name, NULL)) {
        return false;
    }
    if (layout == EXPORT_FIGURES) {
        return figure_values_is_own(whole);
    }
    if (layout == EXPORT_SCREENS) {
        return is_own_screen(whole);
    }
    if (!each_entry(whole, is_kernel, NULL)) {
        return false;
    }
    return join(whole, path, name, "kernel") && each_entry(whole, is_trace_file, NULL) &&
           join(metadata, whole, "metadata", NULL) && ctf_is_own_metadata(metadata);
}

struct look {
    enum export_layout layout;
    const char *path;
    char *error;
};

static bool is_own(void *context, const char *name)
{
    const struct look *look = context;

    if (is_temporary(name) || is_former(look->layout, look->path, name)) {
        return true;
    }
    snprintf(look->error, EXPORT_ERROR_MAX,
             "%.200s holds \"%.100s\", which is not an earlier export; name a separate directory, "
             "or give --force to keep it and write next to it",
             look->path, name);
    return false;
}

/* ---- removal ---- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *position)
{
    (void)status;
    (void)kind;
    (void)position;
    return remove(path);
}

static void remove_tree(const char *path)
{
    nftw(path, remove_one, REMOVE_FILES, FTW_DEPTH | FTW_PHYS);
}

/* Removes the temporary directory of an export that was killed. */
static bool remove_stale(void *context, const char *name)
{
    const struct export_directory *directory = context;
    char path[EXPORT_PATH_MAX];

    if (is_temporary(name) && join(path, directory->path, name, NULL)) {
        remove_tree(path);
    }
    return true;
}

/* ---- beginning and end ---- */

static bool make_temporary(struct export_directory *directory, char error[EXPORT_ERROR_MAX])
{
    char path[EXPORT_PATH_MAX];

    if (!join(directory->temporary, directory->path, TEMPORARY_PREFIX "XXXXXX", NULL) ||
        mkdtemp(directory->temporary) == NULL) {
        fail(error, "write in", directory->path);
        directory->temporary[0] = '\0';
        return false;
    }
    if (!join(path, directory->temporary, new_part, NULL) || mkdir(path, 0777) != 0 ||
        !join(path, directory->temporary, old_part, NULL) || mkdir(path, 0777) != 0) {
        return fail(error, "make", path);
    }
    return true;
}

bool export_directory_open(struct export_directory *directory, const char *path,
                           enum export_layout layout, bool beside, char error[EXPORT_ERROR_MAX])
{
    struct look look = {layout, path, error};

    *directory = (struct export_directory){.path = path, .layout = layout};
    if (mkdir(path, 0777) == 0) {
        directory->created = true;
    } else if (errno != EEXIST) {
        return fail(error, "make", path);
    }
    error[0] = '\0';
    if (!beside && !each_entry(path, is_own, &look)) {
        return error[0] != '\0' ? false : fail(error, "read", path);
    }
    each_entry(path, remove_stale, directory);
    if (!make_temporary(directory, error)) {
        export_directory_discard(directory);
        return false;
    }
    return true;
}

void export_directory_discard(struct export_directory *directory)
{
    if (directory->temporary[0] != '\0') {
        remove_tree(directory->temporary);
        directory->temporary[0] = '\0';
    }
    if (directory->created) {
        rmdir(directory->path);
    }
}

bool export_directory_add(struct export_directory *directory, const char *name,
                          char path[EXPORT_PATH_MAX], char error[EXPORT_ERROR_MAX])
{
    char inside[EXPORT_PATH_MAX];

    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL) {
        snprintf(error, EXPORT_ERROR_MAX, "\"%.100s\": a file in a directory cannot have that name",
                 name);
        return false;
    }
    if (!join(path, directory->path, name, NULL) ||
        (access(path, F_OK) == 0 && !is_former(directory->layout, directory->path, name))) {
        snprintf(error, EXPORT_ERROR_MAX,
                 "%.400s is not an earlier export: move it, or use another directory", path);
        return false;
    }
    if (!join(inside, directory->temporary, new_part, name)) {
        return fail(error, "make", path);
    }
    if (directory->layout != EXPORT_TRACES) {
        memcpy(path, inside, sizeof(inside));
        return true;
    }
    if (mkdir(inside, 0777) != 0 || !join(path, inside, "kernel", NULL) || mkdir(path, 0777) != 0) {
        return fail(error, "make", inside);
    }
    return true;
}

/* ---- putting in place ---- */

struct move {
    const struct export_directory *directory;
    const char *from;
    const char *to;
    /* Move only earlier exports; without `all`, only those that have a new one of the same name. */
    bool former_only;
    bool all;
};

static bool is_new(const struct export_directory *directory, const char *name)
{
    char path[EXPORT_PATH_MAX];

    return join(path, directory->temporary, new_part, name) && access(path, F_OK) == 0;
}

static bool move_one(void *context, const char *name)
{
    const struct move *move = context;
    char from[EXPORT_PATH_MAX];
    char to[EXPORT_PATH_MAX];

    if (move->former_only &&
        (is_temporary(name) || !is_former(move->directory->layout, move->from, name) ||
         !(move->all || is_new(move->directory, name)))) {
        return true;
    }
    return join(from, move->from, name, NULL) && join(to, move->to, name, NULL) &&
           rename(from, to) == 0;
}

bool export_directory_commit(struct export_directory *directory, bool all,
                             char error[EXPORT_ERROR_MAX])
{
    char new[EXPORT_PATH_MAX];
    char old[EXPORT_PATH_MAX];

    if (!join(new, directory->temporary, new_part, NULL) ||
        !join(old, directory->temporary, old_part, NULL)) {
        return fail(error, "write in", directory->path);
    }
    struct move away = {directory, directory->path, old, true, all};
    struct move here = {directory, new, directory->path, false, false};

    if (!each_entry(directory->path, move_one, &away) || !each_entry(new, move_one, &here)) {
        snprintf(error, EXPORT_ERROR_MAX,
                 "cannot move all files into place: %s; the missing ones are in %.300s",
                 strerror(errno), directory->temporary);
        directory->temporary[0] = '\0';
        return false;
    }
    export_directory_discard(directory);
    return true;
}
