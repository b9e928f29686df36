/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes texts from outside (logs, run files, machines) safe for terminals and XML.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Replaces in place, by '?', each control character (also ESC and U+0080 to U+009F) and each byte
 * that is not part of valid UTF-8. Line ends and tabs are kept only if `lines` is true. */
void clean_text(char *text, bool lines);

/* Writes the first character of `text` for XML 1.0, so that it is also safe inside an attribute.
 * Writes `otherwise` for a carriage return and for a character that XML does not allow. Returns the
 * number of bytes taken from `text`. */
size_t xml_put(FILE *out, const char *text, const char *otherwise);
