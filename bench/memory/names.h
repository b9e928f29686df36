/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that benches of the memory publish and the host looks up. Each stands here once: image
 * and host include it.
 */
#pragma once

/* The group and its benches. */
#define GROUP_MEMORY    "memory"
#define BENCH_BANDWIDTH "bandwidth"
#define BENCH_CHASE     "chase"
#define BENCH_LOADED    "loaded"
#define BENCH_PAGEFAULT "pagefault"
#define BENCH_STRIDE    "stride"
#define BENCH_TLB       "tlb"
#define BENCH_TOGETHER  "together"

/* Curves of bandwidth: OPERATION.SET; sets of SIMD are those of kernel/cpu/names.h. Curves of
 * together: OPERATION, of 1 KiB. */
#define OPERATION_READ     "read"
#define OPERATION_WRITE    "write"
#define OPERATION_COPY     "copy"
#define OPERATION_WRITE_NT "write_nt"
#define OPERATION_COPY_NT  "copy_nt"
#define SET_REP            "rep"
#define SET_64             "64"

/* Curves of chase: ORDER.PAGE.TYPE, and a suffix where the prefetchers are off. */
#define ORDER_SEQUENTIAL "sequential"
#define ORDER_STRIDED    "strided"
#define ORDER_RANDOM     "random"
#define SUFFIX_NOPF      ".nopf"

/* Curves of stride: this and the bytes of the stride. */
#define CURVE_STRIDE "stride"

/* Curves of loaded. */
#define CURVE_LATENCY "latency"
#define CURVE_STREAM  "stream"

/* Of pagefault: a series for each kind of fault, and KIND.PART. */
#define KIND_DEMAND_ZERO   "demand_zero"
#define KIND_MINOR         "minor"
#define KIND_PROTECTION    "protection"
#define KIND_COPY_ON_WRITE "copy_on_write"
#define PART_WALK          "walk"
#define PART_FILL          "fill"
