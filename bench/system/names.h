/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches of processors and of the kernel's mechanisms publish and the host looks up.
 * Each stands here once: image and host include it.
 */
#pragma once

/* The group and its benches. */
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

/* Costs of syscall: a call by a software interrupt. */
#define COST_INTERRUPT "interrupt"

/* Costs of call and loop: by registers with so many arguments, on the stack. */
#define COST_REGISTER "register"
#define COST_STACK    "stack"
#define COST_MEMORY   "memory"

/* Costs of clockread, and its series of pairs. */
#define COST_RDTSC                      "rdtsc"
#define SERIES_PAIR_RDTSC               "pair.rdtsc"
#define SERIES_PAIR_LFENCE_RDTSC_LFENCE "pair.lfence_rdtsc_lfence"

/* Of syscall: calls that do nothing, that copy 64 bytes, that look a name up, and that take
 * arguments (and their number). */
#define CALL_NULL      "null"
#define CALL_COPY64    "copy64"
#define CALL_STAT      "stat"
#define CALL_ARGUMENTS "arguments"

/* Of creation. */
#define SERIES_THREAD  "thread"
#define SERIES_PROCESS "process"

/* Curves of fork: pages copied at once; shared, and copied when they are written to: one of them,
 * and all. */
#define CURVE_COPY  "copy"
#define CURVE_SHARE "share"
#define CURVE_WRITE "write"

/* Of contextswitch. */
#define SERIES_THREAD_YIELD          "thread_yield"
#define SERIES_PROCESS_PIPE_ROUND    "process_pipe_round"
#define CURVE_FOOTPRINT_ALONE        "footprint.alone"
#define CURVE_FOOTPRINT_THREAD       "footprint.thread"
#define CURVE_FOOTPRINT_PROCESS      "footprint.process"
#define CURVE_FOOTPRINT_PROCESS_PCID "footprint.process.pcid"

/* Of exceptions: series CLASS.PART; parts are those of kernel/run/names.h. */
#define CLASS_DIVIDE     "divide"
#define CLASS_PAGE_FAULT "page_fault"
#define CLASS_PROTECTION "protection"
#define CLASS_UNDEFINED  "undefined"
#define CLASS_INT        "int"
#define CLASS_SELF_IPI   "self_ipi"
#define CLASS_TIMER      "timer"

/* Costs of exits, by bench/system/exit_operations.h; and its plain series beside SERIES_EMPTY: an
 * interrupt to this processor, HLT with one pending, HLT until the timer's deadline, there and back
 * to another processor that spins or halts, the first write to a page and the second. */
#define EXITS_SELF_IPI    "self_ipi"
#define EXITS_HLT_PENDING "hlt_pending"
#define EXITS_HLT_TIMER   "hlt_timer"
#define EXITS_IPI         "ipi"
#define EXITS_IPI_HALTED  "ipi_halted"
#define EXITS_PAGE_FIRST  "page_first"
#define EXITS_PAGE_AGAIN  "page_again"

/* Who takes part, one element a processor. */
#define SERIES_NUMBER         "number"
#define SERIES_PACKAGE        "package"
#define SERIES_CORE           "core"
#define SERIES_THREAD_OF_CORE "thread"

/* Of ipi: series WHAT.PROCESSOR. */
#define SERIES_SKEW         "skew"
#define SERIES_SKEW_BOUND   "skew_bound"
#define SERIES_ROUND        "round"
#define SERIES_THERE        "there"
#define SERIES_ROUND_HALTED "round_halted"

/* Curves of contention. */
#define CURVE_SPIN_LOCK   "spin_lock"
#define CURVE_TICKET_LOCK "ticket_lock"
#define CURVE_BARRIER     "barrier"

/* Series of lines: a pair of processors an element. */
#define SERIES_STORE      "store"
#define SERIES_CAS        "cas"
#define SERIES_AT_NODE    "%s.node.%u" /* of store and cas, with the line in memory of that node */
#define FACT_HOME_OF_NODE "home.node.%u" /* address of that line */
