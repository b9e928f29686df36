/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that bench gap publishes and the host looks up. Each stands here once: image and host
 * include it.
 */
#pragma once

/* The benches. */
#define BENCH_GAP         "gap"
#define BENCH_SELFISH     "selfish"
#define BENCH_FWQ         "fwq"
#define BENCH_FTQ         "ftq"
#define BENCH_SENSITIVITY "sensitivity"
#define BENCH_SMICOST     "smicost"

/* Of several processors at once (team.h) each series and fact NAME of processor N is NAME.N; of gap
 * those of the kernel's own processor are NAME alone, as in a run of one processor. All times of a
 * processor count from its own FACT_ORIGIN, in ticks behind the team's origin, by its own TSC.
 * Series SKEW and SKEW_BOUND, and the same when all was over, have a sample for each that takes
 * part, in the order of series `number`: what its TSC is ahead of the first's, and how far that may
 * be off. */
#define FACT_ORIGIN             "origin"
#define SERIES_TEAM_SKEW        "team_skew"
#define SERIES_TEAM_BOUND       "team_bound"
#define SERIES_TEAM_SKEW_AFTER  "team_skew_after"
#define SERIES_TEAM_BOUND_AFTER "team_bound_after"

/* fwq: ticks of each of equal pieces of work. ftq: units of work that ended in each quantum of
 * FACT_QUANTUM ticks, and ticks of the unit that was under way at its end, at most a unit; quantum
 * i begins i * FACT_QUANTUM behind the origin. Stolen from quantum i, without the beat of quantum
 * and unit, are FACT_QUANTUM - done[i] * FACT_UNIT_OF_FTQ - carry[i] + carry[i - 1] ticks. */
#define SERIES_WORK      "work"
#define SERIES_DONE      "done"
#define SERIES_CARRY     "carry"
#define FACT_QUANTUM     "quantum"
#define FACT_UNIT_OF_FTQ "unit_ticks"  /* the shortest; alone, the kernel's own processor's */
#define FACT_UNITS       "units"       /* all that were done */
#define FACT_THIEF       "thief_ticks" /* what the thief takes at a time, and some instructions */
#define FACT_WORK        "work_ticks"  /* of fwq: of a piece, as it was calibrated */

/* selfish: gaps above 1 us, beside those above its threshold; the smallest reading that this comes
 * from, found before, of how many readings; and, on request, the first readings as they are, each
 * from the one before: those of the calibration, and those of the watch. */
#define FACT_OVER_1US         "over_1us"
#define FACT_SMALLEST_BEFORE  "smallest_before"
#define FACT_READS_BEFORE     "reads_before"
#define SERIES_READING_BEFORE "reading_before"
#define SERIES_READING        "reading"

/* A watch in rounds: how many, and the time between them, in which nothing was watched. It is no
 * part of FACT_GAP_ELAPSED; the times of gaps count it. */
#define FACT_ROUNDS "rounds"
#define FACT_AWAY   "away"
/* Memory of a watch: it does not depend on its length. */
#define FACT_WATCH_BYTES "watch_bytes"

/* Gaps that the bench made itself, on this processor: where each began by this processor's time,
 * how long it was by the injector's own bracket, and whether it stopped all processors (1) or this
 * one (0). */
#define SERIES_INJECTED_TIME   "injected_time"
#define SERIES_INJECTED_LENGTH "injected_length"
#define SERIES_INJECTED_WORLD  "injected_world"

/* What was counted around each gap that was kept: series PREFIX_CAUSE NAME, parallel to gap_length,
 * and PREFIX_WORST_CAUSE NAME, parallel to worst_length; its total over the watch is the fact
 * PREFIX_CAUSE NAME. NAME is a cause_name() (bench/noise/cause.h). */
#define PREFIX_CAUSE       "cause."
#define PREFIX_WORST_CAUSE "worst_cause."

/* noise.stop_us of the plan ended the watch: the processor whose gap it was, where the gap began,
 * in ticks behind the team's origin by that processor's TSC, and its length. Then, of each
 * processor, its last readings in the order of time, each the ticks from the one before (negative:
 * so long it did not look), with the time of the last one behind the team's origin; and what was
 * counted between its last gap above the threshold and its end, a fact for each cause that it has.
 */
#define FACT_STOPPED_BY     "stopped_by"
#define FACT_STOPPED_AT     "stopped_at"
#define FACT_STOPPED_LENGTH "stopped_length"
#define SERIES_FLIGHT       "flight"
#define FACT_FLIGHT_END     "flight_end"
#define PREFIX_FLIGHT_CAUSE "flight_cause."

/* Series: the first gaps above the threshold; the largest behind these, both in the order of time;
 * where there are any, the time of all of them in each of GAP_PARTS equal parts of the watch, by
 * where they begin; and of all gaps a histogram. */
#define SERIES_GAP_TIME        "gap_time"
#define SERIES_GAP_LENGTH      "gap_length"
#define SERIES_GAP_SMI         "gap_smi"
#define SERIES_WORST_TIME      "worst_time"
#define SERIES_WORST_LENGTH    "worst_length"
#define SERIES_WORST_SMI       "worst_smi"
#define SERIES_GAP_STOLEN      "gap_stolen"
#define SERIES_HISTOGRAM_BOUND "histogram_bound"
#define SERIES_HISTOGRAM_COUNT "histogram_count"

#define GAP_PARTS 50

/* Facts. Of all gaps above the threshold, kept or not: their number, the sum of their lengths, the
 * largest (absent where there is none) and where it began. Behind the first: UNKEPT; neither among
 * these nor among the largest: REST and the sum of their lengths. */
#define FACT_OVER        "over"
#define FACT_STOLEN      "stolen"
#define FACT_LARGEST     "largest"
#define FACT_LARGEST_AT  "largest_at"
#define FACT_REST        "rest"
#define FACT_REST_SUM    "rest_sum"
#define FACT_READS       "reads"
#define FACT_GAP_ELAPSED "elapsed"
#define FACT_DEAD        "dead"
#define FACT_DEAD_LARGEST \
    "dead_largest" /* of its stretches, one behind each gap above the threshold; 0: none */
#define FACT_DEAD_SMALLEST "dead_smallest"
#define FACT_THRESHOLD     "threshold"
#define FACT_SMALLEST      "smallest"
#define FACT_UNKEPT        "unkept"
#define FACT_SMI           "smi"
#define FACT_SMI_PROVOKED  "smi_provoked"

/* sensitivity: a curve of each detector and injector, DETECTOR.INJECTOR and one of the suffixes
 * behind it. Series, a sample for each length that was injected, by length: the length in ticks,
 * how often it was, and how often it was found. Facts: what the detector reads where nothing is
 * injected, and above what it reports, in ticks: between two readings, of a piece of work, and of a
 * quantum what is longer without work than in the quietest; and, of a stretch without injection,
 * the readings and how many of these it reported. Where a curve is missing, DETECTOR.INJECTOR is
 * absent. */
#define DETECTOR_GAP     BENCH_GAP
#define DETECTOR_LOWEST  "gap_lowest"
#define DETECTOR_SELFISH BENCH_SELFISH
#define DETECTOR_FWQ     BENCH_FWQ
#define DETECTOR_FTQ     BENCH_FTQ

#define INJECTOR_SPIN  "spin"
#define INJECTOR_TIMER "timer"
#define INJECTOR_IPI   "ipi"
#define INJECTOR_SMI   "smi"

#define SUFFIX_LENGTH    ".length"
#define SUFFIX_TRIED     ".tried"
#define SUFFIX_FOUND     ".found"
#define SUFFIX_READING   ".reading"
#define SUFFIX_THRESHOLD ".threshold"
#define SUFFIX_READINGS  ".readings"
#define SUFFIX_ALARMS    ".alarms"

/* smicost: what an SMI takes, in ticks, by each method; the ticks that provoking it takes without
 * the port; and of the third method what its windows were by APERF and by the TSC. */
#define SERIES_SMI_GAP        "smi_gap"
#define SERIES_SMI_WATCH      "smi_watch"
#define SERIES_SMI_APERF      "smi_aperf"
#define FACT_SMI_EMPTY        "smi_empty"
#define FACT_SMI_APERF_CYCLES "smi_aperf_cycles"
#define FACT_SMI_APERF_TICKS  "smi_aperf_ticks"

/*
 * Names that benches idle and load publish and the host looks up. Each stands here once: image
 * and host include it.
 */

/* The benches. */
#define BENCH_IDLE "idle"
#define BENCH_LOAD "load"

/* Series of idle: samples of the idle loop, without and with ticks of the clock. */
#define SERIES_FLOOR         "floor"
#define SERIES_TICKING       "ticking"
#define SERIES_HANDLER       "handler"
#define SERIES_HANDLER_START "handler_start"

/* Series of load. */
#define SERIES_LOAD_SAMPLES "samples"
#define SERIES_LOAD_ENTRY   "entry"
#define SERIES_LOAD_WORK    "work"

/* Of both: how the interrupts of a sample, which are a group, are recovered (recover.h). The error
 * of each group, and how many interrupts it holds. */
#define SERIES_ERROR "error"
#define SERIES_GROUP "group"

/* What is stated beforehand: ticks of entry and exit of an interrupt; tolerances in ticks of a
 * sample, of each interrupt in it, and of work against what was asked for, with a share of it. */
#define FACT_OUTSIDE             "outside"
#define FACT_TOLERANCE_SAMPLE    "tolerance.sample"
#define FACT_TOLERANCE_EACH      "tolerance.each"
#define FACT_TOLERANCE_ASKED     "tolerance.asked"
#define FACT_TOLERANCE_ASKED_PPM "tolerance.asked_ppm"

/* What was found. */
#define FACT_FLOOR          "floor_ticks"
#define FACT_WITHIN         "groups_within"
#define FACT_INJECTED       "injected"
#define FACT_RECOVERED      "recovered"
#define FACT_LARGEST_ERROR  "largest_error"
#define FACT_SPURIOUS       "spurious"
#define FACT_SPURIOUS_TICKS "spurious_ticks"
#define FACT_ASKED_LONG     "asked_long"

/*
 * Names of causes, in series and facts: behind PREFIX_CAUSE and its kin (bench/noise/names.h).
 * Those of APERF and MPERF are FACT_APERF and FACT_MPERF (kernel/run/names.h).
 */

#define CAUSE_NAME_SMI           "smi"
#define CAUSE_NAME_NMI           "nmi"
#define CAUSE_NAME_MACHINE_CHECK "machine_check"
#define CAUSE_NAME_THERMAL       "thermal"
#define CAUSE_NAME_POWER_LIMIT   "power_limit"
#define CAUSE_NAME_STEAL         "steal"
#define CAUSE_NAME_INTERRUPT     "interrupt"
