/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a plan sets of a run: its values, checked. The image reads its plan by this, and the host
 * checks a plan by this before it boots the image.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/net/use.h"
#include "kernel/plan/plan.h"
#include "kernel/plan/port.h"

#define TRACE_PACKETS_MIN 2 /* of a trace buffer */

/* The plan's keys that are not a bench's. Texts are the plan's. */
struct run_settings {
    const char *benches; /* bench=LIST: names, "all", "none"; NULL: all but those on request */
    const char *role;    /* role=NAME: the benches of that role alone; NULL: those that measure */
    const char *events;  /* events=LIST; NULL: none */
    uint64_t baud;       /* link.baud: 0 keeps what firmware set */
    bool text;           /* link.format=text, or lava, */
    bool lava;           /* which has lines for LAVA between the frames */
    bool on_request;     /* link.send=run|request: samples and traces only when asked for */
    bool wait_for_cts;   /* link.flow=none|hardware */
    struct port_setting port; /* link.port */
    uint64_t wait_ms;         /* link.wait_ms: how long to wait for a host after END */
    uint32_t udp_address;     /* link.udp: first byte in bits 31-24; 0: not given */
    uint16_t udp_port;
    bool x2apic;            /* lapic.mode=firmware|x2apic */
    bool memory_special;    /* memory.special=1 */
    bool serve;             /* link.serve=1: a host is there and will send bye */
    uint64_t processor;     /* processor=NUMBER: which one runs the benches */
    const char *machine;    /* machine=own|borrow; NULL: not given */
    const char *exit;       /* exit=poweroff|reboot|halt; NULL: not given */
    const char *trace_mode; /* trace.mode=stop|overwrite|drain */
    uint64_t trace_bytes;   /* trace.bytes */
    bool input_outside;     /* input.source=outside */
    bool input_loopback;    /* input.source=loopback */
    bool input_timer;       /* input.source=timer */
    uint64_t input_wait_ms; /* input.wait_ms */
    bool limits;            /* bench.limit_ms is given: */
    uint64_t limit_ms;      /* 0: no limit */
    uint64_t stop_us;       /* noise.stop_us; 0: nothing stops a bench */
    const char *inject;     /* inject=KIND@BENCH,...; NULL: nothing */
    bool inject_counts;     /* inject.after is given: */
    uint64_t inject_after;
    bool owned;               /* boot services are gone: by who owns the machine, not by the plan */
    const char *disk_use;     /* disk.use; NULL: not given */
    const char *disk_model;   /* disk.model */
    uint64_t disk_mib;        /* disk.mib */
    uint64_t cache_mib;       /* cache.mib */
    const char *cache_policy; /* cache.policy=lru|2q */
    uint64_t cache_readahead; /* cache.readahead: pages */
    struct net_settings net;  /* net.*; may_drive is not the plan's */
};

/* Defaults where a plan sets nothing. */
void settings_default(struct run_settings *settings);

/* Overwrites the settings that the plan gives and checks that the plan holds no unknown key, no
 * unknown bench and no value out of range: against the benches of registry.h, whose plan it is from
 * then on, and the keys of a run. False: `error` names the thing and what would be right. */
bool settings_read(struct plan *plan, const char *const *run_keys, size_t run_key_count,
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

/* The kind of an item KIND@BENCH; INJECT_KINDS: there is none of its name. */
enum inject_kind inject_item_kind(const char *item);
/* "@BENCH" of it, cut where it is too long to be one. */
void inject_item_bench(const char *item, char name[INJECT_NAME_MAX]);
/* The item behind it; NULL: it is the last. */
const char *inject_item_next(const char *item);
