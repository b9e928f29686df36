/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long results on a terminal, a page at a time: by PAGER, or by less, which ends by itself where
 * all fits on the screen.
 */
#pragma once

#include <stdbool.h>

/* No pager from now on. */
void pager_forbid(void);

/* Sends what is printed from now on to the pager, if standard output is a terminal and there is a
 * pager; PAGER empty or "cat" is none. Colours stay as a terminal has them. */
void pager_start(void);

/* Does standard output go to a pager? */
bool pager_is_on(void);

/* Behind the last result: waits until it was read. */
void pager_finish(void);
