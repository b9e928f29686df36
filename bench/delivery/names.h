/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that bench delivery publishes and the host looks up. */
#pragma once

#define GROUP_DELIVERY "delivery"
#define BENCH_DELIVERY "delivery"

/* Series with a sample for each promise, in the order of enum promise (promise.h): number of trials
 * that checked it (0: the machine cannot be asked), number of those that broke it, and the offset
 * of the first of these (-1: none did). */
#define SERIES_TRIED  "tried"
#define SERIES_BROKEN "broken"
#define SERIES_FIRST  "first"
