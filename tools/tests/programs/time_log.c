/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a log to standard output, of a run of time base KIND with 8 ticks an instruction, whose
 * bench has a cost of INSTRUCTIONS. Two trials of 60 are NOISE instructions longer: what a host
 * does in between.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/tests/support/log_builder.h"

#define TRIALS      60
#define REPETITIONS 10
#define TICKS       8
#define AROUND      20 /* instructions around the repetitions */

static void add_series(struct log_builder *log, const char *name, int64_t instructions,
                       int64_t noise, int late)
{
    int64_t samples[TRIALS];

    for (int i = 0; i < TRIALS; i++) {
        samples[i] = (instructions + (i % 30 == late ? noise : 0)) * TICKS;
    }
    log_series(log, "call", name, "tick", samples, TRIALS);
}

int main(int argc, char **argv)
{
    struct log_builder log;
    size_t length;

    if (argc != 4) {
        fputs("usage: time_log KIND INSTRUCTIONS NOISE > LOG\n", stderr);
        return 2;
    }
    const long cost = strtol(argv[2], NULL, 10);
    const long noise = strtol(argv[3], NULL, 10);

    log_init(&log, FRAME_BINARY);
    log_record(&log, "tare version=0.2.0 format=1 codec=1");
    log_recordf(&log, "run kind=\"%s\" ticks_per_instruction=8 machine=own hypervisor=KVMKVMKVM",
                argv[1]);
    log_record(&log, "plan source=fw_cfg text=\"\"");
    log_record(&log, "machine name=memory_free_bytes value=1048576");
    log_record(&log, "verdict ok=1 hz=1000000000 by=tsc");
    log_record(&log, "bench name=call group=system unit=tick");
    /* far from what the hypervisor makes of it */
    log_record(&log, "expect bench=call series=register0 instructions=5 because=x");
    log_recordf(&log, "fact bench=call name=repetitions value=%d unit=count", REPETITIONS);
    log_record(&log, "fact bench=call name=proof.ticks_per_instruction value=8 unit=tick");
    add_series(&log, "register0", AROUND + REPETITIONS * cost, noise, 7);
    add_series(&log, "register0.twice", AROUND + 2 * REPETITIONS * cost, noise, 19);
    log_record(&log, "status bench=call state=OK");
    log_end(&log);
    uint8_t *wire = log_wire(&log, false, &length);

    fwrite(wire, 1, length, stdout);
    free(wire);
    log_free(&log);
    return 0;
}
