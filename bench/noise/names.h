/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the noise benches publish and the host looks up: benches gap, selfish, fwq, ftq,
 * sensitivity, smicost, idle and load. Image and host include this file, so that each name is
 * written only once.
 */
#pragma once

/* Names of the benches that watch for gaps or measure fixed quanta. */
#define BENCH_GAP         "gap"
#define BENCH_SELFISH     "selfish"
#define BENCH_FWQ         "fwq"
#define BENCH_FTQ         "ftq"
#define BENCH_SENSITIVITY "sensitivity"
#define BENCH_SMICOST     "smicost"

/* When several processors run at once (team.h), series or fact NAME of processor N is published as
 * NAME.N. Bench gap publishes those of the kernel's processor as NAME alone, as in a run of one
 * processor. All times of a processor count from its FACT_ORIGIN, which is in ticks after the
 * team's origin by that processor's TSC. Series SKEW (how far a processor's TSC is ahead of that
 * of the first) and SKEW_BOUND (the largest error of that value), and their _AFTER versions
 * measured at the end, hold one sample for each participant, in the order of series `number`. */
#define FACT_ORIGIN             "origin"
#define SERIES_TEAM_SKEW        "team_skew"
#define SERIES_TEAM_BOUND       "team_bound"
#define SERIES_TEAM_SKEW_AFTER  "team_skew_after"
#define SERIES_TEAM_BOUND_AFTER "team_bound_after"

/* fwq: the ticks of each of equal pieces of work. ftq: the units of work that ended in each quantum
 * of FACT_QUANTUM ticks, and the ticks already spent at the quantum's end on the unit then under
 * way (at most one unit). Quantum i begins i * FACT_QUANTUM after the origin. The time lost in
 * quantum i, corrected for the beat of quantum and unit, is FACT_QUANTUM - done[i] *
 * FACT_UNIT_OF_FTQ - carry[i] + carry[i - 1] ticks. */
#define SERIES_WORK  "work"
#define SERIES_DONE  "done"
#define SERIES_CARRY "carry"
#define FACT_QUANTUM "quantum"
/* ticks of the shortest unit; the name without .N is the kernel's processor's */
#define FACT_UNIT_OF_FTQ "unit_ticks"
#define FACT_UNITS       "units" /* number of units that were done */
/* length of one injected interruption, plus a few instructions */
#define FACT_INJECTOR "thief_ticks"
#define FACT_WORK     "work_ticks" /* fwq: calibrated length of a piece of work */

/* selfish: the number of gaps above 1 us, in addition to those above its threshold; the smallest
 * reading, found before the watch, from which the threshold is derived; and how many readings it
 * was found from. On request also the first readings themselves (ticks since the previous reading):
 * those of the calibration and those of the watch. */
#define FACT_OVER_1US         "over_1us"
#define FACT_SMALLEST_BEFORE  "smallest_before"
#define FACT_READS_BEFORE     "reads_before"
#define SERIES_READING_BEFORE "reading_before"
#define SERIES_READING        "reading"

/* A watch in rounds: the number of rounds, and the time between them, in which nothing was watched.
 * That time is not part of FACT_GAP_ELAPSED, but the times of gaps include it. */
#define FACT_ROUNDS "rounds"
#define FACT_AWAY   "away"
/* Bytes of memory that a watch takes, which do not depend on its length. */
#define FACT_WATCH_BYTES "watch_bytes"

/* Gaps that the bench injected on this processor: when each began by this processor's time, its
 * length by the injector's own timestamps, and whether it stopped all processors (1) or only this
 * one (0). */
#define SERIES_INJECTED_TIME   "injected_time"
#define SERIES_INJECTED_LENGTH "injected_length"
#define SERIES_INJECTED_WORLD  "injected_world"

/* Causes counted around each gap that was kept: series PREFIX_CAUSE NAME is parallel to gap_length,
 * and PREFIX_WORST_CAUSE NAME to worst_length. Fact PREFIX_CAUSE NAME is the total of the watch.
 * NAME is a cause_name() (bench/noise/cause.h). */
#define PREFIX_CAUSE       "cause."
#define PREFIX_WORST_CAUSE "worst_cause."

/* Published when noise.stop_us of the plan ended the watch: the processor on which the gap
 * occurred, when the gap began (ticks after the team's origin by that processor's TSC), and its
 * length. Then, for each processor, its last readings in the order of time, each as ticks since the
 * previous one (negative: time in which it did not look), and the time of the last reading after
 * the team's origin. A fact for each available cause states what was counted between the
 * processor's last gap above the threshold and the end. */
#define FACT_STOPPED_BY     "stopped_by"
#define FACT_STOPPED_AT     "stopped_at"
#define FACT_STOPPED_LENGTH "stopped_length"
#define SERIES_FLIGHT       "flight"
#define FACT_FLIGHT_END     "flight_end"
#define PREFIX_FLIGHT_CAUSE "flight_cause."

/* Series: the first gaps above the threshold, and the largest of the later ones, both in the order
 * of time; the sum of all gaps that began in each of GAP_PARTS equal parts of the watch (only if
 * there were gaps); and a histogram of all gaps. */
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

/* Facts about all gaps above the threshold, kept or not: their number, the sum of their lengths,
 * the largest one (missing if there is none) and when it began. UNKEPT counts the gaps that came
 * after the first ones. REST counts the gaps that are neither among the first nor among the
 * largest, and REST_SUM is the sum of their lengths. SMI counts all SMIs of the watch by MSR 34h,
 * SMI_PROVOKED those that the plan provoked, and SMI_TICKS is the sum of the lengths of all gaps in
 * which SMIs were counted. */
#define FACT_OVER          "over"
#define FACT_STOLEN        "stolen"
#define FACT_LARGEST       "largest"
#define FACT_LARGEST_AT    "largest_at"
#define FACT_REST          "rest"
#define FACT_REST_SUM      "rest_sum"
#define FACT_READS         "reads"
#define FACT_GAP_ELAPSED   "elapsed"
#define FACT_DEAD          "dead"
#define FACT_DEAD_LARGEST  "dead_largest" /* longest of the dead times after gaps; 0: none */
#define FACT_DEAD_SMALLEST "dead_smallest"
#define FACT_THRESHOLD     "threshold"
#define FACT_SMALLEST      "smallest"
#define FACT_UNKEPT        "unkept"
#define FACT_SMI           "smi"
#define FACT_SMI_TICKS     "smi_ticks"
#define FACT_SMI_PROVOKED  "smi_provoked"

/* The host adds these facts to a gap bench that was cut short (REASON_PARTIAL): in ticks except
 * PARTIAL_GAPS and PARTIAL_SMI. Those of processor N > 0 end with ".N". */
#define PARTIAL_WATCHED    "partial.watched"
#define PARTIAL_GAPS       "partial.gaps" /* number of gaps above the threshold */
#define PARTIAL_LOST       "partial.lost" /* sum of these gaps */
#define PARTIAL_LONGEST    "partial.longest"
#define PARTIAL_LONGEST_AT "partial.longest_at" /* after the start of the watch */
#define PARTIAL_SMI        "partial.smi"        /* number of SMIs, if they can be counted */
#define PARTIAL_SMI_TICKS  "partial.smi_ticks"  /* sum of the gaps with SMIs */

/* sensitivity publishes a curve for each detector and injector, named DETECTOR.INJECTOR and one of
 * the suffixes below. The series hold a sample for each injected length: the length in ticks, how
 * often it was injected, and how often it was found. The facts are: what the detector reads when
 * nothing is injected, and the value above which it reports (in ticks: the time between two
 * readings, the time of a piece of work, or the time without work in a quantum, beyond the quietest
 * quantum); and, for an interval without injection, the number of readings and how many of them it
 * reported. If a curve cannot be measured, DETECTOR.INJECTOR is reported as missing. */
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

/* smicost: what an SMI takes, in ticks, by each method; the ticks of the provoking code without the
 * write to the port; and, for the third method, the length of its windows by APERF and by the TSC.
 */
#define SERIES_SMI_GAP        "smi_gap"
#define SERIES_SMI_WATCH      "smi_watch"
#define SERIES_SMI_APERF      "smi_aperf"
#define FACT_SMI_EMPTY        "smi_empty"
#define FACT_SMI_APERF_CYCLES "smi_aperf_cycles"
#define FACT_SMI_APERF_TICKS  "smi_aperf_ticks"

/*
 * Names that benches idle and load publish and the host looks up.
 */

#define BENCH_IDLE "idle"
#define BENCH_LOAD "load"

/* Series of idle: samples of the idle loop without and with clock interrupts, and the length and
 * the start of each interrupt handler. */
#define SERIES_FLOOR         "floor"
#define SERIES_TICKING       "ticking"
#define SERIES_HANDLER       "handler"
#define SERIES_HANDLER_START "handler_start"

/* Series of load: samples of the idle loop, and the start and the length of each injected piece of
 * work. */
#define SERIES_LOAD_SAMPLES "samples"
#define SERIES_LOAD_ENTRY   "entry"
#define SERIES_LOAD_WORK    "work"

/* Series of idle and of load. The interrupts that share a sample form a group (recover.h). ERROR is
 * the error of each group, GROUP the number of interrupts in it. */
#define SERIES_ERROR "error"
#define SERIES_GROUP "group"

/* Limits that are published before anything is judged: ticks of an interrupt's entry and exit;
 * tolerances in ticks for a sample, for each interrupt in it, and for work compared with what was
 * requested; and the tolerance as a share of that work. */
#define FACT_OUTSIDE             "outside"
#define FACT_TOLERANCE_SAMPLE    "tolerance.sample"
#define FACT_TOLERANCE_EACH      "tolerance.each"
#define FACT_TOLERANCE_ASKED     "tolerance.asked"
#define FACT_TOLERANCE_ASKED_PPM "tolerance.asked_ppm"

/* Results of the judgement (recover.h). */
#define FACT_FLOOR          "floor_ticks"
#define FACT_WITHIN         "groups_within"
#define FACT_INJECTED       "injected"
#define FACT_RECOVERED      "recovered"
#define FACT_LARGEST_ERROR  "largest_error"
#define FACT_SPURIOUS       "spurious"
#define FACT_SPURIOUS_TICKS "spurious_ticks"
#define FACT_ASKED_LONG     "asked_long"

/*
 * Names of causes. They follow PREFIX_CAUSE, PREFIX_WORST_CAUSE or PREFIX_FLIGHT_CAUSE. The names
 * of APERF and MPERF are FACT_APERF and FACT_MPERF (kernel/run/names.h).
 */

#define CAUSE_NAME_SMI           "smi"
#define CAUSE_NAME_NMI           "nmi"
#define CAUSE_NAME_MACHINE_CHECK "machine_check"
#define CAUSE_NAME_THERMAL       "thermal"
#define CAUSE_NAME_POWER_LIMIT   "power_limit"
#define CAUSE_NAME_STEAL         "steal"
#define CAUSE_NAME_INTERRUPT     "interrupt"
