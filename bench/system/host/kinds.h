/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processors by their kind, where a machine has unlike ones: machine facts processor_kind.NUMBER.
 * Tables and figures list those of one kind beside each other, and name it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

/* Its kind's name; NULL where all are alike, or it is not known. */
const char *processor_kind(const struct run *run, int64_t number);

/* "3 P", or "3". */
#define PROCESSOR_LABEL_MAX 80
const char *processor_label(const struct run *run, int64_t number, char label[PROCESSOR_LABEL_MAX]);

/* Indices of numbers[0..count-1]: by kind, in the order in which the run lists kinds (facts
 * kind.NAME), those without one last; within a kind as they stand. To be freed. */
size_t *processors_by_kind(const struct run *run, const int64_t *numbers, size_t count);

/* "4 P, 8 E" of processors in the order in which they stand; empty where all are alike. */
#define KINDS_TEXT_MAX 256
void processors_kinds_text(const struct run *run, const int64_t *numbers, size_t count,
                           char text[KINDS_TEXT_MAX]);
