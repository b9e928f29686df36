/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that bench gap publishes and the host looks up. Each stands here once: image and host
 * include it.
 */
#pragma once

/* The bench. */
#define BENCH_GAP "gap"

/* Series: gaps above the threshold, in their order; and of all gaps a histogram. */
#define SERIES_GAP_TIME        "gap_time"
#define SERIES_GAP_LENGTH      "gap_length"
#define SERIES_GAP_SMI         "gap_smi"
#define SERIES_HISTOGRAM_BOUND "histogram_bound"
#define SERIES_HISTOGRAM_COUNT "histogram_count"

/* Facts. */
#define FACT_READS        "reads"
#define FACT_GAP_ELAPSED  "elapsed"
#define FACT_DEAD         "dead"
#define FACT_THRESHOLD    "threshold"
#define FACT_SMALLEST     "smallest"
#define FACT_UNKEPT       "unkept"
#define FACT_SMI          "smi"
#define FACT_SMI_PROVOKED "smi_provoked"
