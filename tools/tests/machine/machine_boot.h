/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole image on a machine (unicorn_machine.h) among its devices: from kernel_main() to the
 * power-off, by a plan.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/partial_file.h"
#include "tools/run/run.h"
#include "tools/tests/machine/unicorn_devices.h"

/* Runs it, with firmware that lets go at once. False, with the reason in machine->failure: it did
 * not come to its power-off within machine->limit. */
bool machine_boot(struct machine *machine, struct devices *devices, const char *plan,
                  const char *vendor);

/* Runs `tare` (environment TARE, else build/tare), which prints to the file `output`. Returns its
 * exit status, or -1 if it did not exit. */
int machine_tare(const char *output, char *const arguments[]);

/* Of a program's arguments, "[IMAGE.elf]": the image's path, `otherwise` where none is given; and
 * makes a temporary folder. Ends the program where the arguments are wrong (status 2) or there is
 * no folder (1). */
const char *machine_arguments(int argc, char **argv, const char *otherwise,
                              struct temporary *folder);

struct machine_course {
    const char *folder; /* of the log, the run file and what `tare` prints: NAME.log, .db, .txt */
    const char *name;
    const char *plan;
    uint64_t tsc_hz;
    void (*opened)(void); /* the devices are there: hooks may be set */
};

/* All of it: opens the devices, boots, decodes, and reads the run, which is to be freed in any
 * case. False: it did not come to its end (machine->failure), or its log is no run. Ends the
 * program where no log can be written. */
bool machine_boot_run(struct machine *machine, struct devices *devices,
                      const struct machine_course *course, struct run *run);
