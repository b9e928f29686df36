/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cold trials: the caches are emptied before each of the first key or button presses. This happens
 * in the middle of the idle time before the press, so that the idle loop is cached again when the
 * event comes, and what the event needs is not. Series `cold` marks these events (app.h).
 *
 * Cold trials are used only where emptying the caches was seen to work: hypervisors and emulators
 * ignore WBINVD. In exact time an event takes the same instructions, cold or warm, so there is
 * nothing to see.
 */
#pragma once

#include "bench/interactive/app.h"

#define COLD_MAX 20000

/* Chooses the first `trials` presses as cold trials. In real time it first verifies that emptying
 * the caches works, and publishes the facts `warm_round` and `cold_round` for the lines of a page.
 * If it does not work, `cold` is reported as missing and no trial is cold. */
void cold_begin(const struct bench_run *run, uint64_t trials);
/* Use as app_settings.meanwhile. */
void cold_empty_caches(struct app *app, const int64_t *intended);
