/* SPDX-License-Identifier: BSD-2-Clause */
/* Program of the window system's server, which runs in ring 3. In ring 0 its name is
 * user_window_server. */
#pragma once

void window_server(void *argument);
