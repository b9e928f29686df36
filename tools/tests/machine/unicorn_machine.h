/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A processor that runs the image's own machine code: Unicorn, in 64-bit mode, ring 0, memory flat
 * (CR0.PG off: page tables are built and never walked), with a PMU model (pmu_model.h) behind
 * RDMSR, WRMSR, RDPMC and CPUID.
 *
 * Time is instructions: the TSC advances by one for each that retires, and by nothing else but what
 * HLT skips. Loads and stores are instructions that read or wrote memory, as Unicorn saw it do;
 * branches are what Capstone groups as jump, call, return or interrupt return. A repeated string
 * instruction is one instruction. An exception or interrupt is delivered through the guest's IDT
 * and TSS, between instructions, and counts nothing by itself.
 *
 * The tag of the model's readings is the RDI of the instruction that read.
 *
 * What the processor here cannot do ends the call or run with a text in `failure`: nothing is
 * skipped in silence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/tests/machine/pmu_model.h"
#include "tools/tests/programs/image_elf.h"

#define MACHINE_IMAGE    0x00200000ull
#define MACHINE_RAM      0x10000000ull
#define MACHINE_RAM_SIZE (64ull << 20)
#define MACHINE_NEVER    UINT64_MAX
#define MACHINE_HLT      UINT32_MAX

/* The devices around it; none where the pointers are NULL. */
struct machine_devices {
    void *context;
    uint32_t (*port_read)(void *context, uint16_t port, unsigned bytes);
    void (*port_write)(void *context, uint16_t port, unsigned bytes, uint32_t value);
    /* An interrupt is taken: its vector. Called when `due` has come and the guest allows it; sets
     * `due` to the next. */
    uint8_t (*take_interrupt)(void *context);
};

/* Its machine check registers: SDM volume 3 chapter 16. */
#define MACHINE_CHECK_BANKS 6
struct machine_check_registers {
    uint64_t capabilities, status, control; /* MCG_: MSRs 179h to 17Bh */
    uint64_t bank[4 * MACHINE_CHECK_BANKS]; /* from MSR 400h on: control, status, address, other */
};

#define MACHINE_WATCHES_MAX 4

struct machine;
typedef void machine_watch_function(struct machine *machine, void *context);

struct machine {
    struct image_elf image;
    struct pmu_model model;
    struct machine_devices devices;
    uint64_t due;       /* TSC from which on an interrupt is pending; MACHINE_NEVER: none */
    uint64_t nmi_due;   /* the same of an NMI, which nothing holds back */
    uint64_t limit;     /* TSC at which a call or run counts as hung */
    uint64_t apic_base; /* MSR 1Bh; 0: there is no such register */
    struct machine_check_registers *checks; /* NULL: none, as CPUID reports */
    uint64_t interrupts;
    unsigned register_bytes; /* width of the access that a mapped device is asked for */
    /* Called on each RDTSC, with the RDI it was executed with; NULL: no call. */
    void (*on_stamp)(void *context, uint64_t rdi, uint64_t tsc);
    /* Changes what CPUID reports. NULL: the model's. */
    void (*on_cpuid)(void *context, uint32_t leaf, struct cpuid_result *result);
    /* Answers RDMSR in place of the model; false: it does not. NULL: the model does. */
    bool (*on_rdmsr)(void *context, uint32_t index, uint64_t *value);
    /* The same of WRMSR. */
    bool (*on_wrmsr)(void *context, uint32_t index, uint64_t value);
    /* It idles until the TSC `until`, by MWAIT with a hint or by HLT (MACHINE_HLT): the ticks that
     * it needs beyond that to come out, in which no interrupt is taken. MACHINE_NEVER: it ends at
     * once, as MWAIT may. NULL: HLT needs none, and there is no MWAIT. */
    uint64_t (*on_idle)(void *context, uint32_t hint, uint64_t until);
    /* WBINVD. NULL: nothing comes of it. */
    void (*on_flush)(void *context);
    void *context;
    uint64_t halted_at;    /* RIP of the HLT that nothing could wake, which ended the run; or 0 */
    char failure[160];     /* empty: none */
    struct engine *engine; /* what unicorn_machine.c keeps */
};

/* Loads the image at MACHINE_IMAGE and makes a processor of that kind. Ends the program where that
 * cannot be done. */
void machine_open(struct machine *machine, const char *image_path, enum pmu_machine kind);
void machine_close(struct machine *machine);

/* Calls `function` whenever the image is about to execute the instruction at `address`: the first
 * of a function, whose arguments machine_argument() then gives. */
void machine_watch(struct machine *machine, uint64_t address, machine_watch_function *function,
                   void *context);
/* Number 0 is RDI. */
uint64_t machine_argument(const struct machine *machine, unsigned number);

/* TSC now. */
uint64_t machine_tsc(const struct machine *machine);

/* Calls a function of the image, or of whatever code is in memory, to its return, with up to six
 * arguments; RAX. 0 where it failed. Interrupts are off at the start. */
uint64_t machine_call(struct machine *machine, uint64_t address, size_t count,
                      const uint64_t *arguments);

/* Has the image load its descriptor tables, with separate stacks for exceptions, so that faults
 * are caught as on silicon. */
void machine_load_descriptors(struct machine *machine);

/* Runs from `address` with one argument in RDI until the processor halts for good. False where it
 * failed. */
bool machine_run(struct machine *machine, uint64_t address, uint64_t argument);

/* A system management interrupt that takes so many instructions: the TSC goes on in any case, the
 * counters as the model defines. */
void machine_smi(struct machine *machine, uint64_t instructions);

/* So many ticks in which it executes nothing and no counter counts: a hypervisor has taken it away,
 * or a miss of its caches. */
void machine_stall(struct machine *machine, uint64_t ticks);

/* Memory of the guest, zeroed, at a multiple of 64; never given back. */
uint64_t machine_allocate(struct machine *machine, size_t size);
/* How much of MACHINE_RAM is taken, from its start. */
uint64_t machine_allocated(const struct machine *machine);

/* The guest's bytes. Ends the program where the guest has no memory there. */
void *machine_memory(struct machine *machine, uint64_t address, size_t size);

/* A page of device registers at `address`, accessed by `bytes` of 1 to 8. */
typedef uint64_t machine_register_read(void *context, uint64_t offset);
typedef void machine_register_write(void *context, uint64_t offset, uint64_t value);
void machine_map_device(struct machine *machine, uint64_t address, machine_register_read *read,
                        machine_register_write *write, void *context);

/* Turns RFLAGS.IF on or off for what is called next; off to begin with. */
void machine_allow_interrupts(struct machine *machine, bool allowed);
