/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a run's two files go: the log, byte for byte what came over the line, and the run file.
 *
 * A log that is gone on with: what comes goes beside it, into its name with .new, until it is known
 * to be of the same run. Then it is joined to the log, with 00h in between; else the log is kept
 * under the first free of its name with .1, .2 and so on, and what came takes its place. What lies
 * beside a log that begins anew, of a run of which nothing is known, is kept under such a name too.
 */
#pragma once

#include <stdbool.h>

/* Longer ones leave no room for what is appended to them. */
#define LOGFILE_PATH_MAX  4096
#define LOGFILE_ERROR_MAX 512

struct logfile {
    char log[LOGFILE_PATH_MAX];
    char output[LOGFILE_PATH_MAX];
    int descriptor;              /* of the log, locked for as long as it is open */
    int beside;                  /* of what came since, locked as well; -1: none */
    char kept[LOGFILE_PATH_MAX]; /* what a file is called now that lay beside; "": there was none */
};

/* Only the names that logfile_open() would choose, into log[] and output[]. */
bool logfile_names(struct logfile *files, const char *log, const char *output,
                   char error[LOGFILE_ERROR_MAX]);

/* Opens an empty log. `log` may be NULL: build/run/serial.log where there is a folder build, else
 * tare.log; `output` may be NULL: run.db beside the former, else the log's name with .db.
 * False, with one line in `error`, where it cannot be had, or belongs to another run that is going
 * on. */
bool logfile_open(struct logfile *files, const char *log, const char *output,
                  char error[LOGFILE_ERROR_MAX]);
/* The same, but a log that is there is opened as it is. */
bool logfile_open_as_it_is(struct logfile *files, const char *log, const char *output,
                           char error[LOGFILE_ERROR_MAX]);
void logfile_close(struct logfile *files);

/* Opens the file beside the log, as it is. */
bool logfile_open_beside(struct logfile *files, char error[LOGFILE_ERROR_MAX]);

/* The log begins anew, empty. */
bool logfile_empty(struct logfile *files, char error[LOGFILE_ERROR_MAX]);

/* What is beside the log belongs to it. */
bool logfile_join(struct logfile *files, char error[LOGFILE_ERROR_MAX]);

/* What is beside the log, or an empty file, becomes the log. `kept` is what the old one is called
 * then. */
bool logfile_replace(struct logfile *files, char kept[LOGFILE_PATH_MAX],
                     char error[LOGFILE_ERROR_MAX]);
