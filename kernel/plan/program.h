/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs for bench model: a response-time model in the form in which the image runs it. `tare sim
 * MODEL --program` converts a model to a program (tools/sim/model/program.h), in whole numbers with
 * times in nanoseconds.
 *
 *     program  = { statement }, words separated by blanks or line ends
 *     statement = "seed" N | "unit" NS | "passes" N | "horizon" NS | "turns"
 *               | "level" NAME                         the least urgent first
 *               | "processor" NAME                     if there are several: all of them
 *               | "transmission" LAW                   from one processor to another
 *               | "process" NAME PLACE
 *               | "load" PLACE ARRIVALS LAW            competing quanta
 *               | "stimulus" NAME ARRIVALS
 *               | "stop" PLACE LAW                     adds a stop to the stimulus: a quantum
 *               | "serve" PROCESS LAW                  adds a stop at a process
 *               | "await" PROCESS LAW                  adds a stop at a process, which then waits
 *                                                      until this stimulus comes back
 *     PLACE     = LEVEL [ "on" PROCESSOR ]             by default on the first processor
 *     ARRIVALS  = "renewal" LAW | "cycle" NS
 *               | "trace" N NS...                      ascending
 *     LAW       = "constant" NS | "uniform" LOW HIGH | "tailed" KNEE HIGH TAIL
 *               | "exponential" MEAN | "empirical" N NS...
 *
 * A level is a priority. A quantum is a piece of processor time that is requested at once. A
 * stimulus is an event to which processes react; its stops are the steps of its route, and a pass
 * is one occurrence of it.
 *
 * LEVEL, PROCESSOR and PROCESS are numbers that count from 0, in the order of the statements that
 * name them. A NAME has up to PROGRAM_NAME_MAX letters, digits and "_-+.:". `passes` is the number
 * of passes of the first stimulus; it is 0 if there is no stimulus, and the run then ends when all
 * quanta that arrived within the horizon have been served. `horizon` is the longest time for which
 * arrivals continue. With `turns`, a process serves one stimulus per turn. TAIL is in parts of
 * 10^9. No time may exceed DRAW_NS_MAX.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plan/draw.h"

#define PROGRAM_NAME_MAX       23
#define PROGRAM_LEVELS_MAX     30
#define PROGRAM_PROCESSORS_MAX 16
#define PROGRAM_LOADS_MAX      32
#define PROGRAM_PROCESSES_MAX  32
#define PROGRAM_STIMULI_MAX    8
#define PROGRAM_STOPS_MAX      64 /* of all stimuli together */
#define PROGRAM_VALUES_MAX     512
#define PROGRAM_PASSES_MAX     1000000
#define PROGRAM_ERROR_MAX      120
#define PROGRAM_NONE           UINT32_MAX

enum program_arrival_kind {
    PROGRAM_RENEWAL,
    PROGRAM_CYCLE, /* law: constant, from the end of a pass to the next arrival; for stimuli only */
    PROGRAM_TRACE,
};

struct program_arrivals {
    enum program_arrival_kind kind;
    struct draw_law law;
    const uint64_t *times; /* arrival times of a trace */
    size_t count;
};

struct program_load {
    uint32_t level;
    uint32_t processor;
    struct program_arrivals arrivals;
    struct draw_law service;
};

struct program_process {
    char name[PROGRAM_NAME_MAX + 1];
    uint32_t level;
    uint32_t processor;
};

struct program_stop {
    uint32_t level; /* level of the process, if there is one */
    uint32_t processor;
    uint32_t process; /* index of the process, or PROGRAM_NONE */
    struct draw_law service;
    bool awaits;
};

struct program_stimulus {
    char name[PROGRAM_NAME_MAX + 1];
    struct program_arrivals arrivals;
    size_t first_stop, stop_count;
};

struct program {
    uint64_t seed;
    uint64_t unit_ns;
    uint64_t passes;
    uint64_t horizon_ns;
    bool turns;
    char level[PROGRAM_LEVELS_MAX][PROGRAM_NAME_MAX + 1];
    size_t level_count;
    char processor[PROGRAM_PROCESSORS_MAX][PROGRAM_NAME_MAX + 1];
    size_t processor_count; /* 0 if there is a single processor without a name */
    struct draw_law transmission;
    struct program_process process[PROGRAM_PROCESSES_MAX];
    size_t process_count;
    struct program_load load[PROGRAM_LOADS_MAX];
    size_t load_count;
    struct program_stimulus stimulus[PROGRAM_STIMULI_MAX];
    size_t stimulus_count;
    struct program_stop stop[PROGRAM_STOPS_MAX];
    size_t stop_count;
    uint64_t values[PROGRAM_VALUES_MAX]; /* numbers of traces and empirical laws */
    size_t value_count;
};

/* Reads a program. Laws point into it, so it must not be moved afterwards. Returns false on bad
 * input; `error` then gives the number of the word, the word, and the reason. */
bool program_read(struct program *program, const char *text, char error[PROGRAM_ERROR_MAX]);
