/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of `tare`: one source file each, which defines one of these.
 */
#pragma once

#include <getopt.h>
#include <stdbool.h>

#include "tools/wire/decoder.h"

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1, /* an invalid or failed run, damaged data */
    COMMAND_USAGE = 2,
};

struct command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    const char *help;    /* usage and options, ends with LF */
    /* argv[0] is the command's name; returns the exit status. --help is seen to before. */
    int (*main)(int argc, char **argv);
    bool is_long; /* what it prints is for reading: on a terminal it goes by the pager */
};

extern const struct command command_boot;
extern const struct command command_capture;
extern const struct command command_compare;
extern const struct command command_db;
extern const struct command command_decode;
extern const struct command command_events;
extern const struct command command_export;
extern const struct command command_host;
extern const struct command command_report;
extern const struct command command_show;
extern const struct command command_sim;
extern const struct command command_watch;

#define COMMAND_BAD_OPTION (-2)

/* The command's next option as getopt_long() tells it, with its value in optarg; `brief` holds the
 * one-letter ones. -1 behind the last, with optind at the first argument. COMMAND_BAD_OPTION where
 * it is unknown or lacks its value, which then has been said as a usage error. */
int command_next_option(const struct command *command, int argc, char **argv, const char *brief,
                        const struct option *options);

/* "tare NAME: message", then where to find help, on stderr; returns COMMAND_USAGE. */
__attribute__((format(printf, 2, 3))) int command_usage_error(const struct command *command,
                                                              const char *format, ...);
/* "tare NAME: message" on stderr; returns COMMAND_FAILED. */
__attribute__((format(printf, 2, 3))) int command_failure(const struct command *command,
                                                          const char *format, ...);

/* What boot, capture and decode end with: finishes the decoder, says on stderr what was read and
 * each loss on a line, and writes the run file, also of an invalid run. `output` may be NULL: no
 * file. `log` may be NULL; else the last line says where log and, if it was written, run file are.
 * Returns COMMAND_OK, or COMMAND_FAILED where the run is invalid or the file not written. */
int command_store_run(const struct command *command, struct decoder *decoder, const char *output,
                      const char *log);
