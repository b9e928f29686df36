/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report in the Test Anything Protocol, version 13: the plan first, then a line for each case.
 * Properties and names of suites are comments. The message of a failure or an error is a YAML block
 * behind its line; control characters and bytes that are no UTF-8 become U+FFFD.
 */
#pragma once

#include <stdio.h>

#include "tools/judge/ci_report.h"

void tap_write(FILE *out, const struct ci_report *report);
