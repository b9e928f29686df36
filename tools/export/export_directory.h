/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory to which a run is exported. For traces, DIR/NAME/kernel/ holds one trace each,
 * because readers of LTTng traces look for a directory `kernel`. For figures and screens, DIR holds
 * files.
 *
 * Everything is written to a temporary directory inside it and moved into place at the end. Files
 * that were there before and are not an earlier export are never touched.
 */
#pragma once

#include <stdbool.h>

#define EXPORT_PATH_MAX  4096
#define EXPORT_ERROR_MAX 512
/* text chunk that identifies PNG files of screens.h */
#define EXPORT_SCREEN_KEY  "Software"
#define EXPORT_SCREEN_TEXT "tare"

enum export_layout {
    EXPORT_TRACES,
    EXPORT_FIGURES, /* files of figure_values.h */
    EXPORT_SCREENS, /* files of screens.h */
};

struct export_directory {
    const char *path;
    enum export_layout layout;
    char temporary[EXPORT_PATH_MAX];
    bool created; /* the directory was created by this export */
};

/* Opens the directory, and creates it if it is missing. Unless other files are allowed, everything
 * in it must be an earlier export. Returns false, with one line in `error`, on failure.
 * `path` must outlive `directory`. */
bool export_directory_open(struct export_directory *directory, const char *path,
                           enum export_layout layout, bool beside, char error[EXPORT_ERROR_MAX]);

/* Adds a name. For a trace, creates its place and returns in `path` where its files go; for figures
 * and screens, `path` is where to create the file. Returns false, with one line in `error`, if no
 * file can have that name, if it was added before, or if something has the name that is not an
 * earlier export. */
bool export_directory_add(struct export_directory *directory, const char *name,
                          char path[EXPORT_PATH_MAX], char error[EXPORT_ERROR_MAX]);

/* Moves what was added into place. Removes earlier exports of the same names and, with `all`, all
 * other earlier exports. Returns false, with one line in `error`, on failure; the line names the
 * temporary directory, which then keeps what could not be moved. */
bool export_directory_commit(struct export_directory *directory, bool all,
                             char error[EXPORT_ERROR_MAX]);

/* Drops what was added, and leaves everything as it was. */
void export_directory_discard(struct export_directory *directory);
