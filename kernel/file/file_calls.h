/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of files: open, read, seek and map, as kernel/task/user.h describes them. A file's
 * number is its place among those that are open; processes share them.
 */
#pragma once

#include <stdint.h>

#include "kernel/file/file.h"
#include "kernel/task/syscall.h"

extern const struct syscall_files file_calls;

/* ---- file.c's part ---- */

/* NULL: none is open under this number. */
struct file *file_by_index(uint64_t index);
uint64_t file_index(const struct file *file);
