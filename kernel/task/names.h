/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the two threads that every session has. Each stands here once: image and host include
 * it.
 */
#pragma once
#define NAME_OF_IDLE_THREAD  "idle"
#define NAME_OF_BENCH_THREAD "bench"
