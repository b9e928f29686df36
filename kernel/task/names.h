/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the two threads that every session has. Each name is defined only here, for both image
 * and host.
 */
#pragma once
#define NAME_OF_IDLE_THREAD  "idle"
#define NAME_OF_HOG_THREAD   "hog" /* tasks.hog of the plan */
#define NAME_OF_BENCH_THREAD "bench"

/* Values of tasks.hog, and the largest of tasks.cpus (PERCPU_MAX). */
#define TASKS_HOG_NONE      "none"
#define TASKS_HOG_SAME      "same"
#define TASKS_HOG_OTHER     "other"
#define TASKS_HOG_ANY       "any"
#define TASK_PROCESSORS_MAX 16
