/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that bench gap publishes and the host looks up. Each stands here once: image and host
 * include it.
 */
#pragma once

/* The bench. */
#define BENCH_GAP "gap"

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
