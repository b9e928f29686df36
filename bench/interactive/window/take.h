/* SPDX-License-Identifier: BSD-2-Clause */
/* The window system's code that is the same in all structures. Pure: for ring 0, ring 3 and the
 * host. */
#pragma once

#include "bench/interactive/window/shared.h"

/* Takes the requests of a batch, whatever it contains: works for calls, finds the windows of
 * inputs, and appends requests to draw to the list. */
void window_take(struct window_shared *shared, const struct batch *batch, struct window_list *list);
