/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the structures of a window system, and of the ways to play a script. Phases of the tasks
 * are STRUCTURE.DRIVER. Each stands here once: image and host include it.
 */
#pragma once

#define STRUCTURE_NAME_IN_KERNEL "in_kernel"
#define STRUCTURE_NAME_SERVER    "server"
#define STRUCTURE_NAME_SEGMENTED "segmented"
/* As words of a parameter, in the order of enum window_structure. */
#define WINDOW_STRUCTURE_WORDS \
    STRUCTURE_NAME_IN_KERNEL "," STRUCTURE_NAME_SERVER "," STRUCTURE_NAME_SEGMENTED

#define DRIVER_NAME_HAND "hand" /* as a person types: open loop */
#define DRIVER_NAME_TEST "test" /* a driver: each event so long after the one before was done */
#define DRIVER_NAME_SYNC "sync" /* the same with a message behind each event */
#define DRIVER_WORDS     DRIVER_NAME_HAND "," DRIVER_NAME_TEST "," DRIVER_NAME_SYNC
