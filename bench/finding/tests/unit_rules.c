/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every rule of the table with a planted cause: the finding has the planted figure; just below the
 * threshold there is none; and the worst stands first. The source is made by hand: rules see no
 * difference.
 */
#include "bench/disk/names.h"
#include "bench/latency/names.h"
#include "bench/noise/names.h"
#include "kernel/clock/names.h"
#include "kernel/link/names.h"
#include "kernel/run/derived.h"
#include "kernel/run/finding.h"
#include "kernel/run/names.h"
#include "tools/tests/support/unit.h"

#define ENTRIES 32

/* What the made-up run has: facts, derived figures and texts by "bench/name", and series. */
static struct {
    struct {
        const char *bench, *name;
        int64_t value;
    } fact[ENTRIES];
    struct {
        const char *name, *text;
        int64_t value;
    } derived[ENTRIES];
    struct {
        const char *bench, *name;
        const int64_t *samples;
        struct finding_series series;
    } series[ENTRIES];
    struct {
        const char *name, *state, *reason;
    } bench[ENTRIES];
    size_t facts, deriveds, serieses, benches;
} made;

static bool fact(const void *context, const char *bench, const char *name, int64_t *value)
{
    (void)context;
    for (size_t i = made.facts; i-- > 0;) {
        if (strcmp(made.fact[i].bench, bench) == 0 && strcmp(made.fact[i].name, name) == 0) {
            *value = made.fact[i].value;
            return true;
        }
    }
    return false;
}

static bool series(const void *context, const char *bench, const char *name,
                   struct finding_series *series)
{
    (void)context;
    for (size_t i = 0; i < made.serieses; i++) {
        if (strcmp(made.series[i].bench, bench) == 0 && strcmp(made.series[i].name, name) == 0) {
            *series = made.series[i].series;
            return true;
        }
    }
    return false;
}

static bool samples(const void *context, const char *bench, const char *name,
                    const int64_t **samples, size_t *count)
{
    (void)context;
    for (size_t i = 0; i < made.serieses; i++) {
        if (strcmp(made.series[i].bench, bench) == 0 && strcmp(made.series[i].name, name) == 0 &&
            made.series[i].samples != NULL) {
            *samples = made.series[i].samples;
            *count = made.series[i].series.n;
            return true;
        }
    }
    return false;
}

static bool derived(const void *context, const char *name, int64_t *value)
{
    (void)context;
    for (size_t i = made.deriveds; i-- > 0;) {
        if (strcmp(made.derived[i].name, name) == 0) {
            *value = made.derived[i].value;
            return true;
        }
    }
    return false;
}

static const char *derived_text(const void *context, const char *name)
{
    (void)context;
    for (size_t i = 0; i < made.deriveds; i++) {
        if (strcmp(made.derived[i].name, name) == 0) {
            return made.derived[i].text;
        }
    }
    return NULL;
}

/* Fact of the machine that a test sets; NULL: none. */
static const char *machine_name, *machine_text;

static const char *machine(const void *context, const char *name)
{
    (void)context;
    return machine_name != NULL && strcmp(machine_name, name) == 0 ? machine_text : NULL;
}

static const char *bench_at(const void *context, size_t index)
{
    (void)context;
    return index < made.benches ? made.bench[index].name : NULL;
}

static const char *state(const void *context, const char *bench, const char **reason)
{
    (void)context;
    for (size_t i = 0; i < made.benches; i++) {
        if (strcmp(made.bench[i].name, bench) == 0) {
            *reason = made.bench[i].reason;
            return made.bench[i].state;
        }
    }
    *reason = NULL;
    return NULL;
}

static void add_fact(const char *bench, const char *name, int64_t value)
{
    made.fact[made.facts].bench = bench;
    made.fact[made.facts].name = name;
    made.fact[made.facts++].value = value;
}

static void add_derived(const char *name, int64_t value, const char *text)
{
    made.derived[made.deriveds].name = name;
    made.derived[made.deriveds].text = text;
    made.derived[made.deriveds++].value = value;
}

static void add_series(const char *bench, const char *name, int64_t p50, int64_t max)
{
    made.series[made.serieses].bench = bench;
    made.series[made.serieses].name = name;
    made.series[made.serieses].samples = NULL;
    made.series[made.serieses++].series =
        (struct finding_series){.n = 1000, .min = p50, .p50 = p50, .max = max, .unit = UNIT_TICK};
}

static void add_samples(const char *bench, const char *name, const int64_t *values, size_t count)
{
    add_series(bench, name, values[0], values[0]);
    made.series[made.serieses - 1].samples = values;
    made.series[made.serieses - 1].series.n = count;
}

static void add_bench(const char *name, const char *bench_state, const char *reason)
{
    made.bench[made.benches].name = name;
    made.bench[made.benches].state = bench_state;
    made.bench[made.benches++].reason = reason;
}

/* A tick is 1 ns. */
static struct findings find_in(enum finding_time time, uint64_t ticks_per_instruction)
{
    const struct finding_source source = {
        .time = time,
        .hz = 1000000000,
        .ticks_per_instruction = ticks_per_instruction,
        .machine = machine,
        .state = state,
        .bench = bench_at,
        .fact = fact,
        .series = series,
        .samples = samples,
        .derived = derived,
        .derived_text = derived_text,
    };
    struct findings findings;

    findings_make(&source, &findings);
    return findings;
}

static struct findings find(void)
{
    return find_in(FINDING_TIME_REAL, 0);
}

static void begin(void)
{
    memset(&made, 0, sizeof(made));
}

/* A quiet watch of 10 s for gaps above 300 ns on 4 processors. */
static void add_watch(void)
{
    add_fact(BENCH_GAP, FACT_PROCESSORS, 4);
    add_fact(BENCH_GAP, FACT_GAP_ELAPSED, 10000000000);
    add_fact(BENCH_GAP, FACT_STOLEN, 0);
    add_fact(BENCH_GAP, FACT_OVER, 0);
    add_fact(BENCH_GAP, FACT_THRESHOLD, 300);
    add_fact(BENCH_GAP, FACT_SMALLEST, 20);
}

/* One finding of that rule, as that line. */
static void check_one(const struct findings *findings, const char *rule, int64_t value,
                      const char *text)
{
    CHECK_EQUAL((int64_t)findings->count, 1);
    if (findings->count == 1) {
        CHECK_TEXT(findings->item[0].rule->name, rule);
        CHECK_EQUAL(findings->item[0].value, value);
        CHECK_TEXT(findings->item[0].text, text);
    }
}

static void check_none(void)
{
    CHECK_EQUAL((int64_t)find().count, 0);
}

static void test_quiet(void)
{
    struct findings findings;

    begin();
    check_none();
    add_watch();
    findings = find();
    check_one(&findings, "clear", 0, "no gap above 300 ns in 10.0 s, 4 processors");
    add_fact(BENCH_GAP, FACT_SMALLEST, 151);
    findings = find();
    check_one(&findings, "clear", 0,
              "gaps cannot be seen: the threshold of 300 ns lies within two passes of the "
              "detector's loop; raise gap.threshold_ns");
    add_fact(BENCH_GAP, FACT_SMALLEST, 20);
    findings = find_in(FINDING_TIME_EXACT, 1);
    check_one(&findings, "clear", 0,
              "no gap above 300 instructions in 10.0 s, 4 processors; exact time shows what code "
              "does, but no SMI, hypervisor or cache of hardware");
}

static void test_run(void)
{
    struct findings findings;

    begin();
    add_derived(DERIVED_LOST, 0, NULL);
    add_derived(DERIVED_DRIFT_PPM, 999, "a");
    add_derived(DERIVED_INVALID, 0, NULL);
    add_bench("clock", STATE_OK, NULL);
    add_bench("lines", STATE_SKIP, "only one processor works");
    findings = find();
    check_one(&findings, "clear", 0,
              "nothing found; SMIs, steal time and other gaps were not looked for: run with "
              "--bench gap");

    begin();
    add_derived(DERIVED_LOST, 3, NULL);
    add_derived(DERIVED_LOST_WHY, 0, "gap_length: frames 7..9 lost");
    findings = find();
    check_one(&findings, "lost", 3,
              "3 frames of the log lost: gap_length: frames 7..9 lost; decode the complete log, "
              "or capture with requests");

    begin();
    add_derived(DERIVED_DRIFT_PPM, 1000, NULL);
    add_derived(DERIVED_DRIFT_WHY, 0, "TSC by hpet: 1 Hz -> 2 Hz");
    add_bench("gap", STATE_FAIL, "time changed: TSC by hpet");
    findings = find();
    check_one(&findings, "drift", 1000,
              "clocks ran apart by 1,000 ppm during the run (TSC by hpet: 1 Hz -> 2 Hz): no time "
              "below is certain");

    begin();
    add_derived(DERIVED_INVALID, 1, NULL);
    add_derived(DERIVED_INVALID_WHY, 0, "the log has no END");
    findings = find();
    check_one(&findings, "invalid", 1, "the run is invalid: the log has no END");

    begin();
    add_bench("order", STATE_FAIL, "message 7 came twice");
    findings = find();
    check_one(&findings, "bench", 1, "bench order ended as FAIL: message 7 came twice");
    add_bench("paths", STATE_CRASH, NULL);
    findings = find();
    check_one(&findings, "bench", 2,
              "2 benches failed; the first is order, FAIL: message 7 came twice");
}

static void test_counter(void)
{
    struct findings findings;

    begin();
    add_derived(DERIVED_COUNTERS, 0, NULL);
    add_derived(DERIVED_COUNTERS_BAD, 4, NULL);
    check_none();
    add_derived(DERIVED_COUNTERS, 10, NULL);
    add_derived(DERIVED_COUNTERS_BAD, 0, NULL);
    check_none();
    add_derived(DERIVED_COUNTERS_BAD, 1, NULL);
    add_derived(DERIVED_COUNTER_WHY, 0, "counter general2 ignores writes");
    findings = find();
    check_one(&findings, "counter", 1,
              "counter general2 ignores writes; 1 of 11 event counters is not used");
}

static void test_undone(void)
{
    struct findings findings;

    begin();
    add_derived(DERIVED_UNCOUNTED, 0, NULL);
    add_derived(DERIVED_UNUSED, 0, NULL);
    check_none();
    add_derived(DERIVED_UNCOUNTED, 1, NULL);
    add_derived(DERIVED_UNCOUNTED_WHY, 0, "cycles: no counter");
    findings = find();
    check_one(&findings, "undone", 1, "1 event of the plan was not counted: cycles: no counter");
    add_derived(DERIVED_UNCOUNTED, 0, NULL);
    add_derived(DERIVED_UNUSED, 2, NULL);
    add_derived(DERIVED_UNUSED_WHY, 0, "gap.keep: bench gap did not run");
    findings = find();
    check_one(&findings, "undone", 2,
              "2 keys of the plan had no effect: gap.keep: bench gap did not run");
    CHECK_TEXT(finding_class_text(findings.item[0].class), "undone");
}

/* A list of the first gaps, which are none of the longest: every rule takes the totals. */
static void add_first_gaps(int64_t unkept)
{
    static const int64_t length[] = {400, 400};

    add_samples(BENCH_GAP, SERIES_GAP_LENGTH, length, 2);
    add_fact(BENCH_GAP, FACT_UNKEPT, unkept);
}

static void test_smi(void)
{
    struct findings findings;

    begin();
    add_watch();
    add_first_gaps(2);
    add_fact(BENCH_GAP, FACT_OVER, 4);
    add_fact(BENCH_GAP, FACT_STOLEN, 13000);
    add_fact(BENCH_GAP, FACT_LARGEST, 6200);
    add_fact(BENCH_GAP, FACT_SMI, 2);
    add_fact(BENCH_GAP, FACT_SMI_PROVOKED, 0);
    add_fact(BENCH_GAP, FACT_SMI_TICKS, 12200);
    findings = find();
    check_one(&findings, "smi", 2,
              "2 SMIs, 6.10 us each, 0.2 a second: 1.22 ppm of the time; check the firmware's USB "
              "legacy setting and its power management");

    /* What the plan provoked is not blamed on firmware. */
    add_fact(BENCH_GAP, FACT_SMI_PROVOKED, 2);
    findings = find();
    check_one(&findings, "smi", 2,
              "2 SMIs, 6.10 us each, 0.2 a second: 1.22 ppm of the time; the plan provoked 2 of "
              "them (gap.provoke_smi)");
    /* An older image, which did not sum the gaps with SMIs. */
    add_fact(BENCH_GAP, FACT_SMI_TICKS, 0);
    add_fact(BENCH_GAP, FACT_SMI_PROVOKED, 0);
    findings = find();
    CHECK_TEXT(findings.item[1].text,
               "2 SMIs, 0.2 a second: their length was not reported; check the firmware's USB "
               "legacy setting and its power management");

    /* What SMIs do not explain is a finding beside them, and the greater share stands first. */
    begin();
    add_watch();
    add_first_gaps(3);
    add_fact(BENCH_GAP, FACT_SMI, 2);
    add_fact(BENCH_GAP, FACT_SMI_TICKS, 12200);
    add_fact(BENCH_GAP, FACT_STOLEN, 912200);
    add_fact(BENCH_GAP, FACT_LARGEST, 900000);
    add_fact(BENCH_GAP, FACT_LARGEST_AT, 3200000000);
    add_derived(DERIVED_GAP_CLASS, 2, NULL);
    findings = find();
    CHECK_EQUAL((int64_t)findings.count, 2);
    CHECK_TEXT(findings.item[0].text, "longest gap 900 us at 3.20 s, all processors: unknown "
                                      "cause; gaps take 91.2 ppm of the time");
    CHECK_TEXT(findings.item[1].rule->name, "smi");
}

static void test_steal(void)
{
    struct findings findings;

    begin();
    add_watch();
    add_fact(BENCH_GAP, FACT_OVER, 20);
    add_fact(BENCH_GAP, FACT_STOLEN, 10000000);
    add_fact(BENCH_GAP, FACT_LARGEST, 500000);
    add_fact(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, 9500000);
    findings = find();
    check_one(&findings, "steal", 9500000,
              "the hypervisor stole 9.50 ms of 10.0 s: 0.095 % of the time; pin the virtual "
              "processor to a processor that has no other work");
    add_fact(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, 1); /* the gaps then have no cause */
    findings = find();
    CHECK_EQUAL((int64_t)findings.count, 2);
    CHECK_TEXT(findings.item[1].rule->name, "steal");
    CHECK_EQUAL(findings.item[1].value, 1);
}

/* Under KVM: whose the longest gap is, by the steal time that was counted around it. */
static void test_stopped(void)
{
    static const int64_t lengths[] = {4000000, 500000000, 4000000};
    static const int64_t stolen[] = {4000000, 12, 3900000};
    static const int64_t all[] = {4000000, 499000000, 4000000};
    static const int64_t *const steals[] = {stolen, all};
    static const char *const texts[] = {
        "longest gap 500 ms at 0 ns, processor 0: no steal time is reported for it, so the machine "
        "was stopped (pause, snapshot, migration) or waited for its emulator; gaps take 50.8 % of "
        "the time",
        "longest gap 500 ms at 0 ns, processor 0: stolen by the hypervisor; gaps take 50.8 % of "
        "the time",
    };

    begin();
    add_watch();
    add_fact(BENCH_GAP, FACT_STOLEN, 508000000);
    add_fact(BENCH_GAP, FACT_LARGEST, 500000000);
    add_fact(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, 507000000);
    add_samples(BENCH_GAP, SERIES_GAP_LENGTH, lengths, 3);
    add_samples(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, all, 3);
    const struct findings stolen_at_once = find();

    check_one(
        &stolen_at_once, "steal", 507000000,
        "the hypervisor stole 507 ms of 10.0 s: 5.07 % of the time, up to 500 ms at once; pin "
        "the virtual processor to a processor that has no other work");

    /* The steal time of the whole watch does not explain a gap that has none. */
    for (int64_t total = 0; total <= 5000000000; total += 5000000000) {
        begin();
        add_watch();
        add_fact(BENCH_GAP, FACT_OVER, 3);
        add_fact(BENCH_GAP, FACT_STOLEN, 5080000000);
        add_fact(BENCH_GAP, FACT_LARGEST, 500000000);
        add_fact(BENCH_GAP, FACT_LARGEST_AT, 0);
        add_fact(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, total);
        add_samples(BENCH_GAP, SERIES_GAP_LENGTH, lengths, 3);
        add_samples(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, stolen, 3);
        const struct findings findings = find();

        CHECK_EQUAL((int64_t)findings.count, total == 0 ? 1 : 2);
        CHECK_TEXT(findings.item[0].text, texts[0]);
    }
    for (int i = 0; i < 2; i++) {
        begin();
        add_watch();
        add_fact(BENCH_GAP, FACT_OVER, 3);
        add_fact(BENCH_GAP, FACT_STOLEN, 5080000000);
        add_fact(BENCH_GAP, FACT_LARGEST, 500000000);
        add_fact(BENCH_GAP, FACT_LARGEST_AT, 0);
        add_fact(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, 1000000000);
        add_samples(BENCH_GAP, SERIES_GAP_LENGTH, lengths, 3);
        add_samples(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, steals[i], 3);
        const struct findings findings = find();

        CHECK_EQUAL((int64_t)findings.count, 2);
        CHECK_TEXT(findings.item[0].text, texts[i]);
        CHECK_TEXT(findings.item[1].rule->name, "steal");
    }

    begin();
    add_derived(DERIVED_STOPPED_SERIES, 0, "exits/hlt_timer");
    add_derived(DERIVED_STOPPED_NS, 49999999, NULL);
    check_none();
    add_derived(DERIVED_STOPPED_NS, 50000000, NULL);
    const struct findings findings = find();

    check_one(&findings, "stopped", 50000000,
              "exits/hlt_timer once took 50.0 ms, at least 1,000 times its median: the machine was "
              "stopped (pause, snapshot, migration) or waited for its emulator meanwhile");
}

static void test_rate(void)
{
    /* A stop in the dead time, in which no gap is seen. */
    begin();
    add_watch();
    add_fact(BENCH_GAP, FACT_DEAD_LARGEST, 509630888);
    add_fact(BENCH_GAP, FACT_DEAD_SMALLEST, 476648);
    machine_name = NULL;
    CHECK_TEXT(find().item[0].rule->name, "clear");
    machine_name = FACT_HYPERVISOR;
    machine_text = "KVMKVMKVM";
    CHECK_TEXT(find().item[0].text,
               "writing down a gap once took 509 ms more than usual: the machine was stopped "
               "(pause, snapshot, migration) or waited for its emulator meanwhile");

    begin();
    machine_name = PREFIX_TSC_DISAGREES REFERENCE_KVM_CLOCK;
    machine_text = "states 1500000000 Hz, 500000 ppm from the measured rate";
    struct findings findings = find();

    CHECK_EQUAL((int64_t)findings.count, 1);
    CHECK_TEXT(findings.item[0].rule->name, "rate");
    CHECK_TEXT(findings.item[0].text,
               "kvm_clock states 1500000000 Hz, 500000 ppm from the measured rate: a program that "
               "believes it gets every duration wrong");
    machine_name = PREFIX_TSC_DISAGREES "another";
    check_none();

    /* Under a hypervisor clocks that ran apart have a likely cause. */
    begin();
    machine_name = FACT_HYPERVISOR;
    add_derived(DERIVED_DRIFT_PPM, 1000, NULL);
    add_derived(DERIVED_DRIFT_WHY, 0, "TSC by hpet: 1 Hz -> 2 Hz");
    findings = find();
    check_one(&findings, "drift", 1000,
              "clocks ran apart by 1,000 ppm during the run (TSC by hpet: 1 Hz -> 2 Hz): no time "
              "below is certain; a hypervisor that stops the machine (pause, snapshot, migration) "
              "stops some clocks, but not all");
    machine_name = NULL;
}

static void test_gap(void)
{
    struct findings findings;

    begin();
    add_watch();
    /* The kernel's own processor has none. */
    add_fact(BENCH_GAP, FACT_OVER ".2", 1);
    add_fact(BENCH_GAP, FACT_STOLEN ".2", 8500000);
    add_fact(BENCH_GAP, FACT_GAP_ELAPSED ".2", 10000000000);
    add_fact(BENCH_GAP, FACT_LARGEST ".2", 8500000);
    add_fact(BENCH_GAP, FACT_LARGEST_AT ".2", 3200000000);
    findings = find();
    check_one(&findings, "gap", 8500000,
              "longest gap 8.50 ms at 3.20 s, processor 2: unknown cause; gaps take 0.085 % of "
              "the time");
    CHECK(findings.item[0].has_at);
    CHECK_EQUAL(findings.item[0].at_ns, 3200000000);
    add_fact(BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_THERMAL, 1);
    add_derived(DERIVED_GAP_CLASS, 1, NULL);
    findings = find();
    check_one(&findings, "gap", 8500000,
              "longest gap 8.50 ms at 3.20 s, processor 2 alone: the processor was throttled for "
              "its temperature; gaps take 0.085 % of the time");
}

/* Gaps that the plan injects, by the list of injections, however few gaps were kept. */
static void test_injected(void)
{
    static const int64_t at[] = {1000, 3200000100};
    static const int64_t length[] = {200000, 8400000};
    static const int64_t world[] = {0, 1};
    struct findings findings;

    begin();
    add_watch();
    add_first_gaps(7);
    add_fact(BENCH_GAP, FACT_PROCESSORS, 2);
    add_fact(BENCH_GAP, FACT_STOLEN, 9000000);
    add_fact(BENCH_GAP, FACT_LARGEST, 8500000);
    add_fact(BENCH_GAP, FACT_LARGEST_AT, 3200000000);
    add_samples(BENCH_GAP, SERIES_INJECTED_LENGTH, length, 2);
    add_samples(BENCH_GAP, SERIES_INJECTED_TIME, at, 2);
    add_samples(BENCH_GAP, SERIES_INJECTED_WORLD, world, 2);
    findings = find();
    check_one(&findings, "gap", 8500000,
              "longest gap 8.50 ms at 3.20 s, processor 0: injected by the plan (gap.inject_*); "
              "its 2 gaps take 0.043 % of the time");

    /* The longest is none of these: what is left of the lost time is not the plan's. */
    add_fact(BENCH_GAP, FACT_LARGEST_AT, 3200000101);
    findings = find();
    check_one(&findings, "gap", 8500000,
              "longest gap 8.50 ms at 3.20 s, processor 0: unknown cause; gaps beside the plan's "
              "take 40.0 ppm of the time");

    add_fact(BENCH_GAP, FACT_LARGEST_AT, 3191500100); /* it ends when the injection begins */
    findings = find();
    CHECK(strstr(findings.item[0].text, "unknown cause") != NULL);

    /* Of what another processor injects, only what stops all is the cause. */
    begin();
    add_watch();
    add_fact(BENCH_GAP, FACT_PROCESSORS, 2);
    add_fact(BENCH_GAP, FACT_STOLEN, 9000000);
    add_fact(BENCH_GAP, FACT_LARGEST, 8500000);
    add_fact(BENCH_GAP, FACT_LARGEST_AT, 3200000000);
    add_fact(BENCH_GAP, FACT_ORIGIN, 100);
    add_fact(BENCH_GAP, FACT_ORIGIN ".1", 100);
    add_samples(BENCH_GAP, SERIES_INJECTED_LENGTH ".1", length, 2);
    add_samples(BENCH_GAP, SERIES_INJECTED_TIME ".1", at, 2);
    add_samples(BENCH_GAP, SERIES_INJECTED_WORLD ".1", world, 2);
    findings = find();
    CHECK(strstr(findings.item[0].text, "injected by the plan") != NULL);
    add_fact(BENCH_GAP, FACT_LARGEST_AT, 500); /* the one of one processor */
    findings = find();
    CHECK(strstr(findings.item[0].text, "unknown cause") != NULL);
}

/* Turns of the emulator are no finding: gaps like many others, by the histogram of all gaps. */
static void test_turns(void)
{
    static const int64_t bound[] = {64, 2000, 8500000 / 3, 8000000};
    static const int64_t few[] = {1000000, 50, 18, 1};
    static const int64_t many[] = {1000000, 50, 19, 1};
    static const int64_t length[] = {4000000, 600};
    static const int64_t at[] = {1000, 5000000};
    struct findings findings;

    begin();
    add_watch();
    add_first_gaps(69);
    add_fact(BENCH_GAP, FACT_STOLEN ".2", 8500000);
    add_fact(BENCH_GAP, FACT_GAP_ELAPSED ".2", 10000000000);
    add_fact(BENCH_GAP, FACT_LARGEST ".2", 8500000);
    add_fact(BENCH_GAP, FACT_LARGEST_AT ".2", 3200000000);
    findings = find_in(FINDING_TIME_EXACT, 1);
    check_one(&findings, "clear", 0,
              "no gap above 300 instructions in 10.0 s, 4 processors; exact time shows what code "
              "does, but no SMI, hypervisor or cache of hardware");
    add_samples(BENCH_GAP, SERIES_HISTOGRAM_BOUND ".2", bound, 4);
    add_samples(BENCH_GAP, SERIES_HISTOGRAM_COUNT ".2", many, 4);
    findings = find_in(FINDING_TIME_EXACT, 1);
    CHECK_TEXT(findings.item[0].rule->name, "clear");
    made.series[made.serieses - 1].samples = few;
    findings = find_in(FINDING_TIME_EXACT, 1);
    CHECK_TEXT(findings.item[0].rule->name, "gap");
    CHECK(strstr(findings.item[0].text, "unknown cause") != NULL);

    /* What the plan injected is no turn, and is a finding also beside them. */
    made.series[made.serieses - 1].samples = many;
    add_samples(BENCH_GAP, SERIES_INJECTED_LENGTH, length, 2);
    add_samples(BENCH_GAP, SERIES_INJECTED_TIME, at, 2);
    findings = find_in(FINDING_TIME_EXACT, 1);
    CHECK(strstr(findings.item[0].text, "unknown cause; gaps beside the plan's") != NULL);
    made.series[made.serieses - 3].samples = NULL; /* no histogram */
    findings = find_in(FINDING_TIME_EXACT, 1);
    check_one(&findings, "gap", 4000000,
              "longest gap 4,000,000 instructions: injected by the plan (gap.inject_*); its 2 gaps "
              "take 0.010 % of the time");
    add_fact(BENCH_GAP, FACT_LARGEST ".2", 1000); /* as short as a turn of each processor */
    findings = find_in(FINDING_TIME_EXACT, 1);
    CHECK_EQUAL(findings.item[0].value, 4000000);
}

static void test_processor(void)
{
    struct findings findings;

    begin();
    add_fact(BENCH_FWQ, FACT_PROCESSORS, 3);
    add_series(BENCH_FWQ, SERIES_WORK ".0", 100000, 100100);
    add_series(BENCH_FWQ, SERIES_WORK ".1", 101999, 102000);
    add_series(BENCH_FWQ, SERIES_WORK ".2", 100000, 200000);
    check_none();
    made.series[1].series.p50 = 150000;
    findings = find();
    check_one(&findings, "processor", 500000,
              "processor 1 is slow: equal work takes it 50.0 % longer than the fastest of 3; check "
              "its clock, its sibling thread and its temperature");
    CHECK_EQUAL((int64_t)find_in(FINDING_TIME_EXACT, 1).count, 0);
    CHECK_EQUAL((int64_t)find_in(FINDING_TIME_EMULATED, 0).count, 0);
    made.series[1].series.p50 = 102000;
    findings = find();
    CHECK_EQUAL((int64_t)findings.count, 1);
    CHECK_EQUAL(findings.item[0].value, 20000);
}

static void test_skew(void)
{
    struct findings findings;

    begin();
    add_series(BENCH_GAP, SERIES_TEAM_SKEW, 0, 40);
    add_series(BENCH_GAP, SERIES_TEAM_BOUND, 100, 200);
    made.series[0].series.min = -1199;
    check_none();
    made.series[0].series.min = -1200;
    findings = find();
    check_one(
        &findings, "skew", 1200,
        "TSCs of processors differ by up to 1.20 us (measured to within 200 ns): a program that "
        "moves to another processor sees time jump; check TSC_ADJUST and whether firmware sets "
        "the TSCs");
    CHECK_EQUAL((int64_t)find_in(FINDING_TIME_EMULATED, 0).count, 0);
}

static void test_frequency(void)
{
    struct findings findings;

    begin();
    add_fact(BENCH_GAP, FACT_MPERF, 1000000);
    add_fact(BENCH_GAP, FACT_APERF, 951000);
    check_none();
    add_fact(BENCH_GAP, FACT_APERF, 1300000);
    check_none();
    add_fact(BENCH_GAP, FACT_APERF, 949000);
    findings = find();
    check_one(&findings, "frequency", 949,
              "the processor runs at 94.9 % of its nominal clock under load: check the firmware's "
              "power settings and the temperature");
    CHECK_EQUAL((int64_t)find_in(FINDING_TIME_EMULATED, 0).count, 0);
}

static void test_timer(void)
{
    static const int64_t count[] = {2500, 1, 2500};
    static const int64_t bound[] = {1200, 1800, 2100};
    struct findings findings;

    begin();
    add_series(BENCH_TIMERLAT, SPAN_HANDLER ".0", 2100, 2200);
    add_fact(BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_MAX ".0", 6299);
    add_fact(BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_MAX_AT ".0", 29000000);
    check_none();
    add_fact(BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_MAX ".0", 9800);
    findings = find();
    check_one(&findings, "timer", 9800,
              "timer to handler 2.10 us p50, 9.80 us max at 29.0 ms: interrupts were off, or "
              "something took the processor");
    /* The first samples are not typical: the median is that of all periods. */
    add_fact(BENCH_TIMERLAT, FACT_PERIODS ".0", 5001);
    add_samples(BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_COUNT ".0", count, 3);
    add_samples(BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_BOUND ".0", bound, 3);
    findings = find();
    CHECK(strstr(findings.item[0].text, "handler 1.80 us p50, 9.80 us max") != NULL);
    add_fact(BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_MAX ".0", 5399);
    check_none();
    made.series[1].samples = made.series[2].samples = NULL; /* not all samples are there */
    add_fact(BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_MAX ".0", 9800);
    check_none();
    add_fact(BENCH_TIMERLAT, FACT_PERIODS ".0", 1000);
    made.series[0].series.p50 = 100;
    add_fact(BENCH_TIMERLAT, SPAN_HANDLER SUFFIX_MAX ".0", 1099);
    check_none();
}

static void test_disk(void)
{
    struct findings findings;

    begin();
    add_series(BENCH_DISKLATENCY, "read.4096", 999999, 20000000);
    check_none();
    made.series[0].series.p50 = 10800000;
    findings = find();
    check_one(&findings, "disk", 10800000,
              "the disk is slow: a read of 4 KiB takes 10.8 ms p50, 20.0 ms max; a program that "
              "waits for it waits that long");
    made.series[0].series.p50 = 1000000;
    CHECK_EQUAL((int64_t)find().count, 1);
    add_series(BENCH_DISKLATENCY, "law.4096", 10700000, 19000000); /* a modelled disk */
    check_none();
}

static void test_waits(void)
{
    struct findings findings;

    begin();
    add_derived(DERIVED_BUSY_EVENTS, 2, NULL);
    add_derived(DERIVED_BUSY_NS, 20100000, NULL);
    add_derived(DERIVED_BUSY_BENCH, 0, "click_busy");
    check_none();
    add_derived(DERIVED_BUSY_EVENTS, 10, NULL);
    findings = find();
    check_one(&findings, "busy", 20100000,
              "the application of bench click_busy keeps the processor while it waits: 20.1 ms in "
              "each of 10 events, until the next input; nothing else can run meanwhile");

    begin();
    add_derived(DERIVED_COLD_NS, 124900, NULL);
    add_derived(DERIVED_WARM_NS, 100000, NULL);
    add_derived(DERIVED_COLD_BENCH, 0, "keystroke");
    add_derived(DERIVED_COLD_KIND, 0, "key_down");
    check_none();
    add_derived(DERIVED_COLD_NS, 190000, NULL);
    findings = find();
    check_one(&findings, "cold", 90000,
              "key_down of bench keystroke takes 190 us with cold caches, 100 us with warm ones");
    CHECK_EQUAL((int64_t)find_in(FINDING_TIME_EMULATED, 0).count, 0);
}

/* Ten, the worst first; those without room are counted. */
static void test_order(void)
{
    static const struct finding_rule rule = {.name = "made", .class = FINDING_FIGURE};
    struct findings findings = {0};
    struct finding draft = {.class = FINDING_SLOW};

    for (uint64_t i = 0; i < 12; i++) {
        draft.weight = i * 7 % 12;
        finding_add(&findings, &rule, &draft, "slow %d", (int)draft.weight);
    }
    CHECK_EQUAL((int64_t)findings.count, FINDINGS_MAX);
    CHECK_EQUAL((int64_t)findings.more, 2);
    CHECK_TEXT(findings.item[0].text, "slow 11");
    CHECK_TEXT(findings.item[FINDINGS_MAX - 1].text, "slow 2");
    draft = (struct finding){.class = FINDING_BROKEN};
    finding_add(&findings, &rule, &draft, "broken");
    CHECK_TEXT(findings.item[0].text, "broken");
    CHECK_TEXT(findings.item[FINDINGS_MAX - 1].text, "slow 3");
    finding_add_clear(&findings, &rule, "clear");
    CHECK_EQUAL((int64_t)findings.more, 4);
}

/* A run that was cut short has the progress of bench gap: what it lost, or that it lost nothing. */
static void test_partial(void)
{
    begin();
    add_bench(BENCH_GAP, STATE_FAIL, REASON_PARTIAL ", 3 s of 10 s");
    add_fact(BENCH_GAP, PARTIAL_WATCHED, 3000000000);
    struct findings findings = find();

    check_one(&findings, "partial", 0, "bench gap was cut short: partial result, 3 s of 10 s");
    CHECK_EQUAL(findings.item[0].class, FINDING_UNDONE);
    add_fact(BENCH_GAP, PARTIAL_LOST, 3000000);
    findings = find();
    check_one(&findings, "partial", 0, "bench gap was cut short: partial result, 3 s of 10 s");
    CHECK_EQUAL(findings.item[0].class, FINDING_STOLEN);
    CHECK_EQUAL((int64_t)findings.item[0].weight, 1000000);
}

/* What the hypervisor traps is derived by the host. */
static void test_hypervisor(void)
{
    begin();
    check_none();
    add_derived(DERIVED_TRAPS, 7, NULL);
    add_derived(DERIVED_TRAPS_WHY, 0, "the hypervisor traps 7 of 40 operations");
    const struct findings findings = find();

    check_one(&findings, "hypervisor", 7, "the hypervisor traps 7 of 40 operations");
}

/* The tests above plant something for each rule that there is. */
static void test_all_are_tested(void)
{
    static const char *const tested[] = {
        "lost", "drift", "invalid", "bench",   "counter",   "undone",     "partial",
        "smi",  "steal", "gap",     "stopped", "processor", "skew",       "frequency",
        "rate", "timer", "disk",    "busy",    "cold",      "hypervisor", "clear"};
    const struct finding_rule *rule;
    size_t count = 0;

    for (; (rule = finding_rule_at(count)) != NULL; count++) {
        CHECK(count < sizeof(tested) / sizeof(tested[0]));
        CHECK_TEXT(rule->name, tested[count]);
        CHECK(rule->summary != NULL && rule->unit != NULL);
    }
    CHECK_EQUAL((int64_t)count, (int64_t)(sizeof(tested) / sizeof(tested[0])));
}

static void test_amounts(void)
{
    const struct finding_source source = {.time = FINDING_TIME_REAL};
    char text[FINDING_AMOUNT_MAX];

    CHECK_TEXT(finding_ns_text(&source, 999, text), "999 ns");
    CHECK_TEXT(finding_ns_text(&source, 1000, text), "1.00 us");
    CHECK_TEXT(finding_ns_text(&source, 9996, text), "10.0 us");
    CHECK_TEXT(finding_ns_text(&source, 999499, text), "999 us");
    CHECK_TEXT(finding_ns_text(&source, 999500, text), "1.00 ms");
    CHECK_TEXT(finding_ns_text(&source, INT64_C(123456789012), text), "123 s");
    CHECK_TEXT(finding_count_text(1234567, text), "1,234,567");
    CHECK_TEXT(finding_count_text(-1234, text), "-1,234");
    CHECK_TEXT(finding_ppb_text(240000, text), "0.024 %");
    CHECK_TEXT(finding_ppb_text(12, text), "0.012 ppm");
}

int main(void)
{
    RUN(test_quiet());
    RUN(test_run());
    RUN(test_counter());
    RUN(test_undone());
    RUN(test_smi());
    RUN(test_steal());
    RUN(test_stopped());
    RUN(test_rate());
    RUN(test_gap());
    RUN(test_injected());
    RUN(test_turns());
    RUN(test_processor());
    RUN(test_skew());
    RUN(test_frequency());
    RUN(test_timer());
    RUN(test_disk());
    RUN(test_waits());
    RUN(test_partial());
    RUN(test_hypervisor());
    RUN(test_order());
    RUN(test_all_are_tested());
    RUN(test_amounts());
    return unit_finish("unit_rules");
}
