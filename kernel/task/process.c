/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/process.h"

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/exception.h"
#include "kernel/mem/address_space.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_pool.h"
#include "kernel/mem/paging.h"
#include "kernel/smp/baton.h"
#include "kernel/task/process_space.h"
#include "kernel/task/syscall.h"
#include "kernel/trace/object.h"

#define PAGES_PROMISED 64

/* Each stack has a slot whose lowest page is the guard. */
#define STACKS_BASE  (PROCESS_BASE + PROCESS_BYTES)
#define STACKS_BYTES (2ull << 20)
#define STACK_SLOT   (PROCESS_STACK_BYTES + PAGE_SIZE)
_Static_assert(PROCESS_THREADS_MAX *STACK_SLOT <= STACKS_BYTES, "no room for the stacks");

/* Bits of a page fault's error code (SDM volume 3 section 4.7). */
#define FAULT_WRITE (1ull << 1)
#define FAULT_USER  (1ull << 2)
#define FAULT_FETCH (1ull << 4)

/* How a thread of ring 3 begins. */
struct user_thread {
    const struct thread *thread;
    thread_entry *entry;
    uint64_t argument;
    uint64_t stack_top;
};

static struct process processes[PROCESSES_MAX];
static size_t process_count;
static struct user_thread user_threads[THREADS_MAX];
static size_t user_thread_count;
static struct {
    struct process_fault_stamps *stamps;
    size_t capacity;
    size_t count;
} stamping;

/* ---- faults ---- */

static bool in_memory(uint64_t address)
{
    return address - PROCESS_BASE < PROCESS_BYTES;
}

static bool in_stack(const struct process *process, uint64_t address)
{
    const uint64_t offset = address - STACKS_BASE;

    return offset / STACK_SLOT < process->stacks && offset % STACK_SLOT >= PAGE_SIZE;
}

bool process_is_guard(uint64_t address)
{
    const uint64_t offset = address - STACKS_BASE;

    return offset / STACK_SLOT < PROCESS_THREADS_MAX && offset % STACK_SLOT < PAGE_SIZE;
}

struct fault {
    struct process *process;
    uint64_t address;
    void *page; /* page that is there already, or NULL */
    enum fault_kind kind;
};

/* Sets *kind for a fault. Returns whether the fault can be resolved. */
static bool kind_of(enum page_access access, bool write, enum fault_kind *kind)
{
    switch (access) {
    case PAGE_ABSENT:
        *kind = FAULT_DEMAND_ZERO;
        return true;
    case PAGE_HIDDEN:
        *kind = FAULT_MINOR;
        return true;
    case PAGE_SHARED:
        *kind = FAULT_COPY_ON_WRITE;
        return write;
    case PAGE_PROTECTED:
        *kind = FAULT_PROTECTION;
        return write;
    default:
        return false;
    }
}

static inline __attribute__((always_inline)) bool find(const struct interrupt_frame *frame,
                                                       struct fault *fault)
{
    const uint64_t address = cr2_read();
    struct process *process = frame->error_code & FAULT_USER ? scheduler_running()->process : NULL;
    enum page_access access;

    if (process == NULL || (frame->error_code & FAULT_FETCH) != 0 ||
        !(in_memory(address) || in_stack(process, address))) {
        return false;
    }
    fault->process = process;
    fault->address = address;
    fault->page = address_space_page(&process->space, address, &access);
    return kind_of(access, (frame->error_code & FAULT_WRITE) != 0, &fault->kind);
}

/* Returns the page that resolves the fault, or NULL if the pool is empty. */
static void *page_for(const struct fault *fault)
{
    if (fault->kind == FAULT_DEMAND_ZERO) {
        return page_pool_take();
    }
    return fault->kind == FAULT_COPY_ON_WRITE ? page_pool_take_copy(fault->page) : fault->page;
}

#if TARE_SMP
/* Makes the other processors that run threads of the process forget what its pages were. */
static void shoot_down(const struct process *process)
{
    uint64_t mask = 0;

    for (size_t i = 0; i < baton_processors(); i++) {
        if (i != percpu_number &&
            *PER_CPU_OF(i, const struct process *, process_entered) == process) {
            trace_ipi((uint8_t)i, IPI_SHOOTDOWN);
            mask |= 1ull << i;
        }
    }
    if (mask != 0) {
        baton_flush(mask);
    }
}

/* Returns whether the page is there: another processor resolved the fault meanwhile, or this one
 * still has the old translation. */
static bool is_resolved(const struct interrupt_frame *frame)
{
    const uint64_t address = cr2_read();
    const struct process *process = scheduler_running()->process;
    enum page_access access = PAGE_ABSENT;

    if (!sections_shared || process == NULL || (frame->error_code & FAULT_FETCH) != 0 ||
        (frame->error_code & FAULT_USER) == 0) {
        return false;
    }
    address_space_page(&process->space, address, &access);
    tlb_forget(address);
    return access == PAGE_OWN;
}
#endif

static inline __attribute__((always_inline)) bool cure(const struct fault *fault)
{
    trace_fault_entry(fault->address, (uint8_t)fault->kind);
    const void *page = page_for(fault);

    if (page != NULL) {
        address_space_show(&fault->process->space, fault->address, page, PAGE_OWN);
        fault->process->faults[fault->kind]++;
#if TARE_SMP
        if (fault->kind == FAULT_COPY_ON_WRITE) {
            shoot_down(fault->process);
        }
#endif
    }
    trace_fault_exit((uint8_t)fault->kind);
    return page != NULL;
}

static bool resolve_fault(struct interrupt_frame *frame)
{
    struct fault fault;

#if TARE_SMP
    if (is_resolved(frame)) {
        return true;
    }
#endif
    return find(frame, &fault) && cure(&fault);
}

static bool resolve_stamped(struct interrupt_frame *frame)
{
    struct fault fault;
    struct process_fault_stamps *stamps = &stamping.stamps[stamping.count];

    if (stamping.count == stamping.capacity) {
        return resolve_fault(frame);
    }
    stamps->entered = tsc_read_ordered();
    if (!find(frame, &fault)) {
        return false;
    }
    stamps->found = tsc_read_ordered();
    const bool cured = cure(&fault);

    stamps->address = fault.address;
    stamping.count++;
    stamps->shown = tsc_read_ordered();
    return cured;
}

void process_stamp_faults(struct process_fault_stamps *stamps, size_t capacity)
{
    stamping.stamps = stamps;
    stamping.capacity = capacity;
    stamping.count = 0;
    exception_set_resolver(capacity > 0 ? resolve_stamped : resolve_fault);
}

bool process_resolve_fault(struct interrupt_frame *frame)
{
    return resolve_fault(frame);
}

size_t process_faults_stamped(void)
{
    return stamping.count;
}

/* ---- processes ---- */

bool process_supported(const char **why)
{
    if (paging_root() == 0) {
        *why = "the kernel's page tables are not active";
        return false;
    }
    return syscall_enable(why);
}

const char *process_use_tags(void)
{
    return address_space_use_tags();
}

bool process_reserve(size_t pages)
{
    return page_pool_promise(pages);
}

static bool prepare_session(void)
{
    const char *why;

    if (!process_supported(&why)) {
        return false;
    }
    const struct trace_object kernel = {.kind = OBJECT_PROCESS, .id = 0, .name = "kernel"};

    trace_object_set(&kernel);
    syscall_begin();
    exception_set_resolver(resolve_fault);
    return true;
}

struct process *process_create(const char *name)
{
    const uint64_t bytes = PROCESS_BYTES + STACKS_BYTES;
    struct process *process = &processes[process_count];

    if (process_count == PROCESSES_MAX || (process_count == 0 && !prepare_session()) ||
        !page_pool_promise(address_space_pages(bytes) + PAGES_PROMISED)) {
        return NULL;
    }
    *process = (struct process){.id = 0};
    if (!address_space_create(&process->space, PROCESS_BASE, bytes)) {
        return NULL;
    }
    process_count++;
    process->id = trace_object_add(OBJECT_PROCESS, name);
    return process;
}

static void go_to_ring3(void *argument)
{
    const struct user_thread *thread = argument;

    syscall_launch(thread->argument, (uint64_t)(uintptr_t)thread->entry, thread->stack_top);
}

struct thread *process_thread(struct process *process, const char *name, unsigned priority,
                              thread_entry *entry, uint64_t argument)
{
    if (process->stacks == PROCESS_THREADS_MAX || user_thread_count == THREADS_MAX) {
        return NULL;
    }
    struct user_thread *user = &user_threads[user_thread_count];

    *user = (struct user_thread){
        .entry = entry,
        .argument = argument,
        .stack_top = STACKS_BASE + (process->stacks + 1) * STACK_SLOT,
    };
    const uint64_t flags = interrupts_save();
    struct thread *thread = thread_create_in(name, priority, process, go_to_ring3, user);

    if (thread != NULL) {
        user->thread = thread;
        user_thread_count++;
        process->stacks++;
        scheduler_settle();
    }
    interrupts_restore(flags);
    return thread;
}

bool process_share(struct process *to, struct process *from, uint64_t offset, uint64_t bytes)
{
    enum page_access access;

    for (uint64_t at = offset; at < offset + bytes; at += PAGE_SIZE) {
        const void *page = address_space_page(&from->space, PROCESS_BASE + at, &access);

        if (page == NULL || at >= PROCESS_BYTES) {
            return false;
        }
        address_space_show(&from->space, PROCESS_BASE + at, page, PAGE_SHARED);
        address_space_show(&to->space, PROCESS_BASE + at, page, PAGE_SHARED);
    }
#if TARE_SMP
    const uint64_t flags = interrupts_save();

    shoot_down(from);
    interrupts_restore(flags);
#endif
    return true;
}

bool process_copy(struct process *to, const struct process *from, uint64_t offset, uint64_t bytes)
{
    enum page_access access;

    for (uint64_t at = offset; at < offset + bytes; at += PAGE_SIZE) {
        const void *page = address_space_page(&from->space, PROCESS_BASE + at, &access);
        const void *copy = page != NULL && at < PROCESS_BYTES ? page_pool_take_copy(page) : NULL;

        if (copy == NULL) {
            return false;
        }
        address_space_show(&to->space, PROCESS_BASE + at, copy, PAGE_OWN);
    }
    return true;
}

/* Makes pages that are not shared read only or absent. */
static bool withdraw(struct process *process, uint64_t offset, uint64_t bytes,
                     enum page_access wanted)
{
    enum page_access access;

    for (uint64_t at = offset; at < offset + bytes; at += PAGE_SIZE) {
        const void *page = address_space_page(&process->space, PROCESS_BASE + at, &access);

        if (page == NULL || access == PAGE_SHARED || at >= PROCESS_BYTES) {
            return false;
        }
        address_space_show(&process->space, PROCESS_BASE + at, page, wanted);
    }
#if TARE_SMP
    const uint64_t flags = interrupts_save();

    shoot_down(process);
    interrupts_restore(flags);
#endif
    return true;
}

bool process_protect(struct process *process, uint64_t offset, uint64_t bytes)
{
    return withdraw(process, offset, bytes, PAGE_PROTECTED);
}

bool process_hide(struct process *process, uint64_t offset, uint64_t bytes)
{
    return withdraw(process, offset, bytes, PAGE_HIDDEN);
}

bool process_read(const struct process *process, uint64_t offset, void *to, size_t bytes)
{
    enum page_access access;
    uint8_t *out = to;

    for (size_t i = 0; i < bytes; i++) {
        const uint64_t at = offset + i;
        const uint8_t *page = address_space_page(&process->space, PROCESS_BASE + at, &access);

        if (page == NULL || at >= PROCESS_BYTES) {
            return false;
        }
        out[i] = page[at % PAGE_SIZE];
    }
    return true;
}

uint64_t process_fault_count(const struct process *process, enum fault_kind kind)
{
    return process->faults[kind];
}

bool process_offer_pipe(struct pipe *pipe)
{
    return syscall_offer_pipe(pipe);
}

/* ---- for the session ---- */

void process_reset(void)
{
    process_leave();
    address_space_drop_tags();
    exception_set_resolver(NULL);
    page_pool_reset();
    process_count = 0;
    user_thread_count = 0;
}

/* ---- for reports ---- */

static const struct user_thread *find_user_thread(const struct thread *thread)
{
    for (size_t i = 0; i < user_thread_count; i++) {
        if (user_threads[i].thread == thread) {
            return &user_threads[i];
        }
    }
    return NULL;
}

bool process_stack(const struct thread *thread, struct stack *stack)
{
    const struct user_thread *user = find_user_thread(thread);
    enum page_access access;

    if (user == NULL) {
        return false;
    }
    *stack = (struct stack){user->stack_top, user->stack_top};
    while (address_space_page(&thread->process->space, stack->low - PAGE_SIZE, &access) != NULL) {
        stack->low -= PAGE_SIZE;
    }
    return true;
}

bool section_create(struct section *section, uint64_t bytes)
{
    const uint64_t whole = (bytes + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;

    *section = (struct section){memory_allocate(whole, MEMORY_SETS_BYTES), whole};
    return section->memory != NULL;
}

bool section_show(const struct section *section, struct process *process, uint64_t address)
{
    return address % PAGE_SIZE == 0 && address >= SECTIONS_BASE &&
           address <= SECTIONS_END - section->bytes &&
           page_pool_promise(address_space_apart_pages(section->bytes)) &&
           address_space_show_apart(&process->space, address, section->memory, section->bytes);
}
