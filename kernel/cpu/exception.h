/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions: fix-ups for the instructions that may fault, and a report and recovery for all
 * others.
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/exception_name.h"
#include "kernel/cpu/interrupt_frame.h"

/* Called by the interrupt entry for vectors below 32. Returns if the resolver handled a page fault,
 * a stepper handled a debug exception, an NMI was handled or counted, or a fix-up applies.
 * Otherwise reports the exception and continues at the recovery point, if one is armed and the
 * report finds the machine intact (not after an NMI, a double fault or a machine check that lost
 * the context). If not, calls the hook `fatal`. */
void exception_handle(struct interrupt_frame *frame);

/* If the exception was raised by an instruction that may fault (msr.S), changes the frame to
 * continue after it and returns true. Also for processors other than the kernel's. */
bool exception_fix_up(struct interrupt_frame *frame);

/*
 * The recovery point, set by code that can continue without the function that it called:
 *
 *     if (setjmp(*exception_recovery_point()) == 0) { exception_arm(true); risky(); }
 *     exception_arm(false);
 *
 * After the jump, interrupts are off and the exception has been reported.
 */
jmp_buf *exception_recovery_point(void);
void exception_arm(bool armed);

/* What setjmp() returns at the recovery point. */
enum exception_recovery {
    RECOVERED_EXCEPTION = 1,
    RECOVERED_FORCED = 2,
    RECOVERED_FOREIGN = 3, /* image tare-smp: of another processor, exception_processor() */
};

/* Ends the interrupted code, from an interrupt handler, as if it had raised an exception: reports
 * it, and continues at the recovery point with RECOVERED_FORCED. Returns if no recovery point is
 * armed. */
void exception_force(const struct interrupt_frame *frame);
/* Returns whether the exception that is or was reported last came from exception_force(). */
bool exception_was_forced(void);

/* Sets the function that may resolve page faults (processes are above this folder). It returns true
 * if the instruction must be tried again. It is called with interrupts off on the exception stack;
 * it must not raise an exception and must not wait. NULL: none. */
typedef bool exception_resolver(struct interrupt_frame *frame);
void exception_set_resolver(exception_resolver *resolver);

/* Sets the function that may know the source of an NMI. It is called first. NULL: none. */
enum nmi_kind {
    /* the NMI's source is unknown: it is counted, and the interrupted code continues */
    NMI_UNKNOWN,
    NMI_HANDLED, /* the NMI's source is known, and the interrupted code continues */
    /* the NMI ends code that does not give up the processor, as exception_force() does */
    NMI_ENDS,
};
typedef enum nmi_kind exception_nmi_check(void);
void exception_set_nmi_check(exception_nmi_check *check);
exception_nmi_check *exception_get_nmi_check(void);

/* NMIs of unknown source since the start. If there are too many, the next is reported as an
 * exception, which ends the run. */
struct exception_nmis {
    unsigned count; /* number since boot */
    /* Lines raised at any of them since exception_nmis_begin(): bits of port 61h. */
    uint8_t lines;
    uint64_t first, last; /* TSC of the first and last since exception_nmis_begin(); 0: none came */
};
#define NMI_LINE_SERR  0x80 /* SERR# of PCI, or a memory error */
#define NMI_LINE_IOCHK 0x40
const struct exception_nmis *exception_unknown_nmis(void);
void exception_nmis_begin(void);

/* Sets the function that may handle debug exceptions: single steps and breakpoints. It returns true
 * if the interrupted code is to continue as the frame then describes. NULL: none. */
void exception_set_stepper(exception_resolver *stepper);

/* Functions for reports. The link (kernel/link/link.h) is above this folder, so it passes its
 * functions down. `report` is called once with the context; it returns true if the machine is
 * intact and the run can continue without the interrupted code. `fatal` ends the run and does not
 * return. `last_words` is called for an exception inside a report, which can then not be trusted:
 * it prints with as little code as possible and ends the run. */
struct exception_hooks {
    bool (*report)(const struct interrupt_frame *frame);
    void (*fatal)(const char *why);
    void (*last_words)(const struct interrupt_frame *frame);
};
void exception_set_hooks(const struct exception_hooks *hooks);

#if TARE_SMP
/* For processors other than the kernel's. exception_resolve() resolves a page fault, as
 * exception_set_resolver() says. exception_of() hands over an exception that ends the caller's
 * processor; the next NMI on the kernel's processor reports it and ends the bench. */
bool exception_resolve(struct interrupt_frame *frame);
void exception_of(size_t processor, const struct interrupt_frame *frame);
size_t exception_processor(void);
#endif
