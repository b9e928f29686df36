/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of an application's batch to who draws it, in ring 3: by the structure of the window
 * system (bench/interactive/window/window.h).
 */
#pragma once

#include "bench/interactive/window/shared.h"

/* All requests of the batch have been drawn when it returns. An empty batch goes the same way. */
void flush_cross(struct window_shared *shared);
