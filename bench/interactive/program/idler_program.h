/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of the task profile: does nothing but what a system does by itself. Its cursor
 * blinks. In the segmented structure it also looks after a device and a clock every few
 * milliseconds, and draws the time, as Windows 95 was never quite idle.
 */
#pragma once

#include "kernel/task/thread.h"

extern thread_entry idle_window;      /* its name in ring 3, */
extern thread_entry user_idle_window; /* and in ring 0 */

/* client_parameter(). */
enum idler_parameter {
    IDLER_BLINK_US, /* from one change of the cursor to the next */
    IDLER_CHORE_US, /* from one chore of the segmented structure to the next */
    IDLER_WORK_US,  /* of work: of a chore */
};

/* client_result(). Ticks are between two readings of the TSC in ring 3. */
enum idler_result {
    IDLER_BLINKS,
    IDLER_CHORES,
    IDLER_BLINK_TICKS, /* of all */
    IDLER_CHORE_TICKS,
};

#define IDLER_OWN_BYTES 4096
