/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules about what takes processors from a program: SMIs, the hypervisor, gaps without a known
 * cause, and a processor that is slower than the others. A gap with a known cause is reported once,
 * by the rule of that cause.
 */
#include <stdio.h>
#include <string.h>

#include "bench/finding/rules.h"
#include "bench/noise/names.h"
#include "kernel/link/names.h"
#include "kernel/run/derived.h"
#include "kernel/run/names.h"

#define PPB      1000000000
#define NAME_MAX 48
#define CPUS_MAX 256
/* tenths of the lost time; if known causes explain this much, the rest is not reported */
#define EXPLAINED 9
/* A turn of the emulator has at least TURNS_MIN others like it: gaps of a third of its length. */
#define OUTLIER   3
#define TURNS_MIN 20
/* Instructions of a turn: a reading takes 36, writing down a gap 170; the rest is for the code of
 * calls. */
#define TURN_INSTRUCTIONS 250
#define STOPPED           "the machine was stopped (pause, snapshot, migration) or waited for its emulator"
/* readings of the loop; below a threshold of this many, the loop itself counts as a gap */
#define LOOP_READS 2

/* What the rules know about bench gap on the kernel's processor. */
struct watch {
    /* in ticks, except `over`, which is a number */
    int64_t elapsed, stolen, over, threshold, smallest;
    int64_t smi_count, smi_provoked; /* SMIs, and how many of them the plan provoked */
    int64_t smi_ticks;               /* sum of all gaps with SMIs; 0: not reported */
    int64_t steal_ns;
};

static bool fact(const struct finding_source *source, const char *bench, const char *name,
                 int64_t *value)
{
    return source->fact(source->context, bench, name, value);
}

static int64_t fact_or(const struct finding_source *source, const char *bench, const char *name,
                       int64_t otherwise)
{
    int64_t value;

    return fact(source, bench, name, &value) ? value : otherwise;
}

/* Reads the facts of bench gap. Returns false if they are missing, or if the threshold is so low
 * that gaps show only the detector's loop. */
static bool read_watch(const struct finding_source *source, struct watch *watch)
{
    *watch = (struct watch){0};
    if (source->hz == 0 || !fact(source, BENCH_GAP, FACT_GAP_ELAPSED, &watch->elapsed) ||
        !fact(source, BENCH_GAP, FACT_STOLEN, &watch->stolen) ||
        !fact(source, BENCH_GAP, FACT_OVER, &watch->over) ||
        !fact(source, BENCH_GAP, FACT_THRESHOLD, &watch->threshold) ||
        !fact(source, BENCH_GAP, FACT_SMALLEST, &watch->smallest) || watch->elapsed <= 0) {
        return false;
    }
    watch->steal_ns = fact_or(source, BENCH_GAP, PREFIX_CAUSE CAUSE_NAME_STEAL, 0);
    watch->smi_count = fact_or(source, BENCH_GAP, FACT_SMI, 0);
    watch->smi_provoked = fact_or(source, BENCH_GAP, FACT_SMI_PROVOKED, 0);
    watch->smi_ticks = fact_or(source, BENCH_GAP, FACT_SMI_TICKS, 0);
    return watch->threshold >= LOOP_READS * watch->smallest;
}

/* Returns part / whole in ppb, for amounts below 2^54. */
static int64_t share_of(int64_t part, int64_t whole)
{
    return whole <= 0               ? 0
           : part < INT64_MAX / PPB ? part * PPB / whole
                                    : part / (whole / PPB + (whole < PPB));
}

static int64_t ns_of(const struct finding_source *source, int64_t ticks)
{
    int64_t ns = 0;

    finding_ticks_to_ns(source, ticks, &ns);
    return ns;
}

/* Writes a rate per second: as a whole number, or with tenths if it is below 10. */
static void print_rate(int64_t count, int64_t ms, char text[FINDING_AMOUNT_MAX])
{
    const int64_t tenths = ms > 0 ? (count * 10000 + ms / 2) / ms : 0;

    if (tenths >= 100) {
        finding_count_text((tenths + 5) / 10, text);
    } else {
        snprintf(text, FINDING_AMOUNT_MAX, "%d.%d", (int)(tenths / 10), (int)(tenths % 10));
    }
}

RULE_FUNCTION(rule_smi)
{
    char count[FINDING_AMOUNT_MAX], length[FINDING_AMOUNT_MAX], share[FINDING_AMOUNT_MAX];
    char rate[FINDING_AMOUNT_MAX], planned[FINDING_AMOUNT_MAX];
    struct watch watch;

    if (!read_watch(source, &watch) || watch.smi_count == 0 || watch.smi_count < rule->threshold) {
        return;
    }
    const int64_t ppb = share_of(watch.smi_ticks, watch.elapsed);
    const int64_t each = ns_of(source, watch.smi_ticks / watch.smi_count);
    const struct finding draft = {
        .class = rule->class, .weight = (uint64_t)ppb, .has_value = true, .value = watch.smi_count};

    const bool measured = watch.smi_ticks > 0;
    const bool provoked = watch.smi_provoked > 0;

    print_rate(watch.smi_count, ns_of(source, watch.elapsed) / 1000000, rate);
    finding_add(findings, rule, &draft, "%s SMI%s, %s%s%s a second: %s%s; %s%s%s",
                finding_count_text(watch.smi_count, count), watch.smi_count == 1 ? "" : "s",
                measured ? finding_ns_text(source, each, length) : "", measured ? " each, " : "",
                rate, measured ? finding_ppb_text(ppb, share) : "their length was not reported",
                measured ? " of the time" : "",
                provoked ? "the plan provoked "
                         : "check the firmware's USB legacy setting and its power management",
                provoked ? finding_count_text(watch.smi_provoked, planned) : "",
                provoked ? " of them (" BENCH_GAP ".provoke_smi)" : "");
}

/* Returns whether the known causes took nearly all of the lost time. */
static bool is_explained(const struct finding_source *source, const struct watch *watch)
{
    const int64_t known = ns_of(source, watch->smi_ticks) + watch->steal_ns;

    return known > 0 && known >= ns_of(source, watch->stolen) / 10 * EXPLAINED;
}

/* Returns the name of bench gap's series or fact for a processor. Processor 0, the kernel's, has no
 * suffix. */
static const char *name_of(const char *name, int64_t processor, char text[NAME_MAX])
{
    if (processor == 0) {
        return name;
    }
    snprintf(text, NAME_MAX, "%s.%d", name, (int)processor);
    return text;
}

static int64_t fact_of(const struct finding_source *source, const char *name, int64_t processor)
{
    char text[NAME_MAX];

    return fact_or(source, BENCH_GAP, name_of(name, processor, text), -1);
}

/* Gets the samples of a series of a processor. Returns how many; 0: there are none. */
static size_t samples_of(const struct finding_source *source, const char *series, int64_t processor,
                         const int64_t **samples)
{
    char text[NAME_MAX];
    size_t count = 0;

    return source->samples != NULL &&
                   source->samples(source->context, BENCH_GAP, name_of(series, processor, text),
                                   samples, &count)
               ? count
               : 0;
}

static int64_t processors_of(const struct finding_source *source)
{
    const int64_t processors = fact_or(source, BENCH_GAP, FACT_PROCESSORS, 1);

    return processors < CPUS_MAX ? processors : CPUS_MAX;
}

/* A run that was cut short has the progress of its bench instead of its result. */
RULE_FUNCTION(rule_partial)
{
    const char *reason = NULL;
    char name[NAME_MAX];
    int64_t lost = 0;
    int64_t watched = 0;

    if (source->state(source->context, BENCH_GAP, &reason) == NULL || reason == NULL ||
        strncmp(reason, REASON_PARTIAL, strlen(REASON_PARTIAL)) != 0) {
        return;
    }
    for (int64_t i = 0; i < CPUS_MAX; i++) {
        watched += fact_or(source, BENCH_GAP, name_of(PARTIAL_WATCHED, i, name), 0);
        lost += fact_or(source, BENCH_GAP, name_of(PARTIAL_LOST, i, name), 0);
    }
    const struct finding draft = {.class = lost > 0 ? rule->class : FINDING_UNDONE,
                                  .weight = (uint64_t)share_of(lost, watched)};

    finding_add(findings, rule, &draft, "bench " BENCH_GAP " was %s", reason);
}

/* The gaps that the plan injected, all of which are listed. */
struct injected {
    int64_t count;   /* on all processors */
    int64_t longest; /* ticks */
    int64_t ticks;   /* sum of their lengths */
    int64_t here;    /* sum of those on the processor in question */
    int64_t similar; /* number of those of at least a third of the length in question */
};

static struct injected sum_injected(const struct finding_source *source, int64_t processor,
                                    int64_t length)
{
    struct injected sum = {0};
    const int64_t *samples;

    for (int64_t i = 0; i < processors_of(source); i++) {
        const size_t count = samples_of(source, SERIES_INJECTED_LENGTH, i, &samples);

        for (size_t k = 0; k < count; k++) {
            sum.count++;
            sum.longest = samples[k] > sum.longest ? samples[k] : sum.longest;
            sum.ticks += samples[k];
            sum.here += i == processor ? samples[k] : 0;
            sum.similar += samples[k] > length / OUTLIER;
        }
    }
    return sum;
}

/* Returns whether the plan injected a gap on processor `by` that began in [from, to) of the team's
 * time. What it injected on another processor than `on` counts only if it stops all. */
static bool injects(const struct finding_source *source, int64_t by, int64_t on, int64_t from,
                    int64_t to)
{
    const int64_t origin = fact_of(source, FACT_ORIGIN, by);
    const int64_t *samples;
    const size_t count = samples_of(source, SERIES_INJECTED_TIME, by, &samples);
    size_t i = 0;

    while (i < count && (samples[i] + origin < from || samples[i] + origin >= to)) {
        i++;
    }
    return i < count && (by == on || (i < samples_of(source, SERIES_INJECTED_WORLD, by, &samples) &&
                                      samples[i] != 0));
}

/* Returns whether the longest gap of a processor holds one that the plan injected. */
static bool is_injected(const struct finding_source *source, int64_t processor, int64_t length)
{
    const int64_t from =
        fact_of(source, FACT_ORIGIN, processor) + fact_of(source, FACT_LARGEST_AT, processor);

    for (int64_t i = 0; i < processors_of(source); i++) {
        if (injects(source, i, processor, from, from + length)) {
            return true;
        }
    }
    return false;
}

/* Returns how many gaps of a processor, kept or not, are at least that long: by the histogram of
 * all gaps. Returns -1 if that is missing. */
static int64_t count_long(const struct finding_source *source, int64_t processor, int64_t length)
{
    const int64_t *samples;
    const size_t count = samples_of(source, SERIES_HISTOGRAM_BOUND, processor, &samples);
    size_t first = 0;
    int64_t sum = 0;

    while (first < count && samples[first] < length) {
        first++;
    }
    if (count == 0 || samples_of(source, SERIES_HISTOGRAM_COUNT, processor, &samples) != count) {
        return -1;
    }
    for (size_t i = first; i < count; i++) {
        sum += samples[i];
    }
    return sum;
}

/* Returns whether a gap is only a turn of the emulator. In exact time it runs one processor at a
 * time, so gaps on several processors are its turns, except a gap that is much longer than nearly
 * all others. Gaps that the plan injected are no turns. */
static bool are_turns(const struct finding_source *source, int64_t processor, int64_t largest,
                      const struct injected *injected)
{
    const int64_t processors = processors_of(source);
    const int64_t turn = TURN_INSTRUCTIONS * (int64_t)source->ticks_per_instruction;

    if (source->time != FINDING_TIME_EXACT || processors == 1) {
        return false;
    }
    if (largest <= processors * turn) {
        return true;
    }
    const int64_t similar = count_long(source, processor, largest / OUTLIER);

    return similar < 0 || similar - injected->similar >= TURNS_MIN;
}

/* Returns the processor with the longest gap of all, or -1. */
static int64_t find_longest(const struct finding_source *source, int64_t *largest)
{
    int64_t found = -1;

    for (int64_t i = 0; i < processors_of(source); i++) {
        const int64_t length = fact_of(source, FACT_LARGEST, i);

        if (length > *largest) {
            found = i;
            *largest = length;
        }
    }
    return found;
}

/* Returns the steal time in ns that was counted around the longest gap of a processor, or -1 if it
 * was not counted around each gap. */
static int64_t steal_in(const struct finding_source *source, int64_t processor, int64_t length)
{
    static const char *const lists[][2] = {
        {SERIES_GAP_LENGTH, PREFIX_CAUSE CAUSE_NAME_STEAL},
        {SERIES_WORST_LENGTH, PREFIX_WORST_CAUSE CAUSE_NAME_STEAL},
    };
    const int64_t total = fact_of(source, PREFIX_CAUSE CAUSE_NAME_STEAL, processor);
    const int64_t *samples;

    for (size_t list = 0; list < 2 && total > 0; list++) {
        const size_t count = samples_of(source, lists[list][0], processor, &samples);
        size_t i = 0;

        while (i < count && samples[i] != length) {
            i++;
        }
        if (i < count && samples_of(source, lists[list][1], processor, &samples) > i) {
            return samples[i];
        }
    }
    return total == 0 ? 0 : -1;
}

RULE_FUNCTION(rule_steal)
{
    char stolen[FINDING_AMOUNT_MAX], whole[FINDING_AMOUNT_MAX], share[FINDING_AMOUNT_MAX];
    char most[FINDING_AMOUNT_MAX];
    struct watch watch;

    if (!read_watch(source, &watch) || watch.steal_ns < rule->threshold) {
        return;
    }
    const int64_t elapsed = ns_of(source, watch.elapsed);
    const int64_t ppb = share_of(watch.steal_ns, elapsed);
    const struct finding draft = {
        .class = rule->class, .weight = (uint64_t)ppb, .has_value = true, .value = watch.steal_ns};
    const int64_t largest = fact_of(source, FACT_LARGEST, 0);
    const int64_t at_once = steal_in(source, 0, largest);
    const bool is_known = at_once > 0 && at_once >= ns_of(source, largest) / 2;

    finding_add(
        findings, rule, &draft,
        "the hypervisor stole %s of %s: %s of the time%s%s%s; pin the virtual processor to a "
        "processor that has no other work",
        finding_ns_text(source, watch.steal_ns, stolen), finding_ns_text(source, elapsed, whole),
        finding_ppb_text(ppb, share), is_known ? ", up to " : "",
        is_known ? finding_ns_text(source, ns_of(source, largest), most) : "",
        is_known ? " at once" : "");
}

/* Returns a cause that was counted during the watch on the kernel's processor. */
static const char *cause_of(const struct finding_source *source, int64_t steal_ns, int64_t ns)
{
    static const char *const causes[][2] = {
        {PREFIX_CAUSE CAUSE_NAME_MACHINE_CHECK, "machine checks were logged meanwhile"},
        {PREFIX_CAUSE CAUSE_NAME_NMI, "NMIs came meanwhile"},
        {PREFIX_CAUSE CAUSE_NAME_THERMAL, "the processor was throttled for its temperature"},
        {PREFIX_CAUSE CAUSE_NAME_POWER_LIMIT, "the processor was throttled for its power"},
        {PREFIX_CAUSE CAUSE_NAME_INTERRUPT, "an interrupt that firmware left enabled is pending"},
    };

    if (steal_ns > 0 && steal_ns >= ns / 2) {
        return "stolen by the hypervisor";
    }
    if (steal_ns >= 0 && ns >= STOPPED_NS) {
        return "no steal time is reported for it, so " STOPPED;
    }
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        if (fact_or(source, BENCH_GAP, causes[i][0], 0) > 0) {
            return causes[i][1];
        }
    }
    return steal_ns < 0 ? "unknown cause" : "unknown cause, for which no steal time is reported";
}

/* Writes when and where a gap was, such as " at 3.20 s, processor 2 alone". */
static void print_place(const struct finding_source *source, int64_t processor, int64_t at_ns,
                        char text[2 * NAME_MAX])
{
    char when[FINDING_AMOUNT_MAX];
    int64_t class = 0;

    finding_time_text(at_ns, when);
    if (fact_or(source, BENCH_GAP, FACT_PROCESSORS, 1) == 1) {
        snprintf(text, 2 * NAME_MAX, " at %s, the only processor", when);
    } else if (finding_derived(source, DERIVED_GAP_CLASS, &class) && class == 2) {
        snprintf(text, 2 * NAME_MAX, " at %s, all processors", when);
    } else {
        snprintf(text, 2 * NAME_MAX, " at %s, processor %d%s", when, (int)processor,
                 class == 1 ? " alone" : "");
    }
}

/* Adds what the plan injected; `place` tells when and where the longest gap was, if it is one of
 * these. */
static void add_injected(const struct finding_rule *rule, const struct finding_source *source,
                         const struct injected *injected, struct finding *draft, int64_t whole,
                         const char *place, struct findings *findings)
{
    char count[FINDING_AMOUNT_MAX], length[FINDING_AMOUNT_MAX], share[FINDING_AMOUNT_MAX];
    const int64_t ppb = share_of(injected->ticks, whole * processors_of(source));

    draft->weight = (uint64_t)ppb;
    finding_add(findings, rule, draft,
                "longest gap %s%s: injected by the plan (" BENCH_GAP
                ".inject_*); its %s gap%s take%s %s of the time",
                finding_ns_text(source, draft->value, length), place,
                finding_count_text(injected->count, count), injected->count == 1 ? "" : "s",
                injected->count == 1 ? "s" : "", finding_ppb_text(ppb, share));
}

RULE_FUNCTION(rule_gap)
{
    char length[FINDING_AMOUNT_MAX], share[FINDING_AMOUNT_MAX], place[2 * NAME_MAX];
    int64_t largest = 0;
    struct watch watch;

    if (!read_watch(source, &watch)) {
        return;
    }
    const int64_t processor = find_longest(source, &largest);

    if (processor < 0 || largest < rule->threshold) {
        return;
    }
    const struct injected injected = sum_injected(source, processor, largest);
    const bool planned = injected.count > 0 && is_injected(source, processor, largest);
    const int64_t steal = steal_in(source, processor, largest);
    const bool stopped =
        steal >= 0 && ns_of(source, largest) >= STOPPED_NS && steal < ns_of(source, largest) / 2;
    const bool is_other = (is_explained(source, &watch) && !stopped) ||
                          are_turns(source, processor, largest, &injected);
    const int64_t at = fact_of(source, FACT_LARGEST_AT, processor);
    const int64_t elapsed = fact_of(source, FACT_GAP_ELAPSED, processor);
    const int64_t ppb = share_of(fact_of(source, FACT_STOLEN, processor) - injected.here, elapsed);
    struct finding draft = {.class = rule->class,
                            .weight = (uint64_t)ppb,
                            .has_value = true,
                            .value = ns_of(source, largest),
                            .has_at = at >= 0,
                            .at_ns = at >= 0 ? ns_of(source, at) : 0};

    print_place(source, processor, draft.at_ns, place);
    if (planned) {
        add_injected(rule, source, &injected, &draft, elapsed, place, findings);
    } else if (is_other && injected.count > 0) {
        draft.value = ns_of(source, injected.longest);
        draft.has_at = false;
        add_injected(rule, source, &injected, &draft, elapsed, "", findings);
    } else if (!is_other) {
        finding_add(findings, rule, &draft, "longest gap %s%s: %s; gaps%s take %s of the time",
                    finding_ns_text(source, draft.value, length), place,
                    cause_of(source, steal, draft.value),
                    injected.count > 0 ? " beside the plan's" : "", finding_ppb_text(ppb, share));
    }
}

/* Returns by how many ns the longest dead time of bench gap under a hypervisor exceeds the
 * shortest: a hypervisor often stops a processor when it exits, as the reading of the causes does.
 */
static int64_t stopped_dead(const struct finding_source *source)
{
    const bool is_virtual =
        source->machine != NULL && source->machine(source->context, FACT_HYPERVISOR) != NULL;
    const int64_t largest = fact_of(source, FACT_DEAD_LARGEST, 0);
    const int64_t smallest = fact_of(source, FACT_DEAD_SMALLEST, 0);

    return is_virtual && smallest >= 0 && largest > smallest ? ns_of(source, largest - smallest)
                                                             : 0;
}

/* Reports a sample of any bench under a hypervisor that is far longer than the others of its
 * series. Gaps have rules of their own. */
RULE_FUNCTION(rule_stopped)
{
    char length[FINDING_AMOUNT_MAX];
    int64_t ns;

    const int64_t dead = stopped_dead(source);
    const bool is_dead = dead >= rule->threshold;

    if (is_dead) {
        ns = dead;
    } else if (!finding_derived(source, DERIVED_STOPPED_NS, &ns) || ns < rule->threshold) {
        return;
    }
    const struct finding draft = {
        .class = rule->class, .weight = 0, .has_value = true, .value = ns, .unit = UNIT_NANOSECOND};

    finding_add(findings, rule, &draft, "%s once took %s%s: " STOPPED " meanwhile",
                is_dead ? "writing down a gap"
                        : source->derived_text(source->context, DERIVED_STOPPED_SERIES),
                finding_ns_text(source, ns, length),
                is_dead ? " more than usual" : ", at least 1,000 times its median");
}

/* Compares the median time for equal work on each processor with that of the fastest. Only in real
 * time: an emulator runs one processor at a time, or leaves that to its host. */
RULE_FUNCTION(rule_processor)
{
    const int64_t processors = fact_or(source, BENCH_FWQ, FACT_PROCESSORS, 1);
    const bool are_alone = source->time == FINDING_TIME_REAL;
    int64_t fastest = INT64_MAX, slowest = 0, number = 0;
    char name[NAME_MAX], share[FINDING_AMOUNT_MAX];
    struct finding_series work;

    for (int64_t i = 0; are_alone && processors > 1 && i < processors && i < CPUS_MAX; i++) {
        snprintf(name, sizeof(name), SERIES_WORK ".%d", (int)i);
        if (!source->series(source->context, BENCH_FWQ, name, &work) || work.p50 <= 0) {
            continue;
        }
        fastest = work.p50 < fastest ? work.p50 : fastest;
        if (work.p50 > slowest) {
            slowest = work.p50;
            number = i;
        }
    }
    if (slowest == 0 || share_of(slowest - fastest, fastest) / 1000 < rule->threshold) {
        return;
    }
    const int64_t ppb = share_of(slowest - fastest, fastest);
    const struct finding draft = {
        .class = rule->class, .weight = (uint64_t)ppb, .has_value = true, .value = ppb / 1000};

    finding_add(findings, rule, &draft,
                "processor %d is slow: equal work takes it %s longer than the fastest of %d; check "
                "its clock, its sibling thread and its temperature",
                (int)number, finding_ppb_text(ppb, share), (int)processors);
}

/* ---- nothing found ---- */

static bool has_class(const struct findings *findings, enum finding_class class)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->item[i].class == class) {
            return true;
        }
    }
    return false;
}

/* Returns whether a finished run has no bench gap. The image cannot know this: it has no derived
 * figures, and the bench may still follow. */
static bool lacks_watch(const struct finding_source *source)
{
    const char *reason;

    return source->time != FINDING_TIME_MODEL && source->derived != NULL &&
           source->bench(source->context, 0) != NULL &&
           source->state(source->context, BENCH_GAP, &reason) == NULL;
}

RULE_FUNCTION(rule_clear)
{
    char threshold[FINDING_AMOUNT_MAX], elapsed[FINDING_AMOUNT_MAX];
    struct watch watch;

    if (has_class(findings, FINDING_STOLEN)) {
        return;
    }
    if (!read_watch(source, &watch)) {
        if (watch.smallest > 0) {
            finding_add_clear(findings, rule,
                              "gaps cannot be seen: the threshold of %s lies within two passes of "
                              "the detector's loop; raise " BENCH_GAP ".threshold_ns",
                              finding_ns_text(source, ns_of(source, watch.threshold), threshold));
        } else if (findings->count == 0 && lacks_watch(source)) {
            finding_add_clear(findings, rule,
                              "nothing found; SMIs, steal time and other gaps were not looked for: "
                              "run with --bench " BENCH_GAP);
        }
        return;
    }
    const int processors = (int)fact_or(source, BENCH_GAP, FACT_PROCESSORS, 1);
    const bool exact = source->time == FINDING_TIME_EXACT;
    const char *const turns =
        watch.over > 0 ? ", except the emulator's turns among its processors" : "";
    const char *const kind =
        exact ? "; exact time shows what code does, but no SMI, hypervisor or cache of hardware"
        : source->ticks_per_instruction != 0
            ? "; exact time shows what code does, the hypervisor's included, but no hardware"
        : source->time == FINDING_TIME_EMULATED ? "; emulated time shows the emulator and its host"
                                                : "";

    finding_add_clear(findings, rule, "no gap above %s in %s, %d processor%s%s%s",
                      finding_ns_text(source, ns_of(source, watch.threshold), threshold),
                      finding_time_text(ns_of(source, watch.elapsed), elapsed), processors,
                      processors == 1 ? "" : "s", turns, kind);
}
