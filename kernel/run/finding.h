/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: what a machine did, in at most FINDINGS_MAX plain lines, worst first. Rules derive them
 * from what a run published. All rules are in one table (bench/finding/rules.c), which the image
 * uses for its screen and the host for everything else, so that both print the same lines.
 *
 * A rule reads a source, and adds a finding if its figure reaches the rule's threshold. A rule that
 * looked and found nothing adds instead a finding of class "clear", which states what it could have
 * found. A rule whose bench is not in the run adds nothing.
 *
 * Amounts are integers, because the image has no floating point: durations in ns, shares in ppb. In
 * exact time a duration is in virtual time, and texts give instructions.
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

/* Classes of findings, gravest first. */
enum finding_class {
    FINDING_UNTRUE, /* data are missing or not credible: the figures below may be false */
    FINDING_BROKEN, /* the machine broke a promise */
    FINDING_STOLEN, /* time was taken from the program */
    FINDING_SLOW,   /* something took longer than it has to */
    FINDING_UNDONE, /* what the plan asked for was not done */
    FINDING_FIGURE, /* a cost: no fault */
    FINDING_CLEAR,  /* looked for and not found: what would have been found */
    FINDING_CLASSES,
};

struct finding {
    const struct finding_rule *rule;
    enum finding_class class; /* the rule's class, or a milder one */
    /* Order within a class, largest first: if time was lost, ppb of the time that the run watched;
     * otherwise thousandths of the rule's threshold. */
    uint64_t weight;
    const char *bench; /* bench to which the figure belongs; NULL: the run */
    bool has_value;
    int64_t value; /* the figure of the finding */
    /* Unit of the value: "ns", "instruction", "count", "ppb" or a UNIT_ of kernel/run/names.h. */
    const char *unit;
    bool has_at;
    /* when the finding happened, from the start of the bench's watch */
    int64_t at_ns;
    char text[FINDING_TEXT_MAX]; /* one line: figure, place and consequence, without a full stop */
};

struct findings {
    struct finding item[FINDINGS_MAX]; /* findings in order, worst first */
    size_t count;
    size_t more; /* number of findings, equally grave or milder, for which there was no room */
};

enum finding_time {
    FINDING_TIME_UNKNOWN,
    FINDING_TIME_EXACT, /* figures are numbers of instructions, not times of hardware */
    /* likewise, with those of a hypervisor or an operating system */
    FINDING_TIME_EXACT_SHARED,
    FINDING_TIME_EMULATED, /* figures describe the emulator and its host */
    FINDING_TIME_REAL,
    FINDING_TIME_MODEL,
};

/* Statistics of all samples of a series, in the series' unit. */
struct finding_series {
    uint64_t n; /* number of samples; 0: nothing else is set */
    int64_t min, p50, max;
    bool has_p99; /* p99 is valid: there are enough samples above it (tools/stats/statistics.h) */
    int64_t p99;
    const char *unit;
};

/* The data that rules may ask for. If a bench ran in several passes, the first pass is meant. Each
 * function may be NULL: nothing of that kind is known. All texts live as long as the source. */
struct finding_source {
    const void *context;
    enum finding_time time;
    uint64_t hz;                    /* rate of the TSC; 0: unknown or not verified */
    uint64_t ticks_per_instruction; /* in exact time, ticks of an instruction; otherwise 0 */
    /* Returns a fact of the machine, or NULL if there is none. */
    const char *(*machine)(const void *context, const char *name);
    /* Returns one of the STATE_ names of kernel/run/names.h and sets *reason, or returns NULL if
     * the bench is not in the run. */
    const char *(*state)(const void *context, const char *bench, const char **reason);
    /* Returns the name of bench `index` of the run, or NULL after the last. */
    const char *(*bench)(const void *context, size_t index);
    bool (*fact)(const void *context, const char *bench, const char *name, int64_t *value);
    bool (*series)(const void *context, const char *bench, const char *name,
                   struct finding_series *series);
    /* Gets the samples of a series, which stay valid until the next call. Returns false if the
     * series is not complete or has no samples. */
    bool (*samples)(const void *context, const char *bench, const char *name,
                    const int64_t **samples, size_t *count);
    /* Returns why the bench could not measure something, or NULL if it could, or did not try. */
    const char *(*absent)(const void *context, const char *bench, const char *name);
    /* Gets a value that only the host derives from a whole run, by a name of derived.h. Returns
     * false if it is not known here. */
    bool (*derived)(const void *context, const char *name, int64_t *value);
    const char *(*derived_text)(const void *context, const char *name);
};

struct finding_rule {
    const char *name;         /* short, consists of letters, digits and '_': used in JSON and SQL */
    enum finding_class class; /* gravest class that the rule adds */
    const char *bench;        /* bench whose figures it reads; NULL: the run */
    int64_t threshold;        /* figure from which on the rule adds a finding */
    const char *unit;         /* unit of the threshold */
    const char *summary;      /* one line that says what the rule looks for */
    void (*apply)(const struct finding_rule *rule, const struct finding_source *source,
                  struct findings *findings);
};

/* A table of rules registers itself: in the image through a section (linker.ld), in the host
 * program before main(). */
struct finding_table {
    const struct finding_rule *rules;
    size_t count;
    struct finding_table *next; /* next table, only on the host; set by finding_table_register() */
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

/* Applies every rule and puts the findings in order, worst first. */
void findings_make(const struct finding_source *source, struct findings *findings);

/* Returns rule `index` of all tables, or NULL after the last. */
const struct finding_rule *finding_rule_at(size_t index);

/* For rules: gets a value of derived.h. Returns false if it is not known here. */
bool finding_derived(const struct finding_source *source, const char *name, int64_t *value);

/* For rules: adds a finding. `draft` has class, weight, value and place; NULL: the rule's class,
 * without a value. Rule and bench are set from `rule`, and so is the unit if the draft has none. If
 * the list is full, the mildest finding is removed and counted in `more`. `format` makes the text;
 * only integers and strings are supported. */
__attribute__((format(printf, 4, 5))) void finding_add(struct findings *findings,
                                                       const struct finding_rule *rule,
                                                       const struct finding *draft,
                                                       const char *format, ...);

/* As finding_add(), with class FINDING_CLEAR. */
__attribute__((format(printf, 3, 4))) void finding_add_clear(struct findings *findings,
                                                             const struct finding_rule *rule,
                                                             const char *format, ...);

/* Amounts for texts: three significant digits and a unit, such as "6.10 us", "0.024 %" or "12,300".
 * In exact time a duration is given in instructions: "1,202 instructions". */
#define FINDING_AMOUNT_MAX 40
const char *finding_ns_text(const struct finding_source *source, int64_t ns,
                            char text[FINDING_AMOUNT_MAX]);
/* For waits and points in time: always as a time, which in exact time is virtual. */
const char *finding_time_text(int64_t ns, char text[FINDING_AMOUNT_MAX]);
const char *finding_ppb_text(int64_t ppb, char text[FINDING_AMOUNT_MAX]);
const char *finding_count_text(int64_t count, char text[FINDING_AMOUNT_MAX]);
/* Converts ticks of the TSC to ns, of virtual time in exact time; false: rate unknown. */
bool finding_ticks_to_ns(const struct finding_source *source, int64_t ticks, int64_t *ns);

/* Returns "untrue", "broken", "stolen", "slow", "undone", "figure" or "clear". */
const char *finding_class_text(enum finding_class class);
