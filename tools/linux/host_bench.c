/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/linux/host_bench.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/link/names.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/expectation.h"
#include "kernel/run/names.h"
#include "kernel/run/registry.h"
#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/base/monotonic.h"
#include "tools/base/texts.h"
#include "tools/linux/host_trials.h"

#define LINE_BYTES 64
#define PAGE_BYTES 4096
#define US_PER_S   1000000

/* memory that a bench has while it runs */
struct lent {
    struct lent *next;
    void *memory;
};

static struct run *target;          /* run to which the running bench writes */
static struct run_bench *described; /* entry of the running bench in `target` */
static struct lent *lent;
static struct long_text disturbed; /* series whose trials Linux disturbed, and how often */
/* Context switches of this thread (involuntary and voluntary), and time in which the hypervisor ran
 * other guests on its processor, in Linux's clock ticks; all up to the last published series. */
static struct {
    uint64_t switches, waits, steal;
} taken;

/* the running bench's progress, and when it must end */
static struct watch {
    struct progress *progress;
    uint64_t begin_ms, budget_ms;
} watch;

/* ---- bench.h ---- */

/* Allocates memory for the running bench. It is written to, so that the pages exist before anything
 * is timed. */
static void *lend(size_t bytes, size_t alignment)
{
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *memory = rounded < bytes ? NULL : aligned_alloc(alignment, rounded);

    if (memory == NULL) {
        return NULL;
    }
    struct lent *entry = alloc_zeroed(sizeof(*entry));

    *entry = (struct lent){lent, memory};
    lent = entry;
    return memset(memory, 0, rounded);
}

static void take_back(void)
{
    while (lent != NULL) {
        struct lent *next = lent->next;

        free(lent->memory);
        free(lent);
        lent = next;
    }
}

int64_t *bench_samples(size_t count)
{
    return count > UINT32_MAX ? NULL : lend((count > 0 ? count : 1) * sizeof(int64_t), LINE_BYTES);
}

void *bench_memory(size_t bytes)
{
    return lend(bytes, PAGE_BYTES);
}

/* Notes what was taken during the trials of a cost or of a curve. All series of it are published
 * after its last trial, so this counts for the first of them: for a curve, series NAME.x. NULL
 * begins the first. If the thread also waited, the operation itself switches, and no switch can be
 * told from its own. */
static void note_taken(const char *name)
{
    FILE *stat = fopen("/proc/stat", "r");
    struct rusage usage = {0};
    char line[256];
    uint64_t steal = 0;
    int processor = -1;

    getrusage(RUSAGE_THREAD, &usage);
    while (stat != NULL && processor != sched_getcpu() && fgets(line, sizeof(line), stat) != NULL) {
        sscanf(line, "cpu%d %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &processor, &steal);
    }
    if (stat != NULL) {
        fclose(stat);
    }
    const bool waits = (uint64_t)usage.ru_nvcsw > taken.waits;
    const uint64_t switches = waits ? 0 : (uint64_t)usage.ru_nivcsw - taken.switches;

    if (name != NULL && (switches > 0 || steal > taken.steal)) {
        fprintf(disturbed.out, "%s: switches %" PRIu64 ", steal %" PRIu64 "; ", name, switches,
                steal - taken.steal);
    }
    taken.switches = (uint64_t)usage.ru_nivcsw;
    taken.waits = (uint64_t)usage.ru_nvcsw;
    taken.steal = steal;
}

void bench_publish(const struct bench_run *run, const char *name, const char *unit,
                   const int64_t *samples, size_t count)
{
    struct run_series *series = run_add_series(described);

    (void)run;
    note_taken(name);
    *series = (struct run_series){
        .stream = (uint16_t)described->series_count,
        .name = run_text(target, name),
        .unit = run_text(target, unit),
        .n = (uint32_t)count,
        .received = count,
        .samples = alloc_zeroed((count > 0 ? count : 1) * sizeof(*samples)),
        .ranges = alloc_zeroed(sizeof(*series->ranges)),
        .range_count = count > 0,
    };
    if (count > 0) {
        memcpy(series->samples, samples, count * sizeof(*samples));
        series->ranges[0] = (struct run_range){0, (uint32_t)count};
    }
    series->crc = run_series_crc(series);
    expectation_series(name, unit, series->samples, count);
}

void bench_fact(const struct bench_run *run, const char *name, const char *unit, int64_t value)
{
    struct run_fact *fact = run_add_fact(described);

    (void)run;
    expectation_fact(name, value);
    *fact = (struct run_fact){run_text(target, name), value, run_text(target, unit)};
}

void bench_found(const struct bench_run *run, const char *name, const char *text)
{
    (void)run;
    *run_add_param(described) = (struct run_param){
        run_text(target, name),
        run_text(target, text),
        ORIGIN_FOUND,
    };
}

void bench_absent(const struct bench_run *run, const char *name, const char *reason)
{
    struct run_absent *absent = run_add_absent(described);

    (void)run;
    *absent = (struct run_absent){run_text(target, name), run_text(target, reason)};
}

/* Nothing is counted: a row is only the TSC. */
int64_t *bench_rows(size_t count)
{
    return bench_samples(count);
}

int64_t *bench_row(int64_t *rows, size_t index)
{
    return rows + index;
}

bool bench_publish_rows(const struct bench_run *run, const char *name,
                        const struct bench_rows *rows)
{
    int64_t *ticks = bench_samples(rows->samples);

    for (size_t i = 0; ticks != NULL && i < rows->samples; i++) {
        ticks[i] = rows->rows[2 * i + 1] - rows->rows[2 * i];
    }
    if (ticks != NULL) {
        bench_publish(run, name, UNIT_TICK, ticks, rows->samples);
    }
    return ticks != NULL;
}

const struct clock_state *clock_state(void)
{
    static const struct clock_state by_time; /* no ticks of an instruction */

    return &by_time;
}

uint64_t clock_ticks_from_us(uint64_t microseconds)
{
    return target->verdict.hz / US_PER_S * microseconds;
}

bool bench_is_exact(void)
{
    return false;
}

bool bench_counts_instructions(void)
{
    return false;
}

bool bench_has_caches(void)
{
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    return cpu_emulator(identity.hypervisor, identity.brand) == NULL;
}

bool bench_counting(void)
{
    return false;
}

/* A bench that asks can be stopped; a signal ends others with the program. */
const char *bench_stopped(const struct bench_run *run, size_t done, size_t all)
{
    const uint64_t ms = monotonic_ms() - watch.begin_ms;

    interrupt_catch();
    if (interrupt_seen()) {
        return "a signal stopped the bench";
    }
    if (watch.budget_ms > 0 && ms >= watch.budget_ms && done > 0) {
        return "the time of --budget was over";
    }
    progress_live(watch.progress, "bench %s: %zu of %zu, %" PRIu64 " s", run->bench->name, done,
                  all, ms / 1000);
    return NULL;
}

/* ---- a run ---- */

static void describe(struct run *run, const struct bench *bench)
{
    described = run_add_bench(run, bench->name);
    described->group = bench->group;
    described->summary = bench->summary;
    described->unit = bench->unit;
    described->estimate = bench->estimate;
    for (const struct bench_param *p = bench->params; p != NULL && p->name != NULL; p++) {
        const char *text = registry_planned(bench, p);
        const char *value = text != NULL ? text : p->default_text;
        char number[PARAM_SHOWN_MAX];

        *run_add_param(described) = (struct run_param){
            p->name,
            run_text(run, param_shown(p, value, number)),
            text != NULL ? ORIGIN_PLAN : ORIGIN_DEFAULT,
        };
    }
    for (const struct bench_estimate *e = bench->estimates; e != NULL && e->series != NULL; e++) {
        *run_add_expect(described) = (struct run_expect){
            .series = e->series,
            .has_instructions = e->instructions != ESTIMATE_NONE,
            .has_value = e->value != ESTIMATE_NONE,
            .instructions = e->instructions,
            .value = e->value,
            .unit = e->value != ESTIMATE_NONE ? e->unit : NULL,
            .because = e->because,
        };
    }
}

/* Returns what the bench needs and a program cannot have, or NULL if it can run. */
static const char *unmet_need(const struct run *run, const struct bench *bench)
{
    if ((bench->needs & NEED_CLOCK) != 0 && run->verdict.hz == 0) {
        return "no clock to measure the TSC against";
    }
    if ((bench->needs & (NEED_LAPIC_TIMER | NEED_PROCESSORS)) != 0) {
        return "it needs hardware that Linux does not let programs use";
    }
    return NULL;
}

const struct run_bench *host_bench_run(struct run *run, const struct bench *bench,
                                       struct progress *progress, uint64_t budget_s)
{
    static const char *const names[] = {
        [BENCH_OK] = STATE_OK,     [BENCH_SKIP] = STATE_SKIP,   [BENCH_ERROR] = STATE_ERROR,
        [BENCH_FAIL] = STATE_FAIL, [BENCH_CRASH] = STATE_CRASH,
    };
    struct bench_run bench_run = {.bench = bench};

    target = run;
    watch = (struct watch){progress, monotonic_ms(), budget_s * 1000};
    describe(run, bench);
    expectation_begin();
    note_taken(NULL);
    long_text_open(&disturbed);
    const char *lacking = unmet_need(run, bench);
    enum bench_state state =
        lacking != NULL ? bench_skip(&bench_run, "%s", lacking) : bench->run(&bench_run);

    /* Only the image's own code has estimates. Other programs may disturb each trial of an
     * operation of Linux, which is no failure: host_trials_judge() removes such costs. */
    if (state == BENCH_OK && bench->estimates != NULL &&
        !expectation_met(bench, 0, bench_run.reason, sizeof(bench_run.reason))) {
        state = BENCH_FAIL;
    }
    described->state = names[state];
    described->reason = bench_run.reason[0] != '\0' ? run_text(run, bench_run.reason) : NULL;
    take_back();
    if (long_text_close(&disturbed)[0] != '\0') {
        bench_found(&bench_run, "disturbed", disturbed.text);
    }
    long_text_free(&disturbed);
    host_trials_judge(run, described);
    if (interrupt_seen()) {
        run_add_loss(run, "bench %s: a signal stopped it: curves are absent", bench->name);
    } else {
        interrupt_release();
    }
    return described;
}
