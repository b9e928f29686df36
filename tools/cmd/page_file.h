/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes the files of commands, and shows a run that was just captured.
 */
#pragma once

#include <stdbool.h>

#include "tools/base/output_file.h"
#include "tools/cmd/commands.h"
#include "tools/figure/page.h"
#include "tools/run/run.h"

/* Returns the name of the page: RUN.html for RUN.db. The caller frees it. */
char *page_file_name(const char *run_file);

/* Opens an output file. Returns false, with an error printed, if it cannot be opened. */
bool page_file_open(const struct command *command, struct output_file *file, const char *path);
/* Commits the output file. `written` states that all writes succeeded; otherwise errno has the
 * cause. Returns COMMAND_OK, or COMMAND_FAILED with an error printed. */
int page_file_finish(const struct command *command, struct output_file *file, bool written);
/* Reads a run file, or a log, which is first decoded to the run file next to it. Returns
 * COMMAND_OK, or COMMAND_FAILED with an error printed. */
int page_file_read(const struct command *command, const char *path, struct run *run);

/* Writes the page to `path`; "-" is standard output. Returns as page_file_finish() does. */
int page_file_write(const struct command *command, const struct page *page, const char *path);

/* Prints a run in brief on standard output. If `wants_page`, writes its page next to the run file,
 * and the last line names the page. Returns as page_file_finish() does. */
int page_file_show_run(const struct command *command, const char *run_file, bool wants_page);
