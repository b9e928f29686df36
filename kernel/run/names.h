/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the runner or benches of several groups publish and the host looks up. Image and host
 * both include this file, so each name is written only once. Names that belong to one group are in
 * bench/GROUP/names.h.
 */
#pragma once

/* Names of the states of a bench. */
#define STATE_OK    "OK"
#define STATE_SKIP  "SKIP"
#define STATE_ERROR "ERROR"
#define STATE_FAIL  "FAIL"
#define STATE_CRASH "CRASH"

/* Facts of each bench that ran: the TSC when it was called and when it had returned. */
#define FACT_BEGAN "began"
#define FACT_ENDED "ended"

/* Names of facts about the calibrated idle loop. */
#define FACT_INNER_ITERATIONS    "inner_iterations"
#define FACT_SAMPLE_TICKS        "sample_ticks"
#define FACT_ITERATION_MILLITICK "iteration_millitick"

/* Series of the idle thread's samples, and the fact that states when they start in the trace. */
#define SERIES_IDLE      "idle"
#define FACT_IDLE_ORIGIN "idle_origin"

/* Facts: how far these processor counters advanced while a bench ran. */
#define FACT_APERF "aperf"
#define FACT_MPERF "mperf"

/* Facts of the verification, after a bench, that time is still as it was at the boot (runner.c):
 * ticks of an instruction in exact time, and the rate of the TSC by each clock, in Hz. */
#define PREFIX_PROOF                 "proof."
#define FACT_PROOF_INSTRUCTION_TICKS PREFIX_PROOF "ticks_per_instruction"
/* Start of a reason if a clock or the time base changed meanwhile. */
#define REASON_TIME_CHANGED "time changed"

/* Start of the host's reason if a run ended before its bench, which had sent its progress. */
#define REASON_PARTIAL "cut short: partial result"

/* Parameters: KiB of memory or of a file; number of threads; sizes in bytes, a,b,c. */
#define PARAM_KIB     "kib"
#define PARAM_THREADS "threads"
#define PARAM_SIZES   "sizes"

/* Facts: number of repetitions in a sample of a series, and number of its samples. */
#define FACT_REPETITIONS "repetitions"
#define FACT_TRIALS      "trials"

/* Series of costs to subtract from others: reading the clock twice, and an empty loop. */
#define SERIES_EMPTY "empty"
#define SERIES_LOOP  "loop"

/* Suffixes for a cost or curve NAME: the points at which it is measured, the repetitions in a
 * sample, and the samples with twice as many repetitions. */
#define SUFFIX_X     ".x"
#define SUFFIX_N     ".n"
#define SUFFIX_TWICE ".twice"

/* Parts of an exception, in series CLASS.PART. */
#define PART_ENTRY   "entry"
#define PART_HANDLER "handler"
#define PART_RETURN  "return"

/* Found text: input does not come from a device; FROM_TIMER and the cause. */
#define FOUND_INPUT "input"
#define FROM_TIMER  "from a timer: "

/* Series of input: when each event is due, when it was written, and what it is. */
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

/* Values of trace.mode: what happens if the trace buffer is full. */
#define TRACE_MODE_STOP      "stop"
#define TRACE_MODE_OVERWRITE "overwrite"
#define TRACE_MODE_DRAIN     "drain"
#define TRACE_MODE_OFF       "off"

/* Facts of the CPU-time accounting: the ticks and the number of entries of an object, as PREFIX
 * KIND "_" ID, where KIND is that of an object (kernel/trace/names.h); the time accounted in all;
 * and how many ticks a record that moves the accounting costs more than another. */
#define FACT_ACCOUNT         "account_"
#define FACT_ENTRIES         "entries_"
#define FACT_ACCOUNT_ELAPSED FACT_ACCOUNT "elapsed"
#define FACT_CHARGING        FACT_ACCOUNT "record"
/* After the prefix of an account of processor 1 and above: "account_cpu1_thread_3". */
#define FACT_OF_CPU "cpu"

/* Prefix of a fact about a series: number of samples taken before records began to be discarded.
 * The cost of later samples may differ. */
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
