/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings: numbers of a model that are asked for in place of its text's (struct sim_setting). Each
 * function is false with *error set where there is no such setting, or its value cannot be.
 */
#pragma once

#include <stdbool.h>

#include "tools/sim/model/bookkeeping.h"

/* Before the text is read: the unit, which values of runs are counted in; *has_unit is set if
 * one of the settings gives it. */
bool sim_settings_begin(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        bool *has_unit, struct sim_model_error *error);
/* Behind it, before what follows from its numbers. */
bool sim_settings_apply(struct sim_model *model, const struct sim_setting *settings, size_t count,
                        struct sim_model_error *error);
/* Once that is settled: scales, which keep the arrivals as they are; settles what follows again. */
bool sim_settings_finish(struct sim_model *model, const struct sim_setting *settings, size_t count,
                         const struct sim_lines *lines, struct sim_model_error *error);

/* One of interrupt, switch, receive, send; NULL: there is none of that name. */
double *sim_overhead_field(struct sim_overhead *overhead, const char *name);
