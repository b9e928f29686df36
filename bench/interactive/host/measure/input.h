/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input events and actions of a bench, and what its users wait for, read from its traces in one
 * walk (shared_walk.h). They stay with the bench until run_forget(), and belong to it. The run must
 * be finished.
 */
#pragma once

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/call_rule.h"
#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/think_wait.h"

struct input_reading {
    bool good;      /* the traces could be read */
    bool explained; /* input_explained() was called, and interactive_explain() succeeded */
    bool tried;     /* input_explained() was called */
    struct interactive interactive;
    struct actions actions;
    struct call_marks marks;
};

/* Returns whether a bench has input events, by its series and objects. */
bool input_expected(const struct run_bench *bench);

const struct input_reading *input_of(const struct run_bench *bench);
/* The same, after interactive_explain(), for those who show its parts. */
const struct input_reading *input_explained(const struct run_bench *bench);
/* Returns the bench's think and wait; waits that a user perceives count as noticed. Returns NULL if
 * the traces could not be read. */
const struct think_wait *input_think_wait(const struct run *run, const struct run_bench *bench);
