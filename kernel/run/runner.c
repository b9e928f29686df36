/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/runner.h"

#include <stdio.h>
#include <string.h>

#include "kernel/block/block.h"
#include "kernel/block/file.h"
#include "kernel/block/use.h"
#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/prefetcher.h"
#include "kernel/cpu/simd.h"
#include "kernel/cpu/stamped.h"
#include "kernel/input/input.h"
#include "kernel/irq/bracket.h"
#include "kernel/irq/doze.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/net/nbd_disk.h"
#include "kernel/net/net.h"
#include "kernel/net/nic.h"
#include "kernel/net/use.h"
#include "kernel/plan/names.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/counting.h"
#include "kernel/run/disturbance.h"
#include "kernel/run/expectation.h"
#include "kernel/run/inject.h"
#include "kernel/run/limit.h"
#include "kernel/run/names.h"
#include "kernel/run/phase.h"
#include "kernel/run/planned_input.h"
#include "kernel/run/processors.h"
#include "kernel/run/registry.h"
#include "kernel/run/sampling.h"
#include "kernel/run/settings.h"
#include "kernel/run/summary.h"
#include "kernel/run/tracing.h"
#include "kernel/run/window.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/smp/processor.h"
#include "kernel/smp/station.h"
#include "kernel/task/session.h"
#include "kernel/task/syscall.h"
#include "kernel/task/thread.h"

#define VALUE_SHOWN_MAX 400 /* characters of a value that a record shows */

static const struct bench *current;
static struct counting planned_counting; /* of the plan's events */
static struct counting own_counting;     /* of a bench that has its own events */

const char *runner_current(void)
{
    return current == NULL ? NULL : current->name;
}

/* ---- the plan ---- */

/* What the host reads of the image before it boots it (registry.h). */
static const struct registry_table table
    __attribute__((used, aligned(16), section(".bench_table"))) = {
        .mark = REGISTRY_MARK,
        .bench_bytes = sizeof(struct bench),
        .param_bytes = sizeof(struct bench_param),
        .start = bench_registry_start,
        .end = bench_registry_end,
        .run_keys = settings_keys,
        .run_key_count = RUN_KEYS,
};

static void use_disks(const struct run_settings *settings)
{
    block_use(&(struct block_settings){
        .use = settings->disk_use,
        .model = settings->disk_model,
        .mib = settings->disk_mib,
        .may_drive = settings->owned,
    });
    file_use(&(struct file_settings){
        .cache_mib = settings->cache_mib,
        .read_ahead = settings->cache_readahead,
        .policy = strcmp(settings->cache_policy, CACHE_POLICY_2Q) == 0 ? CACHE_2Q : CACHE_LRU,
    });
}

static void use_network(const struct run_settings *settings)
{
    struct net_settings net = settings->net;

    net.may_drive = settings->owned;
    net_use(&net);
}

bool runner_read_plan(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    char why[EVENT_ERROR_MAX];

    if (!settings_read(plan, settings_keys, RUN_KEYS, settings, error)) {
        return false;
    }
    counting_parse(&planned_counting, settings->events, why);
    tracing_use(settings);
    planned_input_use(settings);
    inject_plan(settings);
    limit_use(settings);
    use_disks(settings);
    use_network(settings);
    return true;
}

/* ---- the run ---- */

static bool selected(const struct run_settings *settings, const struct bench *bench)
{
    const bool none = settings->benches != NULL && strcmp(settings->benches, PLAN_BENCH_NONE) == 0;

    if (settings->role != NULL) {
        return bench->role != NULL && strcmp(bench->role, settings->role) == 0;
    }
    if (bench->when_counting && planned_counting.pass_count > 0 && !none) {
        return true;
    }
    if (settings->benches == NULL || strcmp(settings->benches, PLAN_BENCH_ALL) == 0) {
        return !bench->on_request;
    }
    return plan_list_holds(settings->benches, bench->name);
}

static void announce_estimates(const struct bench_run *run)
{
    struct record_writer record;

    for (const struct bench_estimate *e = run->bench->estimates; e != NULL && e->series != NULL;
         e++) {
        bench_record(&record, RECORD_EXPECT, run);
        record_text(&record, RECORD_KEY(expect, series), e->series);
        if (e->instructions != ESTIMATE_NONE) {
            record_signed(&record, RECORD_KEY(expect, instructions), e->instructions);
        }
        if (e->value != ESTIMATE_NONE) {
            record_signed(&record, RECORD_KEY(expect, value), e->value);
            record_text(&record, RECORD_KEY(expect, unit), e->unit);
        }
        record_text(&record, RECORD_KEY(expect, because), e->because);
        link_record(&record);
    }
}

/* A program would not fit into a record; the run's records of the plan have it whole. */
static const char *shown_value(const char *text)
{
    return strlen(text) <= VALUE_SHOWN_MAX ? text : "(as the plan has it)";
}

static void announce(const struct bench_run *run)
{
    const struct bench *bench = run->bench;
    struct record_writer record;

    record_begin(&record, RECORD_BENCH);
    record_text(&record, FIELD_NAME, bench->name);
    if (run->pass != 0) {
        record_unsigned(&record, FIELD_PASS, run->pass);
    }
    record_text(&record, RECORD_KEY(bench, group), bench->group);
    record_text(&record, RECORD_KEY(bench, summary), bench->summary);
    record_text(&record, RECORD_KEY(bench, unit), bench->unit);
    record_text(&record, RECORD_KEY(bench, estimate), bench->estimate);
    link_record(&record);
    for (const struct bench_param *p = bench->params; p != NULL && p->name != NULL; p++) {
        const char *text = registry_planned(bench, p);
        const char *value = text != NULL ? text : p->default_text;
        char number[PARAM_SHOWN_MAX];

        bench_record(&record, RECORD_PARAM, run);
        record_text(&record, RECORD_KEY(param, name), p->name);
        record_text(&record, RECORD_KEY(param, value), shown_value(param_shown(p, value, number)));
        record_text(&record, RECORD_KEY(param, origin),
                    text != NULL ? ORIGIN_PLAN : ORIGIN_DEFAULT);
        link_record(&record);
    }
    announce_estimates(run);
    link_flush();
}

/* The need that the machine does not meet, in words; NULL where all are met. */
static const char *unmet_need(const struct bench *bench)
{
    const struct clock_state *clock = clock_state();

    if ((bench->needs & NEED_CLOCK) != 0 && clock->verdict.hz == 0) {
        return "no clock to measure the TSC against";
    }
    if ((bench->needs & NEED_CLOCK) != 0 && !clock->verdict.ok && clock->verdict.alone) {
        return "one clock alone: no second one verifies the rate of the TSC";
    }
    if ((bench->needs & NEED_LAPIC_TIMER) != 0 && clock->lapic_hz == 0) {
        return "no LAPIC timer that counts";
    }
    if ((bench->needs & NEED_PROCESSORS) != 0) {
        run_processors_start();
        return processors_working() > 1 ? NULL : "only one processor works";
    }
    return NULL;
}

static void report_watchdog(struct bench_run *run)
{
    if (alarm_ended_by() == ALARM_BENCH) {
        snprintf(run->reason, sizeof(run->reason),
                 "the watchdog ended it after %lu ms (bench.limit_ms), see crash", limit_ms());
    } else {
        snprintf(run->reason, sizeof(run->reason),
                 "the watchdog ended it: thread %s did not let go, see crash",
                 thread_name(thread_current()));
    }
}

/* Calls the bench; an exception inside, and the watchdog of threads or of benches, comes back here
 * as CRASH. */
static enum bench_state call_guarded(struct bench_run *run)
{
    enum bench_state state;

    switch (setjmp(*exception_recovery_point())) {
    case 0:
        exception_arm(true);
        limit_begin(run->bench);
        state = inject_is_planned(run->bench) ? inject_call(run) : run->bench->run(run);
        break;
    case RECOVERED_FORCED:
        nmi_unblock();
        report_watchdog(run);
        state = BENCH_CRASH;
        break;
    default:
        snprintf(run->reason, sizeof(run->reason), "an exception ended it, see crash");
        state = BENCH_CRASH;
        break;
    }
    exception_arm(false);
    limit_end();
    return state;
}

/* Whatever a bench left running or enabled must not reach the next one. */
static void quiet_machine(void)
{
    interrupts_disable();
    task_abandon();
    block_close_all();
    nbd_disk_abandon();
    net_abandon();
    nic_close_all();
    processors_abandon();
    stations_abandon();
    input_end();
    stamped_stop();
    doze_end();
    prefetchers_restore();
    sandbox_abandon();
    simd_abandon();
    windows_abandon();
    counting_end();
    processor_drain();
}

/* What only a bench that was ended in the middle leaves: vectors and calls that it opened. */
static void close_entries(void)
{
    uint64_t dropped;

    bracket_stop(&dropped);
    syscall_close();
}

/* What the processor counts by itself. */
struct background {
    uint64_t aperf;
    uint64_t mperf;
    uint64_t smi;
};

static struct background read_background(void)
{
    struct background background = {0};

    if (pmu_state()->has_aperf) {
        pmu_aperf_mperf(&background.aperf, &background.mperf);
    }
    if (pmu_state()->has_smi_count) {
        background.smi = pmu_smi_count();
    }
    return background;
}

static void publish_background(const struct bench_run *run, const struct background *before)
{
    const struct background after = read_background();

    if (pmu_state()->has_aperf) {
        bench_fact(run, FACT_APERF, UNIT_COUNT, (int64_t)(after.aperf - before->aperf));
        bench_fact(run, FACT_MPERF, UNIT_COUNT, (int64_t)(after.mperf - before->mperf));
    }
    if (pmu_state()->has_smi_count) {
        bench_fact(run, "smi_in_all", UNIT_COUNT, (int64_t)(uint32_t)(after.smi - before->smi));
    }
}

/* Counting adds its own instructions to what a bench stamps: its passes are not judged. */
static enum bench_state judge(struct bench_run *run, const struct counting_pass *pass,
                              enum bench_state state)
{
    if (state == BENCH_OK && pass == NULL &&
        !expectation_met(run->bench, clock_state()->ticks_per_instruction, run->reason,
                         sizeof(run->reason))) {
        return BENCH_FAIL;
    }
    return state;
}

static enum bench_state measure(struct bench_run *run, const struct counting_pass *pass)
{
    const struct background before = read_background();
    const uint64_t cr0 = cr0_read();

    phase_bench();
    tracing_forget();
    expectation_begin();
    sampling_forget();
    counting_begin(pass);
    disturbance_begin();
    const uint64_t began = tsc_read();
    enum bench_state state = call_guarded(run);
    const uint64_t ended = tsc_read();

    cr0_write(cr0); /* the watchdog may come where caches or write protection are off */
    quiet_machine();
    if (state == BENCH_CRASH) {
        close_entries();
    }
    inject_end(run);
    state = disturbance_end(run, judge(run, pass, state));
    run_processors_report_lost();
    tracing_rescue(run);
    tracing_publish_account(run);
    publish_background(run, &before);
    bench_fact(run, FACT_BEGAN, UNIT_TICK, (int64_t)began);
    bench_fact(run, FACT_ENDED, UNIT_TICK, (int64_t)ended);
    return state;
}

/* `pass` NULL: nothing is counted. */
static enum bench_state run_pass(struct bench_run *run, const struct counting_pass *pass)
{
    const struct bench *bench = run->bench;
    struct record_writer record;
    enum bench_state state;
    const char *lacking = unmet_need(bench);

    announce(run);
    current = bench;
    state = lacking != NULL ? bench_skip(run, "%s", lacking) : measure(run, pass);
    current = NULL;
    summary_end(bench, state, run->reason);

    bench_record(&record, RECORD_STATUS, run);
    record_text(&record, RECORD_KEY(status, state), bench_state_name(state));
    record_text(&record, RECORD_KEY(status, reason), run->reason);
    link_record(&record);
    link_text_behind("tare: bench %s: %s%s%s", bench->name, bench_state_name(state),
                     run->reason[0] != '\0' ? ": " : "", run->reason);
    link_lava(&(struct lava_case){.bench = bench->name,
                                  .pass = run->pass,
                                  .result = state == BENCH_OK     ? LAVA_PASS
                                            : state == BENCH_SKIP ? LAVA_SKIP
                                                                  : LAVA_FAIL});
    return state;
}

/* The bench's own events, if it has any; else the plan's. */
static const struct counting *counting_for(const struct bench *bench)
{
    char error[EVENT_ERROR_MAX];

    if (bench->events == NULL) {
        return &planned_counting;
    }
    counting_parse(&own_counting, bench->events, error);
    counting_resolve(&own_counting);
    return &own_counting;
}

static void run_bench(const struct bench *bench)
{
    const struct counting *counting = counting_for(bench);
    struct bench_run run = {.bench = bench};

    if (counting->pass_count == 0) {
        run_pass(&run, NULL);
        return;
    }
    enum bench_state state = BENCH_OK;

    for (unsigned pass = 0; pass < counting->pass_count; pass++) {
        run = (struct bench_run){.bench = bench};
        run.pass = counting->pass_count > 1 ? pass + 1 : 0;
        state = run_pass(&run, &counting->pass[pass]);
    }
    /* What the plan asks for and is not there is reported once for all benches. */
    if (bench->events == NULL || state == BENCH_SKIP) {
        return;
    }
    for (size_t i = 0; i < counting->absent_count; i++) {
        bench_absent(&run, counting->absent[i].request->name, counting->absent[i].reason);
    }
}

void runner_run(const struct run_settings *settings, void (*between)(void))
{
    size_t total = 0;
    size_t number = 0;

    counting_resolve(&planned_counting);
    counting_report(&planned_counting);
    if (settings->processor != 0) {
        run_processors_start();
    }
    for (const struct bench *const *at = bench_registry_start; at < bench_registry_end; at++) {
        if (selected(settings, *at)) {
            total++;
            summary_expect(*at);
        }
    }
    link_lava_text(LAVA_BEGIN);
    disturbance_prove_run("before the first bench");
    for (const struct bench *const *at = bench_registry_start; at < bench_registry_end; at++) {
        if (selected(settings, *at)) {
            number++;
            link_text_behind("tare: bench %s (%zu of %zu)", (*at)->name, number, total);
            summary_begin(*at, number, total);
            run_bench(*at);
            between();
        }
    }
    disturbance_prove_run("behind the last bench");
    link_lava_text(LAVA_END);
}
