/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/inject.h"

#include <string.h>

#include "kernel/clock/alarm.h"
#include "kernel/clock/hpet.h"
#include "kernel/cpu/exception.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/ioapic.h"
#include "kernel/irq/lapic.h"
#include "kernel/mem/memory.h"
#include "kernel/plan/names.h"
#include "kernel/run/bench_run.h"
#include "kernel/run/names.h"
#include "kernel/run/registry.h"
#include "kernel/smp/processor.h"
#include "kernel/task/thread.h"

#define AFTER_DEFAULT 100
#define FLAG_TRAP     (1ull << 8)
#define FLAG_RESUME   (1ull << 16) /* flag: a breakpoint does not stop the next instruction */
#define DR7_NONE      0x400ull
/* Enables DR0 as the address of an instruction, in all address spaces. */
#define DR7_EXECUTE_0 0x402ull
/* An address above all memory and outside the areas of kernel/mem, kernel/task and kernel/run. */
#define NOWHERE 0x7eadbeef0000ull

/* A vector without a handler. Its priority is the highest: nothing else would ever run again. */
#define STORM_VECTOR 0xe7
/* 1/STORM_SOON s is 100 us from now: late enough not to pass before the comparator is set. */
#define STORM_SOON 10000

/* These symbols are defined in linker.ld. */
extern const uint8_t bench_code_start[] __attribute__((visibility("hidden")));
extern const uint8_t bench_code_end[] __attribute__((visibility("hidden")));

static const char *planned; /* value of inject=; NULL: not given */
static uint64_t planned_after;
static bool after_planned;
static const struct acpi_facts *tables;

static struct {
    void (*fault)(void); /* function that the bench is made to call */
    uint64_t after;      /* number of instructions before the fault */
    uint64_t steps;
    bool stepping;
    bool entered; /* an instruction of the bench has been executed */
    bool called;  /* the fault came while the bench ran */
    bool behind;  /* the fault came after the bench had ended */
} injection;

static struct {
    bool on;
    struct hpet_comparator comparator;
    struct ioapic_input input;
} storm;

/* ---- what happens ---- */

/* This function and those below keep a stack frame, so that the backtrace has the caller. */
static void __attribute__((noinline)) inject_ud(void)
{
    __asm__ volatile("ud2" : : "r"(__builtin_frame_address(0)));
}

static void __attribute__((noinline)) inject_pointer(void)
{
    volatile uintptr_t target = NOWHERE;

    *(volatile uint8_t *)target = 0;
}

static void __attribute__((noinline)) inject_loop(void)
{
    for (;;) {
        __asm__ volatile("" : : "r"(__builtin_frame_address(0)));
    }
}

static __attribute__((noinline)) uint64_t call_deeper(uint64_t depth)
{
    volatile uint64_t frame[64] = {depth};

    return depth == UINT64_MAX ? 0 : frame[depth % 64] + call_deeper(depth + 1) + frame[0];
}

static void __attribute__((noinline)) inject_stack(void)
{
    call_deeper(0);
}

static void inject_nmi(void)
{
    lapic_send_nmi(lapic_id());
}

static bool open_storm(void)
{
    return lapic_id() <= IOAPIC_LAPIC_MAX &&
           hpet_comparator_open(&storm.comparator, 1, alarm_hpet_input()) &&
           ioapic_find_input(tables, storm.comparator.input, &storm.input);
}

static void inject_storm(void)
{
    static const struct acpi_interrupt level = {.level = true, .active_low = true};

    storm.on = open_storm();
    if (storm.on) {
        storm.comparator.level = true;
        ioapic_route(&storm.input, &level, STORM_VECTOR, lapic_id());
        ioapic_open_input(&storm.input);
        hpet_comparator_set(&storm.comparator, hpet_count() + storm.comparator.hz / STORM_SOON);
    }
}

/* Stops the storm. Lets pending interrupts in, so that they do not reach the next bench. */
static void stop_storm(const struct bench_run *run)
{
    if (!storm.on) {
        bench_absent(run, "injected_storm", "the HPET has no second comparator that can be routed");
        return;
    }
    storm.on = false;
    ioapic_close_input(&storm.input);
    hpet_comparator_stop(&storm.comparator);
    __asm__ volatile("sti; nop; nop; cli" : : : "memory");
}

static void inject_vanish(void)
{
    for (size_t number = processor_count(); number-- > 0;) {
        if (number != processor_current() && processor_works(number)) {
            processor_vanish(number);
            return;
        }
    }
}

/* Function for each kind. NULL: a limit of memory, which is set before the bench begins. */
static void (*const faults[INJECT_KINDS])(void) = {
    [INJECT_UD] = inject_ud,         [INJECT_POINTER] = inject_pointer,
    [INJECT_LOOP] = inject_loop,     [INJECT_STACK] = inject_stack,
    [INJECT_NMI] = inject_nmi,       [INJECT_STORM] = inject_storm,
    [INJECT_VANISH] = inject_vanish, [INJECT_OOM] = NULL,
};

/* ---- the plan ---- */

void inject_plan(const struct run_settings *settings)
{
    planned = settings->inject;
    after_planned = settings->inject_after != SETTING_NONE;
    planned_after = settings->inject_after;
}

/* Returns the kind of fault planned for this bench, or INJECT_KINDS if there is none. */
static enum inject_kind kind_for(const struct bench *bench)
{
    char name[INJECT_NAME_MAX];
    size_t length;

    for (const char *item = plan_list_item(planned != NULL ? planned : "", &length); item != NULL;
         item = plan_list_item(item + length, &length)) {
        const enum inject_kind kind = inject_item_read(item, length, name);

        if (strcmp(name, bench->name) == 0 || strcmp(name, PLAN_BENCH_ALL) == 0) {
            return kind;
        }
    }
    return INJECT_KINDS;
}

/* ---- step by step ---- */

static void set_breakpoint(uint64_t address, uint64_t control)
{
    __asm__ volatile("movq %0, %%dr0; movq %1, %%dr7" : : "r"(address), "r"(control));
}

static bool is_bench_code(uint64_t address)
{
    return address - (uintptr_t)bench_code_start <
           (uintptr_t)bench_code_end - (uintptr_t)bench_code_start;
}

/* Returns whether this is the bench itself, not a handler or a thread that it created. */
static bool is_bench_itself(void)
{
    const struct thread *thread = thread_current();

    return interrupt_current() == 0 && (thread == NULL || thread_id(thread) == TRACE_BENCH_THREAD);
}

/* Returns whether the function has a stack frame at this instruction. At its start and its end it
 * has none, and a backtrace would miss its caller. */
static bool has_frame(const uint8_t *code)
{
    static const uint8_t push_rbp[] = {0x55};
    static const uint8_t move_rbp[] = {0x48, 0x89, 0xe5};
    static const uint8_t ret[] = {0xc3};

    return memcmp(code, push_rbp, sizeof(push_rbp)) != 0 &&
           memcmp(code, move_rbp, sizeof(move_rbp)) != 0 && memcmp(code, ret, sizeof(ret)) != 0;
}

static void call_fault(struct interrupt_frame *frame)
{
    const uint64_t top = (frame->rsp & ~15ull) - sizeof(uint64_t);

    *(uint64_t *)(uintptr_t)top = frame->rip;
    frame->rsp = top;
    frame->rip = (uint64_t)(uintptr_t)injection.fault;
}

/* Returns whether the bench continues after the fault. If so, the stepper calls it. */
static bool returns(void (*fault)(void))
{
    return fault == inject_vanish || fault == inject_nmi || fault == inject_storm;
}

/* Called before each instruction that is stepped. Functions that the bench calls run at full speed
 * up to a breakpoint at their return address. Returns true: the trap has been handled. */
static bool step(struct interrupt_frame *frame)
{
    frame->rflags &= ~FLAG_TRAP;
    if (!injection.stepping) {
        return true; /* the trap flag came from flags that were saved earlier */
    }
    if (!is_bench_itself()) {
        frame->rflags |= FLAG_RESUME;
        return true;
    }
    if (!is_bench_code(frame->rip)) {
        if (!injection.entered) {
            frame->rflags |= FLAG_TRAP;
            return true;
        }
        set_breakpoint(*(const uint64_t *)(uintptr_t)frame->rsp, DR7_EXECUTE_0);
        return true;
    }
    set_breakpoint(0, DR7_NONE);
    injection.entered = true;
    injection.steps++;
    if (injection.steps <= injection.after || !has_frame((const uint8_t *)(uintptr_t)frame->rip)) {
        frame->rflags |= FLAG_TRAP;
        return true;
    }
    injection.stepping = false;
    injection.called = true;
    if (returns(injection.fault)) {
        injection.fault();
    } else {
        call_fault(frame);
    }
    return true;
}

static void stop_stepping(void)
{
    injection.stepping = false;
    set_breakpoint(0, DR7_NONE);
}

void inject_use(const struct acpi_facts *acpi)
{
    tables = acpi;
}

bool inject_is_planned(const struct bench *bench)
{
    return kind_for(bench) != INJECT_KINDS;
}

enum bench_state inject_call(struct bench_run *run)
{
    const enum inject_kind kind = kind_for(run->bench);

    if (kind == INJECT_KINDS) {
        return run->bench->run(run);
    }
    if (faults[kind] == NULL) {
        memory_limit_allocations(after_planned ? planned_after : 0);
        return run->bench->run(run);
    }
    injection.fault = faults[kind];
    injection.after = after_planned ? planned_after : AFTER_DEFAULT;
    injection.steps = 0;
    injection.called = injection.behind = injection.entered = false;
    injection.stepping = true;
    exception_set_stepper(step);
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(FLAG_TRAP) : "memory", "cc");
    const enum bench_state state = run->bench->run(run);

    __asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~FLAG_TRAP) : "memory", "cc");
    stop_stepping();
    if (!injection.called && state != BENCH_SKIP) {
        injection.behind = true;
        injection.fault();
    }
    return state;
}

void inject_end(const struct bench_run *run)
{
    memory_limit_allocations(MEMORY_UNLIMITED);
    if (injection.fault == NULL) {
        return;
    }
    stop_stepping();
    exception_set_stepper(NULL);
    if (injection.fault == inject_storm) {
        stop_storm(run);
    }
    if (injection.called || injection.behind) {
        bench_fact(run, "injected_after", UNIT_INSTRUCTION,
                   (int64_t)(injection.steps - (injection.called ? 1 : 0)));
    } else {
        bench_absent(run, "injected_after", "the bench ended before the fault");
    }
    injection.fault = NULL;
}
