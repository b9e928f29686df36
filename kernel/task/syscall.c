/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/syscall.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/descriptors.h"
#include "kernel/cpu/msr.h"
#include "kernel/task/message.h"
#include "kernel/task/pipe.h"
#include "kernel/task/thread.h"
#include "kernel/task/user.h"
#include "kernel/trace/object.h"
#include "kernel/trace/recorder.h"

#define PIPES_MAX 16

#define CPUID_FEATURES    (CPUID_EXTENDED + 1)
#define CPUID_HAS_SYSCALL (1u << 11) /* EDX */

#define FLAG_TF (1ull << 8)
#define FLAG_IF (1ull << 9)
#define FLAG_DF (1ull << 10)
#define FLAG_AC (1ull << 18)

/* SYSCALL takes CS from bits 47-32 and SS behind it; SYSRET takes SS 8 and CS 16 above bits 63-48.
 */
#define STAR ((uint64_t)(SELECTOR_USER_DATA - 8) << 48 | (uint64_t)SELECTOR_CODE << 32)
_Static_assert(SELECTOR_DATA == SELECTOR_CODE + 8, "as SYSCALL has it");
_Static_assert(SELECTOR_USER_CODE == SELECTOR_USER_DATA + 8, "as SYSRET has it");

/* syscall_entry.S has these as numbers. */
_Static_assert(SYSCALL_EXIT == 1 && SYSCALL_COUNT == 10, "syscall_entry.S knows them");
_Static_assert(offsetof(struct task_state, rsp) == 4, "syscall_entry.S knows it");
void syscall_entry(void) __attribute__((visibility("hidden")));

typedef uint64_t syscall_handler(uint64_t a, uint64_t b, uint64_t c);
extern syscall_handler *const syscall_table[SYSCALL_COUNT] __attribute__((visibility("hidden")));
extern bool syscall_traced __attribute__((visibility("hidden")));
bool syscall_traced;

static struct pipe *pipes[PIPES_MAX];
static size_t pipe_count;

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
    const uint8_t byte = (uint8_t)value;

    (void)c;
    if (number >= pipe_count) {
        return SYSCALL_REFUSED;
    }
    pipe_write(pipes[number], &byte, sizeof(byte));
    return 0;
}

static uint64_t call_pipe_read(uint64_t number, uint64_t b, uint64_t c)
{
    uint8_t byte = 0;

    (void)b;
    (void)c;
    if (number >= pipe_count) {
        return SYSCALL_REFUSED;
    }
    pipe_read(pipes[number], &byte, sizeof(byte));
    return byte;
}

static uint64_t call_mark(uint64_t what, uint64_t value, uint64_t c)
{
    (void)c;
    trace_mark((uint16_t)what, value);
    return 0;
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
        *why = "the processor does not keep what SYSCALL needs";
        return false;
    }
    /* Ring 3 may read the TSC, and reports of exceptions the stacks of ring 3. */
    cr4_write(cr4_read() & ~(CR4_TSD | CR4_SMAP));
    return true;
}

static void name_calls(void)
{
    static const char *const names[SYSCALL_COUNT] = {
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
    };

    for (size_t i = 0; i < SYSCALL_COUNT; i++) {
        const struct trace_object object = {
            .kind = OBJECT_SYSCALL, .id = (uint16_t)i, .name = names[i]};

        trace_object_set(&object);
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
