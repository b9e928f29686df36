/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run in brief: findings, verdict on the data, what identifies the run, one line a bench, and
 * which commands show more.
 */
#pragma once

#include "tools/present/view.h"
#include "tools/run/run.h"

/* `reasons` are those of run_valid(); `path` is the run file, for the commands. `has_page`: the
 * report is written, and needs no command. */
void view_digest(const struct view *view, const struct run_texts *reasons, const char *path,
                 bool has_page);
