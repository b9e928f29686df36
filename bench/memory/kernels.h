/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the memory benches time (kernels.S, streams.S). The same code runs in the image and, built
 * into the host program, on Linux.
 *
 * Each function reads the TSC before and after (LFENCE; RDTSC; LFENCE) and returns the ticks
 * between.
 */
#pragma once

#include <stdint.h>

/* Follows `hops` (at least 1) pointers from *at on, each load waiting for the one before; sets *at
 * to the last. Three instructions a hop, of which only the load takes time on silicon. */
uint64_t memory_chase(void **at, uint64_t hops);

/* Moves `bytes` (a multiple of 512, at least 512) `passes` times (at least 1). Addresses are
 * multiples of 64. A read uses `from`, a write `to`, a copy both. */
typedef uint64_t memory_stream(void *to, const void *from, uint64_t bytes, uint64_t passes);

memory_stream memory_read_rep; /* rep lodsq */
memory_stream memory_read_64;
memory_stream memory_read_sse;
memory_stream memory_read_avx2;
memory_stream memory_read_avx512;
memory_stream memory_write_rep; /* rep stosq */
memory_stream memory_write_64;
memory_stream memory_write_sse;
memory_stream memory_write_avx2;
memory_stream memory_write_avx512;
/* the _nt functions use MOVNTI and the like, with SFENCE before the second stamp */
memory_stream memory_write_64_nt;
memory_stream memory_write_sse_nt;
memory_stream memory_write_avx2_nt;
memory_stream memory_write_avx512_nt;
memory_stream memory_copy_rep; /* rep movsq */
memory_stream memory_copy_64;
memory_stream memory_copy_sse;
memory_stream memory_copy_avx2;
memory_stream memory_copy_avx512;
memory_stream memory_copy_sse_nt;
memory_stream memory_copy_avx2_nt;
memory_stream memory_copy_avx512_nt;
