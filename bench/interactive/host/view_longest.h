/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest actions by name, the systems of each driver beside each other: as text, as JSON, and
 * as a table of the report (Endo et al. 1996, table 1). A length is of the chosen measure, and in
 * time, also where that is virtual: a disk counts no instructions.
 */
#pragma once

#include <stddef.h>

#include "bench/interactive/host/measure/actions.h"
#include "tools/figure/figure.h"
#include "tools/present/view.h"

struct json;

#define LONGEST_SHOWN 6 /* of the report and of JSON: as many as the paper's table has */

void view_longest(const struct view *view, const struct actions *actions, size_t most);
/* The member `longest`; nothing where no action waited for a disk. */
void longest_json(struct json *json, const struct actions *actions);
/* The same in the report. */
void figure_longest(struct figures *figures, const struct run *run, const struct run_bench *bench,
                    const struct actions *actions, const char *section);
