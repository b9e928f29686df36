/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ticks of a run are, in words. */
#pragma once

#include "tools/lib/run.h"

#define RUN_KIND_MAX 256

/* "exact time: the TSC counts instructions, ...", "real time, emulated by TCG: ..." */
const char *run_kind_text(const struct run *run, char text[RUN_KIND_MAX]);
