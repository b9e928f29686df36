/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files installed with this program: bin/tare finds them in ../share, wherever both are.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#define INSTALLED_PATH_MAX PATH_MAX

/* The path of a file in share/, such as "tare/tare.efi". False: the file is missing. */
bool installed_file(const char *name, char path[INSTALLED_PATH_MAX]);
