/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the rule functions, grouped by what they examine. The table in rules.c gives each rule
 * its threshold. Rules about noise do not report what another rule explains: a gap caused by an SMI
 * or by the hypervisor is not reported a second time.
 */
#pragma once

#include "kernel/run/finding.h"

#define RULE_FUNCTION(name)                                                         \
    void name(const struct finding_rule *rule, const struct finding_source *source, \
              struct findings *findings)

/* A gap of this length without steal time, and a sample of this length, is no work of a hypervisor:
 * the machine was stopped. */
#define STOPPED_NS 50000000

/* Rules about the data (rules_run.c). */
RULE_FUNCTION(rule_lost);
RULE_FUNCTION(rule_drift);
RULE_FUNCTION(rule_invalid);
RULE_FUNCTION(rule_bench);
RULE_FUNCTION(rule_counter);
RULE_FUNCTION(rule_undone);

/* Rules about lost processor time (rules_noise.c). */
RULE_FUNCTION(rule_partial);
RULE_FUNCTION(rule_smi);
RULE_FUNCTION(rule_steal);
RULE_FUNCTION(rule_gap);
RULE_FUNCTION(rule_stopped);
RULE_FUNCTION(rule_processor);

/* Rules about the clocks of processors (rules_clock.c). */
RULE_FUNCTION(rule_skew);
RULE_FUNCTION(rule_frequency);
RULE_FUNCTION(rule_rate);

/* Rules about long delays (rules_latency.c). */
RULE_FUNCTION(rule_timer);
RULE_FUNCTION(rule_disk);
RULE_FUNCTION(rule_busy);
RULE_FUNCTION(rule_cold);

/* A rule about costs (rules_run.c). */
RULE_FUNCTION(rule_hypervisor);

/* The last rule: if nothing was found, states in one line what could not have been seen. */
RULE_FUNCTION(rule_clear);
