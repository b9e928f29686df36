/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input by the plan, which benches see as bench_input() (bench.h):
 *
 *     input.script={SCRIPT}           what is typed and clicked (kernel/input/script.h), in place
 *                                     of each bench's own
 *     input.source=KIND               who plays it. loopback: the benches, through the keyboard
 *                                     controller; timer: the benches, through a controller in
 *                                     memory (kernel/input/controller.h); auto (default):
 *                                     loopback where the script has its ways there, else timer;
 *                                     outside: somebody outside
 *     input.wait_ms=N                 outside: how long after the script's end to wait for what did
 *                                     not come (default 3000). Of the machine's own time: in exact
 *                                     mode that runs otherwise than the time of who types, and
 *                                     `tare boot --keys` sets it accordingly
 */
#pragma once

#include "kernel/run/settings.h"

/* input.source and input.wait_ms, before the first bench. */
void planned_input_use(const struct run_settings *settings);
