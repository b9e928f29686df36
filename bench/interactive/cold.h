/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cold trials: before each of the first keys or buttons that go down all caches are emptied, in the
 * middle of the idle time before it, so that the idle loop runs long enough to be in them again,
 * and what the event needs is not. Series `cold` tells which (app.h).
 */
#pragma once

#include "bench/interactive/app.h"

#define COLD_MAX 20000

/* So many trials, from the first on. */
void cold_begin(uint64_t trials);
/* As app_settings.meanwhile. */
void cold_empty_caches(struct app *app, const int64_t *intended);
