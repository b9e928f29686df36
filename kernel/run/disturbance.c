/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/disturbance.h"

#include <stdio.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/irq/interrupt.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/link/record.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/names.h"
#include "kernel/run/phase.h"

#define NAME_MAX  24
#define WHERE_MAX 48

static unsigned nmis_before;
static uint64_t began;

void disturbance_begin(void)
{
    nmis_before = exception_unknown_nmis()->count;
    exception_nmis_begin();
    storm_begin();
    began = tsc_read();
    clock_proof_begin();
}

static const char *masked_where(const struct storm *storm, char text[WHERE_MAX])
{
    const char *where = storm->source == STORM_LAPIC ? "the LAPIC's own source is masked"
                                                     : "it could not be masked";

    snprintf(text, WHERE_MAX, "%s", where);
    if (storm->source == STORM_IOAPIC) {
        snprintf(text, WHERE_MAX, "input %u of the I/O APICs is masked", storm->gsi);
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

/* All of them, and the worst as the reason. */
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
    snprintf(run->reason, sizeof(run->reason), "a storm: vector %u came %u times; %s%s",
             worst_vector, worst->count, masked_where(worst, where), more);
}

static void report_nmis(struct bench_run *run, unsigned count, const struct exception_nmis *nmis)
{
    const unsigned lines = nmis->lines;

    bench_fact(run, "unexpected_nmi", "nmi", count);
    bench_fact(run, "unexpected_nmi.first", UNIT_TICK, (int64_t)(nmis->first - began));
    bench_fact(run, "unexpected_nmi.last", UNIT_TICK, (int64_t)(nmis->last - began));
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

enum bench_state disturbance_end(struct bench_run *run, enum bench_state state)
{
    struct clock_proof proof;

    state = report_events(run, state);
    clock_proof_end(&proof);
    publish_proof(run, &proof);
    if (proof.holds) {
        return state;
    }
    link_text("tare: bench %s: " REASON_TIME_CHANGED ": %s", run->bench->name, proof.changed);
    if (state == BENCH_CRASH || state == BENCH_SKIP) {
        return state;
    }
    if (run->reason[0] != '\0') {
        link_text("tare: bench %s: it was %s: %s", run->bench->name, bench_state_name(state),
                  run->reason);
    }
    return bench_fail(run, REASON_TIME_CHANGED ": %s", proof.changed);
}

void disturbance_prove_run(const char *when)
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
