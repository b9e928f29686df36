/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window system in a process, as Windows NT 3.51 has it: a message to the server's thread, which
 * draws the application's batch in ring 3, and a message back. Both show the batch, the server
 * alone the screen. Each flush goes to the server's address space and back: two loads of CR3.
 */
#pragma once

#include "bench/interactive/window/operations.h"

extern const struct window_operations server_operations;
