/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the two threads that every session has. Each name is defined only here, for both image
 * and host.
 */
#pragma once
#define NAME_OF_IDLE_THREAD  "idle"
#define NAME_OF_BENCH_THREAD "bench"
