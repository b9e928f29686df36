/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Safe access to model-specific registers: an access that faults returns the vector instead of
 * ending the run. Timed code uses no such access.
 *
 * That an access does not fault does not mean that the register exists: QEMU's TCG reads 0 from any
 * number and ignores writes. Verify a register by its effect.
 */
#pragma once

#include <stdint.h>

#define MSR_APIC_BASE      0x1bu
#define MSR_TSC_ADJUST     0x3bu
#define MSR_SMI_COUNT      0x34u
#define MSR_MPERF          0xe7u
#define MSR_APERF          0xe8u
#define MSR_SYSENTER_CS    0x174u
#define MSR_SYSENTER_ESP   0x175u
#define MSR_SYSENTER_EIP   0x176u
#define MSR_PAT            0x277u
#define MSR_TSC_DEADLINE   0x6e0u
#define MSR_X2APIC_FIRST   0x800u
#define MSR_EFER           0xc0000080u
#define MSR_STAR           0xc0000081u
#define MSR_LSTAR          0xc0000082u
#define MSR_CSTAR          0xc0000083u
#define MSR_FMASK          0xc0000084u
#define MSR_FS_BASE        0xc0000100u
#define MSR_GS_BASE        0xc0000101u
#define MSR_KERNEL_GS_BASE 0xc0000102u
#define MSR_AMD_DE_CFG     0xc0011029u

#define EFER_SYSCALL (1ull << 0)
#define EFER_NX      (1ull << 11)

/* Returns 0, or the vector of the exception (13 on silicon); *value is then 0. */
int msr_read(uint32_t index, uint64_t *value);

/* Returns 0, or the vector of the exception. */
int msr_write(uint32_t index, uint64_t value);

/* Executes RDPMC between two LFENCE, because it is not serialising (SDM volume 2, RDPMC). Returns
 * 0, or the vector of the exception: 13, or 6 if there is no such instruction; *value is then 0. */
int counter_read(uint32_t index, uint64_t *value);

/* Executes VZEROUPPER. Returns 0, or the vector of the exception: 6 if AVX is not enabled. */
int avx_try(void);
