/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of files in commands that are printed for a person to copy.
 */
#pragma once

/* Returns the name as one word of a POSIX shell, in quotes if it needs them. Control characters and
 * bytes that are not valid UTF-8 become '?'. A name that begins like an option gets "./" in front.
 * The caller frees the result. */
char *shell_text(const char *name);
