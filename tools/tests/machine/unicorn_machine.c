/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/machine/unicorn_machine.h"

#include <capstone/capstone.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unicorn/unicorn.h>

#include "kernel/cpu/descriptors.h"

#define STACK_SIZE             (256u << 10)
#define INTERRUPT_STACK_BYTES  16384
#define PAGE                   4096u
#define LENGTH_MAX             15
#define FLAG_IF                (1ull << 9)
#define FLAG_TF                (1ull << 8)
#define MSR_TSC                0x10u
#define MSR_CHECK_CAPABILITIES 0x179
#define MSR_CHECK_BANKS        0x400
#define CPUID_MCE              (1u << 7)
#define CPUID_MCA              (1u << 14)
#define MSR_APIC               0x1bu
#define MSR_EFER               0xc0000080u
#define VECTOR_NMI             2
#define FIRST_INT              32 /* vectors below are exceptions */
#define VECTOR_GP              13
#define GATE_SIZE              16
#define TSS_IST                36
#define DEFAULT_MAX            200000000u
#define DEVICES_MAX            8

enum work {
    WORK_UNKNOWN, /* not looked at yet */
    WORK_NONE,    /* Unicorn does it all */
    WORK_RDMSR,
    WORK_WRMSR,
    WORK_RDPMC,
    WORK_RDTSC,
    WORK_RDTSCP,
    WORK_CPUID,
    WORK_IN,
    WORK_OUT,
    WORK_HLT,
    WORK_MONITOR,
    WORK_MWAIT,
    WORK_WBINVD,
    WORK_REFUSED,
};

/* What is known of the instruction at an address. */
struct instruction {
    uint8_t work; /* enum work */
    uint8_t length;
    uint8_t bytes; /* IN, OUT */
    bool immediate_port;
    uint8_t port;
    bool branch;
    bool repeated;
    bool shadows; /* no interrupt directly behind it: STI, MOV SS */
    bool watched;
};

struct watch {
    uint64_t address;
    machine_watch_function *function;
    void *context;
};

struct device_page {
    machine_register_read *read;
    machine_register_write *write;
    void *context;
    unsigned *bytes; /* where the width of an access is stored */
};

struct engine {
    uc_engine *uc;
    csh disassembler;
    cs_insn *decoded;
    uint8_t *ram;
    uint64_t ram_used;
    uint64_t stack_top;
    uint64_t return_address;
    struct instruction *known; /* of each byte of the image */
    struct watch watches[MACHINE_WATCHES_MAX];
    size_t watch_count;
    struct device_page pages[DEVICES_MAX];
    size_t page_count;
    uint64_t skew; /* TSC less the instructions retired */
    uint64_t efer;
    /* The instruction that has begun and is not yet known to have retired. */
    bool begun;
    bool begun_repeated, begun_shadows;
    uint64_t begun_at;
    struct instruction_facts facts;
};

/* ---- small things ---- */

__attribute__((format(printf, 2, 3))) static void fail(struct machine *machine, const char *format,
                                                       ...)
{
    va_list arguments;

    if (machine->failure[0] == '\0') {
        va_start(arguments, format);
        vsnprintf(machine->failure, sizeof(machine->failure), format, arguments);
        va_end(arguments);
    }
    uc_emu_stop(machine->engine->uc);
}

__attribute__((noreturn)) static void die(const char *what, const char *why)
{
    fprintf(stderr, "unicorn_machine: %s: %s\n", what, why);
    exit(1);
}

static void must(uc_err error, const char *what)
{
    if (error != UC_ERR_OK) {
        die(what, uc_strerror(error));
    }
}

static uint64_t get(const struct machine *machine, int reg)
{
    uint64_t value = 0;

    uc_reg_read(machine->engine->uc, reg, &value);
    return value;
}

static void set(struct machine *machine, int reg, uint64_t value)
{
    uc_reg_write(machine->engine->uc, reg, &value);
}

uint64_t machine_tsc(const struct machine *machine)
{
    return machine->model.total[QUANTITY_INSTRUCTIONS] + machine->engine->skew;
}

void *machine_memory(struct machine *machine, uint64_t address, size_t size)
{
    const uint64_t in_image = address - machine->image.base;
    const uint64_t in_ram = address - MACHINE_RAM;

    if (in_image < machine->image.size && size <= machine->image.size - in_image) {
        return machine->image.memory + in_image;
    }
    if (in_ram >= MACHINE_RAM_SIZE || size > MACHINE_RAM_SIZE - in_ram) {
        die("guest address", "no memory there");
    }
    return machine->engine->ram + in_ram;
}

uint64_t machine_allocate(struct machine *machine, size_t size)
{
    const uint64_t at = MACHINE_RAM + machine->engine->ram_used;

    machine->engine->ram_used += (size + 63) / 64 * 64;
    memset(machine_memory(machine, at, size), 0, size);
    return at;
}

uint64_t machine_allocated(const struct machine *machine)
{
    return machine->engine->ram_used;
}

/* ---- instructions ---- */

static bool in_group(const cs_insn *decoded, uint8_t group)
{
    for (uint8_t i = 0; i < decoded->detail->groups_count; i++) {
        if (decoded->detail->groups[i] == group) {
            return true;
        }
    }
    return false;
}

static bool writes_ss(const cs_insn *decoded)
{
    const cs_x86 *x86 = &decoded->detail->x86;

    return decoded->id == X86_INS_MOV && x86->op_count > 0 && x86->operands[0].type == X86_OP_REG &&
           x86->operands[0].reg == X86_REG_SS;
}

static enum work work_of(const cs_insn *decoded)
{
    switch (decoded->id) {
    case X86_INS_RDMSR:
        return WORK_RDMSR;
    case X86_INS_WRMSR:
        return WORK_WRMSR;
    case X86_INS_RDPMC:
        return WORK_RDPMC;
    case X86_INS_RDTSC:
        return WORK_RDTSC;
    case X86_INS_RDTSCP:
        return WORK_RDTSCP;
    case X86_INS_CPUID:
        return WORK_CPUID;
    case X86_INS_IN:
        return WORK_IN;
    case X86_INS_OUT:
        return WORK_OUT;
    case X86_INS_HLT:
        return WORK_HLT;
    case X86_INS_MONITOR:
        return WORK_MONITOR;
    case X86_INS_MWAIT:
        return WORK_MWAIT;
    case X86_INS_WBINVD:
        return WORK_WBINVD;
    case X86_INS_INSB:
    case X86_INS_INSW:
    case X86_INS_INSD:
    case X86_INS_OUTSB:
    case X86_INS_OUTSW:
    case X86_INS_OUTSD:
        return WORK_REFUSED;
    default:
        return WORK_NONE;
    }
}

/* Accumulator and port: IN has the port second, OUT first. */
static void note_port(struct instruction *instruction, const cs_insn *decoded)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    const bool in = instruction->work == WORK_IN;
    const cs_x86_op *port = &x86->operands[in ? 1 : 0];

    instruction->bytes = x86->operands[in ? 0 : 1].size;
    instruction->immediate_port = port->type == X86_OP_IMM;
    instruction->port = instruction->immediate_port ? (uint8_t)port->imm : 0;
}

static struct instruction decode(struct machine *machine, uint64_t address)
{
    struct engine *engine = machine->engine;
    uint8_t code[LENGTH_MAX] = {0};
    const uint8_t *at = code;
    size_t left = sizeof(code);
    uint64_t pc = address;
    cs_insn *decoded = engine->decoded;

    for (size_t i = 0; i < sizeof(code); i++) {
        uc_mem_read(engine->uc, address + i, &code[i], 1);
    }
    if (!cs_disasm_iter(engine->disassembler, &at, &left, &pc, decoded)) {
        return (struct instruction){.work = WORK_REFUSED};
    }
    struct instruction instruction = {
        .work = (uint8_t)work_of(decoded),
        .length = (uint8_t)decoded->size,
        .branch = in_group(decoded, X86_GRP_JUMP) || in_group(decoded, X86_GRP_CALL) ||
                  in_group(decoded, X86_GRP_RET) || in_group(decoded, X86_GRP_IRET),
        .repeated = decoded->detail->x86.prefix[0] == X86_PREFIX_REP ||
                    decoded->detail->x86.prefix[0] == X86_PREFIX_REPNE,
        .shadows = decoded->id == X86_INS_STI || writes_ss(decoded),
    };

    if (instruction.work == WORK_IN || instruction.work == WORK_OUT) {
        note_port(&instruction, decoded);
    }
    return instruction;
}

static struct instruction instruction_at(struct machine *machine, uint64_t address)
{
    const uint64_t offset = address - machine->image.base;

    if (offset >= machine->image.size) {
        return decode(machine, address);
    }
    struct instruction *known = &machine->engine->known[offset];

    if (known->work == WORK_UNKNOWN) {
        *known = decode(machine, address);
    }
    return *known;
}

static void retire(struct machine *machine)
{
    struct engine *engine = machine->engine;

    if (engine->begun) {
        pmu_model_retire(&machine->model, engine->facts);
        engine->begun = false;
    }
}

static void begin(struct machine *machine, uint64_t address, const struct instruction *instruction)
{
    struct engine *engine = machine->engine;

    engine->begun = true;
    engine->begun_at = address;
    engine->begun_repeated = instruction->repeated;
    engine->begun_shadows = instruction->shadows;
    engine->facts = (struct instruction_facts){.branch = instruction->branch};
}

/* ---- exceptions and interrupts ---- */

static void push(struct machine *machine, uint64_t *rsp, uint64_t value)
{
    *rsp -= sizeof(value);
    if (uc_mem_write(machine->engine->uc, *rsp, &value, sizeof(value)) != UC_ERR_OK) {
        fail(machine, "no memory for an exception frame at %#lx", *rsp);
    }
}

static uint64_t stack_for(struct machine *machine, unsigned ist)
{
    uc_x86_mmr tr = {0};
    uint64_t rsp = get(machine, UC_X86_REG_RSP);

    if (ist != 0) {
        uc_reg_read(machine->engine->uc, UC_X86_REG_TR, &tr);
        uc_mem_read(machine->engine->uc, tr.base + TSS_IST + (uint64_t)(ist - 1) * 8, &rsp,
                    sizeof(rsp));
    }
    return rsp & ~15ull;
}

/* SDM volume 3, "Exception and Interrupt Handling in 64-bit Mode". */
static void deliver(struct machine *machine, uint8_t vector, const uint64_t *error_code,
                    uint64_t rip)
{
    uc_x86_mmr idtr = {0};
    uint8_t gate[GATE_SIZE] = {0};
    uint16_t parts[3];
    uint32_t high;

    uc_reg_read(machine->engine->uc, UC_X86_REG_IDTR, &idtr);
    uc_mem_read(machine->engine->uc, idtr.base + (uint64_t)vector * GATE_SIZE, gate, sizeof(gate));
    memcpy(parts, gate, 4);
    memcpy(&parts[2], gate + 6, 2);
    memcpy(&high, gate + 8, 4);
    const uint64_t cs = get(machine, UC_X86_REG_CS) & 0xffff;
    const uint64_t flags = get(machine, UC_X86_REG_RFLAGS);

    if (idtr.limit < vector * GATE_SIZE + GATE_SIZE - 1u || gate[5] != 0x8e || parts[1] != cs) {
        fail(machine, "no interrupt gate for vector %u at %#lx", vector, rip);
        return;
    }
    uint64_t rsp = stack_for(machine, gate[4] & 7);

    push(machine, &rsp, get(machine, UC_X86_REG_SS) & 0xffff);
    push(machine, &rsp, get(machine, UC_X86_REG_RSP));
    push(machine, &rsp, flags);
    push(machine, &rsp, cs);
    push(machine, &rsp, rip);
    if (error_code != NULL) {
        push(machine, &rsp, *error_code);
    }
    set(machine, UC_X86_REG_RSP, rsp);
    set(machine, UC_X86_REG_RFLAGS, flags & ~(FLAG_IF | FLAG_TF));
    set(machine, UC_X86_REG_RIP, (uint64_t)high << 32 | (uint64_t)parts[2] << 16 | parts[0]);
}

/* The instruction at `rip` does not retire. */
static void raise_gp(struct machine *machine, uint64_t rip)
{
    const uint64_t error_code = 0;

    machine->engine->begun = false;
    deliver(machine, VECTOR_GP, &error_code, rip);
}

/* True where an interrupt was delivered before the instruction at `rip`. */
static bool interrupt(struct machine *machine, uint64_t rip, bool shadow)
{
    if (shadow || (get(machine, UC_X86_REG_RFLAGS) & FLAG_IF) == 0 ||
        machine->devices.take_interrupt == NULL) {
        return false;
    }
    machine->interrupts++;
    deliver(machine, machine->devices.take_interrupt(machine->devices.context), NULL, rip);
    return true;
}

/* ---- what Unicorn leaves to us ---- */

static void set_pair(struct machine *machine, uint64_t value)
{
    set(machine, UC_X86_REG_RAX, value & 0xffffffff);
    set(machine, UC_X86_REG_RDX, value >> 32);
}

static uint32_t low_half(const struct machine *machine, int reg)
{
    return (uint32_t)get(machine, reg);
}

/* NULL: it is none of these. */
static uint64_t *check_register(const struct machine *machine, uint32_t index)
{
    struct machine_check_registers *checks = machine->checks;

    if (checks != NULL && index - MSR_CHECK_BANKS < 4 * MACHINE_CHECK_BANKS) {
        return &checks->bank[index - MSR_CHECK_BANKS];
    }
    if (checks == NULL || index - MSR_CHECK_CAPABILITIES > 2) {
        return NULL;
    }
    uint64_t *const registers[] = {&checks->capabilities, &checks->status, &checks->control};

    return registers[index - MSR_CHECK_CAPABILITIES];
}

static bool rdmsr(struct machine *machine, uint32_t index, uint64_t *value)
{
    const uint64_t *check = check_register(machine, index);

    if (check != NULL) {
        *value = *check;
        return true;
    }
    if (machine->on_rdmsr != NULL && machine->on_rdmsr(machine->context, index, value)) {
        return true;
    }
    switch (index) {
    case MSR_TSC:
        *value = machine_tsc(machine);
        return true;
    case MSR_APIC:
        *value = machine->apic_base;
        return machine->apic_base != 0;
    case MSR_EFER:
        *value = machine->engine->efer;
        return true;
    default:
        return pmu_model_rdmsr(&machine->model, index, value);
    }
}

static bool wrmsr(struct machine *machine, uint32_t index, uint64_t value)
{
    uint64_t *check = check_register(machine, index);

    if (check != NULL) {
        *check = value;
        return true;
    }
    if (machine->on_wrmsr != NULL && machine->on_wrmsr(machine->context, index, value)) {
        return true;
    }
    switch (index) {
    case MSR_TSC:
        machine->engine->skew = value - machine->model.total[QUANTITY_INSTRUCTIONS];
        return true;
    case MSR_APIC:
        return value == machine->apic_base; /* neither moved nor switched */
    case MSR_EFER:
        machine->engine->efer = value;
        return true;
    default:
        return pmu_model_wrmsr(&machine->model, index, value);
    }
}

static bool read_register(struct machine *machine, const struct instruction *instruction)
{
    const uint32_t index = low_half(machine, UC_X86_REG_RCX);
    uint64_t value = 0;
    const bool good = instruction->work == WORK_RDPMC
                          ? pmu_model_rdpmc(&machine->model, index, &value)
                          : rdmsr(machine, index, &value);

    if (good) {
        set_pair(machine, value);
    }
    return good;
}

static bool write_register(struct machine *machine)
{
    const uint64_t high = low_half(machine, UC_X86_REG_RDX);

    return wrmsr(machine, low_half(machine, UC_X86_REG_RCX),
                 high << 32 | low_half(machine, UC_X86_REG_RAX));
}

static void cpuid(struct machine *machine)
{
    const uint32_t leaf = low_half(machine, UC_X86_REG_RAX);
    struct cpuid_result result =
        pmu_model_cpuid(&machine->model, leaf, low_half(machine, UC_X86_REG_RCX));

    if (leaf == 1 && machine->checks != NULL) {
        result.edx |= CPUID_MCE | CPUID_MCA;
    }
    if (machine->on_cpuid != NULL) {
        machine->on_cpuid(machine->context, leaf, &result);
    }
    set(machine, UC_X86_REG_RAX, result.eax);
    set(machine, UC_X86_REG_RBX, result.ebx);
    set(machine, UC_X86_REG_RCX, result.ecx);
    set(machine, UC_X86_REG_RDX, result.edx);
}

static void port_access(struct machine *machine, const struct instruction *instruction)
{
    const struct machine_devices *devices = &machine->devices;
    const uint16_t port =
        instruction->immediate_port ? instruction->port : (uint16_t)get(machine, UC_X86_REG_RDX);
    const uint64_t mask =
        instruction->bytes == 4 ? 0xffffffff : (1ull << 8 * instruction->bytes) - 1;
    const uint64_t rax = get(machine, UC_X86_REG_RAX);

    if (devices->port_read == NULL || devices->port_write == NULL) {
        fail(machine, "port %#x accessed, and there are no devices", port);
    } else if (instruction->work == WORK_OUT) {
        devices->port_write(devices->context, port, instruction->bytes, (uint32_t)(rax & mask));
    } else {
        const uint64_t value = devices->port_read(devices->context, port, instruction->bytes);

        set(machine, UC_X86_REG_RAX, (instruction->bytes == 4 ? 0 : rax & ~mask) | (value & mask));
    }
}

static void stamp(struct machine *machine)
{
    const uint64_t tsc = machine_tsc(machine);

    set_pair(machine, tsc);
    if (machine->on_stamp != NULL) {
        machine->on_stamp(machine->context, machine->model.tag, tsc);
    }
}

/* Nothing where an interrupt is pending. */
static void idle(struct machine *machine, uint32_t hint)
{
    const uint64_t now = machine_tsc(machine);
    uint64_t exit = 0;

    if (machine->due <= now) {
        return;
    }
    if (machine->on_idle != NULL) {
        exit = machine->on_idle(machine->context, hint, machine->due);
    }
    if (exit != MACHINE_NEVER) {
        machine->engine->skew += machine->due - now + exit;
    }
}

static void halt(struct machine *machine, uint64_t rip)
{
    const bool enabled = (get(machine, UC_X86_REG_RFLAGS) & FLAG_IF) != 0;

    if (!enabled || machine->due == MACHINE_NEVER) {
        machine->halted_at = rip;
        uc_emu_stop(machine->engine->uc);
    } else {
        idle(machine, MACHINE_HLT);
    }
}

/* MONITOR watches nothing, as no other processor writes. MWAIT that nothing could end spins. */
static bool wait_monitored(struct machine *machine)
{
    if (machine->on_idle == NULL) {
        return false;
    }
    if (machine->due != MACHINE_NEVER) {
        idle(machine, low_half(machine, UC_X86_REG_RAX));
    }
    return true;
}

/* False: #GP. */
static bool execute(struct machine *machine, uint64_t rip, const struct instruction *instruction)
{
    switch ((enum work)instruction->work) {
    case WORK_RDMSR:
    case WORK_RDPMC:
        return read_register(machine, instruction);
    case WORK_WRMSR:
        return write_register(machine);
    case WORK_RDTSCP:
        set(machine, UC_X86_REG_RCX, 0);
        stamp(machine);
        return true;
    case WORK_RDTSC:
        stamp(machine);
        return true;
    case WORK_CPUID:
        cpuid(machine);
        return true;
    case WORK_IN:
    case WORK_OUT:
        port_access(machine, instruction);
        return true;
    case WORK_HLT:
        halt(machine, rip);
        return true;
    case WORK_MONITOR:
        return machine->on_idle != NULL;
    case WORK_MWAIT:
        return wait_monitored(machine);
    case WORK_WBINVD:
        if (machine->on_flush != NULL) {
            machine->on_flush(machine->context);
        }
        return true;
    default:
        fail(machine, "an instruction at %#lx that this machine does not have", rip);
        return true;
    }
}

static bool needs_attention(struct machine *machine, uint64_t address, bool continues)
{
    const bool shadow = machine->engine->begun_shadows && !continues;

    if (machine_tsc(machine) >= machine->limit) {
        fail(machine, "still running at %#lx after %lu instructions", address,
             machine->model.total[QUANTITY_INSTRUCTIONS]);
        return true;
    }
    if (machine_tsc(machine) >= machine->nmi_due) {
        machine->nmi_due = MACHINE_NEVER;
        deliver(machine, VECTOR_NMI, NULL, address);
        return true;
    }
    return machine_tsc(machine) >= machine->due && interrupt(machine, address, shadow);
}

static void call_watches(struct machine *machine, uint64_t address)
{
    for (size_t i = 0; i < machine->engine->watch_count; i++) {
        const struct watch *watch = &machine->engine->watches[i];

        if (watch->address == address) {
            watch->function(machine, watch->context);
        }
    }
}

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *user)
{
    struct machine *machine = user;
    struct engine *engine = machine->engine;
    const bool continues = engine->begun && engine->begun_repeated && engine->begun_at == address;

    (void)uc;
    (void)size;
    if (!continues) {
        retire(machine);
    }
    const uint64_t now = machine_tsc(machine);

    if ((now >= machine->due || now >= machine->nmi_due || now >= machine->limit) &&
        needs_attention(machine, address, continues)) {
        engine->begun = false;
        return;
    }
    if (continues) {
        return;
    }
    const struct instruction instruction = instruction_at(machine, address);

    begin(machine, address, &instruction);
    if (instruction.watched) {
        call_watches(machine, address);
    }
    if (instruction.work == WORK_NONE) {
        return;
    }
    machine->model.tag = get(machine, UC_X86_REG_RDI);
    const bool good = execute(machine, address, &instruction);

    if (machine->halted_at != 0 || machine->failure[0] != '\0') {
        return; /* a write to RIP would undo the stop */
    }
    if (good) {
        set(machine, UC_X86_REG_RIP, address + instruction.length);
    } else {
        raise_gp(machine, address);
    }
}

static void on_memory(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                      void *user)
{
    struct machine *machine = user;

    (void)uc;
    (void)address;
    (void)size;
    (void)value;
    if (type == UC_MEM_READ) {
        machine->engine->facts.loads = true;
    } else {
        machine->engine->facts.stores = true;
    }
}

/* Exceptions that Unicorn raises itself: no test asks for one. INT is delivered as an interrupt is,
 * with RIP behind it. */
static void on_exception(uc_engine *uc, uint32_t number, void *user)
{
    struct machine *machine = user;

    (void)uc;
    if (number >= FIRST_INT) {
        deliver(machine, (uint8_t)number, NULL, get(machine, UC_X86_REG_RIP));
        return;
    }
    fail(machine, "exception %u at %#lx", number, get(machine, UC_X86_REG_RIP));
}

/* ---- calls ---- */

static bool go(struct machine *machine, uint64_t address)
{
    const uc_err error =
        uc_emu_start(machine->engine->uc, address, machine->engine->return_address, 0, 0);

    retire(machine);
    if (error != UC_ERR_OK) {
        fail(machine, "%s at %#lx", uc_strerror(error), get(machine, UC_X86_REG_RIP));
    }
    return machine->failure[0] == '\0';
}

static void prepare_stack(struct machine *machine)
{
    const uint64_t rsp = machine->engine->stack_top - sizeof(uint64_t);

    *(uint64_t *)machine_memory(machine, rsp, sizeof(uint64_t)) = machine->engine->return_address;
    set(machine, UC_X86_REG_RSP, rsp);
}

static const int argument_registers[] = {UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX,
                                         UC_X86_REG_RCX, UC_X86_REG_R8,  UC_X86_REG_R9};
#define ARGUMENTS_MAX (sizeof(argument_registers) / sizeof(argument_registers[0]))

uint64_t machine_argument(const struct machine *machine, unsigned number)
{
    return number < ARGUMENTS_MAX ? get(machine, argument_registers[number]) : 0;
}

void machine_watch(struct machine *machine, uint64_t address, machine_watch_function *function,
                   void *context)
{
    struct engine *engine = machine->engine;
    const uint64_t offset = address - machine->image.base;

    if (engine->watch_count == MACHINE_WATCHES_MAX || offset >= machine->image.size) {
        die("machine_watch", "one too many, or outside of the image");
    }
    engine->watches[engine->watch_count++] = (struct watch){address, function, context};
    instruction_at(machine, address);
    engine->known[offset].watched = true;
}

uint64_t machine_call(struct machine *machine, uint64_t address, size_t count,
                      const uint64_t *arguments)
{
    if (count > ARGUMENTS_MAX) {
        die("machine_call", "too many arguments");
    }
    if (machine->failure[0] != '\0') {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        set(machine, argument_registers[i], arguments[i]);
    }
    prepare_stack(machine);
    if (go(machine, address) && machine->halted_at != 0) {
        fail(machine, "halted at %#lx", machine->halted_at);
    }
    return machine->failure[0] == '\0' ? get(machine, UC_X86_REG_RAX) : 0;
}

void machine_load_descriptors(struct machine *machine)
{
    const uint64_t tops = machine_allocate(machine, STACK_COUNT * sizeof(uint64_t));

    for (unsigned i = 0; i < STACK_COUNT; i++) {
        uint64_t *top = machine_memory(machine, tops + i * sizeof(*top), sizeof(*top));

        *top = machine_allocate(machine, INTERRUPT_STACK_BYTES) + INTERRUPT_STACK_BYTES;
    }
    const uint64_t arguments[] = {tops, image_elf_symbol(&machine->image, "interrupt_entries")};

    machine_call(machine, image_elf_symbol(&machine->image, "descriptors_load"), 2, arguments);
}

bool machine_run(struct machine *machine, uint64_t address, uint64_t argument)
{
    set(machine, UC_X86_REG_RDI, argument);
    prepare_stack(machine);
    if (go(machine, address) && machine->halted_at == 0) {
        fail(machine, "returned, and was to run until it halts");
    }
    return machine->failure[0] == '\0';
}

void machine_allow_interrupts(struct machine *machine, bool allowed)
{
    const uint64_t flags = get(machine, UC_X86_REG_RFLAGS);

    set(machine, UC_X86_REG_RFLAGS, allowed ? flags | FLAG_IF : flags & ~FLAG_IF);
}

void machine_smi(struct machine *machine, uint64_t instructions)
{
    const uint64_t end = machine_tsc(machine) + instructions;

    pmu_model_smi(&machine->model, instructions);
    machine->engine->skew += end - machine_tsc(machine);
}

void machine_stall(struct machine *machine, uint64_t ticks)
{
    machine->engine->skew += ticks;
}

/* ---- devices in memory ---- */

static uint64_t page_read(uc_engine *uc, uint64_t offset, unsigned size, void *user)
{
    const struct device_page *page = user;

    (void)uc;
    *page->bytes = size;
    return page->read(page->context, offset);
}

static void page_write(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *user)
{
    const struct device_page *page = user;

    (void)uc;
    *page->bytes = size;
    page->write(page->context, offset, value);
}

void machine_map_device(struct machine *machine, uint64_t address, machine_register_read *read,
                        machine_register_write *write, void *context)
{
    struct engine *engine = machine->engine;

    if (engine->page_count == DEVICES_MAX) {
        die("machine_map_device", "one too many");
    }
    struct device_page *page = &engine->pages[engine->page_count++];

    *page = (struct device_page){read, write, context, &machine->register_bytes};
    must(uc_mmio_map(engine->uc, address, PAGE, page_read, page, page_write, page),
         "mapping a device");
}

/* ---- opening ---- */

static void add_hooks(struct machine *machine)
{
    uc_engine *uc = machine->engine->uc;
    uc_hook hook;

    must(uc_hook_add(uc, &hook, UC_HOOK_CODE, (void *)on_instruction, machine, 1, 0), "hook");
    must(uc_hook_add(uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_memory, machine, 1,
                     0),
         "hook");
    must(uc_hook_add(uc, &hook, UC_HOOK_INTR, (void *)on_exception, machine, 1, 0), "hook");
}

static void open_disassembler(struct engine *engine)
{
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &engine->disassembler) != CS_ERR_OK ||
        cs_option(engine->disassembler, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK) {
        die("capstone", "cannot be opened");
    }
    engine->decoded = cs_malloc(engine->disassembler);
}

void machine_open(struct machine *machine, const char *image_path, enum pmu_machine kind)
{
    struct engine *engine = calloc(1, sizeof(*engine));

    if (engine == NULL) {
        die("machine", "out of memory");
    }
    *machine = (struct machine){
        .due = MACHINE_NEVER, .nmi_due = MACHINE_NEVER, .limit = DEFAULT_MAX, .engine = engine};
    pmu_model_init(&machine->model, kind);
    image_elf_load(&machine->image, image_path, MACHINE_IMAGE);
    engine->known = calloc(machine->image.size, sizeof(*engine->known));
    engine->ram =
        mmap(NULL, MACHINE_RAM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (engine->known == NULL || engine->ram == MAP_FAILED) {
        die("machine", "out of memory");
    }
    open_disassembler(engine);
    must(uc_open(UC_ARCH_X86, UC_MODE_64, &engine->uc), "unicorn");
    must(uc_mem_map_ptr(engine->uc, MACHINE_IMAGE, machine->image.size, UC_PROT_ALL,
                        machine->image.memory),
         "mapping the image");
    must(uc_mem_map_ptr(engine->uc, MACHINE_RAM, MACHINE_RAM_SIZE, UC_PROT_ALL, engine->ram),
         "mapping memory");
    add_hooks(machine);
    engine->return_address = machine_allocate(machine, 64);
    engine->stack_top = machine_allocate(machine, STACK_SIZE) + STACK_SIZE;
}

void machine_close(struct machine *machine)
{
    struct engine *engine = machine->engine;

    uc_close(engine->uc);
    cs_free(engine->decoded, 1);
    cs_close(&engine->disassembler);
    munmap(engine->ram, MACHINE_RAM_SIZE);
    free(engine->known);
    free(engine);
    image_elf_free(&machine->image);
    machine->engine = NULL;
}
