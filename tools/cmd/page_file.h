/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of a report, and what a person sees of a run that was just captured.
 */
#pragma once

#include <stdbool.h>

#include "tools/base/output_file.h"
#include "tools/cmd/commands.h"
#include "tools/figure/page.h"

/* RUN.db becomes RUN.html. The caller frees it. */
char *page_file_name(const char *run_file);

/* Commits the file. `written`: all writes succeeded, else errno has the cause. Prints an error;
 * returns COMMAND_OK or COMMAND_FAILED. */
int page_file_finish(const struct command *command, struct output_file *file, const char *path,
                     bool written);

/* Writes the page; "-" is standard output. The same results. */
int page_file_write(const struct command *command, const struct page *page, const char *path);

/* Prints a run in brief on standard output, and writes its page beside the run file; the last line
 * names the page. The same results. */
int page_file_show_run(const struct command *command, const char *run_file);
