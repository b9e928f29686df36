/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statements of the grammar with names that make a part of the model: what is behind their keyword.
 * False, with the reader's error set, where it cannot be.
 */
#pragma once

#include "tools/sim/model/model_reader.h"

bool sim_read_load(struct sim_reader *reader);
bool sim_read_process(struct sim_reader *reader);
bool sim_read_station(struct sim_reader *reader);
bool sim_read_stimulus(struct sim_reader *reader);
/* More stops of the last stimulus. */
bool sim_read_route(struct sim_reader *reader);
