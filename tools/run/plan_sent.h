/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan that ran, against the one that `tare boot` sent. The image takes a plan from another
 * source where it does not find the one that was sent; such a run answers another question.
 */
#pragma once

#include <stdbool.h>

struct plan_given {
    const char *source; /* as in the log: "fw_cfg"; NULL: unknown */
    const char *text;   /* NULL: unknown */
};

/* Do they differ in source or text? Of a log with losses (`lossy`) a text proves nothing, and
 * nothing does where the source is unknown. */
bool plan_sent_differs(const struct plan_given *ran, const struct plan_given *sent, bool lossy);

#define PLAN_SENT_REASON_MAX 512

/* One line that names both. Texts are shown from the line of their first difference on, cut where
 * they are long. */
void plan_sent_reason(const struct plan_given *ran, const struct plan_given *sent,
                      char reason[PLAN_SENT_REASON_MAX]);
