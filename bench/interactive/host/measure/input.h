/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input events and actions of a bench, read from its traces once. They stay with the bench until
 * run_forget(), and belong to it. The run must be finished.
 */
#pragma once

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/interactive.h"

struct input_reading {
    struct run_reading reading;
    bool good;      /* interactive_read() succeeded */
    bool joined;    /* actions_read() succeeded */
    bool explained; /* input_explained() was called, and interactive_explain() succeeded */
    bool tried;     /* input_explained() was called */
    struct interactive interactive;
    struct actions actions;
};

const struct input_reading *input_of(const struct run_bench *bench);
/* The same, after interactive_explain(), for those who show its parts. */
const struct input_reading *input_explained(const struct run_bench *bench);
