/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the rules, by what they look at. The table of rules.c has each with its
 * threshold. Those that look for noise leave to one another what each explains: a gap that is an
 * SMI or the hypervisor's is not reported a second time.
 */
#pragma once

#include "kernel/run/finding.h"

#define RULE_FUNCTION(name)                                                         \
    void name(const struct finding_rule *rule, const struct finding_source *source, \
              struct findings *findings)

/* The data (rules_run.c). */
RULE_FUNCTION(rule_lost);
RULE_FUNCTION(rule_drift);
RULE_FUNCTION(rule_invalid);
RULE_FUNCTION(rule_bench);
RULE_FUNCTION(rule_counter);

/* What takes processors (rules_noise.c). */
RULE_FUNCTION(rule_smi);
RULE_FUNCTION(rule_steal);
RULE_FUNCTION(rule_gap);
RULE_FUNCTION(rule_processor);

/* Clocks of processors (rules_clock.c). */
RULE_FUNCTION(rule_skew);
RULE_FUNCTION(rule_frequency);

/* What takes long (rules_latency.c). */
RULE_FUNCTION(rule_timer);
RULE_FUNCTION(rule_disk);
RULE_FUNCTION(rule_busy);
RULE_FUNCTION(rule_cold);

/* Last: the blind spots of what found nothing, in one line. */
RULE_FUNCTION(rule_clear);
