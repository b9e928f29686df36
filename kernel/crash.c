/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/crash.h"

#include <stdio.h>

#include "kernel/borrow.h"
#include "kernel/clock/alarm.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/cpu/symbols.h"
#include "kernel/link/link.h"
#include "kernel/link/names.h"
#include "kernel/mem/memory.h"
#include "kernel/power.h"
#include "kernel/run/runner.h"
#include "kernel/smp/processor.h"
#include "kernel/task/process.h"
#include "kernel/task/scheduler.h"

#define BACKTRACE_MAX 4096
/* Frames shown of a deep backtrace, such as that of a stack overflow: the callers next to the
 * fault, and the outermost ones. */
#define BACKTRACE_NEXT  16
#define BACKTRACE_FIRST 12

static struct stack stack;
static bool seen;
static crash_exit *how_to_leave;

static const char *bench_name(void)
{
    return runner_current() != NULL ? runner_current() : "none";
}

/* Interrupts and the alarm's NMI are reported here only if a watchdog forced it. */
static const char *vector_name(uint64_t vector)
{
    return exception_was_forced() ? "watchdog" : exception_name(vector);
}

/* Returns the stack on which the frames of the interrupted code can be. */
static struct stack stack_in_use(const struct interrupt_frame *frame)
{
    const struct thread *thread = thread_current();
    struct stack of_ring3;

    if (thread != NULL && (frame->cs & 3) != 0 && process_stack(thread, &of_ring3)) {
        return of_ring3;
    }
    return thread != NULL && thread->stack.top != 0 ? thread->stack : stack;
}

static void report_frame(size_t depth, uint64_t address)
{
    struct record_writer record;
    uint64_t offset = 0;
    const char *symbol = symbol_of(address, &offset);

    record_begin(&record, RECORD_FRAME);
    record_unsigned(&record, RECORD_KEY(frame, depth), depth);
    record_hex(&record, RECORD_KEY(frame, address), symbol_link_address(address));
    if (symbol != NULL) {
        record_text(&record, RECORD_KEY(frame, symbol), symbol);
        record_unsigned(&record, RECORD_KEY(frame, offset), offset);
    }
    link_record(&record);
    link_text("tare:   %zu  %08lx  %s+%lu", depth, symbol_link_address(address),
              symbol != NULL ? symbol : "?", offset);
}

/* Prints the machine check, if it is one. Returns false if the machine may be damaged. */
static bool report_hardware(const struct interrupt_frame *frame)
{
    if (frame->vector == VECTOR_MACHINE_CHECK) {
        const struct machine_check found = machine_check_take();

        link_text("tare:   machine check: MCG_STATUS %lx, bank %u, status %016lx, address %lx%s",
                  found.global_status, found.bank, found.status, found.address,
                  found.reported ? "" : ": no bank reports it");
        return found.survivable;
    }
    return frame->vector != VECTOR_NMI && frame->vector != VECTOR_DOUBLE_FAULT;
}

/* Returns whether the fault was in 16-bit code, where RIP is an offset into CS and RBP is not a
 * frame pointer. */
static bool segmented(const struct interrupt_frame *frame)
{
    return frame->cs == SELECTOR_SEGMENT_CODE;
}

static void report_registers(const struct interrupt_frame *frame)
{
    const struct {
        const char *name;
        uint64_t value;
    } registers[] = {
        {"rip", segmented(frame) ? frame->rip : symbol_link_address(frame->rip)},
        {"error_code", frame->error_code},
        {"cr2", cr2_read()},
        {"cr3", cr3_read()},
        {"rflags", frame->rflags},
        {"rax", frame->rax},
        {"rbx", frame->rbx},
        {"rcx", frame->rcx},
        {"rdx", frame->rdx},
        {"rsi", frame->rsi},
        {"rdi", frame->rdi},
        {"rbp", frame->rbp},
        {"rsp", frame->rsp},
        {"r8", frame->r8},
        {"r9", frame->r9},
        {"r10", frame->r10},
        {"r11", frame->r11},
        {"r12", frame->r12},
        {"r13", frame->r13},
        {"r14", frame->r14},
        {"r15", frame->r15},
        {"cs", frame->cs},
        {"ss", frame->ss},
        {"segment", segmented(frame) ? descriptors_segment_code() : 0},
    };
    struct record_writer record;

    record_begin(&record, RECORD_CRASH);
    record_text(&record, FIELD_BENCH, bench_name());
    if (thread_current() != NULL) {
        record_text(&record, "thread", thread_name(thread_current()));
    }
    record_unsigned(&record, FIELD_VECTOR, frame->vector);
    record_text(&record, FIELD_NAME, vector_name(frame->vector));
    for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
        record_hex(&record, registers[i].name, registers[i].value);
    }
    link_record(&record);
    for (size_t i = 0; i + 2 < sizeof(registers) / sizeof(registers[0]); i += 3) {
        link_text("tare:   %-10s %016lx  %-10s %016lx  %-10s %016lx", registers[i].name,
                  registers[i].value, registers[i + 1].name, registers[i + 1].value,
                  registers[i + 2].name, registers[i + 2].value);
    }
}

/* Explains what was touched, if that says more than the address. */
static const char *touched(const struct interrupt_frame *frame)
{
    const uint64_t address = cr2_read();

    if (frame->vector != VECTOR_PAGE_FAULT) {
        return "";
    }
    if (paging_is_guard(address) || process_is_guard(address)) {
        return ": stack overflow, the guard page was touched";
    }
    return memory_is_guard(address) ? ": overrun, the guard page after free memory was touched"
                                    : "";
}

static bool report(const struct interrupt_frame *frame)
{
    static uint64_t callers[BACKTRACE_MAX];
    const struct stack in_use = stack_in_use(frame);

    alarm_stop_all();     /* a report takes time, and ends the code that the alarm watches */
    processors_abandon(); /* they may still use what is on the stack */
    link_save_abandon();
    seen = true;
    link_text("tare: CRASH %s in bench %s%s%s%s", vector_name(frame->vector), bench_name(),
              thread_current() != NULL ? ", thread " : "",
              thread_current() != NULL ? thread_name(thread_current()) : "", touched(frame));
    const bool whole = report_hardware(frame);

    report_registers(frame);
    if (segmented(frame)) {
        link_text("tare:   in 16-bit code, at offset %lx of its segment", frame->rip);
        link_flush();
        return whole;
    }
    report_frame(0, frame->rip);
    const size_t count = backtrace_walk(frame->rbp, in_use.low, in_use.top, callers, BACKTRACE_MAX);

    for (size_t i = 0; i < count; i++) {
        if (i < BACKTRACE_NEXT || i + BACKTRACE_FIRST >= count) {
            report_frame(i + 1, callers[i]);
        }
    }
    link_flush();
    return whole;
}

static void last_words(const struct interrupt_frame *frame)
{
    char text[128];

    snprintf(text, sizeof(text),
             "\r\ntare: exception %lu at %lx in the report of a crash: the run ends here\r\n",
             frame->vector, symbol_link_address(frame->rip));
    link_last_words(text);
    power_leave(how_to_leave());
}

static void fatal(const char *why)
{
    struct record_writer record;

    record_begin(&record, RECORD_ERROR);
    record_text(&record, FIELD_TEXT, why);
    link_record(&record);
    link_text("tare: the run ends here: %s", why);
    link_end();
    borrow_last_turn();
    /* Saves the log, so that the crash report is not only on the screen. The call into firmware has
     * a time limit. */
    borrow_save_log();
    borrow_run_ended();
    power_leave(how_to_leave());
}

void crash_init(const struct stack *main_stack, crash_exit *exit)
{
    static const struct exception_hooks hooks = {
        .report = report, .fatal = fatal, .last_words = last_words};

    stack = *main_stack;
    how_to_leave = exit;
    exception_set_hooks(&hooks);
}

bool crash_seen(void)
{
    return seen;
}
