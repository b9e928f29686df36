/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writer of CSV fields (RFC 4180, except that the caller chooses the line end).
 *
 * A spreadsheet takes a cell that begins with = + - @, a tab or a line end for a formula, and names
 * of benches, machines and files come from outside. Such a text gets an apostrophe in front (OWASP,
 * "CSV Injection"), unless it is a decimal number. To read a field back: if its first character
 * other than an apostrophe is one of these, and it is not a number, remove the first apostrophe. A
 * text that already has apostrophes in front of such a character therefore gets one more.
 */
#pragma once

#include <stdio.h>

/* Writes a field, in quotes if it needs them. Writes nothing if `text` is NULL. */
void csv_field(FILE *out, const char *text);
