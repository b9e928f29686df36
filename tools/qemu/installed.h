/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files installed with this program: bin/tare finds them in ../share, wherever both are.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "tools/qemu/qemu.h"

#define INSTALLED_PATH_MAX PATH_MAX

/* The path of a file in share/, such as "tare/tare.efi". False: the file is missing. */
bool installed_file(const char *name, char path[INSTALLED_PATH_MAX]);

/*
 * The plugin that counts (tools/qemu/plugin), for the QEMU at hand.
 */

/* False, with one line in `error`: this QEMU takes no plugins, or ours is missing. */
bool plugin_find(const char *program, char path[QEMU_PATH_MAX], char error[QEMU_ERROR_MAX]);
