/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes texts from outside (logs, run files, machines) safe for terminals and XML.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Replaces each control character (also ESC and U+0080 to U+009F), and each byte that is no UTF-8,
 * by '?' in place. Line ends and tabs stay only with `lines`. */
void clean_text(char *text, bool lines);

/* Writes the character that `text` begins with for XML 1.0, in an attribute as well; `otherwise` in
 * place of what is none of its characters, and of a carriage return. Returns the bytes taken. */
size_t xml_put(FILE *out, const char *text, const char *otherwise);
