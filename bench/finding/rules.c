/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/finding/rules.h"

#include "bench/disk/names.h"
#include "bench/latency/names.h"
#include "bench/noise/names.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"

/* The table of rules. A finding is reported from its threshold on. The last rule examines what the
 * others found. */
static const struct finding_rule rules[] = {
    {"lost", FINDING_UNTRUE, NULL, 1, UNIT_COUNT, "frames of the log that never arrived",
     rule_lost},
    {"drift", FINDING_UNTRUE, NULL, 1000, FINDING_PPM,
     "clocks that ran apart while the run went on", rule_drift},
    {"invalid", FINDING_UNTRUE, NULL, 1, UNIT_COUNT, "other reasons why the data cannot be trusted",
     rule_invalid},
    {"bench", FINDING_BROKEN, NULL, 1, UNIT_COUNT, "benches that ended as FAIL, ERROR or CRASH",
     rule_bench},
    {"counter", FINDING_BROKEN, NULL, 1, UNIT_COUNT,
     "event counters that failed verification while others passed it", rule_counter},
    {"undone", FINDING_UNDONE, NULL, 1, UNIT_COUNT,
     "events of the plan that were not counted, and keys of the plan without effect", rule_undone},
    {"partial", FINDING_STOLEN, BENCH_GAP, 0, UNIT_COUNT,
     "what bench " BENCH_GAP " saw before its run was cut short", rule_partial},
    {"smi", FINDING_STOLEN, BENCH_GAP, 1, UNIT_COUNT, "SMIs, counted by MSR 34h", rule_smi},
    {"steal", FINDING_STOLEN, BENCH_GAP, 1, UNIT_NANOSECOND,
     "time that the hypervisor reports as stolen", rule_steal},
    {"gap", FINDING_STOLEN, BENCH_GAP, 0, UNIT_NANOSECOND,
     "gaps above the detector's threshold with another cause or an unknown one", rule_gap},
    {"stopped", FINDING_STOLEN, NULL, STOPPED_NS, UNIT_NANOSECOND,
     "a sample this long under a hypervisor, 1,000 times its series' median: a stopped machine",
     rule_stopped},
    {"processor", FINDING_SLOW, BENCH_FWQ, 20000, FINDING_PPM,
     "a processor on which equal work takes longer than on the fastest", rule_processor},
    {"skew", FINDING_SLOW, BENCH_GAP, 1000, UNIT_NANOSECOND,
     "TSCs of processors that differ by more than this plus the bound of the measurement",
     rule_skew},
    {"frequency", FINDING_SLOW, BENCH_GAP, 50, "permille",
     "a core clock this far below nominal under load, by APERF and MPERF", rule_frequency},
    {"rate", FINDING_BROKEN, NULL, 0, UNIT_COUNT,
     "a stated rate of the TSC that differs by more than 1000 ppm from the measured one",
     rule_rate},
    {"timer", FINDING_SLOW, BENCH_TIMERLAT, 1000, UNIT_NANOSECOND,
     "a timer interrupt at least three times as late as the median, and later than it by this",
     rule_timer},
    {"disk", FINDING_SLOW, BENCH_DISKLATENCY, 1000000, UNIT_NANOSECOND,
     "a disk whose median read of one block takes this long", rule_disk},
    {"busy", FINDING_SLOW, NULL, 3, UNIT_COUNT,
     "events in which an application kept the processor while it waited for the next input",
     rule_busy},
    {"cold", FINDING_FIGURE, NULL, 1250, "permille",
     "an input event that takes this much longer with cold caches, in real time", rule_cold},
    {"hypervisor", FINDING_FIGURE, BENCH_EXITS, 1, UNIT_COUNT,
     "operations that the hypervisor traps, and what an exit costs", rule_hypervisor},
    {"clear", FINDING_CLEAR, NULL, 0, UNIT_COUNT, "what could have been found but was not",
     rule_clear},
};

static struct finding_table table = {.rules = rules, .count = sizeof(rules) / sizeof(rules[0])};
FINDING_TABLE_REGISTER(table)
