/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of ring 3 that the window system runs itself; of ring 0: user_window_server. */
#pragma once

void window_server(void *argument);
