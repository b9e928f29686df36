/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Check of the account without records (kernel/trace/account.h), which the image sends as facts for
 * every traced bench, against the same ticks computed from the trace. A tick belongs to what runs
 * between two time stamps; here nothing is deducted for the tracer and the kernel, unlike in
 * accounting.h.
 *
 * Both come from the same stamps in different ways: one by additions in the image's memory, the
 * other by packets, the line, the decoder and the accounting. If the trace is complete, they must
 * agree to the tick. If parts of it are unknown, the trace can only have less.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/json.h"
#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/trace/accounting.h"

struct account_line {
    uint32_t cpu;           /* processor */
    enum account_kind kind; /* thread, vector or deferred call (DPC) */
    uint32_t id;
    uint64_t ticks;   /* ticks by the account */
    uint64_t entries; /* number of switches to the thread, or of calls of the handler */
    uint64_t traced;  /* ticks by the trace, if there is one */
};

struct account_memory {
    bool present; /* the bench was traced, and its image keeps such an account */
    /* of each processor, and in all */
    uint64_t cpu_elapsed[RUN_PROCESSORS_MAX], cpu_sum[RUN_PROCESSORS_MAX];
    uint64_t elapsed;
    uint64_t sum;   /* sum of the ticks of the lines */
    uint32_t above; /* all numbers of processors are below this */
    struct account_line *lines;
    size_t count, capacity;
    bool traced;           /* there is a trace to compare with */
    bool whole;            /* all of the trace's time is known */
    uint64_t differences;  /* number of lines that do not agree */
    const char *different; /* what does not agree, in words; NULL: everything agrees */
};

/* Reads the account of a bench and compares it. `accounting` is NULL if there is no trace. Call
 * account_memory_free() afterwards. */
void account_memory_read(struct account_memory *memory, const struct run_bench *bench,
                         const struct accounting *accounting);
void account_memory_free(struct account_memory *memory);
/* Sorts the lines by ticks, largest first. */
void account_memory_sort(struct account_memory *memory);

/* Call after decoding: turns a bench that is OK but whose account does not agree with its trace
 * into FAIL, with the reason. */
void account_judge(struct run *run);

/* Returns whether the fact is one of those that view_account() shows. */
bool account_is_fact(const struct run_fact *fact);
/* Prints one line if trace and account agree, otherwise a table, and nothing if there is no
 * account. `accounting` is NULL if there is no trace. */
void view_account(const struct view *view, const struct run_bench *bench,
                  const struct accounting *accounting);
/* Writes the member "account" of a bench's object, if there is an account. */
void account_json(struct json *json, const struct run_bench *bench,
                  const struct accounting *accounting);
