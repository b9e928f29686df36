/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the kinds of objects in a trace, of the outcomes of disk requests, and of what happens
 * between processors. Each name is defined only here, for both image and host.
 */
#pragma once
#define OBJECT_NAME_THREAD  "thread"
#define OBJECT_NAME_PROCESS "process"
#define OBJECT_NAME_VECTOR  "vector"
#define OBJECT_NAME_DPC     "dpc"
#define OBJECT_NAME_LOCK    "lock"
#define OBJECT_NAME_MARK    "mark"
#define OBJECT_NAME_SYSCALL "syscall"
#define OBJECT_NAME_QUEUE   "queue"
#define OBJECT_NAME_DEVICE  "device"

#define BLOCK_NAME_GOOD    "no error"
#define BLOCK_NAME_TIMEOUT "no answer in time"
#define BLOCK_NAME_MEDIUM  "medium error"
#define BLOCK_NAME_DEVICE  "device error"
#define BLOCK_NAME_GONE    "disk is gone"
#define BLOCK_NAME_REFUSED "block may not be read"

#define WAIT_NAME_QUANTUM "quantum"
