/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions: fix-ups for the instructions that may fault, a report and a way on for all others.
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"

/* Short name of an exception vector, such as "#PF page fault". */
const char *exception_name(uint64_t vector);

/* Called by the interrupt path for vectors below 32. Returns where the resolver saw to a page fault
 * or a fix-up took over; otherwise reports, and continues at the recovery point if there is one and
 * the exception leaves the machine whole (not NMI, double fault or machine check), else calls
 * `exception_fatal`. */
void exception_handle(struct interrupt_frame *frame);

/* Was it raised by an instruction that may fault (msr.S)? Then the frame goes on behind it. For
 * processors that are not the kernel's. */
bool exception_fix_up(struct interrupt_frame *frame);

/*
 * The recovery point, set by code that can continue without the function it called:
 *
 *     if (setjmp(*exception_recovery_point()) == 0) { exception_arm(true); risky(); }
 *     exception_arm(false);
 *
 * After a jump interrupts are off and the fault has been reported.
 */
jmp_buf *exception_recovery_point(void);
void exception_arm(bool armed);

/* What setjmp() returns at the recovery point. */
enum exception_recovery {
    RECOVERED_EXCEPTION = 1,
    RECOVERED_FORCED = 2,
};

/* Ends what runs, from an interrupt handler, as if the interrupted code had raised an exception: it
 * is reported, and the recovery point continues with RECOVERED_FORCED. Returns where none is armed.
 */
void exception_force(const struct interrupt_frame *frame);
/* Was the exception that is reported, or was reported last, raised by exception_force()? */
bool exception_was_forced(void);

/* Who may see to a page fault (processes live above this folder); true: the instruction is tried
 * again. Called with interrupts off on the exception stack: it must raise no exception and must not
 * wait. NULL: none. */
typedef bool exception_resolver(struct interrupt_frame *frame);
void exception_set_resolver(exception_resolver *resolver);

/* Who may know where an NMI comes from. Called before anything else is done. NULL: none. */
enum nmi_kind {
    NMI_UNKNOWN, /* of the machine's: it is counted, and what was interrupted goes on */
    NMI_HANDLED, /* what was interrupted goes on */
    NMI_ENDS,    /* it ends code that never lets go, as exception_force() does */
};
typedef enum nmi_kind exception_nmi_check(void);
void exception_set_nmi_check(exception_nmi_check *check);
exception_nmi_check *exception_get_nmi_check(void);

/* Those of unknown source, since the start. One too many is reported as an exception, and ends the
 * run. */
struct exception_nmis {
    unsigned count;       /* since boot */
    uint8_t lines;        /* raised at any of them since exception_nmis_begin(): bits of port 61h */
    uint64_t first, last; /* TSC, since then; 0: none came */
};
#define NMI_LINE_SERR  0x80 /* SERR# of PCI, or a memory error */
#define NMI_LINE_IOCHK 0x40
const struct exception_nmis *exception_unknown_nmis(void);
void exception_nmis_begin(void);

/* Who may see to a debug exception: single steps and breakpoints; true: the interrupted code goes
 * on as the frame then describes. NULL: none. */
void exception_set_stepper(exception_resolver *stepper);

/* How reports leave: the link (kernel/link/link.h) sits above this folder, so it hands its
 * functions down. `report` is called once with the context; true: the machine is whole, and the run
 * can go on without what was interrupted. `fatal` ends the run and does not return. Of an exception
 * inside the report, which is then not to be trusted, `last_words` prints with as little as it
 * can, and ends the run. */
struct exception_hooks {
    bool (*report)(const struct interrupt_frame *frame);
    void (*fatal)(const char *why);
    void (*last_words)(const struct interrupt_frame *frame);
};
void exception_set_hooks(const struct exception_hooks *hooks);
