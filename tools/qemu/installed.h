/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds files of this program, wherever it is: build/tare looks in build/image and build/plugin,
 * bin/tare in ../share/tare.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "tools/qemu/qemu.h"

#define INSTALLED_PATH_MAX PATH_MAX

/* Writes the path of a file, such as "tare.efi". Returns false if it is missing. */
bool installed_file(const char *name, char path[INSTALLED_PATH_MAX]);

/*
 * Finds the plugin that counts (tools/qemu/plugin) for the QEMU in use.
 */

/* Returns false, with one line in `error`, if this QEMU takes no plugins or the plugin is missing.
 */
bool plugin_find(const char *program, const char *plugin, char path[QEMU_PATH_MAX],
                 char error[QEMU_ERROR_MAX]);
