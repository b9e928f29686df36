/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a file is that is not what was expected: for messages that name the right command.
 */
#pragma once

/* The application_id of databases of SQLite that are tare's. */
#define RUNFILE_APPLICATION_ID 0x74617265 /* "tare" */
#define FLEET_APPLICATION_ID   0x74617266 /* "tarf" */

enum file_kind {
    FILE_OTHER,    /* none of these, or it cannot be read */
    FILE_FOLDER,   /* a directory */
    FILE_EMPTY,    /* no byte */
    FILE_LOG,      /* a serial log of tare */
    FILE_RUN,      /* a run file */
    FILE_FLEET,    /* a fleet in SQLite */
    FILE_DATABASE, /* another database of SQLite */
};

enum file_kind file_kind_of(const char *path);

#define FILE_KIND_MAX 512
/* One line, for who wanted a run file: what `path` is, and which command reads it. */
const char *file_kind_no_run(const char *path, char text[FILE_KIND_MAX]);
