/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/runner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/irq/lapic.h"
#include "kernel/link/link.h"
#include "kernel/mem/memory.h"
#include "kernel/run/bench.h"

#define REASON_MAX 120
#define KEY_MAX    64

struct bench_run {
    const struct bench *bench;
    char reason[REASON_MAX + 1];
};

/* linker.ld. */
extern const struct bench *const bench_registry_start[] __attribute__((visibility("hidden")));
extern const struct bench *const bench_registry_end[] __attribute__((visibility("hidden")));

static const struct bench *current;
static struct plan *plan_in_force;

static const char *const state_names[] = {
    [BENCH_OK] = "OK",     [BENCH_SKIP] = "SKIP",   [BENCH_ERROR] = "ERROR",
    [BENCH_FAIL] = "FAIL", [BENCH_CRASH] = "CRASH",
};

const char *runner_current(void)
{
    return current == NULL ? NULL : current->name;
}

/* ---- the plan ---- */

/* The plan's text for a parameter, or NULL. */
static const char *planned(const struct bench *bench, const struct bench_param *param)
{
    char key[KEY_MAX];

    snprintf(key, sizeof(key), "%s.%s", bench->name, param->name);
    return plan_value(plan_in_force, key);
}

static bool check_param(const struct bench *bench, const struct bench_param *param,
                        char error[PLAN_ERROR_MAX])
{
    const char *text = planned(bench, param);
    uint64_t value;

    if (text == NULL || param->type == PARAM_TEXT) {
        return true;
    }
    if (!parse_unsigned(text, &value) || value < param->min || value > param->max) {
        snprintf(error, PLAN_ERROR_MAX, "%s.%s=%.40s: must be a number from %lu to %lu",
                 bench->name, param->name, text, param->min, param->max);
        return false;
    }
    return true;
}

static bool is_bench(const char *name, size_t length)
{
    for (const struct bench *const *at = bench_registry_start; at < bench_registry_end; at++) {
        if (strlen((*at)->name) == length && strncmp((*at)->name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends " word" to a NUL-terminated list, as far as it fits. */
static void append_word(char *list, size_t size, const char *prefix, const char *word)
{
    const size_t length = strlen(list);

    snprintf(list + length, size - length, " %s%s", prefix, word);
}

static bool check_bench_list(const char *list, char error[PLAN_ERROR_MAX])
{
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");
        const bool special = (length == 3 && strncmp(list, "all", 3) == 0) ||
                             (length == 4 && strncmp(list, "none", 4) == 0);

        if (!special && !is_bench(list, length)) {
            snprintf(error, PLAN_ERROR_MAX, "no bench \"%.*s\"; there are: all none",
                     (int)(length < KEY_MAX ? length : KEY_MAX), list);
            for (const struct bench *const *at = bench_registry_start; at < bench_registry_end;
                 at++) {
                append_word(error, PLAN_ERROR_MAX, "", (*at)->name);
            }
            return false;
        }
        list += length + (list[length] == ',' ? 1 : 0);
    }
    return true;
}

static const char *const run_keys[] = {"bench",      "link.baud",  "link.format", "link.wait_ms",
                                       "link.serve", "lapic.mode", "exit"};

static void report_unknown_key(const char *key, char error[PLAN_ERROR_MAX])
{
    snprintf(error, PLAN_ERROR_MAX, "unknown plan key \"%.60s\"; known:", key);
    for (size_t i = 0; i < sizeof(run_keys) / sizeof(run_keys[0]); i++) {
        append_word(error, PLAN_ERROR_MAX, "", run_keys[i]);
    }
    for (const struct bench *const *at = bench_registry_start; at < bench_registry_end; at++) {
        char prefix[KEY_MAX];

        snprintf(prefix, sizeof(prefix), "%s.", (*at)->name);
        for (const struct bench_param *p = (*at)->params; p != NULL && p->name != NULL; p++) {
            append_word(error, PLAN_ERROR_MAX, prefix, p->name);
        }
    }
}

static bool read_number(struct plan *plan, const char *key, uint64_t *value, uint64_t max,
                        char error[PLAN_ERROR_MAX])
{
    const char *text = plan_value(plan, key);

    if (text != NULL && (!parse_unsigned(text, value) || *value > max)) {
        snprintf(error, PLAN_ERROR_MAX, "%s=%.40s: must be a number up to %lu", key, text, max);
        return false;
    }
    return true;
}

static bool read_choice(struct plan *plan, const char *key, const char *choices, const char **value,
                        char error[PLAN_ERROR_MAX])
{
    const char *text = plan_value(plan, key);

    if (text == NULL) {
        return true;
    }
    if (strchr(text, ',') != NULL || !plan_list_holds(choices, text)) {
        snprintf(error, PLAN_ERROR_MAX, "%s=%.40s: must be one of %s", key, text, choices);
        return false;
    }
    *value = text;
    return true;
}

void runner_default_settings(struct run_settings *settings)
{
    *settings = (struct run_settings){.baud = 115200, .wait_ms = 3000};
}

bool runner_read_plan(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX])
{
    const char *format = "binary";
    const char *lapic_mode = "firmware";
    uint64_t serve = 0;

    plan_in_force = plan;
    settings->benches = plan_value(plan, "bench");
    if (!check_bench_list(settings->benches, error) ||
        !read_number(plan, "link.baud", &settings->baud, 4000000, error) ||
        !read_number(plan, "link.wait_ms", &settings->wait_ms, 3600000, error) ||
        !read_number(plan, "link.serve", &serve, 1, error) ||
        !read_choice(plan, "link.format", "binary,text", &format, error) ||
        !read_choice(plan, "lapic.mode", "firmware,x2apic", &lapic_mode, error) ||
        !read_choice(plan, "exit", "poweroff,reboot,halt", &settings->exit, error)) {
        return false;
    }
    settings->serve = serve != 0;
    settings->x2apic = strcmp(lapic_mode, "x2apic") == 0;
    settings->text = strcmp(format, "text") == 0;
    for (const struct bench *const *at = bench_registry_start; at < bench_registry_end; at++) {
        for (const struct bench_param *p = (*at)->params; p != NULL && p->name != NULL; p++) {
            if (!check_param(*at, p, error)) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->settings[i].used) {
            report_unknown_key(plan->settings[i].key, error);
            return false;
        }
    }
    return true;
}

/* ---- what benches call ---- */

static const char *param_text(const struct bench_run *run, const char *name)
{
    for (const struct bench_param *p = run->bench->params; p != NULL && p->name != NULL; p++) {
        if (strcmp(p->name, name) == 0) {
            const char *text = planned(run->bench, p);

            return text != NULL ? text : p->default_text;
        }
    }
    return "";
}

uint64_t bench_number(const struct bench_run *run, const char *name)
{
    uint64_t value = 0;

    parse_unsigned(param_text(run, name), &value);
    return value;
}

const char *bench_text(const struct bench_run *run, const char *name)
{
    return param_text(run, name);
}

int64_t *bench_samples(size_t count)
{
    /* The line numbers samples with 32 bits. */
    if (count > UINT32_MAX || count > memory_total() / sizeof(int64_t)) {
        return NULL;
    }
    return memory_allocate((count > 0 ? count : 1) * sizeof(int64_t), 64);
}

void bench_publish(const struct bench_run *run, const char *name, const char *unit,
                   const int64_t *samples, size_t count)
{
    const struct link_series series = {run->bench->name, name, unit, samples, count};

    link_series(&series);
}

void bench_fact(const struct bench_run *run, const char *name, const char *unit, int64_t value)
{
    struct record_writer record;

    record_begin(&record, "fact");
    record_text(&record, "bench", run->bench->name);
    record_text(&record, "name", name);
    record_signed(&record, "value", value);
    record_text(&record, "unit", unit);
    link_record(&record);
}

enum bench_state bench_calibrate(struct bench_run *run, uint64_t sample_us,
                                 struct idle_calibration *calibration)
{
    if (!idle_loop_calibrate(clock_ticks_from_us(sample_us), calibration)) {
        return bench_error(run, "calibration missed: %lu iterations take %lu ticks",
                           calibration->inner, calibration->sample_ticks);
    }
    bench_fact(run, "inner_iterations", "count", (int64_t)calibration->inner);
    bench_fact(run, "sample_ticks", "tick", (int64_t)calibration->sample_ticks);
    bench_fact(run, "iteration_millitick", "millitick", (int64_t)calibration->iteration_millitick);
    return BENCH_OK;
}

enum bench_state bench_ok(struct bench_run *run)
{
    run->reason[0] = '\0';
    return BENCH_OK;
}

enum bench_state bench_skip(struct bench_run *run, const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    vsnprintf(run->reason, sizeof(run->reason), reason, arguments);
    va_end(arguments);
    return BENCH_SKIP;
}

enum bench_state bench_error(struct bench_run *run, const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    vsnprintf(run->reason, sizeof(run->reason), reason, arguments);
    va_end(arguments);
    return BENCH_ERROR;
}

enum bench_state bench_fail(struct bench_run *run, const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    vsnprintf(run->reason, sizeof(run->reason), reason, arguments);
    va_end(arguments);
    return BENCH_FAIL;
}

/* ---- the run ---- */

static bool selected(const struct run_settings *settings, const struct bench *bench)
{
    if (settings->benches == NULL || strcmp(settings->benches, "all") == 0) {
        return !bench->on_request;
    }
    return plan_list_holds(settings->benches, bench->name);
}

static void announce(const struct bench *bench)
{
    struct record_writer record;

    record_begin(&record, "bench");
    record_text(&record, "name", bench->name);
    record_text(&record, "group", bench->group);
    record_text(&record, "summary", bench->summary);
    record_text(&record, "unit", bench->unit);
    record_text(&record, "estimate", bench->estimate);
    link_record(&record);
    for (const struct bench_param *p = bench->params; p != NULL && p->name != NULL; p++) {
        const char *text = planned(bench, p);

        record_begin(&record, "param");
        record_text(&record, "bench", bench->name);
        record_text(&record, "name", p->name);
        record_text(&record, "value", text != NULL ? text : p->default_text);
        record_text(&record, "origin", text != NULL ? "plan" : "default");
        link_record(&record);
    }
    link_flush();
}

/* The need that the machine does not meet, in words; NULL where all are met. */
static const char *unmet_need(const struct bench *bench)
{
    const struct clock_state *clock = clock_state();

    if ((bench->needs & NEED_CLOCK) != 0 && clock->verdict.hz == 0) {
        return "no clock to measure the TSC against";
    }
    if ((bench->needs & NEED_LAPIC_TIMER) != 0 && clock->lapic_hz == 0) {
        return "no LAPIC timer that counts";
    }
    return NULL;
}

/* Calls the bench; an exception inside comes back here as CRASH. */
static enum bench_state call_guarded(struct bench_run *run)
{
    volatile enum bench_state state = BENCH_CRASH;

    if (setjmp(*exception_recovery_point()) == 0) {
        exception_arm(true);
        state = run->bench->run(run);
    } else {
        snprintf(run->reason, sizeof(run->reason), "an exception ended it, see crash");
    }
    exception_arm(false);
    return state;
}

/* Whatever a bench left running or enabled must not reach the next one. */
static void quiet_machine(void)
{
    interrupts_disable();
    if (lapic_state()->present) {
        lapic_timer_stop();
        lapic_end_all();
    }
    descriptors_reset_entry(LAPIC_VECTOR_TIMER);
}

static void run_bench(const struct bench *bench)
{
    struct bench_run run = {.bench = bench};
    struct record_writer record;
    enum bench_state state;
    const char *lacking = unmet_need(bench);

    announce(bench);
    current = bench;
    state = lacking != NULL ? bench_skip(&run, "%s", lacking) : call_guarded(&run);
    current = NULL;
    quiet_machine();

    record_begin(&record, "status");
    record_text(&record, "bench", bench->name);
    record_text(&record, "state", state_names[state]);
    record_text(&record, "reason", run.reason);
    link_record(&record);
    link_text("tare: bench %s: %s%s%s", bench->name, state_names[state],
              run.reason[0] != '\0' ? ": " : "", run.reason);
}

void runner_run(const struct run_settings *settings)
{
    size_t total = 0;
    size_t number = 0;

    for (const struct bench *const *at = bench_registry_start; at < bench_registry_end; at++) {
        total += selected(settings, *at) ? 1 : 0;
    }
    for (const struct bench *const *at = bench_registry_start; at < bench_registry_end; at++) {
        if (selected(settings, *at)) {
            number++;
            link_text("tare: bench %s (%zu of %zu): %s", (*at)->name, number, total,
                      (*at)->summary);
            run_bench(*at);
        }
    }
}
