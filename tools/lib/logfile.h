/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a run's two files go: the log, byte for byte what came over the line, and the run file.
 */
#pragma once

#include <stdbool.h>

#define LOGFILE_PATH_MAX  4096
#define LOGFILE_ERROR_MAX 512

struct logfile {
    char log[LOGFILE_PATH_MAX];
    char output[LOGFILE_PATH_MAX];
    int descriptor; /* of the log, locked for as long as it is open */
};

/* Opens an empty log. `log` may be NULL: build/run/serial.log where there is a folder build, else
 * tare.log; `output` may be NULL: run.db beside the former, else the log's name with .db.
 * False, with one line in `error`, where it cannot be had, or belongs to another run that is going
 * on. */
bool logfile_open(struct logfile *files, const char *log, const char *output,
                  char error[LOGFILE_ERROR_MAX]);
void logfile_close(struct logfile *files);
