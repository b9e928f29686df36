/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which image runs a plan: tare.efi, whose threads run on one processor, or tare-smp.efi, whose
 * threads run on several, and which has more benches.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include "kernel/plan/plan.h"

enum image_choice {
    IMAGE_ANY, /* both can: tare.efi does, unless tare-smp.efi was started */
    IMAGE_ONE,
    IMAGE_SMP,
    IMAGE_NONE, /* the plan contradicts itself */
};

#define IMAGE_REASON_MAX 160

/* Returns which image the plan needs. A plan that selects a bench of the list `smp_benches`, sets a
 * parameter of one, has a key of its threads or a model of several processors, needs tare-smp.efi.
 * With kernel=one such a model does not need it: its bench ends as SKIP. `reason` gets the cause,
 * such as "kernel=smp" or "bench quantum"; with IMAGE_NONE an error; with IMAGE_ANY "". */
enum image_choice image_choice(struct plan *plan, const char *smp_benches,
                               char reason[IMAGE_REASON_MAX]);
