/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Crashes of a run: registers, and the calls that led there, with file and line if the image's
 * symbols are those of the build that crashed.
 */
#pragma once

#include "tools/present/view.h"

#define SHOW_CRASH "crash" /* stands in the place of a bench's name */

/* Lines come from addr2line (binutils), of view->symbols; without either there are none. */
void view_crashes(const struct view *view);
