/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin that counts (tools/qemu/plugin), for the QEMU at hand.
 */
#pragma once

#include <stdbool.h>

#include "tools/qemu/qemu.h"

/* False, with one line in `error`: this QEMU takes no plugins, or ours is missing. */
bool plugin_find(const char *program, char path[QEMU_PATH_MAX], char error[QEMU_ERROR_MAX]);
