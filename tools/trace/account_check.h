/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The account without records (kernel/trace/account.h), which the image sends of every traced bench
 * as facts, and the same ticks by the trace: from a span's begin to its end, of what runs in it,
 * without what the books (accounting.h) take out of it for the tracer and the kernel.
 *
 * Both come from the same stamps by different ways: by additions in the image's memory, and by
 * packets, the line, the decoder and the books. Where the trace is whole they must agree to the
 * tick; where parts of it are unknown, the trace can only have less.
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
    enum account_kind kind; /* thread, vector or DPC */
    uint32_t id;
    uint64_t ticks;   /* by the account */
    uint64_t entries; /* switches to the thread, calls of the handler */
    uint64_t traced;  /* ticks by the trace, where there is one */
};

struct account_memory {
    bool present; /* the bench was traced, and its image keeps such an account */
    uint64_t elapsed;
    uint64_t sum; /* of the lines */
    struct account_line *lines;
    size_t count, capacity;
    bool traced;           /* there is a trace to compare */
    bool whole;            /* all of its time is known */
    uint64_t differences;  /* lines that do not agree */
    const char *different; /* what does not, in words; NULL: nothing */
};

/* `accounting` NULL: there is no trace. account_memory_free() afterwards. */
void account_memory_read(struct account_memory *memory, const struct run_bench *bench,
                         const struct accounting *accounting);
void account_memory_free(struct account_memory *memory);
/* The largest account first. */
void account_memory_sort(struct account_memory *memory);

/* After decoding: a bench that is OK and whose account does not agree with its trace is FAIL, with
 * the reason. */
void account_judge(struct run *run);

/* Does it belong to what view_account() shows? */
bool account_is_fact(const struct run_fact *fact);
/* A line where trace and account agree, else a table; nothing where there is no account.
 * `accounting` NULL: there is no trace. */
void view_account(const struct view *view, const struct run_bench *bench,
                  const struct accounting *accounting);
/* Member "account" of a bench's object, where there is an account. */
void account_json(struct json *json, const struct run_bench *bench,
                  const struct accounting *accounting);
