/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that bench delivery publishes and the host looks up. Image and host include this file, so
 * that each name is written only once. The names of the promises are in promise.c.
 */
#pragma once

#define GROUP_DELIVERY "delivery"
#define BENCH_DELIVERY "delivery"

/* Number of promises broken at each offset. */
#define SERIES_BROKEN "broken"

/* Facts of promise P: number of trials that checked it (tried.P), number of those that broke it
 * (broken.P), and the first offset at which it was broken (first.P, only if it was). */
#define PREFIX_TRIED  "tried."
#define PREFIX_BROKEN "broken."
#define PREFIX_FIRST  "first."
/* Found text of promise P: how it was broken first, without name and section. */
#define PREFIX_HOW "how."
