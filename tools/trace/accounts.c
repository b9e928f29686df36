/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums and names of accounts (accounting.h). */
#include "tools/trace/accounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/task/names.h"
#include "kernel/trace/names.h"
#include "kernel/trace/trace.h"
#include "tools/base/alloc.h"

void account_spread_add(struct account_spread *spread, uint64_t ticks)
{
    if (spread->n == 0 || ticks < spread->min) {
        spread->min = ticks;
    }
    if (ticks > spread->max) {
        spread->max = ticks;
    }
    spread->n++;
    spread->total += ticks;
    spread->bins[ticks == 0 ? 0 : 64 - __builtin_clzll(ticks)]++;
}

uint64_t account_bin_begin(unsigned bin)
{
    return bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
}

struct account_handler *account_handler_of(struct accounting *accounting, enum account_kind kind,
                                           uint32_t id)
{
    struct account_handler **handler =
        kind == ACCOUNT_VECTOR ? &accounting->vectors[id] : &accounting->dpcs[id];

    if (*handler == NULL) {
        *handler =
            alloc_zeroed(sizeof(**handler) + accounting->cpu_count * sizeof((*handler)->on[0]));
        (*handler)->kind = kind;
        (*handler)->id = id;
    }
    return *handler;
}

const struct account_handler *account_next_handler(const struct accounting *accounting, size_t *at)
{
    const struct account_handler *handler = NULL;

    for (; handler == NULL && *at < 2 * (size_t)ACCOUNT_IDS; (*at)++) {
        handler =
            *at < ACCOUNT_IDS ? accounting->vectors[*at] : accounting->dpcs[*at - ACCOUNT_IDS];
    }
    return handler;
}

/* ---- sums and names ---- */

static uint64_t sum_of(const uint64_t *values, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}

uint64_t accounting_sum(const struct accounting *accounting)
{
    uint64_t sum = accounting->dispatch + accounting->tracer + accounting->unknown;
    const struct account_handler *handler;

    for (size_t i = 0; i < accounting->thread_count; i++) {
        sum += accounting->threads[i]->running + accounting->threads[i]->fault;
    }
    for (size_t at = 0; (handler = account_next_handler(accounting, &at)) != NULL;) {
        sum += handler->ticks;
    }
    return sum;
}

uint64_t accounting_conflicts(const struct accounting *accounting)
{
    return sum_of(accounting->conflicts, CONFLICTS);
}

const struct account_thread *accounting_thread(const struct accounting *accounting, uint32_t id)
{
    if (id == TRACE_IDLE_THREAD && accounting->on > 0) {
        return accounting->cpus[accounting->on].idle_thread;
    }
    return id < accounting->thread_slot_count && accounting->thread_slots[id] != 0
               ? accounting->threads[accounting->thread_slots[id] - 1]
               : NULL;
}

const struct account_lock *accounting_lock(const struct accounting *accounting, uint32_t id)
{
    return id < accounting->lock_slot_count && accounting->lock_slots[id] != 0
               ? accounting->locks[accounting->lock_slots[id] - 1]
               : NULL;
}

uint64_t account_ready_ticks(const struct account_thread *thread)
{
    return sum_of(thread->ready, READY_CAUSES);
}

uint64_t account_waiting_ticks(const struct account_thread *thread)
{
    return sum_of(thread->waiting, ACCOUNT_REASONS);
}

uint64_t account_busy_ticks(const struct account_cpu *cpu)
{
    return cpu->elapsed - cpu->idle - cpu->ticks[ACCOUNT_UNKNOWN];
}

const char *account_object_name(const struct run_bench *bench, const char *kind, uint32_t id,
                                char text[ACCOUNT_NAME_MAX])
{
    const char *name = run_object_name(bench, kind, id);
    unsigned before = 0;

    if (name == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < bench->object_count; i++) {
        const struct run_object *object = &bench->objects[i];

        if (strcmp(object->kind, kind) == 0 && object->id == id) {
            break;
        }
        before += strcmp(object->kind, kind) == 0 && object->name != NULL &&
                  strcmp(object->name, name) == 0;
    }
    if (before > 0) {
        snprintf(text, ACCOUNT_NAME_MAX, "%.48s, %u", name, before + 1);
    } else {
        snprintf(text, ACCOUNT_NAME_MAX, "%s", name);
    }
    return text;
}

const char *account_kind_name(enum account_kind kind)
{
    static const char *const kinds[ACCOUNT_KINDS] = {
        [ACCOUNT_THREAD] = OBJECT_NAME_THREAD, [ACCOUNT_FAULT] = "page_fault",
        [ACCOUNT_VECTOR] = OBJECT_NAME_VECTOR, [ACCOUNT_DPC] = OBJECT_NAME_DPC,
        [ACCOUNT_DISPATCH] = "dispatch",       [ACCOUNT_TRACER] = "tracer",
        [ACCOUNT_UNKNOWN] = "unknown",
    };

    return kinds[kind];
}

const char *account_name(const struct run_bench *bench, enum account_kind kind, uint32_t id,
                         char text[ACCOUNT_NAME_MAX])
{
    const bool is_thread = kind == ACCOUNT_THREAD || kind == ACCOUNT_FAULT;
    const char *name = account_kind_name(is_thread ? ACCOUNT_THREAD : kind);

    if (account_object_name(bench, name, id, text) != NULL) {
        return text;
    }
    if (is_thread && id <= TRACE_BENCH_THREAD) {
        snprintf(text, ACCOUNT_NAME_MAX, "%s",
                 id == TRACE_BENCH_THREAD ? NAME_OF_BENCH_THREAD : NAME_OF_IDLE_THREAD);
    } else if (kind == ACCOUNT_VECTOR) {
        snprintf(text, ACCOUNT_NAME_MAX, "vector %02" PRIx32 "h", id);
    } else if (is_thread || kind == ACCOUNT_DPC) {
        snprintf(text, ACCOUNT_NAME_MAX, "%s %" PRIu32, is_thread ? "thread" : "DPC", id);
    } else {
        snprintf(text, ACCOUNT_NAME_MAX, "%s", name);
    }
    return text;
}

const char *account_label(const struct run_bench *bench, enum account_kind kind, uint32_t id,
                          char text[ACCOUNT_LABEL_MAX])
{
    static const char *const whats[ACCOUNT_KINDS] = {
        [ACCOUNT_THREAD] = "thread ",    [ACCOUNT_FAULT] = "page fault of ",
        [ACCOUNT_VECTOR] = "interrupt ", [ACCOUNT_DPC] = "DPC ",
        [ACCOUNT_DISPATCH] = "",         [ACCOUNT_TRACER] = "",
        [ACCOUNT_UNKNOWN] = "",
    };
    char name[ACCOUNT_NAME_MAX];
    const char *what = whats[kind];

    account_name(bench, kind, id, name);
    /* A name that already begins with what it is does not need the prefix. */
    snprintf(text, ACCOUNT_LABEL_MAX, "%s%s", strncmp(name, what, strlen(what)) != 0 ? what : "",
             name);
    return text;
}

const char *account_ready_name(enum account_ready cause)
{
    static const char *const names[READY_CAUSES] = {
        [READY_WOKEN] = "woken",         [READY_STARTED] = "started",
        [READY_PREEMPTED] = "preempted", [READY_YIELDED] = "yielded",
        [READY_OVERTAKEN] = "overtaken", [READY_QUANTUM] = WAIT_NAME_QUANTUM,
    };

    return names[cause];
}

const char *account_reason_name(uint32_t reason, char text[ACCOUNT_NAME_MAX])
{
    static const char *const names[WAIT_REASONS] = {
        [WAIT_NONE] = "none",
        [WAIT_PREEMPTED] = "preempted",
        [WAIT_YIELD] = "yield",
        [WAIT_MESSAGE] = "message",
        [WAIT_SPECIFIC] = "specific message",
        [WAIT_PIPE_EMPTY] = "pipe empty",
        [WAIT_PIPE_FULL] = "pipe full",
        [WAIT_SEMAPHORE] = "semaphore",
        [WAIT_MUTEX] = "mutex",
        [WAIT_SLEEP] = "sleep",
        [WAIT_JOIN] = "join",
        [WAIT_EXIT] = "exit",
        [WAIT_OVERTAKEN] = "overtaken",
        [WAIT_QUEUE] = "queue",
        [WAIT_QUEUE_IDLE] = "queue idle",
        [WAIT_DISK] = "disk",
        [WAIT_QUANTUM] = WAIT_NAME_QUANTUM,
    };

    if (reason < WAIT_REASONS) {
        return names[reason];
    }
    snprintf(text, ACCOUNT_NAME_MAX, "reason %" PRIu32, reason);
    return text;
}

const char *account_conflict_text(enum account_conflict conflict)
{
    static const char *const texts[CONFLICTS] = {
        [CONFLICT_SWITCH_OLD] = "a switch from a thread that was not running",
        [CONFLICT_SWITCH_NEW] = "a switch to a thread that was not ready",
        [CONFLICT_SWITCH_HANDLER] = "a switch inside a handler",
        [CONFLICT_EXIT] = "a handler's exit without its entry",
        [CONFLICT_DEPTH] = "handlers nested too deep",
        [CONFLICT_DPC] = "a DPC inside a handler",
        [CONFLICT_READY] = "a wake-up of a thread that was not waiting",
        [CONFLICT_STATE] = "a thread in a different state than before",
        [CONFLICT_START] = "a start of a thread that was already running",
        [CONFLICT_FAULT] = "a page fault's begin and end that do not match",
        [CONFLICT_TICK] = "a clock tick charged to a thread that was not running",
        [CONFLICT_TWICE] = "a switch to a thread that runs on another processor",
        [CONFLICT_UNMOVED] = "a switch to a thread on a processor that it was not moved to",
        [CONFLICT_MOVE] = "a move of a thread from a processor that it was not on",
        [CONFLICT_QUANTUM] = "an end of a quantum of a thread that was not running",
    };

    return texts[conflict];
}
