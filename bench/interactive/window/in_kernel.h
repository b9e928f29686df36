/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window system in the kernel, as Windows NT 4.0 has it: a system call draws the application's
 * batch in ring 0. No address space is left, and the application does not see the screen's memory.
 */
#pragma once

#include "bench/interactive/window/operations.h"

extern const struct window_operations in_kernel_operations;
