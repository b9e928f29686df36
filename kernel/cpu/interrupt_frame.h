/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupted context as irq/interrupt.S leaves it on the stack. It does not contain SIMD
 * registers, which nothing in the image changes except a bench's own measured code. */
#pragma once

#include <stdint.h>

struct interrupt_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector;
    uint64_t error_code;
    uint64_t rip, cs, rflags, rsp, ss;
};
