/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the crashes of a run: registers and the call chain. Calls have file and line if the
 * image's symbols are those of the build that crashed.
 */
#pragma once

#include "tools/present/view.h"

#define SHOW_CRASH "crash" /* given in place of a bench's name */

/* Prints all crashes. Lines come from addr2line (binutils) with the symbols in view->symbols; if
 * one of the two is missing, there are no lines. */
void view_crashes(const struct view *view);
