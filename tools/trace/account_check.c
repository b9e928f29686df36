/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/account_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/table.h"
#include "tools/present/json_kit.h"

#define REASON_MAX 160

/* ---- reading ---- */

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Takes the processor from what follows the prefix of a fact, "cpu1_thread_3"; without one it is 0.
 * Returns the rest. */
static const char *parse_cpu(const char *text, uint32_t *cpu)
{
    char *end;

    *cpu = 0;
    if (!starts(text, FACT_OF_CPU)) {
        return text;
    }
    const unsigned long number = strtoul(text + strlen(FACT_OF_CPU), &end, 10);

    *cpu = number < RUN_PROCESSORS_MAX ? (uint32_t)number : 0;
    return number < RUN_PROCESSORS_MAX && *end == '_' ? end + 1 : text;
}

/* Parses the owner of a fact from what then follows: "thread_3". Returns false if it is none. */
static bool parse_owner(const char *text, enum account_kind *kind, uint32_t *id)
{
    const char *mark = strchr(text, '_');
    uint64_t number;

    *kind = starts(text, OBJECT_NAME_THREAD "_")   ? ACCOUNT_THREAD
            : starts(text, OBJECT_NAME_VECTOR "_") ? ACCOUNT_VECTOR
            : starts(text, OBJECT_NAME_DPC "_")    ? ACCOUNT_DPC
                                                   : ACCOUNT_KINDS;
    if (*kind == ACCOUNT_KINDS || !parse_unsigned(mark + 1, &number) ||
        number >= (*kind == ACCOUNT_THREAD ? ACCOUNT_NO_THREAD : ACCOUNT_IDS)) {
        return false;
    }
    *id = (uint32_t)number;
    return true;
}

static struct account_line *line_of(struct account_memory *memory, uint32_t cpu,
                                    enum account_kind kind, uint32_t id)
{
    for (size_t i = 0; i < memory->count; i++) {
        if (memory->lines[i].cpu == cpu && memory->lines[i].kind == kind &&
            memory->lines[i].id == id) {
            return &memory->lines[i];
        }
    }
    *ALLOC_NEXT(memory->lines, memory->count, memory->capacity) =
        (struct account_line){.cpu = cpu, .kind = kind, .id = id};
    return &memory->lines[memory->count - 1];
}

static void read_facts(struct account_memory *memory, const struct run_bench *bench)
{
    static const char elapsed[] = FACT_ACCOUNT_ELAPSED;
    enum account_kind kind;
    uint32_t cpu;
    uint32_t id;

    memory->above = 1;
    for (size_t i = 0; i < bench->fact_count; i++) {
        const struct run_fact *fact = &bench->facts[i];
        const uint64_t value = (uint64_t)fact->value;

        if (starts(fact->name, FACT_ACCOUNT)) {
            const char *rest = parse_cpu(fact->name + strlen(FACT_ACCOUNT), &cpu);

            if (parse_owner(rest, &kind, &id)) {
                line_of(memory, cpu, kind, id)->ticks = value;
                memory->cpu_sum[cpu] += value;
                memory->sum += value;
            } else if (strcmp(rest, elapsed + strlen(FACT_ACCOUNT)) == 0) {
                memory->cpu_elapsed[cpu] = value;
                memory->elapsed += value;
                memory->above = cpu < memory->above ? memory->above : cpu + 1;
            }
        } else if (starts(fact->name, FACT_ENTRIES) &&
                   parse_owner(parse_cpu(fact->name + strlen(FACT_ENTRIES), &cpu), &kind, &id)) {
            line_of(memory, cpu, kind, id)->entries = value;
        }
    }
}

/* Adds what a thread or handler had of each processor. */
static void add_shares(struct account_memory *memory, const struct accounting *accounting,
                       enum account_kind kind, uint32_t id, const struct account_share *on)
{
    for (size_t i = 0; i < accounting->cpu_count; i++) {
        if (on[i].stamped > 0) {
            line_of(memory, (uint32_t)i, kind, id)->traced = on[i].stamped;
        }
    }
}

static void add_trace(struct account_memory *memory, const struct accounting *accounting)
{
    const struct account_handler *handler;

    memory->traced = true;
    memory->whole = accounting->gaps == 0 && accounting_conflicts(accounting) == 0;
    for (size_t i = 0; i < accounting->thread_count; i++) {
        add_shares(memory, accounting, ACCOUNT_THREAD, accounting->threads[i]->id,
                   accounting->threads[i]->on);
    }
    for (size_t at = 0; (handler = account_next_handler(accounting, &at)) != NULL;) {
        add_shares(memory, accounting, handler->kind, handler->id, handler->on);
    }
}

static bool agrees(const struct account_memory *memory, const struct account_line *line)
{
    return memory->whole ? line->traced == line->ticks : line->traced <= line->ticks;
}

/* Returns whether, for each processor, the lines add up to the elapsed time; with `accounting`, if
 * that is the length of its traces instead. */
static bool adds_up(const struct account_memory *memory, const struct accounting *accounting)
{
    bool good = true;

    for (size_t i = 0; i < RUN_PROCESSORS_MAX; i++) {
        const bool traced = accounting != NULL && i < accounting->cpu_count;
        const uint64_t sum = accounting == NULL ? memory->cpu_sum[i]
                             : traced           ? accounting->cpus[i].elapsed
                                                : 0;

        good = good && sum == memory->cpu_elapsed[i];
    }
    return good;
}

static void compare(struct account_memory *memory, const struct accounting *accounting)
{
    for (size_t i = 0; i < memory->count && memory->traced; i++) {
        memory->differences += !agrees(memory, &memory->lines[i]);
    }
    const uint64_t conflicts =
        accounting != NULL && accounting->gaps == 0 ? accounting_conflicts(accounting) : 0;

    if (memory->traced && conflicts > 0) {
        memory->different = "events of the trace contradict each other";
    } else if (!adds_up(memory, NULL)) {
        memory->different =
            "the account that is kept without trace records does not add up to the elapsed time";
    } else if (accounting != NULL && memory->traced && !adds_up(memory, accounting)) {
        memory->different = "the trace and the account without records have different lengths";
    } else if (memory->differences > 0) {
        memory->different = "the trace and the account without records differ";
    }
}

void account_memory_read(struct account_memory *memory, const struct run_bench *bench,
                         const struct accounting *accounting)
{
    const struct run_fact *elapsed = run_find_fact(bench, FACT_ACCOUNT_ELAPSED);

    /* A window of time has no account, because the account covers the whole bench. */
    *memory = (struct account_memory){.present = elapsed != NULL && !bench->cut};
    if (!memory->present) {
        return;
    }
    read_facts(memory, bench);
    if (accounting != NULL && bench->trace_count > 0) {
        add_trace(memory, accounting);
    }
    compare(memory, accounting);
}

void account_memory_free(struct account_memory *memory)
{
    free(memory->lines);
}

bool account_is_fact(const struct run_fact *fact)
{
    return starts(fact->name, FACT_ACCOUNT) || starts(fact->name, FACT_ENTRIES);
}

/* Returns the label of the account, with its processor if there is more than one. */
static const char *line_label(const struct account_memory *memory, const struct run_bench *bench,
                              const struct account_line *line, char text[ACCOUNT_LABEL_MAX])
{
    account_label(bench, line->kind, line->id, text);
    if (memory->above > 1) {
        const size_t length = strlen(text);

        snprintf(text + length, ACCOUNT_LABEL_MAX - length, ", CPU %" PRIu32, line->cpu);
    }
    return text;
}

/* ---- the verdict ---- */

/* Writes the reason, such as "...: thread worker by 8 ticks, and 2 more". */
static void explain(const struct account_memory *memory, const struct run_bench *bench,
                    char reason[REASON_MAX])
{
    char label[ACCOUNT_LABEL_MAX];
    size_t first = 0;

    while (first < memory->count && memory->traced && agrees(memory, &memory->lines[first])) {
        first++;
    }
    if (memory->sum == memory->elapsed && memory->differences == 0) {
        snprintf(reason, REASON_MAX, "%s", memory->different);
        return;
    }
    if (memory->differences == 0 || first == memory->count) {
        snprintf(reason, REASON_MAX, "%s: by %" PRId64 " ticks", memory->different,
                 (int64_t)(memory->sum - memory->elapsed));
        return;
    }
    const struct account_line *line = &memory->lines[first];

    snprintf(reason, REASON_MAX, "%s: %s by %" PRId64 " ticks, %" PRIu64 " in all",
             memory->different, line_label(memory, bench, line, label),
             (int64_t)(line->traced - line->ticks), memory->differences);
}

static void judge(struct run *run, struct run_bench *bench)
{
    struct accounting accounting = {0};
    struct account_memory memory;
    char reason[REASON_MAX];
    const bool traced = bench->trace_count > 0 && accounting_read(&accounting, bench, NULL, 0);

    account_memory_read(&memory, bench, traced ? &accounting : NULL);
    if (memory.different != NULL) {
        explain(&memory, bench, reason);
        bench->state = STATE_FAIL;
        bench->reason = run_text(run, reason);
    }
    account_memory_free(&memory);
    accounting_free(&accounting);
}

void account_judge(struct run *run)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        struct run_bench *bench = &run->benches[i];

        if (bench->state != NULL && strcmp(bench->state, STATE_OK) == 0 &&
            run_find_fact(bench, FACT_ACCOUNT_ELAPSED) != NULL) {
            judge(run, bench);
        }
    }
}

/* ---- showing ---- */

static int by_ticks(const void *left, const void *right)
{
    const struct account_line *a = left;
    const struct account_line *b = right;

    if (a->ticks != b->ticks) {
        return SORT_ORDER(b->ticks, a->ticks);
    }
    if (a->kind != b->kind || a->id != b->id) {
        return a->kind != b->kind ? SORT_ORDER(a->kind, b->kind) : SORT_ORDER(a->id, b->id);
    }
    return SORT_ORDER(a->cpu, b->cpu);
}

void account_memory_sort(struct account_memory *memory)
{
    if (memory->count > 0) {
        sort_stable(memory->lines, memory->count, sizeof(*memory->lines), by_ticks);
    }
}

static void print_lines(const struct view *view, const struct run_bench *bench,
                        const struct account_memory *memory)
{
    struct table table;
    char label[ACCOUNT_LABEL_MAX];

    table_open(&table, memory->traced ? "lrrrrr" : "lrrr",
               "account\tentered\tticks\tshare\tby the trace\tdifference");
    for (size_t i = 0; i < memory->count; i++) {
        const struct account_line *line = &memory->lines[i];

        table_line(&table, "%s\t%" PRIu64 "\t%" PRIu64, line_label(memory, bench, line, label),
                   line->entries, line->ticks);
        table_share(&table, (double)line->ticks / (double)memory->elapsed);
        if (memory->traced) {
            table_format(&table, "%" PRIu64 "\t%" PRId64, line->traced,
                         (int64_t)(line->traced - line->ticks));
        }
    }
    view_table(view, &table);
}

void view_account(const struct view *view, const struct run_bench *bench,
                  const struct accounting *accounting)
{
    struct account_memory memory;
    char text[AMOUNT_MAX];

    account_memory_read(&memory, bench, accounting);
    if (memory.present && memory.traced && memory.whole && memory.different == NULL) {
        fprintf(
            view->out,
            "  account without records: %zu accounts, equal to those of the trace to the tick\n",
            memory.count);
    } else if (memory.present) {
        account_memory_sort(&memory);
        print_paragraph(view->out,
                        "the account without records, of %s, counted from stamp to stamp of "
                        "switches and handlers%s%s%s",
                        amount_text(view, (int64_t)memory.elapsed, UNIT_TICK, text),
                        memory.traced ? "" : "; there is no trace",
                        memory.different != NULL ? "; " : "",
                        memory.different != NULL ? memory.different : "");
        print_lines(view, bench, &memory);
    }
    account_memory_free(&memory);
}

void account_json(struct json *json, const struct run_bench *bench,
                  const struct accounting *accounting)
{
    struct account_memory memory;
    char name[ACCOUNT_NAME_MAX];

    account_memory_read(&memory, bench, accounting);
    if (!memory.present) {
        return;
    }
    json_object(json, "account");
    JSON_COUNTS(json, {"elapsed", memory.elapsed}, {"sum", memory.sum});
    json_bool(json, "traced", memory.traced);
    json_bool(json, "whole", memory.whole);
    json_unsigned(json, "differences", memory.differences);
    json_text(json, "different", memory.different);
    json_array(json, "lines");
    for (size_t i = 0; i < memory.count; i++) {
        const struct account_line *line = &memory.lines[i];

        json_object(json, NULL);
        json_text(json, "kind", account_kind_name(line->kind));
        json_unsigned(json, "id", line->id);
        if (memory.above > 1) {
            json_unsigned(json, "cpu", line->cpu);
        }
        json_text(json, "name", account_name(bench, line->kind, line->id, name));
        JSON_COUNTS(json, {"ticks", line->ticks}, {"entries", line->entries});
        json_optional(json, "traced", memory.traced, (int64_t)line->traced);
        json_close(json);
    }
    json_close(json);
    json_close(json);
    account_memory_free(&memory);
}
