/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel/sandbox/sandbox.h on Linux: a traced child process has the sandbox's memory at the image's
 * addresses. Each run sets all its registers; any signal or system call ends the run, and no system
 * call takes place. The child's program and stack stay mapped, at addresses that it cannot know.
 */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/simd.h"
#include "kernel/sandbox/sandbox.h"

#define LIMIT_US      200000 /* the timer's period; a run may take one period more than its limit */
#define SYSCALL_STOP  (SIGTRAP | 0x80)
#define SYSCALL_BYTES 2 /* of SYSCALL, SYSENTER, INT */
#define X87_CONTROL   0x37f
#define MXCSR_DEFAULT 0x1f80

static pid_t child;

/* Maps part of the sandbox's memory in the child. */
static bool map(int memory, uint64_t address, size_t bytes, int protection, off_t offset)
{
    return mmap((void *)address, bytes, protection,
                MAP_SHARED | MAP_FIXED_NOREPLACE |
                    MAP_POPULATE,                   // NOLINT(performance-no-int-to-ptr)
                memory, offset) == (void *)address; // NOLINT(performance-no-int-to-ptr)
}

/* Runs in the child: maps the memory and stops, to be given registers. */
static _Noreturn void become_sandbox(int memory)
{
    const struct itimerval limit = {{0, LIMIT_US}, {0, LIMIT_US}};
    bool mapped = map(memory, SANDBOX_BASE, SANDBOX_RESULTS_OFFSET, PROT_READ | PROT_EXEC, 0) &&
                  map(memory, SANDBOX_RESULTS, SANDBOX_RESULTS_BYTES, PROT_READ | PROT_WRITE,
                      SANDBOX_RESULTS_OFFSET);

    for (unsigned i = 0; i < SANDBOX_AREAS; i++) {
        mapped = mapped && map(memory, SANDBOX_AREA(i), SANDBOX_AREA_BYTES, PROT_READ | PROT_WRITE,
                               SANDBOX_AREAS_OFFSET + i * SANDBOX_AREA_BYTES);
    }
    if (mapped && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
        setitimer(ITIMER_VIRTUAL, &limit, NULL) == 0 &&
        ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) {
        raise(SIGSTOP);
    }
    _exit(1);
}

const char *sandbox_open(void)
{
    const int memory = memfd_create("sandbox", MFD_CLOEXEC);
    int status;

    if (memory < 0 || ftruncate(memory, SANDBOX_MEMORY_BYTES) != 0) {
        return "no memory for a sandbox";
    }
    sandbox.memory =
        mmap(NULL, SANDBOX_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    child = sandbox.memory != MAP_FAILED ? fork() : -1;
    if (child == 0) {
        become_sandbox(memory);
    }
    close(memory);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0) {
        return "Linux allows no traced process with the sandbox's memory";
    }
    return NULL;
}

void sandbox_close(void)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(sandbox.memory, SANDBOX_MEMORY_BYTES);
}

const char *sandbox_vectors(void)
{
    enum simd_level level = SIMD_AVX512;
    struct simd_state none;

    while (simd_enable(level, &none) != NULL) {
        level--;
    }
    return simd_name(level);
}

static void set_registers(const struct interrupt_frame *start)
{
    const struct user_fpregs_struct vectors = {.cwd = X87_CONTROL, .mxcsr = MXCSR_DEFAULT};
    struct user_regs_struct registers;

    ptrace(PTRACE_GETREGS, child, NULL, &registers);
    registers = (struct user_regs_struct){
        .r14 = start->r14,
        .rdi = start->rdi,
        .rsi = start->rsi,
        .rbp = start->rbp,
        .rsp = start->rsp,
        .rip = start->rip,
        .eflags = start->rflags,
        .orig_rax = UINT64_MAX, /* Linux repeats no system call */
        .cs = registers.cs,
        .ss = registers.ss,
    };
    ptrace(PTRACE_SETREGS, child, NULL, &registers);
    ptrace(PTRACE_SETFPREGS, child, NULL, &vectors);
}

/* Returns the vector that Linux turned into the signal, and its address in sandbox_cr2. */
static uint64_t vector_of(int signal)
{
    siginfo_t info = {0};

    ptrace(PTRACE_GETSIGINFO, child, NULL, &info);
    sandbox_cr2 = (uint64_t)info.si_addr;
    const bool by_kernel = info.si_code == SI_KERNEL;

    return signal == SIGVTALRM ? SANDBOX_LIMIT_VECTOR
           : signal == SIGSEGV ? (by_kernel ? 13 : 14)
           : signal == SIGFPE  ? (info.si_code == FPE_INTDIV ? 0 : 19)
           : signal == SIGTRAP ? (by_kernel ? 3 : 1)
           : signal == SIGBUS  ? (by_kernel ? 12 : 17)
                               : 6;
}

/* Takes the registers of the stopped child, and why it stopped. */
static void take_registers(int signal)
{
    struct user_regs_struct left = {0};

    ptrace(PTRACE_GETREGS, child, NULL, &left);
    sandbox_left = (struct interrupt_frame){left.r15,
                                            left.r14,
                                            left.r13,
                                            left.r12,
                                            left.r11,
                                            left.r10,
                                            left.r9,
                                            left.r8,
                                            left.rbp,
                                            left.rdi,
                                            left.rsi,
                                            left.rdx,
                                            left.rcx,
                                            left.rbx,
                                            left.rax,
                                            vector_of(signal),
                                            FAULT_ACCESS_UNKNOWN,
                                            left.rip,
                                            left.cs,
                                            left.eflags,
                                            left.rsp,
                                            left.ss};
    sandbox_left.rip -= signal == SYSCALL_STOP ? SYSCALL_BYTES : 0;
}

enum sandbox_end sandbox_run(unsigned number, uint64_t limit_ticks, size_t words, int64_t *begin,
                             int64_t *end)
{
    const struct interrupt_frame start = sandbox_start(number);
    uint64_t periods = 2 + limit_ticks / clock_ticks_from_us(LIMIT_US);
    int status = 0;

    set_registers(&start);
    do {
        ptrace(PTRACE_SYSEMU, child, NULL, NULL);
    } while (waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
             WSTOPSIG(status) == SIGVTALRM && --periods > 0);
    take_registers(WSTOPSIG(status));
    return sandbox_judge(number, words, begin, end);
}
