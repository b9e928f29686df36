/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/pmu/pmu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/cpu/known_loop.h"
#include "kernel/cpu/msr.h"
#include "kernel/pmu/backend.h"
#include "kernel/pmu/names.h"

#define MSR_DEBUG_CONTROL      0x1d9u
#define DEBUG_FREEZE_WHILE_SMM (1ull << 14)
#define NEHALEM_MODEL          0x1a /* first model that documents MSR 34h */
#define CORE_TYPE_EFFICIENT    0x20
#define CPUID_POWER            6

/* The known loop is known_loop_short(): two instructions per iteration. The cost of additional
 * iterations does not depend on the readings around the loop, so two lengths are compared. */
#define SHORT_ITERATIONS 500
#define LONG_ITERATIONS  (SHORT_ITERATIONS + PMU_KNOWN_ANSWER / 2)
#define PROOF_TRIES      3
/* Accepted deviation, in instructions: in a virtual machine, an interrupt of the host may add
 * one. */
#define PROOF_TOLERANCE 4
/* A counter of cycles must run at most this many times faster or slower than the TSC. */
#define CYCLES_RATIO_MAX 64
/* A counter is set this far below its maximum, so that it wraps in the middle of the known loop;
 * reading it back also shows its width. Legacy writes take 32 bits, sign-extended. */
#define PRESET    500
#define WIDTH_MIN 32
#define WIDTH_MAX 64

static struct pmu pmu;
static struct pmu_registers registers;

static uint64_t found_debug_control; /* value that firmware left in it */
static bool saved[PMU_COUNTERS_MAX]; /* what firmware left in the counter is known */

/* The select field of each assigned counter; 0 if the counter is not assigned. */
static uint64_t fields[PMU_COUNTERS_MAX];

const struct pmu *pmu_state(void)
{
    return &pmu;
}

/* ---- registers ---- */

static uint64_t width_mask(unsigned width)
{
    return width < 64 ? (1ull << width) - 1 : UINT64_MAX;
}

uint64_t pmu_delta(const struct pmu_counter *counter, uint64_t from, uint64_t to)
{
    return (to - from) & width_mask(counter->width);
}

/* Returns 0, or the vector of the exception. */
static int read_field(const struct pmu_counter *counter, uint64_t *field)
{
    const int vector = msr_read(counter->select_msr, field);

    *field = *field >> counter->select_shift & width_mask(counter->select_bits);
    return vector;
}

static int write_field(const struct pmu_counter *counter, uint64_t field)
{
    const uint64_t mask = width_mask(counter->select_bits) << counter->select_shift;
    uint64_t value = 0;

    if (counter->select_bits < 64) {
        const int vector = msr_read(counter->select_msr, &value);

        if (vector != 0) {
            return vector;
        }
    }
    return msr_write(counter->select_msr, (value & ~mask) | field << counter->select_shift);
}

static int write_value(const struct pmu_counter *counter, uint64_t value)
{
    value &= width_mask(counter->width);
    if (registers.full_width != 0 && counter->kind == COUNTER_GENERAL &&
        msr_write(registers.full_width + counter->index, value) == 0) {
        return 0;
    }
    return msr_write(counter->value_msr, value);
}

static void write_global(uint64_t value)
{
    if (registers.global_control != 0) {
        msr_write(registers.global_control, value);
    }
}

uint64_t pmu_value(unsigned counter)
{
    uint64_t value;

    __asm__ volatile("lfence" : : : "memory");
    msr_read(pmu.counter[counter].value_msr, &value);
    __asm__ volatile("lfence" : : : "memory");
    return value;
}

/* ---- counting ---- */

/* What the fixed counters count, as architectural codes. */
static const struct event_code fixed[] = {
    [COUNTER_FIXED_INSTRUCTIONS] = {.select = 0xc0},
    [COUNTER_FIXED_CYCLES] = {.select = 0x3c},
    [COUNTER_FIXED_REF_CYCLES] = {.select = 0x3c, .umask = 1},
};

bool pmu_counter_takes(unsigned counter, const struct event_code *code)
{
    const enum pmu_counter_kind kind = pmu.counter[counter].kind;

    return kind == COUNTER_GENERAL ||
           (code->select == fixed[kind].select && code->umask == fixed[kind].umask &&
            code->cmask == 0 && !code->edge && !code->invert);
}

/* Returns the part of the field that can be written beforehand without starting the counter. */
static uint64_t quiet_field(const struct pmu_counter *counter, uint64_t field)
{
    return registers.global_control != 0 ? field : field & ~backend_enable_bits(&pmu, counter);
}

bool pmu_assign(unsigned index, const struct event_code *code, uint8_t *vector)
{
    const struct pmu_counter *counter = &pmu.counter[index];
    uint64_t field;
    uint64_t kept = 0;

    *vector = 0;
    if (!pmu_counter_takes(index, code) || !backend_encode(&pmu, counter, code, &field)) {
        return false;
    }
    const uint64_t quiet = quiet_field(counter, field);

    *vector = (uint8_t)write_field(counter, quiet);
    if (*vector != 0) {
        return false;
    }
    if (read_field(counter, &kept) != 0 || kept != quiet || write_value(counter, 0) != 0) {
        write_field(counter, 0);
        return false;
    }
    fields[index] = field;
    return true;
}

static uint64_t assigned_global_bits(void)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < pmu.count; i++) {
        bits |= fields[i] != 0 ? backend_global_bit(&pmu.counter[i]) : 0;
    }
    return bits;
}

/* Returns the select field of a counter that is off. On P6 the first counter's enable bit enables
 * both: if something else uses that counter, its setting stays. */
static uint64_t idle_field(unsigned counter)
{
    return pmu.counter[counter].state == COUNTER_HELD ? pmu.counter[counter].found_select : 0;
}

void pmu_start(void)
{
    const uint64_t bits = assigned_global_bits();

    if (registers.status_clear != 0) {
        msr_write(registers.status_clear, bits);
    }
    if (registers.global_control != 0) {
        write_global(bits);
        return;
    }
    if (registers.shared_enable) {
        const struct pmu_counter *first = &pmu.counter[0];

        write_field(first, fields[0] | idle_field(0) | backend_enable_bits(&pmu, first));
        return;
    }
    for (unsigned i = 0; i < pmu.count; i++) {
        if (fields[i] != 0) {
            write_field(&pmu.counter[i], fields[i]);
        }
    }
}

void pmu_stop(void)
{
    write_global(0);
    for (unsigned i = 0; i < pmu.count; i++) {
        if (fields[i] != 0 || (registers.shared_enable && i == 0)) {
            write_field(&pmu.counter[i], idle_field(i));
            fields[i] = 0;
        }
    }
}

/* ---- verification ---- */

struct span {
    uint64_t counts;
    uint64_t ticks;
    bool readable; /* RDPMC read a value between two readings of the MSR */
};

static struct span count_loop(unsigned index, const struct event_code *code, uint64_t iterations)
{
    const struct pmu_counter *counter = &pmu.counter[index];
    struct span span = {0};
    uint8_t vector;

    if (!pmu_assign(index, code, &vector)) {
        return span;
    }
    write_value(counter, -(uint64_t)PRESET);
    pmu_start();
    const uint64_t start = pmu_value(index);

    span.ticks = known_loop_short(iterations);
    const uint64_t end = pmu_value(index);
    uint64_t direct;

    span.readable = counter_read(counter->rdpmc, &direct) == 0;
    span.readable = span.readable &&
                    pmu_delta(counter, end, direct) <= pmu_delta(counter, end, pmu_value(index));
    pmu_stop();
    span.counts = pmu_delta(counter, start, end);
    return span;
}

/* Returns the span with the fewest counts of several tries: disturbances only add counts. */
static struct span least_span(unsigned index, const struct event_code *code, uint64_t iterations)
{
    struct span least = count_loop(index, code, iterations);

    for (int i = 1; i < PROOF_TRIES; i++) {
        const struct span span = count_loop(index, code, iterations);

        if (span.counts < least.counts) {
            least = span;
        }
    }
    return least;
}

static struct event_code proof_event(const struct pmu_counter *counter)
{
    return counter->kind == COUNTER_GENERAL ? backend_instructions(&pmu) : fixed[counter->kind];
}

static bool counts_cycles(const struct pmu_counter *counter)
{
    return counter->kind == COUNTER_FIXED_CYCLES || counter->kind == COUNTER_FIXED_REF_CYCLES;
}

static enum pmu_counter_state prove_counting(unsigned index)
{
    struct pmu_counter *counter = &pmu.counter[index];
    const struct event_code code = proof_event(counter);
    const struct span brief = least_span(index, &code, SHORT_ITERATIONS);
    const struct span extended = least_span(index, &code, LONG_ITERATIONS);
    const uint64_t answer = extended.counts - brief.counts;

    if (extended.counts == 0) {
        return COUNTER_DEAD;
    }
    if (counts_cycles(counter)) {
        if (extended.counts > extended.ticks * CYCLES_RATIO_MAX ||
            extended.counts < extended.ticks / CYCLES_RATIO_MAX) {
            return COUNTER_WRONG;
        }
    } else {
        counter->known_answer = answer;
        if (answer < PMU_KNOWN_ANSWER - PROOF_TOLERANCE ||
            answer > PMU_KNOWN_ANSWER + PROOF_TOLERANCE) {
            return COUNTER_WRONG;
        }
    }
    /* The P5 itself has no RDPMC; its successor with MMX has. */
    return extended.readable || pmu.backend == PMU_P5 ? COUNTER_USABLE : COUNTER_UNREADABLE;
}

__attribute__((format(printf, 1, 2))) static void add_erratum(const char *format, ...)
{
    const size_t length = strlen(pmu.errata);
    va_list arguments;

    if (length > 0) {
        return; /* one erratum is enough to show that CPUID is wrong */
    }
    va_start(arguments, format);
    vsnprintf(pmu.errata, sizeof(pmu.errata), format, arguments);
    va_end(arguments);
}

/* Writes a value near the top of any width and reads it back: bits beyond the width are not
 * kept. */
static enum pmu_counter_state prove_holding(unsigned index)
{
    struct pmu_counter *counter = &pmu.counter[index];
    const unsigned claimed = counter->width;
    const uint64_t value = -(uint64_t)PRESET;
    const int vector = write_value(counter, value);

    if (vector != 0) {
        counter->vector = (uint8_t)vector;
        return COUNTER_FAULTS;
    }
    const uint64_t kept = pmu_value(index);

    for (unsigned width = WIDTH_MIN; width <= WIDTH_MAX; width++) {
        if (kept == (value & width_mask(width))) {
            counter->width = (uint8_t)width;
            if (width != claimed) {
                add_erratum("CPUID claims counters of %u bits, but they have %u", claimed, width);
            }
            write_value(counter, 0);
            return pmu_value(index) == 0 ? COUNTER_USABLE : COUNTER_FORGETS;
        }
    }
    return COUNTER_FORGETS;
}

/* Checks that a counter that is switched off stands still. If it does not, something else uses it,
 * or this driver cannot switch it off. */
static enum pmu_counter_state prove_stillness(unsigned index)
{
    const uint64_t before = pmu_value(index);

    known_loop_short(LONG_ITERATIONS);
    return pmu_value(index) == before ? COUNTER_USABLE : COUNTER_HELD;
}

static void prove(unsigned index)
{
    struct pmu_counter *counter = &pmu.counter[index];

    counter->state = prove_stillness(index);
    if (counter->state == COUNTER_HELD) {
        write_field(counter, counter->found_select);
        return;
    }
    counter->state = prove_holding(index);
    if (counter->state == COUNTER_USABLE) {
        counter->state = prove_counting(index);
    }
}

/* ---- start and end ---- */

static void save_counter(struct pmu_counter *counter)
{
    int vector = read_field(counter, &counter->found_select);

    if (vector == 0) {
        vector = msr_read(counter->value_msr, &counter->found_value);
    }
    if (vector != 0) {
        counter->state = COUNTER_FAULTS;
        counter->vector = (uint8_t)vector;
    }
    saved[counter - pmu.counter] = vector == 0;
}

static void switch_off(struct pmu_counter *counter)
{
    const int vector = write_field(counter, 0);

    if (vector != 0) {
        counter->state = COUNTER_FAULTS;
        counter->vector = (uint8_t)vector;
    }
}

static bool save_global(void)
{
    if (registers.global_control == 0) {
        return true;
    }
    const int read = msr_read(registers.global_control, &pmu.found_global);
    const int vector = read != 0 ? read : msr_write(registers.global_control, 0);

    for (unsigned i = 0; i < pmu.count && vector != 0; i++) {
        pmu.counter[i].state = COUNTER_FAULTS;
        pmu.counter[i].vector = (uint8_t)vector;
    }
    return vector == 0;
}

static void freeze_while_smm(void)
{
    uint64_t value = 0;

    if (!pmu.freeze_smm_offered || msr_read(MSR_DEBUG_CONTROL, &found_debug_control) != 0 ||
        msr_write(MSR_DEBUG_CONTROL, found_debug_control | DEBUG_FREEZE_WHILE_SMM) != 0) {
        return;
    }
    msr_read(MSR_DEBUG_CONTROL, &value);
    pmu.freeze_smm = (value & DEBUG_FREEZE_WHILE_SMM) != 0;
}

/* Runs all usable counters at once. A host may run fewer counters than it shows, so that each
 * counts alone but not with the others. Marks those that missed instructions as not usable; returns
 * false if there were any. */
static bool prove_together(void)
{
    uint64_t before[PMU_COUNTERS_MAX];
    uint64_t after[PMU_COUNTERS_MAX];
    bool asked[PMU_COUNTERS_MAX] = {false};
    bool good = true;

    for (unsigned i = 0; i < pmu.count; i++) {
        const struct pmu_counter *counter = &pmu.counter[i];
        const struct event_code code = proof_event(counter);
        uint8_t vector;

        asked[i] = counter->state == COUNTER_USABLE && pmu_assign(i, &code, &vector);
    }
    pmu_start();
    for (unsigned i = 0; i < pmu.count; i++) {
        before[i] = asked[i] ? pmu_value(i) : 0;
    }
    known_loop_short(LONG_ITERATIONS);
    for (unsigned i = 0; i < pmu.count; i++) {
        after[i] = asked[i] ? pmu_value(i) : 0;
    }
    pmu_stop();
    for (unsigned i = 0; i < pmu.count; i++) {
        struct pmu_counter *counter = &pmu.counter[i];
        const uint64_t least = counts_cycles(counter) ? 1 : 2 * LONG_ITERATIONS;

        if (asked[i] && pmu_delta(counter, before[i], after[i]) < least) {
            counter->state = COUNTER_ALONE;
            good = false;
        }
    }
    return good;
}

static void prove_all(void)
{
    for (unsigned i = 0; i < pmu.count; i++) {
        save_counter(&pmu.counter[i]);
    }
    for (unsigned i = 0; i < pmu.count; i++) {
        if (pmu.counter[i].state == COUNTER_USABLE) {
            switch_off(&pmu.counter[i]);
        }
    }
    for (unsigned i = 0; i < pmu.count; i++) {
        if (pmu.counter[i].state == COUNTER_USABLE) {
            prove(i);
        }
    }
    bool together;

    do {
        together = prove_together();
    } while (!together);
    for (unsigned i = 0; i < pmu.count; i++) {
        pmu.usable += pmu.counter[i].state == COUNTER_USABLE ? 1 : 0;
    }
}

/* Returns whether MSR 34h counts SMIs. Under a hypervisor, or on a processor that does not document
 * it, only a count other than 0 shows that: some read 0 from any MSR number. */
static bool has_smi_count(const struct cpu_identity *identity)
{
    const bool documented = strcmp(identity->vendor, "GenuineIntel") == 0 &&
                            identity->family == 6 && identity->model >= NEHALEM_MODEL &&
                            !identity->hypervisor_bit;
    uint64_t count;

    return msr_read(MSR_SMI_COUNT, &count) == 0 && (documented || count != 0);
}

static bool has_aperf(const struct cpu_identity *identity)
{
    uint64_t before[2];
    uint64_t after[2];

    if ((cpuid_leaf(cpuid_instruction, identity, CPUID_POWER, 0).ecx & 1) == 0 ||
        msr_read(MSR_APERF, &before[0]) != 0 || msr_read(MSR_MPERF, &before[1]) != 0) {
        return false;
    }
    known_loop_short(LONG_ITERATIONS);
    pmu_aperf_mperf(&after[0], &after[1]);
    return after[0] != before[0] && after[1] != before[1];
}

/* Names of the states, and the text if no counter is usable. */
static const struct {
    const char *name;
    const char *of_all;
} states[] = {
    [COUNTER_USABLE] = {COUNTER_STATE_USABLE, ""},
    [COUNTER_FAULTS] = {COUNTER_STATE_FAULTS, "the registers cannot be accessed"},
    [COUNTER_HELD] = {COUNTER_STATE_HELD, "something else keeps using them"},
    [COUNTER_FORGETS] = {COUNTER_STATE_FORGETS, "they do not keep what is written"},
    [COUNTER_DEAD] = {COUNTER_STATE_DEAD, "they never count"},
    [COUNTER_WRONG] = {COUNTER_STATE_WRONG, "they count something other than instructions"},
    [COUNTER_UNREADABLE] = {COUNTER_STATE_UNREADABLE, "RDPMC cannot read them"},
    [COUNTER_ALONE] = {COUNTER_STATE_ALONE, "they do not count together"},
};

const struct pmu *pmu_init(const struct cpu_identity *identity)
{
    memset(fields, 0, sizeof(fields));
    memset(saved, 0, sizeof(saved));
    backend_detect(identity, &pmu, &registers);
    pmu.events = event_table_for(identity, pmu.core_type == CORE_TYPE_EFFICIENT);
    pmu.has_smi_count = has_smi_count(identity);
    pmu.has_aperf = has_aperf(identity);
    if (save_global()) {
        freeze_while_smm();
        prove_all();
    }
    if (pmu.usable == 0 && pmu.backend != PMU_NONE && pmu.count > 0) {
        snprintf(pmu.reason, sizeof(pmu.reason), "%s: none of %u counters works: %s",
                 pmu_backend_name(pmu.backend), pmu.count, states[pmu.counter[0].state].of_all);
    } else if (pmu.backend != PMU_NONE && pmu.count == 0) {
        snprintf(pmu.reason, sizeof(pmu.reason), "%s: no counters claimed",
                 pmu_backend_name(pmu.backend));
    }
    return &pmu;
}

void pmu_restore(void)
{
    write_global(0);
    for (unsigned i = 0; i < pmu.count; i++) {
        const struct pmu_counter *counter = &pmu.counter[i];

        if (saved[i] && counter->state != COUNTER_HELD) {
            write_value(counter, counter->found_value);
            write_field(counter, counter->found_select);
        }
    }
    if (pmu.freeze_smm) {
        msr_write(MSR_DEBUG_CONTROL, found_debug_control);
    }
    write_global(pmu.found_global);
}

uint64_t pmu_smi_count(void)
{
    uint64_t count;

    msr_read(MSR_SMI_COUNT, &count);
    return count;
}

void pmu_aperf_mperf(uint64_t *aperf, uint64_t *mperf)
{
    msr_read(MSR_APERF, aperf);
    msr_read(MSR_MPERF, mperf);
}

/* ---- names ---- */

const char *pmu_backend_name(enum pmu_backend backend)
{
    static const char *const names[] = {
        [PMU_NONE] = "none",
        [PMU_P5] = "Intel P5",
        [PMU_P6] = "Intel P6",
        [PMU_INTEL] = "Intel architectural",
        [PMU_AMD_K7] = "AMD K7",
        [PMU_AMD_CORE] = "AMD core extension",
        [PMU_AMD_V2] = "AMD PerfMonV2",
    };

    return names[backend];
}

const char *pmu_counter_state_name(enum pmu_counter_state state)
{
    return states[state].name;
}

const char *pmu_counter_name(const struct pmu_counter *counter, char name[PMU_COUNTER_NAME_MAX])
{
    snprintf(name, PMU_COUNTER_NAME_MAX, "%s%u",
             counter->kind == COUNTER_GENERAL ? "general" : "fixed", counter->index);
    return name;
}
