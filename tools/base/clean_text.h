/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts from outside (logs, run files, machines) as terminals may be given them.
 */
#pragma once

#include <stdbool.h>

/* Makes of each control character, and of each byte that is no UTF-8, a '?', in place: a terminal
 * obeys neither ESC nor the control characters U+0080 to U+009F then. Line ends and tabs stay only
 * with `lines`. */
void clean_text(char *text, bool lines);
