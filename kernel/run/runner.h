/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the benches that a plan names, one after the other, and survives each.
 */
#pragma once

#include <stdbool.h>

#include "kernel/plan/plan.h"
#include "kernel/plan/port.h"

/* The plan's keys that are not a bench's, without those of traces (tracing.h), of input
 * (planned_input.h) and of counting (counting.h). */
struct run_settings {
    const char *benches;      /* bench=LIST: names, "all", "none"; NULL: all but those on request */
    uint64_t baud;            /* link.baud: 0 keeps what firmware set */
    bool text;                /* link.format=binary|text */
    bool on_request;          /* link.send=run|request: samples and traces only when asked for */
    bool wait_for_cts;        /* link.flow=none|hardware */
    struct port_setting port; /* link.port */
    uint64_t wait_ms;         /* link.wait_ms: how long to wait for a host after END */
    bool x2apic;              /* lapic.mode=firmware|x2apic */
    bool serve;               /* link.serve=1: a host is there and will send bye */
    uint64_t processor;       /* processor=NUMBER: which one runs the benches */
    const char *machine;      /* machine=own|borrow; NULL: not given */
    const char *exit;         /* exit=poweroff|reboot|halt; NULL: not given */
};

/* Defaults where a plan sets nothing. */
void runner_default_settings(struct run_settings *settings);

/* Overwrites the settings that the plan gives and checks that the plan holds no unknown key, no
 * unknown bench and no value out of range. False: `error` names the thing and what would be right.
 */
bool runner_read_plan(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX]);

/* Runs the benches, with their records, samples and one line of text each; `between` is called
 * behind each of them, with nothing running or open. */
void runner_run(const struct run_settings *settings, void (*between)(void));

/* Name of the bench that runs now, or NULL: for reports of exceptions. */
const char *runner_current(void);
