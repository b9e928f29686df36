/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The delays of a convolution as text, one a line:
 *
 *     arrival       uniform 0 2
 *     transmission  exponential 1.5 times 2
 *     contention    0 with 70% else exponential 4
 *     departure     values {0: 1/4, 1: 3/4}
 *     contention    histogram FILE
 *
 * Laws are those of a model (tools/sim/model/model.h), with files and series of runs, which are
 * read. A histogram is a text file with a class a line: from, to, and how many there are; within a
 * class all is as likely. `unit 1us` sets the length of one unit.
 */
#pragma once

#include "tools/sim/convolve/convolution.h"
#include "tools/sim/model/model.h"

/* `folder`: where files that it names are looked for; NULL: it may name none. False: *error has
 * line and reason, *convolution is empty. */
bool convolution_read(struct convolution *convolution, const char *text, size_t length,
                      const char *folder, struct sim_model_error *error);
/* The same of a file; "-" is standard input. */
bool convolution_load(struct convolution *convolution, const char *path,
                      struct sim_model_error *error);
