/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if __STDC_HOSTED__
static struct finding_table *tables;

void finding_table_register(struct finding_table *table)
{
    table->next = tables;
    tables = table;
}

const struct finding_rule *finding_rule_at(size_t index)
{
    for (const struct finding_table *table = tables; table != NULL; table = table->next) {
        if (index < table->count) {
            return &table->rules[index];
        }
        index -= table->count;
    }
    return NULL;
}
#else
extern struct finding_table *const finding_tables_start[] __attribute__((visibility("hidden")));
extern struct finding_table *const finding_tables_end[] __attribute__((visibility("hidden")));

const struct finding_rule *finding_rule_at(size_t index)
{
    for (struct finding_table *const *table = finding_tables_start; table < finding_tables_end;
         table++) {
        if (index < (*table)->count) {
            return &(*table)->rules[index];
        }
        index -= (*table)->count;
    }
    return NULL;
}
#endif

#define NS_IN_S 1000000000

void findings_make(const struct finding_source *source, struct findings *findings)
{
    const struct finding_rule *rule;

    *findings = (struct findings){0};
    for (size_t i = 0; (rule = finding_rule_at(i)) != NULL; i++) {
        rule->apply(rule, source, findings);
    }
}

static bool is_worse(const struct finding *a, const struct finding *b)
{
    return a->class != b->class ? a->class < b->class : a->weight > b->weight;
}

/* Inserts a finding at its place. Among equals the one added first stays first. */
static void insert(struct findings *findings, const struct finding *finding)
{
    size_t at = findings->count;

    while (at > 0 && is_worse(finding, &findings->item[at - 1])) {
        at--;
    }
    if (at == FINDINGS_MAX) {
        findings->more++;
        return;
    }
    if (findings->count == FINDINGS_MAX) {
        findings->count--;
        findings->more++;
    }
    memmove(&findings->item[at + 1], &findings->item[at],
            (findings->count - at) * sizeof(findings->item[0]));
    findings->item[at] = *finding;
    findings->count++;
}

static void add(struct findings *findings, const struct finding_rule *rule,
                const struct finding *draft, const char *format, va_list list)
{
    struct finding finding = {.class = rule->class};

    if (draft != NULL) {
        finding = *draft;
    }
    finding.rule = rule;
    finding.bench = rule->bench;
    if (finding.unit == NULL) {
        finding.unit = rule->unit;
    }
    vsnprintf(finding.text, sizeof(finding.text), format, list);
    insert(findings, &finding);
}

void finding_add(struct findings *findings, const struct finding_rule *rule,
                 const struct finding *draft, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add(findings, rule, draft, format, list);
    va_end(list);
}

void finding_add_clear(struct findings *findings, const struct finding_rule *rule,
                       const char *format, ...)
{
    const struct finding draft = {.class = FINDING_CLEAR};
    va_list list;

    va_start(list, format);
    add(findings, rule, &draft, format, list);
    va_end(list);
}

bool finding_derived(const struct finding_source *source, const char *name, int64_t *value)
{
    return source->derived != NULL && source->derived(source->context, name, value);
}

/* ---- amounts ---- */

/* Prints `value` thousandths of a unit with three significant digits: "6.10", "24.5", "812". */
static void print_thousandths(uint64_t value, const char *unit, char text[FINDING_AMOUNT_MAX])
{
    const uint64_t tenths = (value + 50) / 100;
    const uint64_t hundredths = (value + 5) / 10;

    if (tenths >= 1000) {
        snprintf(text, FINDING_AMOUNT_MAX, "%" PRIu64 " %s", (value + 500) / 1000, unit);
    } else if (hundredths >= 1000) {
        snprintf(text, FINDING_AMOUNT_MAX, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10,
                 unit);
    } else if (value >= 1000) {
        snprintf(text, FINDING_AMOUNT_MAX, "%" PRIu64 ".%02" PRIu64 " %s", hundredths / 100,
                 hundredths % 100, unit);
    } else {
        snprintf(text, FINDING_AMOUNT_MAX, "0.%03" PRIu64 " %s", value, unit);
    }
}

const char *finding_count_text(int64_t count, char text[FINDING_AMOUNT_MAX])
{
    char digits[FINDING_AMOUNT_MAX / 2];
    const int length = snprintf(digits, sizeof(digits), "%" PRId64, count);
    const int first = digits[0] == '-';
    char *out = text;

    for (int i = 0; i < length; i++) {
        if (i > first && (length - i) % 3 == 0) {
            *out++ = ',';
        }
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}

/* Returns amount * to / from, for amounts up to 2^63 and rates below 2^34. */
static uint64_t convert(uint64_t amount, uint64_t from, uint64_t to)
{
    return amount / from * to + amount % from * to / from;
}

const char *finding_time_text(int64_t ns, char text[FINDING_AMOUNT_MAX])
{
    static const char *const units[] = {"us", "ms", "s"};
    uint64_t value = (uint64_t)ns;
    size_t unit = 0;

    if (ns < 1000) {
        snprintf(text, FINDING_AMOUNT_MAX, "%" PRId64 " ns", ns);
        return text;
    }
    while (unit < 2 && value >= 999500) {
        value = (value + 500) / 1000;
        unit++;
    }
    print_thousandths(value, units[unit], text);
    return text;
}

const char *finding_ns_text(const struct finding_source *source, int64_t ns,
                            char text[FINDING_AMOUNT_MAX])
{
    if (source->ticks_per_instruction == 0) {
        return finding_time_text(ns, text);
    }
    const uint64_t ticks = convert((uint64_t)ns, NS_IN_S, source->hz);
    const uint64_t half = source->ticks_per_instruction / 2;

    finding_count_text((int64_t)((ticks + half) / source->ticks_per_instruction), text);
    strcat(text, " instructions");
    return text;
}

const char *finding_ppb_text(int64_t ppb, char text[FINDING_AMOUNT_MAX])
{
    if (ppb < 100000) {
        print_thousandths((uint64_t)ppb, "ppm", text);
    } else {
        print_thousandths((uint64_t)ppb / 10000, "%", text);
    }
    return text;
}

bool finding_ticks_to_ns(const struct finding_source *source, int64_t ticks, int64_t *ns)
{
    if (source->hz == 0) {
        return false;
    }
    const uint64_t amount = convert((uint64_t)(ticks < 0 ? -ticks : ticks), source->hz, NS_IN_S);

    *ns = ticks < 0 ? -(int64_t)amount : (int64_t)amount;
    return true;
}

const char *finding_class_text(enum finding_class class)
{
    static const char *const texts[FINDING_CLASSES] = {
        [FINDING_UNTRUE] = "untrue", [FINDING_BROKEN] = "broken", [FINDING_STOLEN] = "stolen",
        [FINDING_SLOW] = "slow",     [FINDING_UNDONE] = "undone", [FINDING_FIGURE] = "figure",
        [FINDING_CLEAR] = "clear",
    };

    return texts[class];
}
