/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/syscall.h"

#include <stddef.h>
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/msr.h"
#include "kernel/task/message.h"
#include "kernel/task/pipe.h"
#include "kernel/task/process_space.h"
#include "kernel/task/thread.h"
#include "kernel/task/user.h"
#include "kernel/trace/object.h"
#include "kernel/trace/recorder.h"

#define PIPES_MAX 16

#define CPUID_FEATURES     (CPUID_EXTENDED + 1)
#define CPUID_HAS_SYSCALL  (1u << 11) /* EDX */
#define CPUID_HAS_SYSENTER (1u << 11) /* EDX of leaf 1 */

#define FLAG_TF (1ull << 8)
#define FLAG_IF (1ull << 9)
#define FLAG_DF (1ull << 10)
#define FLAG_AC (1ull << 18)

/* SYSCALL loads CS from bits 47-32, and SS from the value of these bits plus 8. SYSRET loads SS
 * from the value of bits 63-48 plus 8, and CS from the same value plus 16. */
#define STAR ((uint64_t)(SELECTOR_USER_DATA - 8) << 48 | (uint64_t)SELECTOR_CODE << 32)
_Static_assert(SELECTOR_DATA == SELECTOR_CODE + 8, "SYSCALL needs this distance");
_Static_assert(SELECTOR_USER_CODE == SELECTOR_USER_DATA + 8, "SYSRET needs this distance");
_Static_assert(SELECTOR_SYSEXIT_CODE == SELECTOR_CODE + 32 + 3 &&
                   SELECTOR_SYSEXIT_DATA == SELECTOR_CODE + 40 + 3,
               "SYSEXIT needs these distances");

/* syscall.S has these values as numbers. */
_Static_assert(SYSCALL_EXIT == 1 && SYSCALL_COUNT == 29, "syscall.S knows them");
_Static_assert(offsetof(struct task_state, rsp) == 4, "syscall.S knows it");
void syscall_entry(void) __attribute__((visibility("hidden")));
void syscall_interrupt_entry(void) __attribute__((visibility("hidden")));
void sysenter_entry(void) __attribute__((visibility("hidden")));

typedef uint64_t syscall_handler(uint64_t a, uint64_t b, uint64_t c);
/* Entry stubs of the handlers with more arguments: they move the fourth to where C expects it. */
syscall_handler call_sum4_entry __attribute__((visibility("hidden")));
syscall_handler call_sum5_entry __attribute__((visibility("hidden")));
syscall_handler call_sum6_entry __attribute__((visibility("hidden")));
uint64_t call_sum4(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
uint64_t call_sum5(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e);
uint64_t call_sum6(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);
bool copy_words(uint64_t *to, const uint64_t *from) __attribute__((visibility("hidden")));
extern syscall_handler *const syscall_table[SYSCALL_COUNT] __attribute__((visibility("hidden")));
extern bool syscall_traced __attribute__((visibility("hidden")));
bool syscall_traced;

static struct pipe *pipes[PIPES_MAX];
static size_t pipe_count;
static uint64_t copied[SYSCALL_COPY_WORDS];
static const struct syscall_files *files; /* NULL if there are none */
static const struct syscall_windows *windows;

/* ---- the calls ---- */

static uint64_t call_null(uint64_t a, uint64_t b, uint64_t c)
{
    (void)a;
    (void)b;
    (void)c;
    return 0;
}

static uint64_t call_exit(uint64_t a, uint64_t b, uint64_t c)
{
    (void)a;
    (void)b;
    (void)c;
    thread_exit();
}

static uint64_t call_yield(uint64_t a, uint64_t b, uint64_t c)
{
    (void)a;
    (void)b;
    (void)c;
    thread_yield();
    return 0;
}

static uint64_t call_sleep_until(uint64_t deadline, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    thread_sleep_until(deadline);
    return 0;
}

static uint64_t call_send(uint64_t to, uint64_t tag, uint64_t value)
{
    struct thread *thread = to <= UINT16_MAX ? thread_by_id((uint16_t)to) : NULL;

    if (thread == NULL || tag >= TRACE_TAG_ANY) {
        return SYSCALL_REFUSED;
    }
    return message_send(thread, (uint16_t)tag, (uint32_t)value) ? 1 : 0;
}

static uint64_t pack(struct message message)
{
    return message.value | (uint64_t)message.tag << 32 | (uint64_t)message.from << 48;
}

static uint64_t call_receive(uint64_t a, uint64_t b, uint64_t c)
{
    (void)a;
    (void)b;
    (void)c;
    return pack(message_receive());
}

static uint64_t call_receive_tag(uint64_t tag, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    return tag < TRACE_TAG_ANY ? pack(message_receive_tag((uint16_t)tag)) : SYSCALL_REFUSED;
}

static uint64_t call_pipe_write(uint64_t number, uint64_t value, uint64_t c)
{
    (void)c;
    if (number >= pipe_count) {
        return SYSCALL_REFUSED;
    }
    pipe_write_byte(pipes[number], (uint8_t)value);
    return 0;
}

static uint64_t call_pipe_read(uint64_t number, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    return number < pipe_count ? pipe_read_byte(pipes[number]) : SYSCALL_REFUSED;
}

static uint64_t call_mark(uint64_t what, uint64_t value, uint64_t c)
{
    (void)c;
    trace_mark((uint16_t)what, value);
    return 0;
}

static uint64_t call_sum1(uint64_t a, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    return a;
}

static uint64_t call_sum2(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return a + b;
}

static uint64_t call_sum3(uint64_t a, uint64_t b, uint64_t c)
{
    return a + b + c;
}

uint64_t call_sum4(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return a + b + c + d;
}

uint64_t call_sum5(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    return a + b + c + d + e;
}

uint64_t call_sum6(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    return a + b + c + d + e + f;
}

/* Copies in the address space of the caller. A page that has not been touched faults, and the
 * kernel does not create it. */
static uint64_t call_copy64(uint64_t address, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    if (address - PROCESS_BASE > PROCESS_BYTES - sizeof(copied) ||
        !copy_words(copied, (const uint64_t *)(uintptr_t)address)) {
        return SYSCALL_REFUSED;
    }
    return 0;
}

const uint64_t *syscall_copied(void)
{
    return copied;
}

/* copy_words() copies eight words. */
_Static_assert(sizeof(struct user_stat) == sizeof(copied) && USER_NAME_BYTES == sizeof(copied),
               "eight words");

static bool in_memory(uint64_t address)
{
    return address - PROCESS_BASE <= PROCESS_BYTES - sizeof(copied);
}

/* Both copies run in the address space of the caller, as in call_copy64(). */
static uint64_t call_stat(uint64_t name, uint64_t to, uint64_t c)
{
    uint64_t words[SYSCALL_COPY_WORDS];
    char *wanted = (char *)words;

    (void)c;
    if (!in_memory(name) || !in_memory(to) ||
        !copy_words(words, (const uint64_t *)(uintptr_t)name)) {
        return SYSCALL_REFUSED;
    }
    wanted[USER_NAME_BYTES - 1] = '\0';
    const struct thread *thread = thread_by_name(wanted);

    if (thread == NULL) {
        return SYSCALL_REFUSED;
    }
    const struct user_stat stat = {
        .id = thread->id,
        .process = process_id(thread->process),
        .priority = thread->priority,
        .base_priority = thread->base_priority,
        .state = thread->state,
        .wait_reason = thread->why,
        .charged = thread->charged,
        .stack_bytes = thread->stack.top - thread->stack.low,
    };

    return copy_words((uint64_t *)(uintptr_t)to, (const uint64_t *)&stat) ? 0 : SYSCALL_REFUSED;
}

static uint64_t call_open(uint64_t name, uint64_t b, uint64_t c)
{
    uint64_t words[SYSCALL_COPY_WORDS];
    char *wanted = (char *)words;

    (void)b;
    (void)c;
    if (files == NULL || !in_memory(name) ||
        !copy_words(words, (const uint64_t *)(uintptr_t)name)) {
        return SYSCALL_REFUSED;
    }
    wanted[USER_NAME_BYTES - 1] = '\0';
    return files->open(wanted);
}

static uint64_t call_read(uint64_t file, uint64_t address, uint64_t bytes)
{
    return files != NULL ? files->read(file, address, bytes) : SYSCALL_REFUSED;
}

static uint64_t call_seek(uint64_t file, uint64_t offset, uint64_t c)
{
    (void)c;
    return files != NULL ? files->seek(file, offset) : SYSCALL_REFUSED;
}

static uint64_t call_map(uint64_t file, uint64_t address, uint64_t bytes)
{
    return files != NULL ? files->map(file, address, bytes) : SYSCALL_REFUSED;
}

static uint64_t call_queue_get(uint64_t a, uint64_t b, uint64_t c)
{
    (void)a;
    (void)b;
    (void)c;
    return windows != NULL ? windows->get() : SYSCALL_REFUSED;
}

static uint64_t call_queue_peek(uint64_t remove, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    return windows != NULL ? windows->peek(remove) : SYSCALL_REFUSED;
}

static uint64_t call_queue_done(uint64_t number, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    return windows != NULL ? windows->done(number) : SYSCALL_REFUSED;
}

static uint64_t call_timer(uint64_t microseconds, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    return windows != NULL ? windows->timer(microseconds) : SYSCALL_REFUSED;
}

static uint64_t call_draw(uint64_t a, uint64_t b, uint64_t c)
{
    (void)a;
    (void)b;
    (void)c;
    return windows != NULL ? windows->draw() : SYSCALL_REFUSED;
}

static uint64_t call_invalidate(uint64_t area, uint64_t b, uint64_t c)
{
    (void)b;
    (void)c;
    return windows != NULL ? windows->invalidate(area) : SYSCALL_REFUSED;
}

static uint64_t call_paint(uint64_t a, uint64_t b, uint64_t c)
{
    (void)a;
    (void)b;
    (void)c;
    return windows != NULL ? windows->paint() : SYSCALL_REFUSED;
}

syscall_handler *const syscall_table[SYSCALL_COUNT] = {
    [SYSCALL_NULL] = call_null,
    [SYSCALL_EXIT] = call_exit,
    [SYSCALL_YIELD] = call_yield,
    [SYSCALL_SLEEP_UNTIL] = call_sleep_until,
    [SYSCALL_SEND] = call_send,
    [SYSCALL_RECEIVE] = call_receive,
    [SYSCALL_RECEIVE_TAG] = call_receive_tag,
    [SYSCALL_PIPE_WRITE] = call_pipe_write,
    [SYSCALL_PIPE_READ] = call_pipe_read,
    [SYSCALL_MARK] = call_mark,
    [SYSCALL_SUM1] = call_sum1,
    [SYSCALL_SUM2] = call_sum2,
    [SYSCALL_SUM3] = call_sum3,
    [SYSCALL_SUM4] = call_sum4_entry,
    [SYSCALL_SUM5] = call_sum5_entry,
    [SYSCALL_SUM6] = call_sum6_entry,
    [SYSCALL_COPY64] = call_copy64,
    [SYSCALL_STAT] = call_stat,
    [SYSCALL_OPEN] = call_open,
    [SYSCALL_READ] = call_read,
    [SYSCALL_SEEK] = call_seek,
    [SYSCALL_MAP] = call_map,
    [SYSCALL_QUEUE_GET] = call_queue_get,
    [SYSCALL_QUEUE_PEEK] = call_queue_peek,
    [SYSCALL_QUEUE_DONE] = call_queue_done,
    [SYSCALL_TIMER] = call_timer,
    [SYSCALL_DRAW] = call_draw,
    [SYSCALL_INVALIDATE] = call_invalidate,
    [SYSCALL_PAINT] = call_paint,
};

/* ---- setting up ---- */

static bool has_instructions(void)
{
    return cpuid_instruction(CPUID_EXTENDED, 0).eax >= CPUID_FEATURES &&
           (cpuid_instruction(CPUID_FEATURES, 0).edx & CPUID_HAS_SYSCALL) != 0;
}

static bool keeps(uint32_t index, uint64_t value)
{
    uint64_t got;

    return msr_write(index, value) == 0 && msr_read(index, &got) == 0 && got == value;
}

bool syscall_enable(const char **why)
{
    uint64_t efer;

    if (!has_instructions() || msr_read(MSR_EFER, &efer) != 0) {
        *why = "the processor has no SYSCALL";
        return false;
    }
    if (!keeps(MSR_EFER, efer | EFER_SYSCALL) || !keeps(MSR_STAR, STAR) ||
        !keeps(MSR_LSTAR, (uint64_t)(uintptr_t)syscall_entry) ||
        !keeps(MSR_FMASK, FLAG_IF | FLAG_TF | FLAG_DF | FLAG_AC)) {
        *why = "the processor does not keep the MSRs of SYSCALL";
        return false;
    }
    /* Allow ring 3 to read the TSC, and reports of exceptions to read the stacks of ring 3. */
    cr4_write(cr4_read() & ~(CR4_TSD | CR4_SMAP));
    return true;
}

void syscall_open_interrupt(void)
{
    descriptors_set_user_entry(SYSCALL_VECTOR, syscall_interrupt_entry);
}

bool syscall_open_sysenter(const char **why)
{
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    if (cpu_is_amd(&identity)) {
        *why = "SYSENTER raises #UD in long mode on AMD";
        return false;
    }
    if (strcmp(identity.vendor, "GenuineIntel") != 0) {
        *why = "it is not known whether this vendor's processors have SYSENTER in long mode";
        return false;
    }
    if ((cpuid_instruction(1, 0).edx & CPUID_HAS_SYSENTER) == 0 ||
        !keeps(MSR_SYSENTER_CS, SELECTOR_CODE) ||
        !keeps(MSR_SYSENTER_ESP, (uint64_t)(uintptr_t)&task_state) ||
        !keeps(MSR_SYSENTER_EIP, (uint64_t)(uintptr_t)sysenter_entry)) {
        *why = "the processor has no SYSENTER";
        return false;
    }
    return true;
}

/* SYSENTER with a null selector in its MSR faults (SDM volume 2, SYSENTER). */
void syscall_close(void)
{
    descriptors_reset_entry(SYSCALL_VECTOR);
    msr_write(MSR_SYSENTER_CS, 0);
    windows = NULL;
}

static void name_calls(void)
{
    static const char *const names[SYSCALL_OPEN] = {
        [SYSCALL_NULL] = "null",
        [SYSCALL_EXIT] = "exit",
        [SYSCALL_YIELD] = "yield",
        [SYSCALL_SLEEP_UNTIL] = "sleep_until",
        [SYSCALL_SEND] = "send",
        [SYSCALL_RECEIVE] = "receive",
        [SYSCALL_RECEIVE_TAG] = "receive_tag",
        [SYSCALL_PIPE_WRITE] = "pipe_write",
        [SYSCALL_PIPE_READ] = "pipe_read",
        [SYSCALL_MARK] = "mark",
        [SYSCALL_SUM1] = "sum1",
        [SYSCALL_SUM2] = "sum2",
        [SYSCALL_SUM3] = "sum3",
        [SYSCALL_SUM4] = "sum4",
        [SYSCALL_SUM5] = "sum5",
        [SYSCALL_SUM6] = "sum6",
        [SYSCALL_COPY64] = "copy64",
        [SYSCALL_STAT] = "stat",
    };

    for (size_t i = 0; i < SYSCALL_OPEN; i++) {
        const struct trace_object object = {
            .kind = OBJECT_SYSCALL, .id = (uint16_t)i, .name = names[i]};

        trace_object_set(&object);
    }
}

/* Names are set only here, because sessions without files have no such calls. They differ from open
 * and read, for which readers of LTTng traces expect names and sizes of files. */
void syscall_set_files(const struct syscall_files *given)
{
    static const struct trace_object objects[] = {
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_OPEN, .name = "file_open"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_READ, .name = "file_read"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_SEEK, .name = "file_seek"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_MAP, .name = "file_map"},
    };

    files = given;
    for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
        if (files != NULL && recorder_running()) {
            trace_object_set(&objects[i]);
        }
    }
}

void syscall_set_windows(const struct syscall_windows *given)
{
    static const struct trace_object objects[] = {
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_QUEUE_GET, .name = "queue_get"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_QUEUE_PEEK, .name = "queue_peek"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_QUEUE_DONE, .name = "queue_done"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_TIMER, .name = "timer"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_DRAW, .name = "draw"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_INVALIDATE, .name = "invalidate"},
        {.kind = OBJECT_SYSCALL, .id = SYSCALL_PAINT, .name = "paint"},
    };

    windows = given;
    for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
        if (windows != NULL && recorder_running()) {
            trace_object_set(&objects[i]);
        }
    }
}

void syscall_begin(void)
{
    pipe_count = 0;
    syscall_traced = recorder_running();
    if (syscall_traced) {
        name_calls();
    }
}

bool syscall_offer_pipe(struct pipe *pipe)
{
    if (pipe_count == PIPES_MAX) {
        return false;
    }
    pipes[pipe_count++] = pipe;
    return true;
}
