/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of a batch in the segmented structure (bench/interactive/window/segmented.h), in ring 3.
 */
#pragma once

#include "bench/interactive/window/shared.h"

void segmented_flush(struct window_shared *shared);
