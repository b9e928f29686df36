/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CSV (RFC 4180, except that lines end as the writer likes).
 *
 * A spreadsheet takes a cell that begins with = + - @, a tab or a line end for a formula; names of
 * benches, machines and files come from outside. Such a text gets an apostrophe in front (OWASP,
 * "CSV Injection"), unless it is a decimal number. Back: of a text whose first character other than
 * an apostrophe is one of these, and which is no number, the first apostrophe goes. A text that has
 * apostrophes in front of such a character already therefore gets one more.
 */
#pragma once

#include <stdio.h>

/* A field: in quotes where it needs them; NULL: nothing. */
void csv_field(FILE *out, const char *text);
