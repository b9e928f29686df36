/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/smp/processor.h"

#include <setjmp.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/exception.h"
#include "kernel/cpu/machine_check.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/percpu.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/paging.h"
#include "kernel/smp/memory_types.h"
#include "kernel/smp/start.h"

/* enough for the nested services of an event server (event_server.h) */
#define WORK_STACK_BYTES      (32u << 10)
#define EXCEPTION_STACK_BYTES 4096
/* Waits of SDM volume 3 section 9.4.4.1: after INIT, and between the two start-up IPIs. */
#define INIT_US     10000
#define START_UP_US 200
/* Time to answer the second IPI. Emulators that run each processor in a thread of the host are
 * slow. */
#define ANSWER_US 100000
/* A table that lists one missing processor usually lists many: after this number of silent
 * processors in a row, the second IPI is given less time, until a processor answers. */
#define SILENT_IN_A_ROW 8
#define ANSWER_SOON_US  2000
/* Time for a working processor to take an offer: its thread may have to wait for a processor of the
 * host. */
#define TAKE_US 1000000
/* Longest time from sending an interrupt between processors until it is pending. */
#define ARRIVAL_US 100
/* Ticks per microsecond if the clock rate is unknown: no TSC is faster, so waits can only get
 * longer. */
#define TICKS_PER_US_MAX  8000
#define START_PAGES       2 /* one page for the code, one for a root of page tables below 4 GiB */
#define TURNS             4 /* of an emulator that runs all processors in turn */
#define EFER_ACTIVE       (1ull << 10)
#define RFLAGS_INTERRUPTS (1ull << 9)

/* processor.S: entry stubs and the functions they call. The stubs of exceptions are
 * OTHER_ENTRY_SIZE bytes apart. `tsc` is read by the first instructions of the stub. */
#define OTHER_ENTRY_SIZE 16
extern const uint8_t other_exception_entries[] __attribute__((visibility("hidden")));
void other_ping_entry(void) __attribute__((visibility("hidden")));
void other_interrupt_entry(void) __attribute__((visibility("hidden")));
void other_spurious_entry(void) __attribute__((visibility("hidden")));
void other_exception(struct interrupt_frame *frame);
void other_ping(uint64_t tsc);
void other_interrupt(uint64_t tsc);

/* State of a processor_call(). */
struct call {
    processor_work *work;
    void *argument;
    bool woken; /* the interrupt that wakes the processor has been sent */
    bool taken; /* the work has begun, or the offer was withdrawn */
};

/* State of a processor while it does not run the kernel. */
struct other {
    struct other_tables tables;
    struct stack stack;
    size_t number;
    processor_work *work; /* NULL if it has no work or has finished it */
    bool awaited;         /* the kernel's processor has halted until the work is done */
    bool abandoned;       /* it must leave its work at the next NMI */
    bool vanishes;        /* it must stop for good at the next NMI */
    /* the kernel, which ran elsewhere, is handing itself back to this processor */
    bool returned;
    bool taken; /* this processor has taken the kernel back, or the offer was withdrawn */
    struct call call;
    jmp_buf idle; /* where it continues when it leaves its work */
    struct machine_check_logs logs;
    void *argument;
    uint64_t nmis; /* NMIs with neither of these two meanings */
    uint8_t exception_stack[EXCEPTION_STACK_BYTES] __attribute__((aligned(16)));
};

static struct processor processors[PROCESSORS_MAX];
static struct other *others[PROCESSORS_MAX]; /* NULL if never started */
static size_t processor_total;
static size_t beyond;
static size_t silent_in_a_row;
static size_t current;
static bool started;
static const struct cpu_identity *cpu;
static struct processor_answer *answering;

/* ---- the list of processors ---- */

static void list(uint32_t apic_id, enum processor_state state, const char *why)
{
    if (processor_total < PROCESSORS_MAX) {
        processors[processor_total++] =
            (struct processor){.apic_id = apic_id, .state = state, .why = why};
    }
}

/* Returns how many enabled processors have no room in the list. `acpi->processors` counts them even
 * if there is no room in its list. */
static size_t enabled_beyond(const struct acpi_facts *acpi)
{
    size_t listed = 0;

    for (size_t i = 0; i < acpi->processor_count; i++) {
        listed += acpi->processor[i].enabled ? 1 : 0;
    }
    return acpi->processors > listed ? acpi->processors - listed : 0;
}

void processors_init(const struct cpu_identity *identity, const struct acpi_facts *acpi)
{
    const uint32_t own = lapic_state()->present ? lapic_id() : 0;

    cpu = identity;
    processor_total = 0;
    current = 0;
    started = false;
    silent_in_a_row = 0;
    beyond = lapic_state()->present ? enabled_beyond(acpi) : 0;
    list(own, PROCESSOR_WORKS, NULL);
    for (size_t i = 0; lapic_state()->present && i < acpi->processor_count; i++) {
        const struct acpi_processor *entry = &acpi->processor[i];

        if (entry->apic_id == own) {
            continue;
        }
        if (entry->enabled) {
            list(entry->apic_id, PROCESSOR_NOT_STARTED, NULL);
        } else {
            list(entry->apic_id, PROCESSOR_ABSENT,
                 entry->online_capable ? "not present, but may be added" : "not enabled in MADT");
        }
    }
}

size_t processor_count(void)
{
    return processor_total;
}

size_t processors_beyond(void)
{
    return beyond;
}

const struct processor *processor_at(size_t number)
{
    return &processors[number];
}

static enum processor_state state_of(size_t number)
{
    return __atomic_load_n(&processors[number].state, __ATOMIC_ACQUIRE);
}

bool processor_works(size_t number)
{
    return number < processor_total && state_of(number) == PROCESSOR_WORKS;
}

size_t processors_working(void)
{
    size_t count = 0;

    for (size_t i = 0; i < processor_total; i++) {
        count += processor_works(i) ? 1 : 0;
    }
    return count;
}

size_t processor_current(void)
{
    return current;
}

size_t processor_other(void)
{
    for (size_t i = 0; i < processor_count(); i++) {
        if (i != current && processor_works(i)) {
            return i;
        }
    }
    return current;
}

const char *processor_state_name(enum processor_state state)
{
    static const char *const names[] = {
        [PROCESSOR_NOT_STARTED] = "not started",
        [PROCESSOR_WORKS] = "works",
        [PROCESSOR_SILENT] = "silent",
        [PROCESSOR_ABSENT] = "absent",
        [PROCESSOR_LOST] = "lost",
    };

    return names[state];
}

/* ---- on the other processor ---- */

static void end_as(size_t number, enum processor_state state, const char *why)
{
    processors[number].why = why;
    __atomic_store_n(&processors[number].state, state, __ATOMIC_RELEASE);
}

#if TARE_SMP
struct task_state *processor_task_state(size_t number)
{
    return &others[number]->tables.task_state;
}
#endif

size_t processor_here(void)
{
    const uint32_t id = lapic_id();
    size_t number = 0;

    while (number + 1 < processor_total && processors[number].apic_id != id) {
        number++;
    }
    return number;
}

static void take_nmi(struct other *other)
{
    if (other != NULL && other->vanishes) {
        cpu_halt_forever();
    }
    if (other != NULL && other->abandoned) {
        longjmp(other->idle, 1);
    }
    if (other != NULL) {
        other->nmis++;
    }
}

uint64_t processor_nmis(size_t number)
{
    if (number == current || others[number] == NULL) {
        return exception_unknown_nmis()->count;
    }
    return others[number]->nmis;
}

static bool pass_machine_check(const struct other *other)
{
    return other != NULL && machine_check_pass(&other->logs);
}

void other_exception(struct interrupt_frame *frame)
{
#if TARE_SMP
    if (exception_resolve(frame)) {
        return;
    }
#endif
    const size_t number = processor_here();

    if (frame->vector == VECTOR_NMI) {
        take_nmi(others[number]);
        return;
    }
    if (frame->vector == VECTOR_MACHINE_CHECK ? pass_machine_check(others[number])
                                              : exception_fix_up(frame)) {
        return;
    }

    processors[number].fault_rip = frame->rip;
    end_as(number, PROCESSOR_LOST, exception_name(frame->vector));
#if TARE_SMP
    if (sections_shared) {
        exception_of(number, frame);
        lapic_send_nmi(processors[current].apic_id);
    }
#endif
    processor_send(current, PROCESSOR_VECTOR_WAKE);
    cpu_halt_forever();
}

void other_interrupt(uint64_t tsc)
{
    (void)tsc;
    lapic_end_of_interrupt();
}

void other_ping(uint64_t tsc)
{
    struct processor_answer *answer = answering;

    lapic_end_of_interrupt();
    if (answer != NULL) {
        answer->arrived = tsc;
        processor_send(answer->sender, PROCESSOR_VECTOR_PONG);
    }
}

/* Ends the work. Stops the timer and acknowledges the interrupts that the work's event server or
 * handlers left in the LAPIC. */
static void leave_work(struct other *other)
{
    nmi_unblock();
    lapic_timer_stop();
    lapic_end_all();
#if TARE_SMP
    lapic_set_task_priority(0);
    percpu_select(0);
    cr3_write(paging_root()); /* that of a process will be gone */
#endif
    __atomic_store_n(&other->work, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&other->abandoned, false, __ATOMIC_SEQ_CST);
}

/* Runs work until *until is set; for ever if `until` is NULL. No work is missed: an interrupt that
 * arrives between the check and HLT stays pending until STI, and then ends the HLT. */
static void serve(struct other *other, const bool *until)
{
    if (setjmp(other->idle) != 0) {
        leave_work(other);
    }
    while (until == NULL || !__atomic_load_n(until, __ATOMIC_ACQUIRE)) {
        processor_work *work = __atomic_load_n(&other->work, __ATOMIC_ACQUIRE);

        if (work == NULL) {
            cpu_wait_for_interrupt();
            continue;
        }
        cr3_write(paging_root()); /* the tables may have changed */
        work(other->argument);
        interrupts_disable();
        __atomic_store_n(&other->work, NULL, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&other->awaited, __ATOMIC_SEQ_CST)) {
            processor_send(current, PROCESSOR_VECTOR_WAKE);
        }
    }
}

static void load_other(struct other *other)
{
    descriptors_load_other(&other->tables,
                           (uint64_t)(uintptr_t)(other->exception_stack + EXCEPTION_STACK_BYTES));
    machine_check_join(&other->logs);
}

/* Called at the end of start_code on the started processor. A processor that comes so late that it
 * takes the settings of another one has the wrong APIC id, and halts; the other one then finds no
 * settings and stays silent. */
static void begin_other(struct other *other)
{
    load_other(other);
    const char *why = lapic_join();

    if (why == NULL && lapic_id() != processors[other->number].apic_id) {
        cpu_halt_forever();
    }
    features_enable(cpu);
    if (why == NULL) {
        why = memory_types_take();
    }
    end_as(other->number, why == NULL ? PROCESSOR_WORKS : PROCESSOR_SILENT, why);
    if (why == NULL) {
        serve(other, NULL);
    }
    cpu_halt_forever();
}

/* ---- starting ---- */

static uint64_t ticks_from_us(uint64_t us)
{
    const uint64_t ticks = clock_ticks_from_us(us);

    return ticks != 0 ? ticks : us * TICKS_PER_US_MAX;
}

static void wait_us(uint64_t us)
{
    struct tsc_wait wait = tsc_wait_begin(ticks_from_us(us));

    while (!tsc_wait_over(&wait)) {
        cpu_pause();
    }
}

static bool answered(size_t number, uint64_t us)
{
    struct tsc_wait wait = tsc_wait_begin(ticks_from_us(us));

    while (state_of(number) == PROCESSOR_NOT_STARTED) {
        if (tsc_wait_over(&wait)) {
            return false;
        }
        cpu_pause();
    }
    return true;
}

static bool create_other(size_t number)
{
    struct other *other = memory_allocate(sizeof(*other), 64);

    if (other == NULL || !paging_stack_create(WORK_STACK_BYTES, &other->stack)) {
        return false;
    }
    other->number = number;
    others[number] = other;
    return true;
}

static void set_entries(void)
{
    for (unsigned vector = 0; vector < VECTOR_COUNT; vector++) {
        const uintptr_t exception =
            (uintptr_t)(other_exception_entries + OTHER_ENTRY_SIZE * vector);

        descriptors_set_other_entry((uint8_t)vector, vector < EXCEPTION_COUNT
                                                         ? (void (*)(void))exception
                                                         : other_interrupt_entry);
    }
    descriptors_set_other_entry(PROCESSOR_VECTOR_PING, other_ping_entry);
    descriptors_set_entry(PROCESSOR_VECTOR_WAKE, other_interrupt_entry);
    descriptors_set_other_entry(LAPIC_VECTOR_SPURIOUS, other_spurious_entry);
}

static struct start_settings *settings_at(uint64_t page)
{
    const size_t size = (size_t)(start_code_end - start_code);

    return (struct start_settings *)(uintptr_t)(page + size - sizeof(struct start_settings));
}

/* Copies the start-up code and fills in its settings: the other processors get the starter's
 * control registers. */
static void copy_start_code(uint64_t page)
{
    const uint64_t low_root = page + PAGE_SIZE;
    struct start_settings *settings = settings_at(page);
    uint64_t efer = 0;

    memcpy((void *)(uintptr_t)page, start_code, (size_t)(start_code_end - start_code));
    memcpy((void *)(uintptr_t)low_root, (const void *)(uintptr_t)paging_root(), PAGE_SIZE);
    msr_read(MSR_EFER, &efer);
    settings->cr0 = (uint32_t)cr0_read();
    settings->cr3 = (uint32_t)low_root;
    settings->cr4 = (uint32_t)(cr4_read() & ~CR4_PCIDE);
    settings->efer = (uint32_t)(efer & ~EFER_ACTIVE);
    settings->root = paging_root();
    settings->entry = (uint64_t)(uintptr_t)begin_other;
    settings->gdt_base += (uint32_t)page;
    settings->protected_entry += (uint32_t)page;
    settings->long_entry += (uint32_t)page;
}

static void start_one(size_t number, uint64_t page)
{
    struct start_settings *settings = settings_at(page);
    const uint32_t apic_id = processors[number].apic_id;

    settings->argument = (uint64_t)(uintptr_t)others[number];
    __atomic_store_n(&settings->stack_top, others[number]->stack.top, __ATOMIC_RELEASE);
    lapic_send_start_up(apic_id, (uint8_t)(page / PAGE_SIZE));
    if (answered(number, START_UP_US)) {
        silent_in_a_row = 0;
        return;
    }
    lapic_send_start_up(apic_id, (uint8_t)(page / PAGE_SIZE));
    if (answered(number, silent_in_a_row < SILENT_IN_A_ROW ? ANSWER_US : ANSWER_SOON_US)) {
        silent_in_a_row = 0;
        return;
    }
    lapic_send_init(apic_id); /* so that it does not start later */
    silent_in_a_row++;
    end_as(number, PROCESSOR_SILENT, "no answer to two start-up IPIs");
}

static void for_not_started(void (*act)(size_t number, uint64_t page), uint64_t page)
{
    for (size_t i = 1; i < processor_total; i++) {
        if (state_of(i) == PROCESSOR_NOT_STARTED) {
            act(i, page);
        }
    }
}

static void prepare_one(size_t number, uint64_t page)
{
    (void)page;
    if (processors[number].apic_id > LAPIC_ID_MAX && !lapic_state()->x2apic) {
        end_as(number, PROCESSOR_SILENT, "only x2APIC mode reaches it (lapic.mode=x2apic)");
    } else if (!create_other(number)) {
        end_as(number, PROCESSOR_SILENT, "no memory for its stack");
    }
}

static void reset_one(size_t number, uint64_t page)
{
    (void)page;
    lapic_send_init(processors[number].apic_id);
}

static const char *start_all(void)
{
    const uint64_t page = memory_low_pages(START_PAGES);

    if (page == 0) {
        return "no free memory below 1 MiB for the start-up code";
    }
    if (paging_root() == 0 || !create_other(0) ||
        !paging_allow_execution(page, START_PAGES * PAGE_SIZE, true)) {
        return "the kernel's page tables are not active, or memory ran out";
    }
    set_entries();
    memory_types_read(cpu);
    for_not_started(prepare_one, page);
    copy_start_code(page);
    for_not_started(reset_one, page);
    wait_us(INIT_US);
    for_not_started(start_one, page);
    paging_allow_execution(page, START_PAGES * PAGE_SIZE, false);
    return NULL;
}

size_t processors_to_start(void)
{
    size_t count = 0;

    for (size_t i = 0; !started && i < processor_total; i++) {
        count += state_of(i) == PROCESSOR_NOT_STARTED ? 1 : 0;
    }
    return count;
}

void processors_start(void)
{
    if (processors_to_start() == 0) {
        return;
    }
    started = true;
    const char *why = start_all();

    for (size_t i = 0; i < processor_total && why != NULL; i++) {
        if (state_of(i) == PROCESSOR_NOT_STARTED) {
            end_as(i, PROCESSOR_SILENT, why);
        }
    }
}

/* ---- work ---- */

void processor_send(size_t number, uint8_t vector)
{
    lapic_send(processors[number].apic_id, vector);
}

static bool is_free(size_t number)
{
    return number != current && processor_works(number) &&
           __atomic_load_n(&others[number]->work, __ATOMIC_ACQUIRE) == NULL;
}

static void give(size_t number, processor_work *work, void *argument)
{
    others[number]->argument = argument;
    __atomic_store_n(&others[number]->work, work, __ATOMIC_RELEASE);
    processor_send(number, PROCESSOR_VECTOR_WAKE);
}

bool processor_begin(size_t number, processor_work *work, void *argument)
{
    if (!is_free(number)) {
        return false;
    }
    give(number, work, argument);
    return true;
}

/* Waits a little, or halts until an interrupt or the end of `ticks`. It halts if the LAPIC timer
 * can end the HLT, because a polling loop would slow down the other thread of its core. */
static void rest(bool may_halt, uint64_t ticks)
{
    if (!may_halt) {
        cpu_pause();
        return;
    }
    lapic_timer_start(PROCESSOR_VECTOR_WAKE, LAPIC_TIMER_ONE_SHOT, clock_lapic_counts(ticks));
    cpu_wait_for_interrupt();
    lapic_timer_stop();
}

static bool await_end(struct other *other, bool may_halt, uint64_t ticks)
{
    struct tsc_wait wait = tsc_wait_begin(ticks);

    while (__atomic_load_n(&other->work, __ATOMIC_SEQ_CST) != NULL) {
        const uint64_t spent = tsc_read() - wait.start;

        if (state_of(other->number) == PROCESSOR_LOST) {
            return false;
        }
        if (tsc_wait_over(&wait)) {
            end_as(other->number, PROCESSOR_LOST, "it did not finish its work in time");
            return false;
        }
        rest(may_halt, ticks - spent);
    }
    return true;
}

bool processor_await(size_t number, uint64_t ticks)
{
    struct other *other = others[number];
    const uint64_t flags = interrupts_save();
    /* With interrupts on, threads may run, and they use the timer. */
    const bool may_halt = (flags & RFLAGS_INTERRUPTS) == 0 && clock_state()->lapic_hz != 0;

    __atomic_store_n(&other->awaited, may_halt, __ATOMIC_SEQ_CST);
    interrupts_restore(flags);
    const bool good = await_end(other, may_halt, ticks);

    __atomic_store_n(&other->awaited, false, __ATOMIC_SEQ_CST);
    return good;
}

/* An offer to another processor is either taken by it or withdrawn, by whichever side is first.
 * Returns whether the caller was first. */
static bool take(bool *taken)
{
    return !__atomic_exchange_n(taken, true, __ATOMIC_SEQ_CST);
}

/* Waits until the offer is taken. Otherwise withdraws it and returns false; the processor is then
 * lost, unless it was lost before. */
static bool is_taken(bool *taken, size_t number, const char *why)
{
    struct tsc_wait wait = tsc_wait_begin(ticks_from_us(TAKE_US));

    while (!__atomic_load_n(taken, __ATOMIC_SEQ_CST) && processor_works(number) &&
           !tsc_wait_over(&wait)) {
        cpu_pause();
    }
    if (!take(taken)) {
        return true;
    }
    if (processor_works(number)) {
        end_as(number, PROCESSOR_LOST, why);
    }
    return false;
}

/* Begins the work of processor_call() after the waking interrupt has arrived: it is not pending
 * immediately after it was sent. */
static void take_call(void *argument)
{
    struct call *call = argument;

    if (!take(&call->taken)) {
        return;
    }
    while (!__atomic_load_n(&call->woken, __ATOMIC_SEQ_CST)) {
        cpu_pause();
    }
    interrupts_enable();
    wait_us(ARRIVAL_US);
    interrupts_disable();
    call->work(call->argument);
}

bool processor_call(size_t number, processor_work *work, void *argument, uint64_t us)
{
    if (!is_free(number)) {
        return false;
    }
    struct call *call = &others[number]->call;

    *call = (struct call){.work = work, .argument = argument};
    give(number, take_call, call);
    __atomic_store_n(&call->woken, true, __ATOMIC_SEQ_CST);
    return is_taken(&call->taken, number, "it does not answer") &&
           await_end(others[number], false, ticks_from_us(us));
}

void processor_drain(void)
{
    if (!lapic_state()->present) {
        return;
    }
    interrupt_reset();
    descriptors_reset_entry(LAPIC_VECTOR_TIMER);
    lapic_timer_stop();
    lapic_end_all();
    struct tsc_wait wait = tsc_wait_begin(ticks_from_us(ARRIVAL_US));

    while (!tsc_wait_over(&wait)) {
        interrupt_let_one_in();
        cpu_pause();
    }
    for (unsigned i = 0; i < VECTOR_COUNT && lapic_has_requests(); i++) {
        interrupt_let_one_in();
    }
    lapic_end_all(); /* the PICs may have raised interrupts that were not acknowledged */
}

static void abandon(size_t number)
{
    struct other *other = others[number];
    struct tsc_wait wait = tsc_wait_begin(ticks_from_us(ANSWER_US));

    __atomic_store_n(&other->abandoned, true, __ATOMIC_SEQ_CST);
    lapic_send_nmi(processors[number].apic_id);
#if TARE_SMP
    /* so that it is not waited for: the number of looks would be a matter of chance */
    for (int i = 0; i < TURNS; i++) {
        cpu_pause();
    }
#endif
    while (__atomic_load_n(&other->abandoned, __ATOMIC_SEQ_CST)) {
        if (tsc_wait_over(&wait)) {
            if (processor_works(number)) {
                end_as(number, PROCESSOR_LOST,
                       "it did not leave the work of a bench that has ended");
            }
            return;
        }
        cpu_pause();
    }
}

/* A processor that was late, or that a hypervisor suspended, is not halted like one that an
 * exception ended: it would continue its work later. One NMI is sent, and stays pending until it
 * does. */
static bool may_be_at_work(size_t number)
{
    const struct other *other = others[number];

    if (other == NULL || __atomic_load_n(&other->work, __ATOMIC_SEQ_CST) == NULL) {
        return false;
    }
    return processor_works(number) || (processors[number].fault_rip == 0 &&
                                       !__atomic_load_n(&other->abandoned, __ATOMIC_SEQ_CST));
}

void processors_abandon(void)
{
#if TARE_SMP
    /* Interrupts of a session that are pending on these processors are only acknowledged. */
    interrupts_unshare(other_interrupt_entry);
    descriptors_set_other_entry(PROCESSOR_VECTOR_TICK, other_interrupt_entry);
#endif
    for (size_t i = 0; i < processor_total; i++) {
        if (i != current && may_be_at_work(i)) {
            abandon(i);
        }
    }
}

void processor_vanish(size_t number)
{
    __atomic_store_n(&others[number]->vanishes, true, __ATOMIC_SEQ_CST);
    lapic_send_nmi(processors[number].apic_id);
}

void processor_answer(void *argument)
{
    struct processor_answer *answer = argument;

    answering = answer;
    answer->there = 1;
    while (answer->stop == 0) {
        if (answer->halts) {
            cpu_wait_for_interrupt();
        } else {
            interrupts_enable();
            cpu_pause();
        }
    }
    interrupts_disable();
    answering = NULL;
}

/* ---- moving the kernel ---- */

struct move {
    size_t to;
    size_t from;
    processor_work *function;
    void *argument;
    uint64_t stack; /* where the kernel's stack ends */
    jmp_buf here;   /* in processor_move_kernel() */
};

static void call_function(void *argument, uint64_t stack)
{
    const struct move *move = argument;

    (void)stack;
    move->function(move->argument);
}

/* Returns false if the processor that the kernel came from is lost. */
static bool give_back(struct other *from)
{
    __atomic_store_n(&from->returned, true, __ATOMIC_SEQ_CST);
    processor_send(from->number, PROCESSOR_VECTOR_WAKE);
    return is_taken(&from->taken, from->number, "it does not take the kernel back");
}

static void load_kernel(void)
{
    descriptors_reload();
    machine_check_join(NULL);
}

/* Runs on the new processor. */
static void carry_kernel(void *argument)
{
    struct move *move = argument;

    load_kernel();
    start_call_on(move->stack, call_function, move);
    load_other(others[move->to]);
    if (!give_back(others[move->from])) {
        load_kernel();
        longjmp(move->here, 1);
    }
}

/* Runs on the old processor, on a separate stack, because the kernel's stack moves with the
 * kernel. */
static void wait_for_kernel(void *argument, uint64_t stack)
{
    struct move *move = argument;
    struct other *here = others[move->from];

    here->returned = here->taken = false;
    move->stack = stack;
    load_other(here);
    current = move->to;
    give(move->to, carry_kernel, move);
    serve(here, &here->returned);
    if (!take(&here->taken)) {
        serve(here, NULL); /* too late: the kernel went on without this processor */
    }
    current = move->from;
    load_kernel();
}

bool processor_move_kernel(size_t number, processor_work *function, void *argument)
{
    struct move move = {.to = number, .from = current, .function = function, .argument = argument};

    if (number == current) {
        function(argument);
        return true;
    }
    processors_start();
    if (!processor_works(number)) {
        return false;
    }
    if (setjmp(move.here) == 0) {
        start_call_on(others[current]->stack.top, wait_for_kernel, &move);
    }
    return true;
}
