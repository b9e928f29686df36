/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bit by several adaptive probabilities at once: they are weighed in the domain ln(p / (1 - p)),
 * and the weights learn which of them to trust, as in M. Mahoney's PAQ. Integers only.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/link/range_coder.h"

#define MIXER_INPUTS 3 /* at most */

struct mixer {
    int16_t stretched[4096]; /* ln(p / (1 - p)) in units of 1/256, of p in units of 1/4096 */
};

/* Weights in units of 1/65536. */
struct mixer_weights {
    int32_t of[MIXER_INPUTS];
};

void mixer_init(struct mixer *mixer);
void mixer_forget(struct mixer_weights *weights);

/* As range_bit(), by `count` inputs; all of them learn, and the weights. */
unsigned mixer_bit(const struct mixer *mixer, struct range_coder *coder,
                   range_probability *const *inputs, unsigned count, struct mixer_weights *weights,
                   unsigned bit);
