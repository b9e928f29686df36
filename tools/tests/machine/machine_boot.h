/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole image on a machine (unicorn_machine.h) among its devices: from kernel_main() to the
 * power-off, by a plan.
 */
#pragma once

#include <stdbool.h>

#include "tools/tests/machine/unicorn_devices.h"

/* Runs it, with firmware that lets go at once. False, with the reason in machine->failure: it did
 * not come to its power-off within machine->limit. */
bool machine_boot(struct machine *machine, struct devices *devices, const char *plan,
                  const char *vendor);

/* Decodes LOG into the run file DATABASE by `tare` (environment TARE, else build/tare), which
 * prints to the file `output`. */
bool machine_decode(const char *log, const char *database, const char *output);
