/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `tare show` prints of the benches of disks.
 */
#pragma once

#include "tools/present/view.h"

void view_disklatency(const struct view *view, const struct run_bench *bench);
void view_diskload(const struct view *view, const struct run_bench *bench);
void view_fileread(const struct view *view, const struct run_bench *bench);
void view_filecache(const struct view *view, const struct run_bench *bench);
