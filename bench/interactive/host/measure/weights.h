/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The penalties of weighted time, a model of what exact time leaves out. An instruction takes one
 * cycle; each of these events takes more, by this number of cycles.
 */
#pragma once

/* A TLB miss, of data or code: the lower bound of Endo et al. 1996, section 5.3. */
#define WEIGHT_TLB_MISS 20
/* A load of a segment register with another descriptor: 8 clocks more than the 2 or 3 of a load
 * that reads none (instruction timings in Intel, "Pentium Processor Family Developer's Manual",
 * volume 3, 1995). */
#define WEIGHT_SEGMENT_LOAD 8
/* An access that is not aligned: at least 3 clocks (Intel, application note AP-500, "Optimizations
 * for Intel's 32-bit Processors", 1994). */
#define WEIGHT_MISALIGNED 3

/* Unit of metrics of weighted time, so that they are never compared with exact ones. */
#define UNIT_WEIGHTED "cycles (model)"
