/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the benches of processors and kernel mechanisms publish and the host looks up. Image
 * and host both include this file, so that each name is written once.
 */
#pragma once

/* the group and its benches */
#define GROUP_SYSTEM        "system"
#define BENCH_CALL          "call"
#define BENCH_CLOCKREAD     "clockread"
#define BENCH_CONTENTION    "contention"
#define BENCH_CONTEXTSWITCH "contextswitch"
#define BENCH_CREATION      "creation"
#define BENCH_EXCEPTIONS    "exceptions"
#define BENCH_EXITS         "exits"
#define BENCH_FORK          "fork"
#define BENCH_IPI           "ipi"
#define BENCH_LINES         "lines"
#define BENCH_LOOP          "loop"
#define BENCH_SYSCALL       "syscall"

/* cost of syscall: a call by a software interrupt */
#define COST_INTERRUPT "interrupt"

/* costs of call and loop: registerN and stackN pass N arguments; memory is the loop with its
 * variables in memory */
#define COST_REGISTER "register"
#define COST_STACK    "stack"
#define COST_MEMORY   "memory"

/* a cost of clockread, and two of its series of read pairs */
#define COST_RDTSC                      "rdtsc"
#define SERIES_PAIR_RDTSC               "pair.rdtsc"
#define SERIES_PAIR_LFENCE_RDTSC_LFENCE "pair.lfence_rdtsc_lfence"

/* costs of syscall: a call that does nothing, one that copies 64 bytes, one that looks a name up,
 * and argumentsN, which passes N arguments */
#define CALL_NULL      "null"
#define CALL_COPY64    "copy64"
#define CALL_STAT      "stat"
#define CALL_ARGUMENTS "arguments"

/* series of creation */
#define SERIES_THREAD  "thread"
#define SERIES_PROCESS "process"

/* curves of fork: all pages copied at once; pages shared and one of them written to; pages shared
 * and all of them written to */
#define CURVE_COPY  "copy"
#define CURVE_SHARE "share"
#define CURVE_WRITE "write"

/* series and curves of contextswitch */
#define SERIES_THREAD_YIELD          "thread_yield"
#define SERIES_PROCESS_PIPE_ROUND    "process_pipe_round"
#define CURVE_FOOTPRINT_ALONE        "footprint.alone"
#define CURVE_FOOTPRINT_THREAD       "footprint.thread"
#define CURVE_FOOTPRINT_PROCESS      "footprint.process"
#define CURVE_FOOTPRINT_PROCESS_PCID "footprint.process.pcid"

/* classes of exceptions; their series are CLASS.PART, with the parts of kernel/run/names.h */
#define CLASS_DIVIDE     "divide"
#define CLASS_PAGE_FAULT "page_fault"
#define CLASS_PROTECTION "protection"
#define CLASS_UNDEFINED  "undefined"
#define CLASS_INT        "int"
#define CLASS_SELF_IPI   "self_ipi"
#define CLASS_TIMER      "timer"

/* Plain series of exits, besides SERIES_EMPTY: an interrupt to this processor; HLT with an
 * interrupt pending; HLT until the timer's deadline; a round trip to another processor that spins,
 * or that halts; the first write to a page, and the second. The costs of exits are in
 * bench/system/exit_operations.def. */
#define EXITS_SELF_IPI    "self_ipi"
#define EXITS_HLT_PENDING "hlt_pending"
#define EXITS_HLT_TIMER   "hlt_timer"
#define EXITS_IPI         "ipi"
#define EXITS_IPI_HALTED  "ipi_halted"
#define EXITS_PAGE_FIRST  "page_first"
#define EXITS_PAGE_AGAIN  "page_again"

/* fact of exits, only if there are any: interrupts that arrived although they had been delivered */
#define FACT_EXTRA "interrupts_twice"

/* series that list the participating processors, one sample per processor */
#define SERIES_NUMBER         "number"
#define SERIES_PACKAGE        "package"
#define SERIES_CORE           "core"
#define SERIES_THREAD_OF_CORE "thread"

/* series of ipi: WHAT.PROCESSOR */
#define SERIES_SKEW         "skew"
#define SERIES_SKEW_BOUND   "skew_bound"
#define SERIES_ROUND        "round"
#define SERIES_THERE        "there"
#define SERIES_ROUND_HALTED "round_halted"

/* curves of contention */
#define CURVE_SPIN_LOCK   "spin_lock"
#define CURVE_TICKET_LOCK "ticket_lock"
#define CURVE_BARRIER     "barrier"

/* series of lines: one group of trials per ordered pair of processors */
#define SERIES_STORE      "store"
#define SERIES_CAS        "cas"
#define SERIES_AT_NODE    "%s.node.%u" /* store or cas, with the line in the memory of that node */
#define FACT_HOME_OF_NODE "home.node.%u" /* address of that line */
