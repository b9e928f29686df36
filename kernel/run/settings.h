/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values that a plan sets for a run (run_keys.def), checked. The image reads its plan with
 * this; the host checks a plan with it before it boots the image.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/net/use.h"
#include "kernel/plan/boots.h"
#include "kernel/plan/param.h"
#include "kernel/plan/plan.h"
#include "kernel/plan/port.h"

#define TRACE_PACKETS_MIN 2 /* smallest number of packets in a trace buffer */

/* The keys of run_keys.def, as rows of a table like the parameters of benches. */
enum run_key {
#define RUN_KEY(type, field, ...) RUN_KEY_##field,
#include "kernel/run/run_keys.def"
    RUN_KEYS,
};
extern const struct bench_param settings_keys[RUN_KEYS];

#define SETTING_NONE UINT64_MAX /* value of a number that is not given and has no default */

/* Types of the fields, for each type of key. */
#define RUN_FIELD_NUMBER uint64_t
#define RUN_FIELD_TIME   uint64_t
#define RUN_FIELD_WORD   const char *
#define RUN_FIELD_TEXT   const char *

struct run_settings {
    /* Value that the plan gives for each key, or its default. Texts are the plan's; NULL: not
     * given. */
#define RUN_KEY(type, field, ...) RUN_FIELD_##type field;
#include "kernel/run/run_keys.def"

    /* Values that are derived from the keys. */
    bool text; /* frames are sent as text: link.format is text or lava */
    /* Lines for LAVA are printed between the frames: link.format is lava. */
    bool lava;
    struct port_setting port; /* the port that link.port describes */
    uint32_t udp_address;     /* address of link.udp, its first byte in bits 31-24; 0: not given */
    uint16_t udp_port;
    struct net_settings net; /* the net.* keys; may_drive is set by the runner */

    bool owned; /* boot services have ended: set by the caller, not from the plan */
};

/* Sets the defaults for an empty plan. */
void settings_default(struct run_settings *settings);

/* Overwrites the settings that the plan gives. Checks that the plan has no unknown key, no unknown
 * bench and no wrong value, against the benches of registry.h, which use this plan from then on,
 * and against `keys`, the keys of a run. The image passes settings_keys; the host passes the table
 * of the image that it boots. Returns false with `error` set, which names the wrong thing and what
 * would be right. */
bool settings_read(struct plan *plan, const struct bench_param *keys, size_t key_count,
                   struct run_settings *settings, char error[PLAN_ERROR_MAX]);

/* The kinds of faults in inject=. */
enum inject_kind {
    INJECT_UD,
    INJECT_POINTER,
    INJECT_LOOP,
    INJECT_STACK,
    INJECT_NMI,
    INJECT_STORM,
    INJECT_VANISH,
    INJECT_OOM,
    INJECT_KINDS,
};

#define INJECT_NAME_MAX 32

/* Reads an item KIND@BENCH of the list. Returns its kind and sets `bench`, which is cut if it is
 * too long to be a bench. Returns INJECT_KINDS if the item does not have this form or the kind is
 * unknown. */
enum inject_kind inject_item_read(const char *item, size_t length, char bench[INJECT_NAME_MAX]);
