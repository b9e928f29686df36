/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/runner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/block/block.h"
#include "kernel/block/file.h"
#include "kernel/block/use.h"
#include "kernel/clock/alarm.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/prefetcher.h"
#include "kernel/cpu/scale.h"
#include "kernel/cpu/simd.h"
#include "kernel/cpu/stamped.h"
#include "kernel/input/input.h"
#include "kernel/irq/doze.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/timed_section.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/link/record.h"
#include "kernel/net/nbd_disk.h"
#include "kernel/net/net.h"
#include "kernel/net/nic.h"
#include "kernel/net/use.h"
#include "kernel/plan/names.h"
#include "kernel/pmu/pmu.h"
#include "kernel/run/bench.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/counting.h"
#include "kernel/run/expectation.h"
#include "kernel/run/inject.h"
#include "kernel/run/limit.h"
#include "kernel/run/names.h"
#include "kernel/run/phase.h"
#include "kernel/run/processors.h"
#include "kernel/run/registry.h"
#include "kernel/run/sampling.h"
#include "kernel/run/settings.h"
#include "kernel/run/summary.h"
#include "kernel/run/tracing.h"
#include "kernel/run/window.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/smp/baton.h"
#include "kernel/smp/event_server.h"
#include "kernel/smp/processor.h"
#include "kernel/task/session.h"
#include "kernel/task/syscall.h"
#include "kernel/task/thread.h"

/*
 * Unexpected events while a bench runs: interrupt storms (kernel/irq/interrupt.h), NMIs
 * (kernel/cpu/exception.h), and a change of time since the boot (kernel/clock/clock.h). A bench is
 * promised a machine without any of these, and its numbers include what they took. So a bench that
 * would otherwise end as OK ends as FAIL, with the event as its reason. A change of time is the
 * reason whatever else the bench found.
 *
 * Facts: storm.VECTOR, how often the vector came; storm.VECTOR.input, the I/O APIC input that was
 * masked, or, as absent, why none was; unexpected_nmi, the number of NMIs; unexpected_nmi.first and
 * .last, when they came after the bench's start; port_61h, if it named a line at any of them;
 * proof.ticks_per_instruction, in exact time; proof.CLOCK, the rate of the TSC by that clock. All
 * storms and NMIs are counted; the reason names the worst storm, the one that came most often, and
 * how many more there were.
 */

#define NAME_MAX  24
#define WHERE_MAX 48

static void (*save_round)(void);       /* saves the log between rounds; NULL: does not */
static struct clock_proof round_proof; /* first that did not hold before a save within the bench */
static unsigned nmis_before;
static uint64_t bench_began;

static void disturbance_begin(void)
{
    nmis_before = exception_unknown_nmis()->count;
    exception_nmis_begin();
    storm_begin();
    bench_began = tsc_read();
    round_proof.holds = true;
    clock_proof_begin();
}

static const char *masked_where(const struct storm *storm, char text[WHERE_MAX])
{
    const char *where = storm->source == STORM_LAPIC ? "its source in the LAPIC was masked"
                                                     : "it could not be masked";

    snprintf(text, WHERE_MAX, "%s", where);
    if (storm->source == STORM_IOAPIC) {
        snprintf(text, WHERE_MAX, "input %u of the I/O APICs was masked", storm->gsi);
    }
    return text;
}

static void report_storm(struct bench_run *run, unsigned vector, const struct storm *storm)
{
    char name[NAME_MAX];
    char where[WHERE_MAX];

    snprintf(name, sizeof(name), "storm.%u", vector);
    bench_fact(run, name, "interrupt", storm->count);
    snprintf(name, sizeof(name), "storm.%u.input", vector);
    if (storm->source == STORM_IOAPIC) {
        bench_fact(run, name, "gsi", storm->gsi);
    } else {
        bench_absent(run, name, masked_where(storm, where));
    }
}

/* Reports all storms, and gives the worst as the reason. */
static void report_storms(struct bench_run *run)
{
    const struct storm *worst = NULL;
    unsigned worst_vector = 0;
    unsigned count = 0;
    char where[WHERE_MAX];
    char more[24] = "";

    for (unsigned vector = EXCEPTION_COUNT; vector < VECTOR_COUNT; vector++) {
        const struct storm *storm = storm_of((uint8_t)vector);

        if (storm == NULL) {
            continue;
        }
        report_storm(run, vector, storm);
        count++;
        if (worst == NULL || storm->count > worst->count) {
            worst = storm;
            worst_vector = vector;
        }
    }
    if (worst == NULL) {
        return;
    }
    if (count > 1) {
        snprintf(more, sizeof(more), "; and %u more", count - 1);
    }
    snprintf(run->reason, sizeof(run->reason),
             "interrupt storm: unexpected vector %u came %u times; %s%s", worst_vector,
             worst->count, masked_where(worst, where), more);
}

static void report_nmis(struct bench_run *run, unsigned count, const struct exception_nmis *nmis)
{
    const unsigned lines = nmis->lines;

    bench_fact(run, "unexpected_nmi", "nmi", count);
    bench_fact(run, "unexpected_nmi.first", UNIT_TICK, (int64_t)(nmis->first - bench_began));
    bench_fact(run, "unexpected_nmi.last", UNIT_TICK, (int64_t)(nmis->last - bench_began));
    if (lines != 0) {
        bench_fact(run, "port_61h", "bits", lines);
    }
    snprintf(run->reason, sizeof(run->reason), "%u unexpected NMI%s%s%s", count,
             count == 1 ? "" : "s", (lines & NMI_LINE_SERR) != 0 ? ", SERR#" : "",
             (lines & NMI_LINE_IOCHK) != 0 ? ", IOCHK#" : "");
}

static enum bench_state report_events(struct bench_run *run, enum bench_state state)
{
    const struct exception_nmis *nmis = exception_unknown_nmis();
    struct bench_run reported = *run;

    reported.reason[0] = '\0';
    if (nmis->count != nmis_before) {
        report_nmis(&reported, nmis->count - nmis_before, nmis);
    }
    report_storms(&reported);
    if (reported.reason[0] == '\0') {
        return state;
    }
    if (state != BENCH_OK) {
        link_text("tare: bench %s: %s", run->bench->name, reported.reason);
        return state;
    }
    *run = reported;
    return BENCH_FAIL;
}

static void publish_proof(const struct bench_run *run, const struct clock_proof *proof)
{
    char name[NAME_MAX];

    if (proof->ticks_per_instruction != 0) {
        bench_fact(run, FACT_PROOF_INSTRUCTION_TICKS, UNIT_TICK, proof->ticks_per_instruction);
    }
    for (size_t i = 0; i < proof->count; i++) {
        snprintf(name, sizeof(name), PREFIX_PROOF "%s", proof->rate[i].reference);
        bench_fact(run, name, UNIT_HZ, (int64_t)proof->rate[i].hz);
    }
}

/* Reports unexpected events since disturbance_begin(). Returns the bench's state now. */
static enum bench_state disturbance_end(struct bench_run *run, enum bench_state state)
{
    struct clock_proof proof;

    state = report_events(run, state);
    clock_proof_end(&proof);
    proof = round_proof.holds ? proof : round_proof;
    publish_proof(run, &proof);
    if (proof.holds) {
        return state;
    }
    link_text("tare: bench %s: " REASON_TIME_CHANGED ": %s", run->bench->name, proof.changed);
    if (state == BENCH_CRASH || state == BENCH_SKIP) {
        return state;
    }
    if (run->reason[0] != '\0') {
        link_text("tare: bench %s: apart from that it ended as %s: %s", run->bench->name,
                  bench_state_name(state), run->reason);
    }
    return bench_fail(run, REASON_TIME_CHANGED ": %s", proof.changed);
}

void runner_save_round(void)
{
    struct clock_proof proof;

    if (save_round == NULL || bench_counting()) {
        return;
    }
    clock_proof_end(&proof);
    round_proof = round_proof.holds ? proof : round_proof;
    save_round();
    clock_proof_begin();
}

/* Checks outside any bench that the time base found at boot still holds. If not, reports an error,
 * which makes the run invalid. `when` is inserted into the text of the error. */
static void disturbance_prove_run(const char *when)
{
    struct clock_proof proof;
    struct record_writer record;
    char text[BENCH_REASON_MAX + 1];

    phase_bench();
    clock_proof_begin();
    clock_proof_end(&proof);
    if (proof.holds) {
        return;
    }
    snprintf(text, sizeof(text), REASON_TIME_CHANGED " %s: %s", when, proof.changed);
    record_begin(&record, RECORD_ERROR);
    record_text(&record, FIELD_TEXT, text);
    link_record(&record);
    link_text("tare: %s", text);
}

/*
 * Input according to the plan, which benches see as bench_input() (bench.h):
 *
 *     input.script={SCRIPT}           what is typed and clicked (kernel/input/script.h), instead of
 *                                     each bench's own script
 *     input.source=KIND               who generates it. loopback: the benches, through the keyboard
 *                                     controller; timer: the benches, through an emulated
 *                                     controller (kernel/input/controller.h); auto (default):
 *                                     loopback if the controller can carry the script, otherwise
 *                                     timer; outside: QEMU or a person
 *     input.wait_ms=N                 outside: how long after the script's end to wait for missing
 *                                     input (default 3000), in the machine's time: in exact mode
 *                                     that does not run as fast as the time of the person or
 *                                     program that types; `tare boot --keys` sets it accordingly
 */

#define REASON_MAX 120

static struct bench_input input;

const struct bench_input *bench_input(void)
{
    return &input;
}

/* Takes input.source and input.wait_ms from the plan, before the first bench. */
static void planned_input_use(const struct run_settings *settings)
{
    const char *source = settings->input_source;

    input = (struct bench_input){strcmp(source, PLAN_INPUT_OUTSIDE) == 0, settings->input_wait_ms,
                                 strcmp(source, PLAN_INPUT_LOOPBACK) == 0,
                                 strcmp(source, PLAN_INPUT_TIMER) == 0};
}

/* Returns why the keyboard controller cannot carry the script, or NULL if it can. */
static const char *no_way(const bool needs[I8042_PORTS], char *text, size_t size)
{
    static const char *const names[I8042_PORTS] = {"keyboard", "mouse"};

    input_use(INPUT_FROM_I8042);
    const struct i8042 *controller = input_controller();

    if (!controller->present) {
        snprintf(text, size, "no i8042 on this machine: %s", controller->reason);
        return text;
    }
    for (enum i8042_port port = 0; port < I8042_PORTS; port++) {
        const bool lacks =
            input.outside ? !controller->attached[port] : !controller->loopback[port];

        if (needs[port] && lacks && input.outside) {
            snprintf(text, size, "no %s answers", names[port]);
            return text;
        }
        if (needs[port] && lacks) {
            snprintf(text, size, "the loop-back of the %s does not work: %s", names[port],
                     controller->without[port]);
            return text;
        }
    }
    return input_unreachable();
}

const char *bench_choose_input(const struct bench_run *run, bool keyboard, bool mouse)
{
    const bool needs[I8042_PORTS] = {[I8042_KEYBOARD] = keyboard, [I8042_MOUSE] = mouse};
    static char why[REASON_MAX];
    static char found[REASON_MAX + sizeof(FROM_TIMER)];
    const char *reason =
        input.timer ? KEY_INPUT_SOURCE "=" PLAN_INPUT_TIMER : no_way(needs, why, sizeof(why));

    if (reason == NULL || input.outside || input.loopback) {
        return reason;
    }
    input_use(INPUT_FROM_TIMER);
    if (input_unreachable() != NULL) {
        return input_unreachable();
    }
    snprintf(found, sizeof(found), FROM_TIMER "%s", reason);
    bench_found(run, FOUND_INPUT, found);
    return NULL;
}

void bench_await_input(const struct bench_run *run)
{
    struct record_writer record;

    bench_record(&record, RECORD_INPUT, run);
    record_text(&record, FIELD_STATE, STATE_READY_FOR_INPUT);
    link_record(&record);
    link_text("tare: %s: type now: %s", run->bench->name, bench_text(run, "script"));
    link_drain();
}

#define BECAUSE_MAX     240
#define NS_PER_S        1000000000
#define VALUE_SHOWN_MAX 400 /* longest value, in characters, that a record shows */

static const struct bench *current;
static struct counting planned_counting; /* counting of the plan's events */
static struct counting own_counting;     /* counting of a bench that has its own events */

const char *runner_current(void)
{
    return current == NULL ? NULL : current->name;
}

/* ---- the plan ---- */

/* The table that the host reads from the image before it boots it (registry.h). */
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

#if TARE_SMP
static void use_tasks(const struct run_settings *settings)
{
    const struct task_plan plan = {
        .processors = settings->tasks_cpus,
        .quantum_us = settings->tasks_quantum_us,
        .boosts = settings->tasks_boosts != 0,
        .hog = settings->tasks_hog,
        .devices = settings->irq_cpu,
    };

    task_use(&plan);
}
#endif

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
#if TARE_SMP
    use_tasks(settings);
#endif
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
    return registry_selects(settings->benches, bench);
}

static void announce_estimate(const struct bench_run *run, const struct bench_estimate *estimate)
{
    struct record_writer record;

    bench_record(&record, RECORD_EXPECT, run);
    record_text(&record, RECORD_KEY(expect, series), estimate->series);
    if (estimate->instructions != ESTIMATE_NONE) {
        record_signed(&record, RECORD_KEY(expect, instructions), estimate->instructions);
    }
    if (estimate->value != ESTIMATE_NONE) {
        record_signed(&record, RECORD_KEY(expect, value), estimate->value);
        record_text(&record, RECORD_KEY(expect, unit), estimate->unit);
    }
    record_text(&record, RECORD_KEY(expect, because), estimate->because);
    link_record(&record);
}

void bench_expect(const struct bench_run *run, const char *series, uint64_t ns, const char *format,
                  ...)
{
    char because[BECAUSE_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(because, sizeof(because), format, arguments);
    va_end(arguments);
    announce_estimate(run, &(struct bench_estimate){series, ESTIMATE_NONE, (int64_t)ns,
                                                    UNIT_NANOSECOND, because});
}

uint64_t bench_instructions_ns(uint64_t instructions)
{
    const struct clock_state *clock = clock_state();

    return clock->ticks_per_instruction == 0
               ? instructions / 2
               : scale_u64(instructions * clock->ticks_per_instruction, NS_PER_S,
                           clock->verdict.hz);
}

/* A program would not fit into a record; the records `plan` have the whole value. */
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
    for (const struct bench_estimate *e = bench->estimates; e != NULL && e->series != NULL; e++) {
        announce_estimate(run, e);
    }
    link_flush();
}

/* Returns the first need of the bench that the machine does not meet, in words, or NULL. */
static const char *unmet_need(const struct bench *bench)
{
    const struct clock_state *clock = clock_state();

    if ((bench->needs & NEED_CLOCK) != 0 && clock->verdict.hz == 0) {
        return "no clock to measure the TSC against";
    }
    if ((bench->needs & NEED_CLOCK) != 0 && !clock->verdict.ok && clock->verdict.alone) {
        return "only one clock works: no second one verifies the rate of the TSC";
    }
    if ((bench->needs & NEED_LAPIC_TIMER) != 0 && clock->lapic_hz == 0) {
        return "the LAPIC timer is missing or does not count";
    }
#if TARE_SMP
    if (task_processors_planned() > task_processors_max()) {
        return "tasks.cpus: fewer processors work, or the plan's processor is not 0";
    }
#endif
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
                 "ended by the watchdog after %lu ms (bench.limit_ms); see the crash report",
                 limit_ms());
    } else {
#if TARE_SMP
        if (task_explain(run->reason, sizeof(run->reason))) {
            return;
        }
#endif
        snprintf(
            run->reason, sizeof(run->reason),
            "ended by the watchdog: thread %s did not give up the processor; see the crash report",
            thread_name(thread_current()));
    }
}

/* Calls the bench. If an exception, the threads' watchdog or the benches' watchdog ends it,
 * execution continues here, and the bench ends as CRASH. */
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
#if TARE_SMP
    case RECOVERED_FOREIGN:
        nmi_unblock();
        snprintf(run->reason, sizeof(run->reason),
                 "ended by an exception on processor %zu; see the crash report",
                 exception_processor());
        state = BENCH_CRASH;
        break;
#endif
    default:
        snprintf(run->reason, sizeof(run->reason), "ended by an exception; see the crash report");
        state = BENCH_CRASH;
        break;
    }
    exception_arm(false);
    limit_end();
    return state;
}

/* Stops everything that a bench left running or enabled, before the next bench begins. */
static void quiet_machine(void)
{
    interrupts_disable();
    task_abandon();
    block_close_all();
    nbd_disk_abandon();
    net_abandon();
    nic_close_all();
    processors_abandon();
    event_servers_abandon();
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

/* Closes vectors and calls that are left open only by a bench that was ended in the middle. */
static void close_entries(void)
{
    uint64_t dropped;

    timed_section_stop(&dropped);
    syscall_close();
}

/* Values that the processor counts by itself. */
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

/* Tells the judge the parameters of the bench that bound what it publishes. */
static void state_parameters(const struct bench_run *run)
{
    const struct bench *bench = run->bench;

    for (const struct bench_param *p = bench->params; p != NULL && p->name != NULL; p++) {
        if (registry_planned(bench, p) != NULL) {
            expectation_absent(NULL);
        }
        if (plan_list_holds(bench->samples != NULL ? bench->samples : "trials", p->name)) {
            expectation_multiple(bench_number(run, p->name));
        }
    }
}

/* Judges a bench by what it published. A counting pass is not judged by its times, because counting
 * adds its own instructions to what a bench measures. */
static enum bench_state judge(struct bench_run *run, const struct counting_pass *pass,
                              enum bench_state state)
{
    uint32_t ticks = pass == NULL && bench_is_exact() ? clock_state()->ticks_per_instruction : 0;

#if TARE_SMP
    /* Estimates are those of threads that are alone on one processor. */
    ticks = task_processors_planned() > 1 ? 0 : ticks;
#endif

    if (state == BENCH_OK &&
        !expectation_met(run->bench, ticks, run->reason, sizeof(run->reason))) {
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
    state_parameters(run);
    sampling_forget();
    counting_begin(pass);
    disturbance_begin();
    const uint64_t began = tsc_read();
    enum bench_state state = call_guarded(run);
    const uint64_t ended = tsc_read();

    /* the watchdog may have ended the bench while caches or write protection were off */
    cr0_write(cr0);
    quiet_machine();
#if TARE_SMP
    tracing_rescue(run); /* in the local time of the session */
    baton_forget();
#endif
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

/* Runs a bench once. `pass` NULL: nothing is counted. */
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

/* Returns the bench's own events, if it has any, otherwise the plan's. */
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
    /* Events of the plan that cannot be counted are reported only once, for all benches. */
    if (bench->events == NULL || state == BENCH_SKIP) {
        return;
    }
    for (size_t i = 0; i < counting->absent_count; i++) {
        bench_absent(&run, counting->absent[i].request->name, counting->absent[i].reason);
    }
}

void runner_run(const struct run_settings *settings, void (*between)(void), void (*round)(void))
{
    size_t total = 0;
    size_t number = 0;

    save_round = round;
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
    disturbance_prove_run("after the last bench");
    link_lava_text(LAVA_END);
}
