/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of sets of instructions for vectors and of hypervisors, as CPUID has them.
 * Each stands here once: image and host include it.
 */
#pragma once
#define SIMD_NAME_NONE   "none"
#define SIMD_NAME_SSE    "sse"
#define SIMD_NAME_AVX2   "avx2"
#define SIMD_NAME_AVX512 "avx512"

/* QEMU, where it emulates. */
#define HYPERVISOR_TCG "TCGTCGTCGTCG"
