/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's plugin that profiles exits: it attributes what a hypervisor (L1) executes from an exit of
 * its guest (L2) to the next VMRUN to the functions that execute it, with their callers. Its
 * argument is out=FILE; tools/under/profile.h describes the file.
 *
 * QEMU never shares translated code between L1 and L2: the flag that SVM's guest mode is on is part
 * of a block's key. A block is L2's if it is translated after a VMRUN, unless it begins after that
 * VMRUN: an exit continues there. Nothing else distinguishes them, whatever their addresses.
 *
 * Callers are known from CALL and RET. Each stack has a list of calls, by the address to which CALL
 * stores the return address; a store ends all calls at lower addresses. A RET ends the call whose
 * return address is where the next block begins: QEMU 7.2 does not report the loads of most RETs.
 * Calls on an empty kernel stack continue those of the stack before, such as the user stack of a
 * system call. Other threads have other stacks, so their lists stay apart.
 *
 * An instruction of L1 that faults is begun twice and counted twice. It profiles one processor.
 * Nothing that the guests see depends on it.
 */
#include <inttypes.h>

#include "tools/qemu/plugin/instruction.h"
#include "tools/qemu/plugin/plugin_api.h"
#include "tools/qemu/plugin/plugin_parts.h"

#define PARTS_MAX   65536      /* of an exit; a longer one is not kept */
#define NODE_LISTS  (1u << 20) /* powers of two */
#define STACK_LISTS 4096
#define FRAMES_MAX  192 /* of one stack */
#define TOTALS      12
#define EXITS_LEAST 8  /* fewer exits of an instruction are not written */
#define KERNEL_BITS 14 /* size of a stack of Linux's kernel, on x86-64 */
#define USER_BITS   20
#define NESTED_MAX  8  /* stacks that continue each other */
#define RETURNS_MAX 16 /* calls that one RET may end */

EXPORTED int qemu_plugin_version = PLUGIN_VERSION;
EXPORTED int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc,
                                 char **argv);

/* A block of L1. */
struct block {
    uint64_t address;
    uint64_t next; /* address after its last instruction, to which a CALL returns */
    bool returns;  /* its last instruction is a RET */
};

/* A call, by the return address, or a block that was executed, by its address, in the tree of all
 * calls during exits. */
struct node {
    struct node *following; /* in its list */
    struct node *parent;    /* the call in which it is; NULL: none */
    uint64_t address;
    uint64_t exit; /* number of the exit to which `instructions` belong */
    uint64_t instructions;
    uint32_t number; /* of a call in the file; 0: not written yet */
};

struct frame {
    uint64_t at;       /* address of the return address */
    uint64_t caller;   /* the return address */
    struct node *node; /* NULL: nothing was executed in it during an exit */
};

/* A stack: an aligned range of addresses. */
struct stack {
    struct stack *following; /* in its list */
    uint64_t range;
    struct stack *continues; /* `none`: no other */
    struct frame frames[FRAMES_MAX];
    size_t count;
};

/* What one block executed on behalf of one list of callers. */
struct part {
    struct node *node;
    uint64_t instructions;
};

/* Exits that took equally many instructions. */
struct kept {
    uint64_t total;     /* 0: unused */
    uint64_t count;     /* of exits */
    struct part *parts; /* of the second; NULL: none came, or it was too long */
    size_t part_count;
};

/* An instruction of L2. */
struct leaver {
    uint64_t address;
    uint8_t bytes[PLUGIN_BYTES_MAX];
    size_t size; /* 0: no instruction of L2 was begun */
};

struct key {
    struct key *following;
    struct leaver leaver;
    uint64_t exits;
    struct kept kept[TOTALS];
};

static int interface_version;
static FILE *file;

static bool in_l2;
static uint64_t after_vmrun; /* address of the instruction after the last VMRUN */
static const struct leaver *leaver;
static uint64_t begun; /* instructions of L1 */
static uint64_t exits;
static uint64_t exit_since;

static const struct block *block; /* entered last */
static struct stack *stacks[STACK_LISTS];
static struct stack none = {.continues = &none};
static struct stack *current = &none;
static struct node *nodes[NODE_LISTS];
static struct key *keys;

static struct node *parts[PARTS_MAX]; /* blocks of this exit */
static size_t part_count;
static struct node *open_part;
static uint64_t open_since;

static size_t list_of(uint64_t value, size_t lists)
{
    value *= 0xff51afd7ed558ccdull;
    return (value ^ value >> 32) & (lists - 1);
}

/* ---- stacks ---- */

static struct stack *stack_of(uint64_t at)
{
    const uint64_t range = (int64_t)at < 0 ? at >> KERNEL_BITS : at >> USER_BITS | 1ull << 62;
    struct stack **link = &stacks[list_of(range, STACK_LISTS)];

    while (*link != NULL && (*link)->range != range) {
        link = &(*link)->following;
    }
    if (*link == NULL) {
        *link = plugin_allocate(sizeof(**link));
        (*link)->range = range;
        (*link)->continues = &none;
    }
    return *link;
}

/* Ends the calls whose return address is at `at` or below, and continues on that stack. */
static void continue_at(uint64_t at)
{
    struct stack *stack = stack_of(at);

    while (stack->count > 0 && stack->frames[stack->count - 1].at <= at) {
        stack->count--;
    }
    if (stack->count == 0 && stack != current && (int64_t)at < 0) {
        const struct stack *before = current;

        for (unsigned i = 0; i < NESTED_MAX && before != stack; i++) {
            before = before->continues;
        }
        stack->continues = before != stack ? current : stack->continues;
    }
    current = stack;
}

static void call(unsigned processor, uint32_t access, uint64_t at, void *data)
{
    (void)processor;
    if (!qemu_plugin_mem_is_store(access) || data != block) {
        return; /* the read of where to call, or what a later VMRUN stores in L1's save area */
    }
    continue_at(at);
    if (current->count < FRAMES_MAX) {
        current->frames[current->count++] = (struct frame){at, block->next, NULL};
    }
}

/* Ends the calls up to the one that continues at `address`, if one of the latest does. */
static void return_to(uint64_t address)
{
    struct stack *stack = current;

    for (unsigned i = 0; i < NESTED_MAX && stack->count == 0; i++) {
        stack = stack->continues;
    }
    for (size_t i = 0; i < RETURNS_MAX && i < stack->count; i++) {
        if (stack->frames[stack->count - 1 - i].caller == address) {
            stack->count -= i + 1;
            current = stack;
            return;
        }
    }
}

/* ---- exits ---- */

static struct node *node_of(struct node *parent, uint64_t address)
{
    struct node **link = &nodes[list_of((uintptr_t)parent + address * 31, NODE_LISTS)];

    while (*link != NULL && ((*link)->parent != parent || (*link)->address != address)) {
        link = &(*link)->following;
    }
    if (*link == NULL) {
        *link = plugin_allocate(sizeof(**link));
        (*link)->parent = parent;
        (*link)->address = address;
    }
    return *link;
}

/* Returns the node of the last of the first `count` calls of a stack or, if there is none, of the
 * last call of the stack that it continues. */
static struct node *node_of_call(struct stack *stack, size_t count, unsigned nested)
{
    if (count == 0) {
        stack = stack->continues;
        return nested < NESTED_MAX ? node_of_call(stack, stack->count, nested + 1) : NULL;
    }
    struct frame *frame = &stack->frames[count - 1];

    if (frame->node == NULL) {
        frame->node = node_of(node_of_call(stack, count - 1, nested), frame->caller);
    }
    return frame->node;
}

/* Ends what was executed in the open part, and opens another; NULL: none. */
static void switch_to(struct node *part)
{
    if (open_part != NULL) {
        open_part->instructions += begun - open_since;
    }
    if (part != NULL && part->exit != exits) {
        part->exit = exits;
        part->instructions = 0;
        parts[part_count++] = part;
    }
    open_part = part;
    open_since = begun;
}

static struct key *key_of(const struct leaver *at)
{
    struct key **link = &keys;

    while (*link != NULL && memcmp(&(*link)->leaver, at, sizeof(*at)) != 0) {
        link = &(*link)->following;
    }
    if (*link == NULL) {
        *link = plugin_allocate(sizeof(**link));
        (*link)->leaver = *at;
    }
    return *link;
}

/* Keeps how the instructions of an exit are divided, once the second exit takes as many. A total
 * that is new takes the place of the rarest. */
static void count_total(struct key *key, uint64_t total)
{
    struct kept *kept = &key->kept[0];

    key->exits++;
    for (size_t i = 0; i < TOTALS && kept->total != total; i++) {
        if (key->kept[i].total == total || key->kept[i].count < kept->count) {
            kept = &key->kept[i];
        }
    }
    if (kept->total != total) {
        free(kept->parts);
        *kept = (struct kept){.total = total};
    }
    if (++kept->count == 2 && part_count < PARTS_MAX) {
        kept->parts = plugin_allocate(part_count * sizeof(*kept->parts));
        for (kept->part_count = 0; kept->part_count < part_count; kept->part_count++) {
            struct node *node = parts[kept->part_count];

            kept->parts[kept->part_count] = (struct part){node, node->instructions};
        }
    }
}

static void enter_l1(unsigned processor, void *data)
{
    const bool returns = block != NULL && block->returns;

    (void)processor;
    block = data;
    if (in_l2) {
        in_l2 = false;
        exits++;
        part_count = 0;
        exit_since = begun;
    }
    if (returns) {
        return_to(block->address);
    }
    if (exits > 0) {
        switch_to(part_count < PARTS_MAX
                      ? node_of(node_of_call(current, current->count, 0), block->address)
                      : NULL);
    }
}

static void run_guest(unsigned processor, void *data)
{
    static const struct leaver nothing;

    (void)processor;
    (void)data;
    begun++;
    if (!in_l2 && exits > 0) {
        switch_to(NULL);
        count_total(key_of(leaver != NULL ? leaver : &nothing), begun - exit_since);
    }
    leaver = NULL;
    in_l2 = true;
    after_vmrun = block->next;
}

static void begin_l2(unsigned processor, void *data)
{
    (void)processor;
    leaver = data;
}

/* ---- what is translated ---- */

static void watch_l2(struct plugin_instruction *instruction)
{
    struct leaver *at = plugin_allocate(sizeof(*at));

    at->address = qemu_plugin_insn_vaddr(instruction);
    at->size = plugin_bytes(instruction, interface_version, at->bytes);
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, begin_l2, PLUGIN_REGISTERS_NONE, at);
}

static void watch_l1(struct plugin_instruction *instruction, struct block *of)
{
    uint8_t bytes[PLUGIN_BYTES_MAX];
    const size_t size = plugin_bytes(instruction, interface_version, bytes);
    const struct instruction decoded = instruction_decode(bytes, size);

    of->next = qemu_plugin_insn_vaddr(instruction) + size;
    of->returns = decoded.returns;
    if (decoded.runs_guest) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, run_guest, PLUGIN_REGISTERS_NONE, NULL);
    } else {
        plugin_count(instruction, &begun);
    }
    if (decoded.calls) {
        qemu_plugin_register_vcpu_mem_cb(instruction, call, PLUGIN_REGISTERS_NONE,
                                         PLUGIN_MEMORY_WRITES, of);
    }
}

static void translate(plugin_id id, struct plugin_block *translated)
{
    const size_t count = qemu_plugin_tb_n_insns(translated);
    const uint64_t address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, 0));

    (void)id;
    if (in_l2 && address != after_vmrun) {
        for (size_t i = 0; i < count; i++) {
            watch_l2(qemu_plugin_tb_get_insn(translated, i));
        }
        return;
    }
    struct block *of = plugin_allocate(sizeof(*of));

    of->address = address;
    for (size_t i = 0; i < count; i++) {
        watch_l1(qemu_plugin_tb_get_insn(translated, i), of);
    }
    qemu_plugin_register_vcpu_tb_exec_cb(translated, enter_l1, PLUGIN_REGISTERS_NONE, of);
}

/* ---- start and end ---- */

/* Writes the call and those around it unless they are written, and returns its number. */
static uint32_t write_call(struct node *node)
{
    static uint32_t written;

    if (node == NULL) {
        return 0;
    }
    if (node->number == 0) {
        const uint32_t parent = write_call(node->parent);

        fprintf(file, "call %" PRIu32 " %" PRIx64 "\n", parent, node->address);
        node->number = ++written;
    }
    return node->number;
}

/* Writes the commonest exit of an instruction of L2. */
static void write_key(const struct key *key)
{
    const struct kept *kept = &key->kept[0];

    for (size_t i = 1; i < TOTALS; i++) {
        kept = key->kept[i].count > kept->count ? &key->kept[i] : kept;
    }
    if (key->exits < EXITS_LEAST || kept->parts == NULL) {
        return;
    }
    fprintf(file, "exit %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ", key->leaver.address,
            key->exits, kept->count, kept->total);
    for (size_t i = 0; i < key->leaver.size; i++) {
        fprintf(file, "%02x", key->leaver.bytes[i]);
    }
    fputs(key->leaver.size == 0 ? "-\n" : "\n", file);
    for (size_t i = 0; i < kept->part_count; i++) {
        const uint32_t number = write_call(kept->parts[i].node->parent);

        fprintf(file, "%" PRIu32 " %" PRIx64 " %" PRIu64 "\n", number, kept->parts[i].node->address,
                kept->parts[i].instructions);
    }
}

static void finish(plugin_id id, void *data)
{
    (void)id;
    (void)data;
    fprintf(file, "tare exits 1 %" PRIu64 "\n", exits);
    for (const struct key *key = keys; key != NULL; key = key->following) {
        write_key(key);
    }
    if (fflush(file) == 0 && ferror(file) == 0) {
        fputs("end\n", file);
    }
    fclose(file);
}

int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv)
{
    file = plugin_open(info, argc, argv);
    if (file == NULL) {
        return 1;
    }
    interface_version = info->version.current;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
