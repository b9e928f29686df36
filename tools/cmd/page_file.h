/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of commands, and what a person sees of a run that was just captured.
 */
#pragma once

#include <stdbool.h>

#include "tools/base/output_file.h"
#include "tools/cmd/commands.h"
#include "tools/figure/page.h"
#include "tools/run/run.h"

/* RUN.db becomes RUN.html. The caller frees it. */
char *page_file_name(const char *run_file);

/* Opens an output file; false: an error has been printed. */
bool page_file_open(const struct command *command, struct output_file *file, const char *path);
/* Commits it. `written`: all writes succeeded, else errno has the cause. Prints an error; returns
 * COMMAND_OK or COMMAND_FAILED. */
int page_file_finish(const struct command *command, struct output_file *file, bool written);
/* Reads a run file. Prints an error; the same results. */
int page_file_read(const struct command *command, const char *path, struct run *run);

/* Writes the page; "-" is standard output. The same results. */
int page_file_write(const struct command *command, const struct page *page, const char *path);

/* Prints a run in brief on standard output, and writes its page beside the run file; the last line
 * names the page. The same results. */
int page_file_show_run(const struct command *command, const char *run_file);
