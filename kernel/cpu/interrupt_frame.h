/* SPDX-License-Identifier: BSD-2-Clause */
/* What irq/interrupt.S leaves on the stack: the interrupted context, except SIMD, which
 * nothing in the image but a bench's own kernel touches. */
#pragma once

#include <stdint.h>

struct interrupt_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector;
    uint64_t error_code;
    uint64_t rip, cs, rflags, rsp, ss;
};
