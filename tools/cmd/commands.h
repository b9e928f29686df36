/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of `tare`: one source file each, which defines one of these.
 */
#pragma once

#include <stdbool.h>

#include "tools/base/parse_options.h"
#include "tools/judge/ci_report.h"
#include "tools/wire/decoder.h"

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1, /* an invalid or failed run, damaged data */
    COMMAND_USAGE = 2,
};

/* Its help is `about`, with its forms first, then a row for each option, then `notes`. */
struct command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    const char *about;   /* ends with LF */
    const struct option_line *options;
    const char *notes; /* exit status last, ends with LF */
    /* Called once the options are read, with the other arguments; returns the exit status. */
    int (*run)(const struct option_rest *rest);
    bool is_long; /* prints long text: on a terminal it goes through the pager */
};

extern const struct command command_boot;
extern const struct command command_capture;
extern const struct command command_compare;
extern const struct command command_db;
extern const struct command command_decode;
extern const struct command command_diff;
extern const struct command command_disk;
extern const struct command command_events;
extern const struct command command_export;
extern const struct command command_host;
extern const struct command command_peer;
extern const struct command command_report;
extern const struct command command_show;
extern const struct command command_sim;
extern const struct command command_watch;

/* Prints "tare NAME: message" and where to find help on stderr; returns COMMAND_USAGE. */
__attribute__((format(printf, 2, 3))) int command_usage_error(const struct command *command,
                                                              const char *format, ...);
/* Prints "tare NAME: message" on stderr; returns COMMAND_FAILED. */
__attribute__((format(printf, 2, 3))) int command_failure(const struct command *command,
                                                          const char *format, ...);
/* The last message that either of them printed, without "tare NAME: "; "": none. */
const char *command_complaint(void);

#define RUN_TARGET_MAX 4200 /* of a path of at most 4096 */

/* Where a run goes. A valid run that is there is not replaced by an invalid one: that goes beside
 * it, to the name with .invalid.db in place of .db. */
struct run_target {
    const char *output; /* NULL: no file */
    bool force;         /* --force: replace a valid run by an invalid one too */
    const char *rows;   /* of the plugin of QEMU (tools/qemu): to be joined with it; NULL: none */
    const char *plan;   /* that was sent by PLAN_SOURCE_FW_CFG; NULL: unknown */
    struct ci_report *report; /* gets the run's cases; NULL: none is wanted */
    char *written; /* RUN_TARGET_MAX bytes: gets the run file's path, "" if it was not written;
                    * NULL: not wanted */
    bool brief;    /* counts of frames only where some came twice or damaged */
};

/* "DIR/NAME.invalid.db" of "DIR/NAME.db". */
void run_target_beside(const char *output, char path[RUN_TARGET_MAX]);

/* Writes the run file; `written` is the path that it has then. Prints a line where that is not
 * `output`. False: nothing was written, which was printed. */
bool command_write_run(const struct command *command, const struct run_target *target,
                       struct run *run, bool valid, char written[RUN_TARGET_MAX]);

/* The last step of boot, capture and decode. Finishes the decoder, prints on stderr what was read
 * and each loss on a line, and writes the run file, also of an invalid run. `log` not NULL: the
 * last line names the log and, if it was written, the run file.
 * Returns COMMAND_OK, or COMMAND_FAILED if the run is invalid or the file was not written. */
int command_store_run(const struct command *command, struct decoder *decoder,
                      const struct run_target *target, const char *log);
