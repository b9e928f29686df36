/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log of a run from pictures of the QR codes that the image shows on its screen
 * (kernel/link/screen_blocks.h): screenshots of a BMC, a KVM switch or a hypervisor's console.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/base/output_file.h"

#define SHOTS_ERROR_MAX OUTPUT_FILE_ERROR_MAX
#define SHOTS_PATH_MAX  4096

/* Gathers the codes of these PNG files, in any order, and writes the log to `log`. Prints a line on
 * stderr for each picture that does not help, and the counts at the end; `command` begins the
 * lines. A file `log` that holds another log is left as it is. Returns false, with the reason in
 * `error`, if codes are missing or the log cannot be written. */
bool shots_to_log(const char *command, char **paths, size_t count, const char *log,
                  char error[SHOTS_ERROR_MAX]);

/* Writes the path of the log that belongs to the run file `output`, or, if that is NULL, to the
 * first picture: the same name with .log. */
void shots_log_path(const char *output, const char *picture, char path[SHOTS_PATH_MAX]);
