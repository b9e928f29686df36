/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare watch` shows: the state of a run that comes, as lines of at most 80 columns.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "tools/show/live.h"

/* Above the list of accounts. */
#define LIVE_VIEW_HEAD 9

/* With at most `rows` lines, where there are more than LIVE_VIEW_HEAD; accounts that find no room
 * are summed up. `name` is of the log, `seconds` the length of the window. */
void live_view(FILE *out, const struct live_state *state, const char *name, unsigned seconds,
               size_t rows);
