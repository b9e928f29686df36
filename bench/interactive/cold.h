/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cold trials: before each of the first keys or buttons that go down all caches are emptied, in the
 * middle of the idle time before it, so that the idle loop runs long enough to be in them again,
 * and what the event needs is not. Series `cold` marks these (app.h).
 *
 * Only where emptying them was seen to work: hypervisors and emulators take WBINVD for nothing. In
 * exact time an event costs the same instructions, cold or not, and nothing can be seen.
 */
#pragma once

#include "bench/interactive/app.h"

#define COLD_MAX 20000

/* So many trials, from the first on. In real time that it works is proved first: facts `warm_round`
 * and `cold_round`, of a page's lines; or else `cold` is reported as missing, and no trial is. */
void cold_begin(const struct bench_run *run, uint64_t trials);
/* As app_settings.meanwhile. */
void cold_empty_caches(struct app *app, const int64_t *intended);
