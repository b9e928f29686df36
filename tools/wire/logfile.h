/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two files of a run: the log, which has every byte received on the line, and the run file.
 *
 * When a log is continued, new bytes are written to a file next to it, with its name and .new,
 * until they are known to belong to the same run. Then they are appended to the log, with a 00h in
 * between. Otherwise the log is kept under the first free of its name with .1, .2 and so on, and
 * the new file takes its place. If a log is begun anew and a file of an unknown run is next to it,
 * that file is kept under such a name too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Longer paths leave no space for suffixes. */
#define LOGFILE_PATH_MAX  4096
#define LOGFILE_ERROR_MAX 512

struct logfile {
    char log[LOGFILE_PATH_MAX];
    char output[LOGFILE_PATH_MAX];
    int descriptor; /* descriptor of the log, locked while it is open */
    /* descriptor of the file with the new bytes, also locked; -1: none */
    int beside;
    /* new name of a file that was found next to the log; "": there was none */
    char kept[LOGFILE_PATH_MAX];
};

/* Only computes the names that logfile_open() would choose, into log[] and output[]. */
bool logfile_names(struct logfile *files, const char *log, const char *output,
                   char error[LOGFILE_ERROR_MAX]);

/* Opens an empty log. If `log` is NULL, it is build/run/serial.log if there is a folder build,
 * otherwise tare.log. If `output` is NULL, it is run.db in the same folder for the default log,
 * otherwise the log's name with .db. Returns false, with one line in `error`, if the log cannot be
 * opened or belongs to another run in progress. */
bool logfile_open(struct logfile *files, const char *log, const char *output,
                  char error[LOGFILE_ERROR_MAX]);
/* Does the same, but keeps the contents of an existing log. */
bool logfile_open_as_it_is(struct logfile *files, const char *log, const char *output,
                           char error[LOGFILE_ERROR_MAX]);
void logfile_close(struct logfile *files);

/* Opens the file next to the log, keeping its contents. */
bool logfile_open_beside(struct logfile *files, char error[LOGFILE_ERROR_MAX]);

/* Empties the log. */
bool logfile_empty(struct logfile *files, char error[LOGFILE_ERROR_MAX]);

/* Appends the file next to the log to the log. */
bool logfile_join(struct logfile *files, char error[LOGFILE_ERROR_MAX]);

/* Replaces the log by the file next to it, or by an empty file. `kept` becomes the new name of the
 * old log. */
bool logfile_replace(struct logfile *files, char kept[LOGFILE_PATH_MAX],
                     char error[LOGFILE_ERROR_MAX]);

/* Replaces the log by its bytes from offset `at` on. `kept` becomes the name of the whole old log.
 */
bool logfile_cut(struct logfile *files, uint64_t at, char kept[LOGFILE_PATH_MAX],
                 char error[LOGFILE_ERROR_MAX]);
