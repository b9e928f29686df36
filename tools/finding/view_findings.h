/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints findings as text and writes them as JSON.
 */
#pragma once

#include <stdio.h>

#include "kernel/run/finding.h"
#include "tools/base/json.h"

/* Prints a line for each finding, wrapped, worst first, coloured by class on a terminal. */
void view_findings(FILE *out, const struct findings *findings);

/* Writes member "findings" of the open object: an array of objects with rule, class, bench, value,
 * unit, at_ns and text; null for what a finding lacks. */
void json_findings(struct json *json, const struct findings *findings);

/* Prints all rules in the order in which they are applied: class, threshold, and what each looks
 * for. */
void view_finding_rules(FILE *out);
