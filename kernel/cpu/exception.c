/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/exception.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/percpu.h"
#include "kernel/cpu/port.h"

#define SYSTEM_CONTROL  0x61
#define NMI_LINES       0xc0
#define NMI_UNKNOWN_MAX 1000

struct fixup_entry {
    int32_t fault;  /* distance of the faulting instruction from this field */
    int32_t target; /* distance of the fix-up from this field */
};

extern const struct fixup_entry exception_table_start[] __attribute__((visibility("hidden")));
extern const struct fixup_entry exception_table_end[] __attribute__((visibility("hidden")));

static jmp_buf recovery;
static bool recovery_armed;
static bool handling; /* an exception is being handled; another one ends the run */
static struct exception_hooks hooks;
static exception_resolver *resolver;
static exception_nmi_check *nmi_check;
static exception_resolver *stepper;
static bool forced;
static struct exception_nmis unknown_nmis;

#if TARE_SMP
/* An exception on another processor of a session, which has stopped; NULL: none. */
static const struct interrupt_frame *volatile foreign;
static size_t foreign_processor;

void exception_of(size_t processor, const struct interrupt_frame *frame)
{
    foreign_processor = processor;
    foreign = frame;
}

size_t exception_processor(void)
{
    return foreign_processor;
}

/* Reports it with that processor's state, so that the report names its thread. */
static void take_foreign(void)
{
    const struct interrupt_frame *frame = foreign;

    foreign = NULL;
    if (!recovery_armed || handling || hooks.report == NULL) {
        return;
    }
    percpu_select(foreign_processor);
    forced = false;
    hooks.report(frame);
    percpu_select(0);
    recovery_armed = false;
    longjmp(recovery, RECOVERED_FOREIGN);
}
#endif

static uint64_t distance_target(const int32_t *field)
{
    return (uint64_t)((intptr_t)field + *field);
}

bool exception_fix_up(struct interrupt_frame *frame)
{
    for (const struct fixup_entry *entry = exception_table_start; entry < exception_table_end;
         entry++) {
        if (distance_target(&entry->fault) == frame->rip) {
            frame->rip = distance_target(&entry->target);
            frame->rax = frame->vector;
            return true;
        }
    }
    return false;
}

/* Called if the report failed: prints a few words, only once, and halts. */
static _Noreturn void give_up(const struct interrupt_frame *frame)
{
    static bool tried;

    if (!tried && hooks.last_words != NULL) {
        tried = true;
        hooks.last_words(frame);
    }
    cpu_halt_forever();
}

/* Handles an NMI. Returns false if there were too many of unknown source. */
static bool take_nmi(const struct interrupt_frame *frame)
{
#if TARE_SMP
    if (foreign != NULL) {
        take_foreign();
        return true;
    }
#endif
    const enum nmi_kind kind = nmi_check != NULL ? nmi_check() : NMI_UNKNOWN;

    if (kind == NMI_ENDS) {
        exception_force(frame);
    }
    if (kind != NMI_UNKNOWN) {
        return true;
    }
    unknown_nmis.count++;
    unknown_nmis.lines |= port_read8(SYSTEM_CONTROL) & NMI_LINES;
    unknown_nmis.last = tsc_read();
    unknown_nmis.first = unknown_nmis.first == 0 ? unknown_nmis.last : unknown_nmis.first;
    return unknown_nmis.count <= NMI_UNKNOWN_MAX;
}

#if TARE_SMP
/* A page fault is resolved in a section: pages and the thread's process belong to all processors.
 */
bool exception_resolve(struct interrupt_frame *frame)
{
    const bool enters = sections_shared && (frame->rflags & RFLAGS_IF) != 0;

    if (frame->vector != VECTOR_PAGE_FAULT || resolver == NULL) {
        return false;
    }
    if (enters) {
        section_enter();
    }
    const bool resolved = resolver(frame);

    if (enters) {
        section_leave();
    }
    return resolved;
}
#else
static bool exception_resolve(struct interrupt_frame *frame)
{
    return frame->vector == VECTOR_PAGE_FAULT && resolver != NULL && resolver(frame);
}
#endif

void exception_handle(struct interrupt_frame *frame)
{
    if (exception_resolve(frame)) {
        return;
    }
    if (frame->vector == VECTOR_DEBUG && stepper != NULL && stepper(frame)) {
        return;
    }
    if (frame->vector == VECTOR_NMI && take_nmi(frame)) {
        return;
    }
    /* A machine check may come during such an instruction, but has nothing to do with it. */
    if (frame->vector != VECTOR_NMI && frame->vector != VECTOR_MACHINE_CHECK &&
        exception_fix_up(frame)) {
        return;
    }
    if (handling || hooks.report == NULL) {
        give_up(frame);
    }
    handling = true;
    forced = false;
    const bool whole = hooks.report(frame);

    if (recovery_armed && whole) {
        handling = false;
        recovery_armed = false;
        longjmp(recovery, RECOVERED_EXCEPTION);
    }
    hooks.fatal(exception_name(frame->vector));
}

void exception_force(const struct interrupt_frame *frame)
{
    /* An exception that has just come also ends the bench, and its report stops the alarm. */
    if (!recovery_armed || handling || hooks.report == NULL) {
        return;
    }
    interrupts_disable();
    forced = true;
    hooks.report(frame);
    recovery_armed = false;
    longjmp(recovery, RECOVERED_FORCED);
}

bool exception_was_forced(void)
{
    return forced;
}

jmp_buf *exception_recovery_point(void)
{
    return &recovery;
}

void exception_arm(bool armed)
{
    recovery_armed = armed;
}

void exception_set_resolver(exception_resolver *given)
{
    resolver = given;
}

void exception_set_nmi_check(exception_nmi_check *given)
{
    nmi_check = given;
}

exception_nmi_check *exception_get_nmi_check(void)
{
    return nmi_check;
}

void exception_nmis_begin(void)
{
    unknown_nmis.lines = 0;
    unknown_nmis.first = 0;
    unknown_nmis.last = 0;
}

const struct exception_nmis *exception_unknown_nmis(void)
{
    return &unknown_nmis;
}

void exception_set_stepper(exception_resolver *given)
{
    stepper = given;
}

void exception_set_hooks(const struct exception_hooks *given)
{
    hooks = *given;
}
