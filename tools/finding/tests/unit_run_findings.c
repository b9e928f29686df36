/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings of runs that are built from raw samples, where no machine of the tests can be planted
 * with the cause: a processor that is slower than others. And what is derived from a whole run:
 * frames that are lost, clocks that ran apart, counters.
 */
#include "bench/noise/names.h"
#include "bench/system/names.h"
#include "kernel/link/names.h"
#include "kernel/pmu/names.h"
#include "kernel/run/derived.h"
#include "kernel/run/names.h"
#include "tools/finding/derive.h"
#include "tools/finding/run_findings.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define PIECES 300

static struct run run;

static void begin(const char *kind)
{
    run_init(&run);
    run_add_pair(&run, &run.info, INFO_KIND, kind);
    run.ended = true;
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
}

static struct findings find(void)
{
    struct run_texts reasons = {0};
    struct findings findings;

    run_valid(&run, &reasons);
    run_findings(&run, &reasons, &findings);
    run_texts_free(&reasons);
    return findings;
}

static void end(void)
{
    run_free(&run);
}

static void add_cost(struct run_bench *bench, const char *name, const char *twice, int64_t ticks)
{
    build_series(bench, name, NULL, NULL, (int64_t[]){100 + ticks}, 1);
    build_series(bench, twice, NULL, NULL, (int64_t[]){100 + 2 * ticks}, 1);
}

/* CPUID is the cheapest certain exit, the HPET the dearest instruction; RDTSC does not exit. A tick
 * is 1 ns. */
static void test_hypervisor(void)
{
    static const char *const hypervisors[] = {"KVMKVMKVM", NULL};

    for (size_t i = 0; i < 2; i++) {
        begin(TIME_REAL);
        if (hypervisors[i] != NULL) {
            run_add_pair(&run, &run.info, INFO_HYPERVISOR, hypervisors[i]);
        }
        struct run_bench *bench = build_bench(&run, BENCH_EXITS, 1);

        bench->state = STATE_OK;
        add_cost(bench, "loop", "loop.twice", 1);
        add_cost(bench, "rdtsc", "rdtsc.twice", 21);
        add_cost(bench, "cpuid", "cpuid.twice", 1201);
        add_cost(bench, "rdmsr", "rdmsr.twice", 1301);
        add_cost(bench, "hpet_read", "hpet_read.twice", 12001);
        const struct findings findings = find();
        const struct finding *last = &findings.item[0];

        for (size_t k = 0; k < findings.count; k++) {
            last =
                strcmp(findings.item[k].rule->name, "hypervisor") == 0 ? &findings.item[k] : last;
        }
        if (hypervisors[i] != NULL) {
            CHECK_TEXT(last->rule->name, "hypervisor");
            CHECK_EQUAL(last->value, 3);
            CHECK_TEXT(
                last->text,
                "the hypervisor traps 3 of 4 operations (unknown: 0); the cheapest certain exit is "
                "CPUID (1.200 us), the dearest instruction MMIO read, HPET (12.00 us)");
        } else {
            CHECK(findings.count == 0 || strcmp(last->rule->name, "hypervisor") != 0);
        }
        end();
    }
}

/* Four processors; the pieces of one are half as long again, with some spread. */
static void test_slow_processor(void)
{
    int64_t samples[PIECES];
    char name[32];

    begin(TIME_REAL);
    struct run_bench *bench = build_bench(&run, BENCH_FWQ, 1);

    bench->state = STATE_OK;
    build_fact(bench, FACT_PROCESSORS, 4);
    for (int processor = 0; processor < 4; processor++) {
        for (int i = 0; i < PIECES; i++) {
            samples[i] = (processor == 2 ? 150000 : 100000) + i % 7 * 10;
        }
        snprintf(name, sizeof(name), SERIES_WORK ".%d", processor);
        build_series(bench, run_text(&run, name), NULL, NULL, samples, PIECES);
    }
    const struct findings findings = find();

    CHECK_EQUAL((int64_t)findings.count, 1);
    CHECK_TEXT(findings.item[0].rule->name, "processor");
    CHECK(findings.item[0].value > 499000 && findings.item[0].value < 501000);
    CHECK(strstr(findings.item[0].text, "processor 2 is slow") != NULL);
    end();
}

static int64_t derived_of(const char *name)
{
    struct run_texts reasons = {0};
    struct derived derived;
    int64_t value = -1;

    run_valid(&run, &reasons);
    derive(&run, &reasons, &derived);
    CHECK(derived_value(&derived, name, &value));
    run_texts_free(&reasons);
    return value;
}

/* A machine that was stopped once: found only under a hypervisor, and not in pure exact time. */
static void test_stopped(void)
{
    static const struct {
        const char *kind, *hypervisor;
        bool found;
    } cases[] = {{TIME_REAL, "KVMKVMKVM", true},
                 {TIME_REAL, NULL, false},
                 {TIME_EXACT, "TCGTCGTCGTCG", false},
                 {TIME_EMULATED, "TCGTCGTCGTCG", false}};
    int64_t samples[PIECES];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(cases[i].kind);
        if (cases[i].hypervisor != NULL) {
            run_add_pair(&run, &run.machine, FACT_HYPERVISOR, cases[i].hypervisor);
        }
        struct run_bench *bench = build_bench(&run, "exits", 1);

        for (int k = 0; k < PIECES; k++) {
            samples[k] = k < PIECES / 2 ? 999999999 : 501000; /* half of them: no median */
        }
        build_series(bench, "slow", NULL, NULL, samples, PIECES);
        for (int k = 0; k < PIECES; k++) {
            samples[k] = k == 7 ? 512000000 : 511000 + k;
        }
        build_series(bench, "hlt_timer", NULL, NULL, samples, PIECES);
        CHECK_EQUAL(derived_of(DERIVED_STOPPED_NS), cases[i].found ? 512000000 : 0);
        end();
    }
}

static void test_lost(void)
{
    begin(TIME_REAL);
    CHECK_EQUAL(derived_of(DERIVED_LOST), 0);
    run_add_loss(&run, "META frame 3 lost: the records in it are missing");
    CHECK_EQUAL(derived_of(DERIVED_LOST), 1);
    run_add_loss(&run, "gap_length: frames 7..9 lost: samples 100..400 missing");
    run_add_loss(&run, "trace: 3 of 9 packets lost (frames 1, 4..5)");
    run_add_loss(&run, "stream 9: frame 12 has an unexpected type: left out");
    CHECK_EQUAL(derived_of(DERIVED_LOST), 7);
    /* Two frames of a batch, with samples of three series. */
    run_add_loss(&run, "stream 27 (a/x): frame 0 of batch 26 lost: samples 0..9 missing");
    run_add_loss(&run, "stream 28 (a/y): frame 0 of batch 26 lost: samples 0..4 missing");
    run_add_loss(&run, "stream 28 (a/y): frame 2 of batch 26 lost: samples 9..12 missing");
    run_add_loss(&run, "stream 29 (a/z): frame 2 of batch 26 lost: sample 0 missing");
    CHECK_EQUAL(derived_of(DERIVED_LOST), 9);
    const struct findings findings = find();

    CHECK_TEXT(findings.item[0].rule->name, "lost");
    CHECK_EQUAL(findings.item[0].value, 9);
    end();
}

static void test_drift(void)
{
    begin(TIME_REAL);
    CHECK_EQUAL(derived_of(DERIVED_DRIFT_PPM), 0);
    struct run_bench *bench = build_bench(&run, BENCH_GAP, 1);

    bench->state = STATE_FAIL;
    bench->reason = "time changed: TSC by hpet: 1000000 Hz -> 998000 Hz";
    CHECK_EQUAL(derived_of(DERIVED_DRIFT_PPM), 2000);
    run_add_text(&run, &run.errors,
                 "time changed after the last bench: TSC by pm_timer: 1000000 Hz -> 1003000 Hz");
    CHECK_EQUAL(derived_of(DERIVED_DRIFT_PPM), 3000);
    const struct findings findings = find();

    CHECK_EQUAL((int64_t)findings.count, 1);
    CHECK_TEXT(findings.item[0].rule->name, "drift");
    CHECK(strstr(findings.item[0].text, "pm_timer") != NULL);
    end();
    begin(TIME_REAL);
    run_add_text(&run, &run.errors, "time changed: kind of time: exact -> real");
    CHECK_EQUAL(derived_of(DERIVED_DRIFT_PPM), 0);
    CHECK_TEXT(find().item[0].rule->name, "invalid");
    end();
}

static void test_counters(void)
{
    begin(TIME_REAL);
    build_bench(&run, BENCH_GAP, 1)->state = STATE_OK;
    for (int i = 0; i < 4; i++) {
        *run_add_counter(&run) = (struct run_counter){
            .name = i == 2 ? "general2" : "fixed0",
            .state = i == 2   ? COUNTER_STATE_DEAD
                     : i == 3 ? COUNTER_STATE_HELD
                              : COUNTER_STATE_USABLE,
        };
    }
    CHECK_EQUAL(derived_of(DERIVED_COUNTERS), 2);
    CHECK_EQUAL(derived_of(DERIVED_COUNTERS_BAD), 1);
    CHECK_TEXT(find().item[0].text,
               "counter general2 does not count; 1 of 3 event counters is not used");
    end();
}

/* What the plan asked for and the run did not do. */
static void test_undone(void)
{
    begin(TIME_REAL);
    build_bench(&run, BENCH_GAP, 1)->state = STATE_OK;
    CHECK_EQUAL(derived_of(DERIVED_UNCOUNTED), 0);
    CHECK_EQUAL(derived_of(DERIVED_UNUSED), 0);
    *run_add_event(&run) = (struct run_event){.name = "cycles", .state = EVENT_STATE_COUNTED};
    *run_add_event(&run) =
        (struct run_event){.name = "loads", .state = EVENT_STATE_ABSENT, .reason = "no counter"};
    *run_add_event(&run) = (struct run_event){.name = "stores", .state = EVENT_STATE_ABSENT};
    run.plan_text = "bench=gap gap.keep=5 events=cycles,loads,stores disk.model=nvme fwq.ms=5";
    CHECK_EQUAL(derived_of(DERIVED_UNCOUNTED), 2);
    CHECK_EQUAL(derived_of(DERIVED_UNUSED), 1);
    const struct findings findings = find();

    CHECK_EQUAL((int64_t)findings.count, 2);
    CHECK_TEXT(findings.item[0].text,
               "2 events of the plan were not counted: loads, stores: no counter");
    CHECK_TEXT(findings.item[1].text,
               "1 key of the plan had no effect: fwq.ms: bench fwq did not run");
    run.ended = false; /* the bench may have been to come */
    CHECK_EQUAL(derived_of(DERIVED_UNUSED), 0);
    end();
}

int main(void)
{
    RUN(test_hypervisor());
    RUN(test_slow_processor());
    RUN(test_stopped());
    RUN(test_lost());
    RUN(test_drift());
    RUN(test_counters());
    RUN(test_undone());
    return unit_finish("unit_run_findings");
}
