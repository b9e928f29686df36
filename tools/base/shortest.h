/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as text that does not make others of them.
 */
#pragma once

#define SHORTEST_MAX 32

/* The shortest digits that are this number, finite, as "0.1" or "1e-10"; returns `text`. */
const char *shortest_digits(double value, char text[SHORTEST_MAX]);
/* For tables: six digits, and of a number that has more of them before the point all of these:
 * "2501467", "1000000.3", "0.123457". */
const char *table_digits(double value, char text[SHORTEST_MAX]);
