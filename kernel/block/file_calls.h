/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of files: open, read, seek and map, as kernel/task/user.h describes them. A file's
 * number is its index among the open files, which all processes share. Traces name the calls
 * file_open, file_read, file_seek and file_map.
 */
#pragma once

/* Opens the calls for the processes of a session until its files end, if the files have a cache
 * (files_begin()). Otherwise does nothing. */
void file_calls_open(void);
