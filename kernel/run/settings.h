/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a plan sets of a run (run_keys.def): its values, checked. The image reads its plan by this,
 * and the host checks a plan by this before it boots the image.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/net/use.h"
#include "kernel/plan/param.h"
#include "kernel/plan/plan.h"
#include "kernel/plan/port.h"

#define TRACE_PACKETS_MIN 2 /* of a trace buffer */

/* The keys of run_keys.def, as rows of a table like those of benches. */
enum run_key {
#define RUN_KEY(type, field, ...) RUN_KEY_##field,
#include "kernel/run/run_keys.def"
    RUN_KEYS,
};
extern const struct bench_param settings_keys[RUN_KEYS];

#define SETTING_NONE UINT64_MAX /* a number that is not given and has no default */

/* Types of the fields. */
#define RUN_FIELD_NUMBER uint64_t
#define RUN_FIELD_TIME   uint64_t
#define RUN_FIELD_WORD   const char *
#define RUN_FIELD_TEXT   const char *

struct run_settings {
    /* What the plan gives for each key, or its default. Texts are the plan's; NULL: not given. */
#define RUN_KEY(type, field, ...) RUN_FIELD_##type field;
#include "kernel/run/run_keys.def"

    /* What follows from them. */
    bool text;                /* link.format=text or lava */
    bool lava;                /* link.format=lava: lines for LAVA between the frames */
    struct port_setting port; /* link.port */
    uint32_t udp_address;     /* link.udp: first byte in bits 31-24; 0: not given */
    uint16_t udp_port;
    struct net_settings net; /* net.*; may_drive is set by the runner */

    bool owned; /* boot services are gone: by who owns the machine, not by the plan */
};

/* Defaults where a plan sets nothing. */
void settings_default(struct run_settings *settings);

/* Overwrites the settings that the plan gives and checks that the plan holds no unknown key, no
 * unknown bench and no wrong value: against the benches of registry.h, whose plan it is from then
 * on, and `keys`, those of a run. The image passes settings_keys, the host the table of the image
 * that it boots. Returns false with `error` written, which names the thing and what would be right.
 */
bool settings_read(struct plan *plan, const struct bench_param *keys, size_t key_count,
                   struct run_settings *settings, char error[PLAN_ERROR_MAX]);

/* The faults of inject=, by their place in this list. */
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

/* Reads an item KIND@BENCH of the list. Returns its kind with `bench` written, cut if it is too
 * long to be one; INJECT_KINDS if it is no such item. */
enum inject_kind inject_item_read(const char *item, size_t length, char bench[INJECT_NAME_MAX]);
