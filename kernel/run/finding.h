/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: what a machine did, in at most FINDINGS_MAX plain lines, worst first. Rules make them
 * from what a run published; all rules stand in one table (bench/finding/rules.c), which the image
 * has for its screen and the host for all else, so that both print the same lines.
 *
 * A rule reads a source, and adds a finding if its figure reaches the rule's threshold. A rule that
 * looked and found nothing adds its blind spot to the list in place of it: what could have been
 * found. A rule whose bench is not in the run adds nothing.
 *
 * Amounts are integers, since the image has no floating point: durations in ns, shares in ppb.
 * Where time is exact a duration is of virtual time, and texts give instructions.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FINDINGS_MAX     10
#define FINDING_TEXT_MAX 240
#define FINDING_PPM      "ppm" /* unit of thresholds and values */

/* Gravest first. */
enum finding_class {
    FINDING_UNTRUE, /* data are missing, or cannot be believed: the figures below may be false */
    FINDING_BROKEN, /* the machine broke a promise */
    FINDING_STOLEN, /* time was taken from the program */
    FINDING_SLOW,   /* something took longer than it has to */
    FINDING_FIGURE, /* what it costs: no fault */
    FINDING_CLEAR,  /* looked for, and not found: the blind spot */
    FINDING_CLASSES,
};

struct finding {
    const struct finding_rule *rule;
    enum finding_class class; /* the rule's, or a milder one */
    /* Order within a class, greatest first: ppb of the time of the run's watch where time was
     * stolen or lost, else thousandths of the rule's threshold. */
    uint64_t weight;
    const char *bench; /* the figure is of this bench; NULL: of the run */
    bool has_value;
    int64_t value;    /* the figure */
    const char *unit; /* of it: "ns", "instruction", "count", "ppb" or a UNIT_ of the link */
    bool has_at;
    int64_t at_ns;               /* when, from the begin of the bench's watch */
    char text[FINDING_TEXT_MAX]; /* one line: figure, place, consequence; no full stop at its end */
};

struct findings {
    struct finding item[FINDINGS_MAX]; /* in order */
    size_t count;
    size_t more; /* of the same, or milder, for which there was no room */
};

enum finding_time {
    FINDING_TIME_UNKNOWN,
    FINDING_TIME_EXACT,    /* figures are numbers of instructions, no time of hardware */
    FINDING_TIME_EMULATED, /* figures are of the emulator and of its host */
    FINDING_TIME_REAL,
    FINDING_TIME_MODEL,
};

/* Of all samples of a series, in the series' unit. */
struct finding_series {
    uint64_t n; /* 0: nothing else is set */
    int64_t min, p50, max;
    bool has_p99; /* enough samples lie above it (tools/stats/statistics.h) */
    int64_t p99;
    const char *unit;
};

/* What a rule may ask. Benches are those of the first pass. Each function may be NULL: nothing of
 * the kind is known. All texts live as long as the source. */
struct finding_source {
    const void *context;
    enum finding_time time;
    uint64_t hz;                    /* of the TSC; 0: unknown or not verified */
    uint64_t ticks_per_instruction; /* of exact time; else 0 */
    /* A fact of the machine; NULL: it has none. */
    const char *(*machine)(const void *context, const char *name);
    /* One of the STATE_ names of kernel/link/names.h; NULL: the bench is not in the run. */
    const char *(*state)(const void *context, const char *bench, const char **reason);
    /* The name of bench `index` of the run; NULL behind the last. */
    const char *(*bench)(const void *context, size_t index);
    bool (*fact)(const void *context, const char *bench, const char *name, int64_t *value);
    bool (*series)(const void *context, const char *bench, const char *name,
                   struct finding_series *series);
    /* The samples of a series that is whole; false where it is not, or has none. They stay until
     * the next call. */
    bool (*samples)(const void *context, const char *bench, const char *name,
                    const int64_t **samples, size_t *count);
    /* Why the bench could not measure it; NULL: it could, or did not try. */
    const char *(*absent)(const void *context, const char *bench, const char *name);
    /* What only the host derives from a whole run: a name of derived.h. False: not known here. */
    bool (*derived)(const void *context, const char *name, int64_t *value);
    const char *(*derived_text)(const void *context, const char *name);
};

struct finding_rule {
    const char *name;         /* short, of letters, digits and '_': JSON and SQL have it */
    enum finding_class class; /* the gravest that it adds */
    const char *bench;        /* whose figures it reads; NULL: of the run */
    int64_t threshold;        /* a finding begins here */
    const char *unit;         /* of it */
    const char *summary;      /* what it looks for, one line */
    void (*apply)(const struct finding_rule *rule, const struct finding_source *source,
                  struct findings *findings);
};

/* A table of rules registers itself: in the image by a section (linker.ld), in the host
 * program before main(). */
struct finding_table {
    const struct finding_rule *rules;
    size_t count;
    struct finding_table *next; /* of the host, set by finding_table_register() */
};

#if __STDC_HOSTED__
void finding_table_register(struct finding_table *table);
#define FINDING_TABLE_REGISTER(table)                               \
    __attribute__((constructor)) static void register_##table(void) \
    {                                                               \
        finding_table_register(&(table));                           \
    }
#else
#define FINDING_TABLE_REGISTER(table)                 \
    static struct finding_table *const table##_of_all \
        __attribute__((used, aligned(8), section(".finding"))) = &(table);
#endif

/* Applies every rule; the list is in order, worst first. */
void findings_make(const struct finding_source *source, struct findings *findings);

/* Rule `index` of all tables; NULL behind the last. */
const struct finding_rule *finding_rule_at(size_t index);

/* For rules: what the host derives, by its name of derived.h. False: not known here. */
bool finding_derived(const struct finding_source *source, const char *name, int64_t *value);

/* For rules: adds a finding. `draft` has class, weight, value and place; NULL: of the rule's class,
 * without a value. Rule and bench are the rule's, and so is the unit where the draft has none.
 * Where the list is full the mildest leaves it, and is counted. `format` makes the text, of
 * integers and texts alone. */
__attribute__((format(printf, 4, 5))) void finding_add(struct findings *findings,
                                                       const struct finding_rule *rule,
                                                       const struct finding *draft,
                                                       const char *format, ...);

/* The same of class FINDING_CLEAR. */
__attribute__((format(printf, 3, 4))) void finding_add_clear(struct findings *findings,
                                                             const struct finding_rule *rule,
                                                             const char *format, ...);

/* Amounts for texts: three digits and a unit, "6.10 us", "0.024 %", "12,300"; of a duration in
 * exact time instructions, "1,202 instructions". */
#define FINDING_AMOUNT_MAX 40
const char *finding_ns_text(const struct finding_source *source, int64_t ns,
                            char text[FINDING_AMOUNT_MAX]);
/* Of waits and places in time, which are virtual time where time is exact. */
const char *finding_time_text(int64_t ns, char text[FINDING_AMOUNT_MAX]);
const char *finding_ppb_text(int64_t ppb, char text[FINDING_AMOUNT_MAX]);
const char *finding_count_text(int64_t count, char text[FINDING_AMOUNT_MAX]);
/* Ticks of the TSC as ns; in exact time of virtual time. False: the rate is unknown. */
bool finding_ticks_to_ns(const struct finding_source *source, int64_t ticks, int64_t *ns);

/* "untrue", "broken", "stolen", "slow", "figure" or "clear". */
const char *finding_class_text(enum finding_class class);
