/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the accounting of a trace as JSON (view_trace.h). */
#include "tools/trace/view_trace.h"

#include "kernel/trace/names.h"
#include "tools/base/json.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/trace/account_check.h"
#include "tools/trace/accounting.h"
#include "tools/trace/disk_requests.h"
#include "tools/trace/reconcile.h"
#include "tools/trace/shared_walk.h"

static void put_spread(struct json *json, const char *key, const struct account_spread *spread,
                       bool histogram)
{
    json_object(json, key);
    json_unsigned(json, "n", spread->n);
    if (spread->n > 0) {
        JSON_COUNTS(json, {"total", spread->total}, {"min", spread->min});
        json_number(json, "mean", (double)spread->total / (double)spread->n, 3);
        json_unsigned(json, "max", spread->max);
    }
    if (histogram) {
        json_array(json, "histogram");
        for (unsigned i = 0; i < ACCOUNT_BINS; i++) {
            if (spread->bins[i] > 0) {
                json_object(json, NULL);
                JSON_COUNTS(json, {"from", account_bin_begin(i)}, {"n", spread->bins[i]});
                json_close(json);
            }
        }
        json_close(json);
    }
    json_close(json);
}

/* ---- accounts ---- */

static void put_account(struct json *json, const struct accounting *accounting,
                        enum account_kind kind, uint32_t id, uint64_t ticks)
{
    char name[ACCOUNT_NAME_MAX];

    json_object(json, NULL);
    json_text(json, "kind", account_kind_name(kind));
    if (kind < ACCOUNT_DISPATCH) {
        json_unsigned(json, "id", id);
        json_text(json, "name", account_name(accounting->bench, kind, id, name));
    }
    json_unsigned(json, "ticks", ticks);
    json_close(json);
}

static void put_accounts(struct json *json, const struct accounting *accounting)
{
    const struct account_handler *handler;

    json_array(json, "accounts");
    for (size_t i = 0; i < accounting->thread_count; i++) {
        const struct account_thread *thread = accounting->threads[i];

        put_account(json, accounting, ACCOUNT_THREAD, thread->id, thread->running);
        if (thread->faults > 0 || thread->fault > 0) {
            put_account(json, accounting, ACCOUNT_FAULT, thread->id, thread->fault);
        }
    }
    for (size_t at = 0; (handler = account_next_handler(accounting, &at)) != NULL;) {
        put_account(json, accounting, handler->kind, handler->id, handler->ticks);
    }
    put_account(json, accounting, ACCOUNT_DISPATCH, 0, accounting->dispatch);
    put_account(json, accounting, ACCOUNT_TRACER, 0, accounting->tracer);
    put_account(json, accounting, ACCOUNT_UNKNOWN, 0, accounting->unknown);
    json_close(json);
}

/* ---- threads ---- */

static void put_waits(struct json *json, const struct account_thread *thread)
{
    char name[ACCOUNT_NAME_MAX];

    json_object(json, "waiting");
    for (uint32_t i = 0; i < ACCOUNT_REASONS; i++) {
        if (thread->waiting[i] > 0) {
            json_unsigned(json, account_reason_name(i, name), thread->waiting[i]);
        }
    }
    json_close(json);
}

static void put_thread(struct json *json, const struct accounting *accounting,
                       const struct account_thread *thread)
{
    char name[ACCOUNT_NAME_MAX];

    json_object(json, NULL);
    json_unsigned(json, "id", thread->id);
    json_text(json, "name", account_name(accounting->bench, ACCOUNT_THREAD, thread->id, name));
    json_optional(json, "process", thread->described, thread->process);
    json_optional(json, "priority", thread->described, thread->first_priority);
    JSON_COUNTS(json, {"life", thread->life}, {"running", thread->running},
                {"interrupted", thread->interrupted}, {"page_fault", thread->fault},
                {"page_faults", thread->faults});
    json_object(json, "ready");
    for (size_t i = 0; i < READY_CAUSES; i++) {
        if (i != READY_QUANTUM || thread->ready[i] > 0) {
            json_unsigned(json, account_ready_name((enum account_ready)i), thread->ready[i]);
        }
    }
    json_close(json);
    put_waits(json, thread);
    JSON_COUNTS(json, {"unknown", thread->unknown}, {"switches", thread->switches},
                {"preemptions", thread->preemptions}, {"wakeups", thread->wakeups});
    put_spread(json, "wakeup_delay", &thread->wake, false);
    json_unsigned(json, "charged", thread->charged);
    if (accounting->cpu_count > 1) {
        JSON_COUNTS(json, {"migrations", thread->migrations},
                    {"quantum_ends", thread->quantum_ends}, {"boosts", thread->boosts});
        json_array(json, "running_on");
        for (size_t i = 0; i < accounting->cpu_count; i++) {
            json_unsigned(json, NULL, thread->on[i].ticks);
        }
        json_close(json);
    }
    json_close(json);
}

/* ---- handlers, locks, timers ---- */

static void put_handlers(struct json *json, const char *key, const struct accounting *accounting,
                         enum account_kind kind)
{
    const struct account_handler *handler;
    char name[ACCOUNT_NAME_MAX];

    json_array(json, key);
    for (size_t at = 0; (handler = account_next_handler(accounting, &at)) != NULL;) {
        if (handler->kind != kind) {
            continue;
        }
        json_object(json, NULL);
        json_unsigned(json, "id", handler->id);
        json_text(json, "name", account_name(accounting->bench, kind, handler->id, name));
        JSON_COUNTS(json, {"ticks", handler->ticks}, {"count", handler->gross.n});
        put_spread(json, "net", &handler->net, true);
        put_spread(json, "gross", &handler->gross, true);
        json_unsigned(json, "nested", handler->nested);
        if (kind == ACCOUNT_DPC) {
            put_spread(json, "queued", &handler->queued, false);
        }
        json_close(json);
    }
    json_close(json);
}

static void put_locks(struct json *json, const struct accounting *accounting)
{
    char name[ACCOUNT_NAME_MAX];

    json_array(json, "locks");
    for (size_t i = 0; i < accounting->lock_count; i++) {
        const struct account_lock *lock = accounting->locks[i];

        json_object(json, NULL);
        json_unsigned(json, "id", lock->id);
        json_text(json, "name", run_object_name(accounting->bench, OBJECT_NAME_LOCK, lock->id));
        json_unsigned(json, "acquired", lock->acquired);
        put_spread(json, "wait", &lock->wait, false);
        if (lock->wait.n > 0) {
            json_text(json, "longest",
                      account_name(accounting->bench, ACCOUNT_THREAD, lock->longest_thread, name));
        }
        json_close(json);
    }
    json_close(json);
}

/* ---- disks ---- */

static void put_disk(struct json *json, const struct run_bench *bench,
                     const struct disk_account *disk)
{
    char name[ACCOUNT_NAME_MAX];

    json_object(json, NULL);
    json_unsigned(json, "id", disk->id);
    json_text(json, "name", disk_name(bench, disk, name));
    JSON_COUNTS(json, {"requests", disk->issued}, {"good", disk->good}, {"failed", disk->failed});
    json_object(json, "errors");
    for (uint32_t i = BLOCK_GOOD + 1; i < DISK_ERRORS; i++) {
        if (disk->errors[i] > 0) {
            json_unsigned(json, disk_error_name(i), disk->errors[i]);
        }
    }
    json_close(json);
    JSON_COUNTS(json, {"outstanding_at_end", disk->outstanding}, {"lost", disk->lost},
                {"not_issued_here", disk->unissued}, {"sectors", disk->sectors});
    put_spread(json, "time", &disk->time, true);
    JSON_COUNTS(json, {"deepest", disk->deepest}, {"known", disk->known}, {"busy", disk->busy},
                {"request_ticks", disk->depth});
    json_close(json);
}

/* ---- sampling ---- */

/* Writes shares of 0 to 1, and their difference in percentage points. */
static void put_sampling(struct json *json, const struct accounting *accounting)
{
    const uint64_t known = accounting->total - accounting->unknown;
    char name[ACCOUNT_NAME_MAX];

    json_unsigned(json, "clock_ticks", accounting->clock_ticks);
    json_array(json, "sampling");
    for (size_t i = 0; i < accounting->thread_count && accounting->clock_ticks > 0 && known > 0;
         i++) {
        const struct account_thread *thread = accounting->threads[i];
        const double by_samples = (double)thread->charged / (double)accounting->clock_ticks;
        const double by_events = (double)(thread->running + thread->fault) / (double)known;

        json_object(json, NULL);
        json_unsigned(json, "id", thread->id);
        json_text(json, "name", account_name(accounting->bench, ACCOUNT_THREAD, thread->id, name));
        json_unsigned(json, "charged", thread->charged);
        json_number(json, "by_samples", by_samples, 9);
        json_number(json, "by_events", by_events, 9);
        json_number(json, "error_points", 100 * (by_samples - by_events), 6);
        json_close(json);
    }
    json_close(json);
}

/* ---- the idle loop ---- */

static void put_class(struct json *json, const char *key, const struct reconcile *reconcile,
                      const struct reconcile_class *class)
{
    json_object(json, key);
    json_unsigned(json, "n", class->n);
    if (class->n > 0) {
        json_signed(json, "elongation", class->elongation);
        json_signed(json, "predicted", class->predicted);
        json_signed(json, "largest_error", class->largest);
        json_unsigned(json, "largest_error_sample", class->largest_at);
        json_number(json, "largest_error_iterations",
                    reconcile_iterations(reconcile, class->largest), 3);
        JSON_COUNTS(json, {"within_iteration", class->within}, {"within_tolerance", class->near});
    }
    json_close(json);
}

static void put_reconcile(struct json *json, const struct reconcile *reconcile)
{
    struct reconcile_class total;

    if (!reconcile->present) {
        json_null(json, "reconcile");
        return;
    }
    reconcile_total(reconcile, &total);
    json_object(json, "reconcile");
    json_signed(json, "shortest", reconcile->shortest);
    JSON_COUNTS(json, {"iteration_millitick", reconcile->iteration_millitick},
                {"tolerance_ticks", reconcile->tolerance});
    put_class(json, "quiet", reconcile, &reconcile->quiet);
    put_class(json, "single", reconcile, &reconcile->single);
    put_class(json, "several", reconcile, &reconcile->several);
    put_class(json, "all", reconcile, &total);
    JSON_COUNTS(json, {"not_compared", reconcile_outside(reconcile)},
                {"behind", reconcile->behind});
    json_close(json);
}

/* ---- the whole object ---- */

static void put_conflicts(struct json *json, const struct accounting *accounting)
{
    json_unsigned(json, "inconsistencies", accounting_conflicts(accounting));
    json_object(json, "conflicts");
    for (size_t i = 0; i < CONFLICTS; i++) {
        if (accounting->conflicts[i] > 0) {
            json_unsigned(json, account_conflict_text((enum account_conflict)i),
                          accounting->conflicts[i]);
        }
    }
    json_close(json);
}

static void put_losses(struct json *json, const struct accounting *accounting)
{
    uint64_t kept = 0;
    uint64_t discarded = 0;
    uint64_t overwritten = 0;

    for (size_t i = 0; i < accounting->bench->trace_count; i++) {
        kept += accounting->bench->traces[i].kept;
        discarded += accounting->bench->traces[i].discarded;
        overwritten += accounting->bench->traces[i].overwritten;
    }
    JSON_COUNTS(json, {"events", accounting->events}, {"kept", kept}, {"discarded", discarded},
                {"overwritten", overwritten}, {"gaps", accounting->gaps},
                {"lost_packets", accounting->lost_packets});
}

/* Writes the accounting after the traces have been read. */
static void put_accounting(struct json *json, const struct accounting *accounting,
                           const struct reconcile *reconcile, const struct disk_requests *requests)
{
    const uint64_t sum = accounting_sum(accounting);

    json_object(json, "accounting");
    JSON_COUNTS(json, {"parts", accounting->part}, {"elapsed", accounting->total}, {"sum", sum});
    json_signed(json, "difference", (int64_t)(sum - accounting->total));
    json_unsigned(json, "unknown", accounting->unknown);
    put_losses(json, accounting);
    put_conflicts(json, accounting);
    put_accounts(json, accounting);
    processors_json(json, accounting);
    json_array(json, "threads");
    for (size_t i = 0; i < accounting->thread_count; i++) {
        put_thread(json, accounting, accounting->threads[i]);
    }
    json_close(json);
    put_handlers(json, "vectors", accounting, ACCOUNT_VECTOR);
    put_handlers(json, "dpcs", accounting, ACCOUNT_DPC);
    put_locks(json, accounting);
    json_array(json, "disks");
    for (size_t i = 0; i < requests->disk_count; i++) {
        put_disk(json, accounting->bench, &requests->disks[i]);
    }
    json_close(json);
    json_object(json, "timers");
    put_spread(json, "late", &accounting->timer_late, true);
    json_unsigned(json, "early", accounting->timers_early);
    json_close(json);
    put_sampling(json, accounting);
    put_reconcile(json, reconcile);
    json_close(json);
}

static size_t seat(void *state, const struct run_bench *bench, const struct walk_wish *wish,
                   struct account_observer *observers)
{
    struct reconcile *reconcile = state;

    reconcile_init(reconcile, bench);
    if (!reconcile->present) {
        return 0;
    }
    if (run_ticks_per_instruction(wish->run) <= 0) {
        reconcile_allow_spread(reconcile);
    }
    observers[0] = reconcile_observer(reconcile);
    return 1;
}

static const struct trace_reading json_trace = {
    .use = WALK_JSON, .size = sizeof(struct reconcile), .seat = seat};

PLUGIN_REGISTER(accounting) = {.trace = &json_trace};

void accounting_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct walk *walk =
        walk_for(bench, WALK_JSON, &(struct walk_wish){.run = run, .disks = true});
    const bool read = bench->trace_count > 0 && walk->good;

    if (read) {
        put_accounting(json, &walk->accounting, walk->state[WALK_JSON], &walk->requests);
    } else {
        json_null(json, "accounting");
    }
    account_json(json, bench, read ? &walk->accounting : NULL);
}
