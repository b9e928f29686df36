/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shortest text that parses back to the same double.
 */
#pragma once

#define SHORTEST_MAX 32

/* The shortest digits of this finite number, such as "0.1" or "1e-10"; returns `text`. */
const char *shortest_digits(double value, char text[SHORTEST_MAX]);
/* For tables: six digits, or all digits before the point if there are more: "2501467", "1000000.3",
 * "0.123457". */
const char *table_digits(double value, char text[SHORTEST_MAX]);
