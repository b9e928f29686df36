/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of vector instruction sets, and signatures of hypervisors in CPUID. Image and host both
 * include this file, so each name is written only once.
 */
#pragma once
#define SIMD_NAME_NONE   "none"
#define SIMD_NAME_SSE    "sse"
#define SIMD_NAME_AVX2   "avx2"
#define SIMD_NAME_AVX512 "avx512"

/* Signature of QEMU as an emulator of instructions (TCG). */
#define HYPERVISOR_TCG "TCGTCGTCGTCG"
