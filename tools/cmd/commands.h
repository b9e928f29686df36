/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of `tare`. Each is one source file that defines one struct command.
 */
#pragma once

#include <stdbool.h>

#include "tools/base/parse_options.h"
#include "tools/judge/ci_report.h"
#include "tools/wire/decoder.h"

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1, /* an invalid or failed run, or damaged data */
    COMMAND_USAGE = 2,
};

/* A subcommand. Its help is `about`, which begins with the usage lines, then one entry for each
 * option, then `notes`. */
struct command {
    const char *name;
    const char *summary; /* one line for the list of commands */
    const char *about;   /* usage and description; ends with LF */
    const struct option_line *options;
    const char *notes; /* further description, the exit status last; ends with LF */
    /* Runs the command with the arguments that are not options. Returns the exit status. */
    int (*run)(const struct option_rest *rest);
    bool is_long; /* prints long text, which goes through the pager on a terminal */
};

extern const struct command command_boot;
extern const struct command command_capture;
extern const struct command command_compare;
extern const struct command command_db;
extern const struct command command_decode;
extern const struct command command_diff;
extern const struct command command_disk;
extern const struct command command_doctor;
extern const struct command command_events;
extern const struct command command_export;
extern const struct command command_host;
extern const struct command command_peer;
extern const struct command command_report;
extern const struct command command_show;
extern const struct command command_sim;
extern const struct command command_watch;

/* Prints "tare NAME: message" and where to find help on stderr. Returns COMMAND_USAGE. */
__attribute__((format(printf, 2, 3))) int command_usage_error(const struct command *command,
                                                              const char *format, ...);
/* Prints "tare NAME: message" on stderr. Returns COMMAND_FAILED. */
__attribute__((format(printf, 2, 3))) int command_failure(const struct command *command,
                                                          const char *format, ...);
/* Returns the last message that command_usage_error() or command_failure() printed, without "tare
 * NAME: "; "" if there was none. */
const char *command_complaint(void);

#define RUN_TARGET_MAX 4200 /* bytes, for a path of at most 4096 */

/* Where a run is written. An invalid run does not replace a valid one in `output`: it goes next to
 * it, to the name that ends in .invalid.db instead of .db. */
struct run_target {
    const char *output; /* path of the run file; NULL: write none */
    bool force;         /* --force: an invalid run replaces a valid one too */
    /* rows that QEMU's plugin counted (tools/qemu), to be joined with the run; NULL: none */
    const char *rows;
    /* files of a profile of exits (tools/under/profile.h), to be added to the run; NULL: none */
    const struct profile_files *profile;
    const char *plan;         /* plan that was sent by PLAN_SOURCE_FW_CFG; NULL: unknown */
    struct ci_report *report; /* gets the run's cases; NULL: no report is wanted */
    /* RUN_TARGET_MAX bytes for the path of the run file, "" if it was not written; NULL: not wanted
     */
    char *written;
    const char *log; /* gives INFO_CAPTURED if command_store_run() names no log; NULL: unknown */
    bool brief;      /* print the counts of frames only if frames came twice or damaged */
};

/* Writes "DIR/NAME.invalid.db" for "DIR/NAME.db" to `path`. */
void run_target_beside(const char *output, char path[RUN_TARGET_MAX]);

/* Writes the run file and returns its path in `written`. If that is not `output`, prints a line
 * about it. Returns false, with an error printed, if nothing was written. */
bool command_write_run(const struct command *command, const struct run_target *target,
                       struct run *run, bool valid, char written[RUN_TARGET_MAX]);

/* Decodes a log to the run file next to it, with .db in place of the log's ending; a run file that
 * is newer than the log is kept. Returns COMMAND_OK, or COMMAND_FAILED if the run is invalid or was
 * not written; `written` is then "" or the path of the run file. */
int command_decode_log(const struct command *command, const char *log,
                       char written[RUN_TARGET_MAX]);

/* Stores the run: the last step of boot, capture and decode. Finishes the decoder, prints on stderr
 * what was read and one line for each loss, and writes the run file, also that of an invalid run.
 * If `log` is not NULL, the last line names the log and, if it was written, the run file. Returns
 * COMMAND_OK, or COMMAND_FAILED if the run is invalid or the file was not written. */
int command_store_run(const struct command *command, struct decoder *decoder,
                      const struct run_target *target, const char *log);
