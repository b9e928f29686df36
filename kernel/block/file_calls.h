/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of files: open, read, seek and map, as kernel/task/user.h describes them. A file's
 * number is its place among those that are open; processes share them. In traces they are
 * file_open, file_read, file_seek and file_map.
 */
#pragma once

/* Opens the calls for the processes of a session whose files have a cache (files_begin()), until
 * those end. */
void file_calls_open(void);
