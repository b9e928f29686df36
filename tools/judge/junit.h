/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report as JUnit's XML, with the elements and attributes that Jenkins and GitLab read:
 *
 *     testsuites > testsuite > properties > property
 *                            > testcase   > skipped | failure | error | system-out
 *
 * XML 1.0 in UTF-8. Characters that XML cannot express, and bytes that are no UTF-8, become U+FFFD.
 * The message of a case that passed is its system-out. A failure has its first line as attribute
 * `message`, and all of it as text.
 */
#pragma once

#include <stdio.h>

#include "tools/judge/ci_report.h"

void junit_write(FILE *out, const struct ci_report *report);
