/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was installed with this program: bin/tare finds it in share/, wherever both are.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#define INSTALLED_PATH_MAX PATH_MAX

/* The path of a file in share/, such as "tare/tare.efi". False: it is not there. */
bool installed_file(const char *name, char path[INSTALLED_PATH_MAX]);
