/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the runner publishes, or benches of several groups, and the host looks up. Each
 * stands here once: image and host include it. Names of one group are in bench/GROUP/names.h.
 */
#pragma once

/* States of a bench. */
#define STATE_OK    "OK"
#define STATE_SKIP  "SKIP"
#define STATE_ERROR "ERROR"
#define STATE_FAIL  "FAIL"
#define STATE_CRASH "CRASH"

/* Facts of each bench that ran: the TSC when it was called and when it had returned. */
#define FACT_BEGAN "began"
#define FACT_ENDED "ended"

/* Facts of the calibrated idle loop. */
#define FACT_INNER_ITERATIONS    "inner_iterations"
#define FACT_SAMPLE_TICKS        "sample_ticks"
#define FACT_ITERATION_MILLITICK "iteration_millitick"

/* The idle thread's samples, and where they begin in the trace. */
#define SERIES_IDLE      "idle"
#define FACT_IDLE_ORIGIN "idle_origin"

/* Facts of what counters of the processor's own count while a bench runs. */
#define FACT_APERF "aperf"
#define FACT_MPERF "mperf"

/* Facts of the proof behind a bench that time is still what the boot found (runner.c): ticks
 * of an instruction in exact time, and the rate of the TSC by each clock, in Hz. */
#define PREFIX_PROOF                 "proof."
#define FACT_PROOF_INSTRUCTION_TICKS PREFIX_PROOF "ticks_per_instruction"
/* How a reason begins where clocks or the kind of time changed meanwhile. */
#define REASON_TIME_CHANGED "time changed"

/* Parameters: of memory or a file, in KiB; how many threads; bytes of one, a,b,c. */
#define PARAM_KIB     "kib"
#define PARAM_THREADS "threads"
#define PARAM_SIZES   "sizes"

/* How often what a series sums is done, and how many samples of it are taken. */
#define FACT_REPETITIONS "repetitions"
#define FACT_TRIALS      "trials"

/* What frames a cost: reading the clock twice, or a loop around nothing. */
#define SERIES_EMPTY "empty"
#define SERIES_LOOP  "loop"

/* Of costs and curves NAME: where they are measured, how often a sample repeats, and the sample
 * with twice as many. */
#define SUFFIX_X     ".x"
#define SUFFIX_N     ".n"
#define SUFFIX_TWICE ".twice"

/* Parts of an exception, in series CLASS.PART. */
#define PART_ENTRY   "entry"
#define PART_HANDLER "handler"
#define PART_RETURN  "return"

/* Found text: that input comes from no device, FROM_TIMER and the cause. */
#define FOUND_INPUT "input"
#define FROM_TIMER  "from a timer: "

/* Series of input: when it is to come, when it is written, and what it is. */
#define SERIES_INTENDED "intended"
#define SERIES_WRITTEN  "written"
#define SERIES_SENT     "sent"

/* Sizes of pages and types of memory, in names of series. */
#define PAGE_NAME_4K "4k"
#define PAGE_NAME_2M "2m"
#define PAGE_NAME_1G "1g"
#define TYPE_NAME_WB "wb"
#define TYPE_NAME_WC "wc"
#define TYPE_NAME_UC "uc"

/* What happens where the trace's buffer is full. */
#define TRACE_MODE_STOP      "stop"
#define TRACE_MODE_OVERWRITE "overwrite"
#define TRACE_MODE_DRAIN     "drain"
#define TRACE_MODE_OFF       "off"

/* Facts of the account without records: ticks, and how often, as PREFIX KIND "_" ID, where KIND is
 * that of an object (kernel/trace/names.h); the time of all; and what a record that moves the
 * account costs beyond another. */
#define FACT_ACCOUNT         "account_"
#define FACT_ENTRIES         "entries_"
#define FACT_ACCOUNT_ELAPSED FACT_ACCOUNT "elapsed"
#define FACT_CHARGING        FACT_ACCOUNT "record"

/* Of series NAME, as PREFIX NAME: how many samples lie before the first that may be dearer or
 * cheaper because records were discarded. */
#define FACT_SAMPLED_BEFORE "sampled_before_"

/* Units of series, facts and estimates. */
#define UNIT_TICK        "tick"
#define UNIT_COUNT       "count"
#define UNIT_HZ          "hz"
#define UNIT_BYTE        "byte"
#define UNIT_B           "B"
#define UNIT_NANOSECOND  "ns"
#define UNIT_MICROSECOND "us"
#define UNIT_MB_PER_S    "MB/s"
#define UNIT_BYTE_PER_S  "B/s"
#define UNIT_CYCLE       "cycle"
#define UNIT_INSTRUCTION "instruction"
#define UNIT_CODE        "code"
