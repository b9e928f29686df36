/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long results on a terminal, a page at a time: by PAGER, or by less, which exits by itself if all
 * fits on the screen.
 */
#pragma once

#include <stdbool.h>

/* No pager from now on. */
void pager_forbid(void);

/* Sends further output to the pager, if standard output is a terminal and there is a pager; PAGER
 * empty or "cat" means none. Colours stay as for a terminal. */
void pager_start(void);

/* Does standard output go to a pager? */
bool pager_is_on(void);

/* Call after the last result: waits until the pager exits. */
void pager_finish(void);
