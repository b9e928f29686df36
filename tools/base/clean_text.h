/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes texts from outside (logs, run files, machines) safe for terminals.
 */
#pragma once

#include <stdbool.h>

/* Replaces each control character (also ESC and U+0080 to U+009F), and each byte that is no UTF-8,
 * by '?' in place. Line ends and tabs stay only with `lines`. */
void clean_text(char *text, bool lines);
