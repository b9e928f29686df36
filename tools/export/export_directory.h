/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory that is exported to: of traces, DIR/NAME/kernel/ holds one. (Readers of LTTng's
 * traces look for a directory `kernel`.) Of figures and screens, DIR holds files.
 *
 * All is written to a temporary directory inside it and put in place at the end. What was there
 * before and is no former export is never touched.
 */
#pragma once

#include <stdbool.h>

#define EXPORT_PATH_MAX  4096
#define EXPORT_ERROR_MAX 512
/* The text chunk by which a PNG of screens.h is known. */
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
    bool created; /* it was not there */
};

/* Makes it if it is not there. Unless `beside`, everything that it holds must be a former export.
 * False with one line in `error`. `path` must outlive it. */
bool export_directory_open(struct export_directory *directory, const char *path,
                           enum export_layout layout, bool beside, char error[EXPORT_ERROR_MAX]);

/* Makes the place for a trace; `path` is where its files go. Of figures and screens, it is
 * where the file of that name is to be made. False with one line in `error`: the name is none for a
 * file, was given already, or is taken by what is no former export. */
bool export_directory_add(struct export_directory *directory, const char *name,
                          char path[EXPORT_PATH_MAX], char error[EXPORT_ERROR_MAX]);

/* Puts in place what was added. Former exports of the same names go, and where `all`, the others as
 * well. False with one line in `error`, which names the temporary directory where it kept what
 * could not be moved. */
bool export_directory_commit(struct export_directory *directory, bool all,
                             char error[EXPORT_ERROR_MAX]);

/* Leaves everything as it was. */
void export_directory_discard(struct export_directory *directory);
