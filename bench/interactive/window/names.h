/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the structures of a window system, and of the ways to play a script. The phases of tasks
 * are named STRUCTURE.DRIVER. Each name is defined only here, and both the image and the host
 * include this file.
 */
#pragma once

#define STRUCTURE_NAME_IN_KERNEL "in_kernel"
#define STRUCTURE_NAME_SERVER    "server"
#define STRUCTURE_NAME_SEGMENTED "segmented"
/* The same as words of a parameter, in the order of enum window_structure. */
#define WINDOW_STRUCTURE_WORDS \
    STRUCTURE_NAME_IN_KERNEL "," STRUCTURE_NAME_SERVER "," STRUCTURE_NAME_SEGMENTED

#define DRIVER_NAME_HAND "hand" /* at the script's times, as a person types (open loop) */
/* as Microsoft Test: the script's pauses, each from the end of the action before, and a message
 * after each event */
#define DRIVER_NAME_TEST "test"
/* each action as soon as the one before is done: what throughput benchmarks do */
#define DRIVER_NAME_FAST "fast"
#define DRIVER_WORDS     DRIVER_NAME_HAND "," DRIVER_NAME_TEST "," DRIVER_NAME_FAST
