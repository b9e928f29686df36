/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole image on processors whose idle states, clock and SMIs are known (unicorn_machine.h):
 * what benches cstate, ramp and smicost report is held against the model.
 *
 *     idle_machine [IMAGE.elf]
 *
 * Idle states: each hint of CPUID leaf 5 has an exit latency, one of them another when it idles
 * long, one ends early some times before each wake-up. Clock: behind each wake-up it rises with a
 * known time constant, by APERF. SMIs: port B2h; models whose MSR 34h or APERF is wrong must FAIL.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/host/idle_states.h"
#include "bench/latency/names.h"
#include "bench/noise/names.h"
#include "kernel/cpu/msr.h"
#include "kernel/run/names.h"
#include "tools/run/curves.h"
#include "tools/tests/machine/machine_boot.h"
#include "tools/tests/support/unit.h"

#define DEFAULT_IMAGE "build/image/tare.elf"
#define TSC_HZ        10000000ull
#define INSTRUCTIONS  400000000ull
#define PORT_SMI      0xb2
#define LEAF_MONITOR  5
#define SUB_STATES    0x1120 /* C1: two, C2: one, C3: one */

/* Exit latencies in ticks, of 100 ns. */
#define EXIT_00      50
#define EXIT_10      400
#define EXIT_20      1000 /* where it idles that long at least: */
#define LONG_ENOUGH  10000
#define EXIT_SHALLOW 100
#define EARLY_ENDS   3 /* of hint 01h, before each wake-up */

/* The clock behind a wake-up from anything but PAUSE, in cycles a tick. */
#define SLOW 0.4
#define FAST 1.2
#define RISE 2000.0 /* time constant in ticks */
#define PLAN                                                                                  \
    "bench=cstate,ramp cstate.longest_us=2000 cstate.trials=2 ramp.ms=3 ramp.iterations=100 " \
    "ramp.trials=2 link.wait_ms=0 exit=poweroff"
#define PLAN_COUNTS                                                                             \
    "bench=cstate cstate.tsc_deadline=0 cstate.longest_us=2000 cstate.trials=2 link.wait_ms=0 " \
    "exit=poweroff"
#define PLAN_SMI "bench=smicost smicost.count=5 link.wait_ms=0 exit=poweroff"

static const char *image_path;
static struct temporary folder;

static struct model {
    struct machine machine;
    struct devices devices;
    struct machine_devices others; /* what the ports do by themselves */
    unsigned early;                /* ends of hint 01h since the last wake-up */
    uint64_t ends;                 /* all of them */
    uint64_t deadlines;            /* writes of IA32_TSC_DEADLINE */
    double cycles;                 /* of APERF when the last wake-up came */
    uint64_t ticks;                /* of MPERF then */
    uint64_t woke;                 /* TSC */
    bool rises;                    /* else the clock is fast at once */
    bool smi_counts_twice;
    bool aperf_stands_in_smm;
} model;

/* ---- idle states ---- */

static double cycles_since(uint64_t now)
{
    const double ticks = (double)(now - model.woke);

    return !model.rises ? FAST * ticks
                        : FAST * ticks - (FAST - SLOW) * RISE * (1 - exp(-ticks / RISE));
}

static uint64_t exit_of(uint32_t hint, uint64_t span)
{
    switch (hint) {
    case 0x00:
        return EXIT_00;
    case 0x10:
        return EXIT_10;
    case 0x20:
        return span >= LONG_ENOUGH ? EXIT_20 : EXIT_SHALLOW;
    default:
        return 0;
    }
}

static uint64_t on_idle(void *context, uint32_t hint, uint64_t until)
{
    const uint64_t now = machine_tsc(&model.machine);

    (void)context;
    if (hint == 0x01 && model.early < EARLY_ENDS) {
        model.early++;
        model.ends++;
        return MACHINE_NEVER;
    }
    const uint64_t exit = exit_of(hint, until - now);

    model.early = 0;
    model.cycles += cycles_since(now);
    model.ticks += now - model.woke;
    model.woke = until + exit;
    model.rises = true;
    return exit;
}

static void on_cpuid(void *context, uint32_t leaf, struct cpuid_result *result)
{
    (void)context;
    if (leaf == 1) {
        result->ecx |= 1u << 3 | 1u << 24; /* MONITOR, TSC deadline */
    } else if (leaf == LEAF_MONITOR) {
        *result = (struct cpuid_result){64, 64, 3, SUB_STATES};
    }
}

static bool on_rdmsr(void *context, uint32_t index, uint64_t *value)
{
    const uint64_t now = machine_tsc(&model.machine);

    (void)context;
    if (index == MSR_APERF) {
        *value = (uint64_t)(model.cycles + cycles_since(now));
    } else if (index == MSR_MPERF) {
        *value = model.ticks + now - model.woke;
    }
    return index == MSR_APERF || index == MSR_MPERF;
}

#define LVT_TIMER    (0x320 / 0x10)
#define LVT_DEADLINE (2u << 17)

/* The timer in devices is one shot then, at a time of the TSC. */
static bool on_wrmsr(void *context, uint32_t index, uint64_t value)
{
    (void)context;
    if (index != MSR_TSC_DEADLINE) {
        return false;
    }
    CHECK_EQUAL(model.devices.lapic[LVT_TIMER] & 3u << 17, LVT_DEADLINE);
    model.devices.timer_next = value;
    model.machine.due = value;
    model.deadlines++;
    return true;
}

/* ---- SMIs ---- */

static void write_port(void *context, uint16_t port, unsigned bytes, uint32_t value)
{
    model.others.port_write(context, port, bytes, value);
    if (port == PORT_SMI && model.smi_counts_twice) {
        pmu_model_smi(&model.machine.model, 0);
    }
    if (port == PORT_SMI && model.aperf_stands_in_smm) {
        model.machine.model.aperf_base -= DEVICES_SMM_WORK;
    }
}

/* ---- a run ---- */

static void open_model(enum pmu_machine kind)
{
    memset(&model, 0, sizeof(model));
    machine_open(&model.machine, image_path, kind);
    model.machine.limit = INSTRUCTIONS;
}

static void set_hooks(void)
{
    model.others = model.machine.devices;
    model.machine.devices.port_write = write_port;
}

/* False, and the check has failed: it did not run, or its log is no run. */
static bool boot(const char *name, const char *plan, struct run *run)
{
    const struct machine_course course = {folder.path, name, plan, TSC_HZ, set_hooks};
    const bool read = machine_boot_run(&model.machine, &model.devices, &course, run);

    CHECK_TEXT(model.machine.failure, "");
    CHECK(read);
    return read;
}

static void close_model(struct run *run)
{
    run_free(run);
    machine_close(&model.machine);
}

static const struct run_bench *bench_in(const struct run *run, const char *name, const char *state)
{
    const struct run_bench *bench = run_find_bench(run, name);

    CHECK(bench != NULL);
    if (bench != NULL) {
        if (strcmp(bench->state, state) != 0) {
            fprintf(stderr, "%s: %s: %s\n", name, bench->state, bench->reason);
        }
        CHECK_TEXT(bench->state, state);
    }
    return bench;
}

/* ---- cstate ---- */

/* Each state's latencies are those of HLT, which needs nothing to come out, and its own. */
static void check_exits(const struct run_bench *bench, uint32_t hint)
{
    struct curve hlt, state;
    char name[32];

    snprintf(name, sizeof(name), PREFIX_ALONE PREFIX_STATE_MWAIT "%02x.0", hint);
    const bool halts = curve_read(bench, PREFIX_ALONE NAME_STATE_HLT ".0", &hlt);
    const bool waits = curve_read(bench, name, &state);

    CHECK(halts && waits);
    CHECK(!halts || !waits || state.points == hlt.points);
    for (size_t i = 0; halts && waits && i < state.points * state.trials; i++) {
        const uint64_t ticks = (uint64_t)state.x[i / state.trials] * TSC_HZ / 1000000;

        CHECK_EQUAL((int64_t)(state.cost[i] - hlt.cost[i]), exit_of(hint, ticks - 1));
    }
    if (halts) {
        curve_free(&hlt);
    }
    if (waits) {
        curve_free(&state);
    }
}

static void check_cstate(const struct run *run)
{
    static const uint32_t hints[] = {0x00, 0x01, 0x10, 0x20};
    const struct run_bench *bench = bench_in(run, BENCH_CSTATE, STATE_OK);

    if (bench == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        check_exits(bench, hints[i]);
    }
    const struct run_series *one = run_find_series(bench, PREFIX_ALONE PREFIX_STATE_MWAIT "01.0");

    CHECK(one != NULL && one->n > 0);
    CHECK_EQUAL(run_fact_or(bench, PREFIX_EARLY PREFIX_ALONE PREFIX_STATE_MWAIT "01.0", -1),
                one != NULL ? (int64_t)one->n * EARLY_ENDS : 0);
    CHECK_EQUAL(run_fact_or(bench, PREFIX_EARLY PREFIX_ALONE PREFIX_STATE_MWAIT "10.0", -1), 0);
}

/* ---- ramp ---- */

static void check_one_ramp(const struct ramp *ramp)
{
    /* Within 1 % of FAST. */
    const double expected = RISE * log((FAST - SLOW) / (RAMP_SETTLED * FAST));
    const double piece = ramp->end[1] - ramp->end[0];

    CHECK(ramp->by_aperf);
    CHECK(ramp->has_settled);
    CHECK(fabs(ramp->final - FAST) < RAMP_SETTLED / 4 * FAST);
    if (strcmp(ramp->state, NAME_STATE_PAUSE) == 0) {
        return; /* it never idled: whether the clock still rises depends on what was before */
    }
    CHECK(fabs(ramp->settled - expected) < 0.1 * expected + 2 * piece);
    /* The integral of what is missing, to the settling. */
    const double lost = (FAST - SLOW) / FAST * RISE;

    CHECK(fabs(ramp->lost - lost) < 0.1 * lost);
    CHECK(ramp->speed[0] < SLOW + 0.25 * (FAST - SLOW));
}

static void check_ramp(const struct run *run)
{
    const struct run_bench *bench = bench_in(run, BENCH_RAMP, STATE_OK);
    struct ramp ramps[RAMP_STATES_MAX];
    const size_t count = bench != NULL ? ramps_read(bench, ramps) : 0;

    CHECK_EQUAL(count, 6);
    for (size_t i = 0; i < count; i++) {
        check_one_ramp(&ramps[i]);
        ramp_free(&ramps[i]);
    }
}

static void open_idle(void)
{
    open_model(MACHINE_INTEL_V4);
    model.machine.on_cpuid = on_cpuid;
    model.machine.on_rdmsr = on_rdmsr;
    model.machine.on_wrmsr = on_wrmsr;
    model.machine.on_idle = on_idle;
}

static void test_idle(void)
{
    struct run run;

    open_idle();
    if (boot("idle", PLAN, &run)) {
        check_cstate(&run);
        check_ramp(&run);
        CHECK(model.ends > 0);
        CHECK(model.deadlines > 0);
    }
    close_model(&run);
    open_idle();
    if (boot("counts", PLAN_COUNTS, &run)) {
        check_cstate(&run);
        CHECK_EQUAL(model.deadlines, 0);
    }
    close_model(&run);
}

/* ---- smicost ---- */

static void check_smi(const char *name, const char *state, bool by_aperf)
{
    static const char *const series[] = {SERIES_SMI_GAP, SERIES_SMI_WATCH, SERIES_SMI_APERF};
    struct run run;

    if (boot(name, PLAN_SMI, &run)) {
        const struct run_bench *bench = bench_in(&run, BENCH_SMICOST, state);

        for (size_t i = 0; bench != NULL && i < sizeof(series) / sizeof(series[0]); i++) {
            const struct run_series *found = run_find_series(bench, series[i]);

            CHECK_EQUAL(found != NULL, strcmp(state, STATE_SKIP) != 0 && (i < 2 || by_aperf));
            for (size_t k = 0; found != NULL && strcmp(state, STATE_OK) == 0 && k < found->n; k++) {
                CHECK(labs(found->samples[k] - DEVICES_SMM_WORK) < DEVICES_SMM_WORK / 50);
            }
        }
    }
    close_model(&run);
}

static void test_smi(void)
{
    open_model(MACHINE_INTEL_V4);
    pmu_model_smi(&model.machine.model, 0); /* firmware's: MSR 34h is not 0 */
    check_smi("agree", STATE_OK, true);
    open_model(MACHINE_INTEL_V3);
    pmu_model_smi(&model.machine.model, 0);
    check_smi("no_freeze", STATE_OK, false);
    open_model(MACHINE_INTEL_V4);
    check_smi("no_count", STATE_SKIP, false);
    open_model(MACHINE_INTEL_V4);
    pmu_model_smi(&model.machine.model, 0);
    model.smi_counts_twice = true;
    check_smi("twice", STATE_FAIL, true);
    open_model(MACHINE_INTEL_V4);
    pmu_model_smi(&model.machine.model, 0);
    model.aperf_stands_in_smm = true;
    check_smi("aperf", STATE_FAIL, true);
}

int main(int argc, char **argv)
{
    image_path = machine_arguments(argc, argv, DEFAULT_IMAGE, &folder);
    RUN(test_idle());
    RUN(test_smi());
    const int status = unit_finish("idle_machine");

    if (status == 0) {
        temporary_remove(&folder);
    }
    return status;
}
