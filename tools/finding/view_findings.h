/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings as text and as JSON.
 */
#pragma once

#include <stdio.h>

#include "kernel/run/finding.h"
#include "tools/base/json.h"

/* A line each, wrapped, worst first; coloured by class on a terminal. */
void view_findings(FILE *out, const struct findings *findings);

/* Member "findings" of the open object: an array of objects with rule, class, bench, value, unit,
 * at_ns and text; null where a finding has none. */
void json_findings(struct json *json, const struct findings *findings);

/* All rules in the order in which they are applied: class, where a finding begins, and what each
 * looks for. */
void view_finding_rules(FILE *out);
