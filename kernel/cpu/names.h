/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of the sets of instructions for vectors, in names of series and in what the image prints.
 * Each stands here once: image and host include it.
 */
#pragma once
#define SIMD_NAME_NONE   "none"
#define SIMD_NAME_SSE    "sse"
#define SIMD_NAME_AVX2   "avx2"
#define SIMD_NAME_AVX512 "avx512"
