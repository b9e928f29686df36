/* SPDX-License-Identifier: BSD-2-Clause */
/* CSV (RFC 4180, except that lines end with LF). */
#pragma once

#include <stdio.h>

/* A field: in quotes where it needs them; NULL: nothing. */
void csv_field(FILE *out, const char *text);
