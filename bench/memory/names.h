/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that the memory benches publish and the host looks up. Image and host both include this
 * file, so that each name is written once.
 */
#pragma once

/* the group and its benches */
#define GROUP_MEMORY    "memory"
#define BENCH_BANDWIDTH "bandwidth"
#define BENCH_CHASE     "chase"
#define BENCH_LOADED    "loaded"
#define BENCH_PAGEFAULT "pagefault"
#define BENCH_STRIDE    "stride"
#define BENCH_TLB       "tlb"
#define BENCH_TOGETHER  "together"

/* Curves of bandwidth: OPERATION.SET; the SIMD sets are those of kernel/cpu/names.h. Curves of
 * together: OPERATION, for 1 KiB. */
#define OPERATION_READ     "read"
#define OPERATION_WRITE    "write"
#define OPERATION_COPY     "copy"
#define OPERATION_WRITE_NT "write_nt"
#define OPERATION_COPY_NT  "copy_nt"
#define SET_REP            "rep"
#define SET_64             "64"

/* curves of chase: ORDER.PAGE.TYPE, plus SUFFIX_NOPF if the prefetchers are off */
#define ORDER_SEQUENTIAL "sequential"
#define ORDER_STRIDED    "strided"
#define ORDER_RANDOM     "random"
#define SUFFIX_NOPF      ".nopf"

/* curves of stride: this name followed by the stride in bytes */
#define CURVE_STRIDE "stride"

/* curves of loaded */
#define CURVE_LATENCY "latency"
#define CURVE_STREAM  "stream"

/* series of pagefault: one for each kind of fault, and KIND.PART */
#define KIND_DEMAND_ZERO   "demand_zero"
#define KIND_MINOR         "minor"
#define KIND_PROTECTION    "protection"
#define KIND_COPY_ON_WRITE "copy_on_write"
#define PART_WALK          "walk"
#define PART_FILL          "fill"
