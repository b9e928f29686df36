/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recognises what kind of file a path names, for messages that suggest the right command when the
 * file is not what was expected.
 */
#pragma once

/* application_id of tare's SQLite databases. */
#define RUNFILE_APPLICATION_ID 0x74617265 /* "tare" */
#define FLEET_APPLICATION_ID   0x74617266 /* "tarf" */

enum file_kind {
    FILE_OTHER,    /* none of these, or it cannot be read */
    FILE_FOLDER,   /* a directory */
    FILE_EMPTY,    /* file without any bytes */
    FILE_LOG,      /* a serial log of tare */
    FILE_RUN,      /* a run file */
    FILE_FLEET,    /* a fleet in SQLite */
    FILE_DATABASE, /* another database of SQLite */
    FILE_PICTURE,  /* PNG, such as a screenshot of QR codes */
};

/* Returns the kind of the file at `path`. */
enum file_kind file_kind_of(const char *path);

#define FILE_KIND_MAX 512
/* Writes a line with the path as it is, then `before`, the path as a word of a command, and
 * `after`. Returns `text`. */
const char *file_kind_command(const char *path, const char *before, const char *after,
                              char text[FILE_KIND_MAX]);
/* Writes one line for a command that expected a run file: what `path` is, and which command reads
 * it. Returns `text`. */
const char *file_kind_no_run(const char *path, char text[FILE_KIND_MAX]);
