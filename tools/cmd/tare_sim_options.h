/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "tools/cmd/tare_sim.h"

/* Reads the arguments of `tare sim`. Returns COMMAND_OK, or COMMAND_USAGE with an error printed: an
 * argument is wrong, or two exclude each other. */
int sim_options_read(struct sim_options *options, int argc, char **argv);
