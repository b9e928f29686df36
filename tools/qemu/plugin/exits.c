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

#define MAGIC        "tare exits 1"
#define KEYS_MAX     16384 /* powers of two */
#define PARTS_MAX    65536
#define STACKS_MAX   65536
#define AREAS_MAX    4096
#define FRAMES_MAX   192 /* of one stack */
#define DEPTH_MAX    256 /* of all stacks together */
#define TOTALS       12
#define KEY_BYTES    7
#define EXITS_LEAST  8  /* fewer exits of an instruction are not written */
#define KERNEL_BITS  14 /* size of a stack of Linux's kernel, on x86-64 */
#define USER_BITS    20
#define NESTED_MAX   8  /* stacks that continue each other */
#define RETURNS_MAX  16 /* calls that one RET may end */
#define HASH_INITIAL 0x9e3779b97f4a7c15ull

EXPORTED int qemu_plugin_version = PLUGIN_VERSION;
EXPORTED int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc,
                                 char **argv);

struct frame {
    uint64_t at;     /* address of the return address */
    uint64_t caller; /* the return address */
    uint64_t hash;   /* of this and all calls that it continues */
};

/* A stack: an aligned range of addresses. */
struct area {
    uint64_t number; /* 0: unused */
    struct area *continues;
    struct frame frames[FRAMES_MAX];
    size_t count;
};

/* The callers of a block, outermost first. */
struct stack {
    uint64_t hash; /* 0: unused */
    uint32_t number;
    uint32_t depth;
    uint64_t *callers;
};

/* What one block executed on behalf of one list of callers. */
struct part {
    uint64_t hash; /* of its callers */
    uint64_t address;
    uint64_t instructions;
};

struct kept {
    uint64_t total; /* instructions of an exit */
    uint64_t count; /* of exits that took as many; 0: unused */
    struct part *parts;
    size_t part_count;
};

/* An instruction of L2. */
struct leaver {
    uint64_t address;
    uint8_t bytes[KEY_BYTES];
    uint8_t size; /* 0: no instruction of L2 was begun */
};

struct key {
    struct leaver leaver;
    uint64_t exits;
    struct kept kept[TOTALS];
};

static int interface_version;
static FILE *file;

static enum { IN_L1, IN_L2 } world;
static uint64_t behind_vmrun; /* address of the instruction after the last VMRUN */
static const struct leaver *leaver;
static bool recording;
static uint64_t begun; /* instructions of L1 */
static uint64_t exits;

static struct area areas[AREAS_MAX];
static struct area *current;
static const uint64_t *calling; /* return address of the CALL that was begun; NULL: none */
static bool is_returning;       /* the last instruction of the block before was a RET */
static struct stack stacks[STACKS_MAX];
static uint32_t stack_count;
static struct key keys[KEYS_MAX];

static struct part parts[PARTS_MAX]; /* of this exit */
static uint32_t part_index[2 * PARTS_MAX];
static uint64_t part_epoch[2 * PARTS_MAX];
static size_t part_count;
static struct part *open_part;
static uint64_t open_since;
static uint64_t exit_since;

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xff51afd7ed558ccdull;
    return (hash ^ hash >> 32) | 1;
}

/* ---- stacks ---- */

static struct area *area_of(uint64_t at)
{
    const uint64_t number = (int64_t)at < 0 ? at >> KERNEL_BITS : at >> USER_BITS | 1ull << 62;
    size_t slot = mix(HASH_INITIAL, number) >> 8 & (AREAS_MAX - 1);

    for (size_t i = 0; i < AREAS_MAX; i++, slot = (slot + 1) & (AREAS_MAX - 1)) {
        if (areas[slot].number == number || areas[slot].number == 0) {
            areas[slot].number = number;
            return &areas[slot];
        }
    }
    return &areas[slot]; /* too many stacks: two share a list */
}

static uint64_t top_hash(void)
{
    const struct area *area = current;

    for (unsigned i = 0; i < NESTED_MAX && area != NULL; i++, area = area->continues) {
        if (area->count > 0) {
            return area->frames[area->count - 1].hash;
        }
    }
    return HASH_INITIAL;
}

/* Ends the calls whose return address is at `at` or below, and continues on that stack. */
static struct area *continue_at(uint64_t at)
{
    struct area *area = area_of(at);

    while (area->count > 0 && area->frames[area->count - 1].at <= at) {
        area->count--;
    }
    if (area->count == 0 && area != current && (int64_t)at < 0) {
        const struct area *before = current;

        for (unsigned i = 0; i < NESTED_MAX && before != NULL && before != area; i++) {
            before = before->continues;
        }
        area->continues = before == NULL ? current : area->continues;
    }
    current = area;
    return area;
}

static void begin_call(unsigned processor, void *data)
{
    (void)processor;
    calling = data;
}

static void call(unsigned processor, uint32_t access, uint64_t at, void *data)
{
    const uint64_t *caller = data;

    (void)processor;
    if (!qemu_plugin_mem_is_store(access) || calling != caller) {
        return; /* the read of where to call, or what a later VMRUN stores in L1's save area */
    }
    calling = NULL;
    struct area *area = continue_at(at);
    const uint64_t hash = mix(top_hash(), *caller);

    if (area->count < FRAMES_MAX) {
        area->frames[area->count++] = (struct frame){at, *caller, hash};
    }
}

static void begin_return(unsigned processor, void *data)
{
    (void)processor;
    (void)data;
    is_returning = true;
}

/* Ends the calls up to the one that continues at `address`, if one of the latest does. */
static void return_to(uint64_t address)
{
    struct area *area = current;

    is_returning = false;
    for (unsigned i = 0; i < NESTED_MAX && area != NULL && area->count == 0; i++) {
        area = area->continues;
    }
    for (size_t i = 0; area != NULL && i < RETURNS_MAX && i < area->count; i++) {
        if (area->frames[area->count - 1 - i].caller == address) {
            area->count -= i + 1;
            current = area;
            return;
        }
    }
}

static struct stack *stack_of(uint64_t hash)
{
    size_t slot = hash >> 8 & (STACKS_MAX - 1);

    while (stacks[slot].hash != 0 && stacks[slot].hash != hash) {
        slot = (slot + 1) & (STACKS_MAX - 1);
    }
    return &stacks[slot];
}

/* Remembers the callers of now, unless they are known. */
static void keep_stack(uint64_t hash)
{
    uint64_t callers[DEPTH_MAX];
    uint32_t depth = 0;
    struct stack *stack = stack_of(hash);
    const struct area *area = current;

    if (stack->hash != 0 || stack_count == STACKS_MAX / 2) {
        return;
    }
    for (unsigned i = 0; i < NESTED_MAX && area != NULL; i++, area = area->continues) {
        for (size_t f = area->count; f > 0 && depth < DEPTH_MAX; f--) {
            callers[depth++] = area->frames[f - 1].caller;
        }
    }
    *stack = (struct stack){hash, stack_count++, depth, plugin_allocate((depth + 1) * 8)};
    for (uint32_t i = 0; i < depth; i++) {
        stack->callers[i] = callers[depth - 1 - i];
    }
}

/* ---- exits ---- */

static struct part *find_part(uint64_t address)
{
    const uint64_t hash = top_hash();
    size_t slot = mix(hash, address) >> 8 & (2 * PARTS_MAX - 1);

    while (part_epoch[slot] == exits) {
        struct part *part = &parts[part_index[slot]];

        if (part->hash == hash && part->address == address) {
            return part;
        }
        slot = (slot + 1) & (2 * PARTS_MAX - 1);
    }
    if (part_count == PARTS_MAX) {
        return NULL;
    }
    keep_stack(hash);
    part_epoch[slot] = exits;
    part_index[slot] = (uint32_t)part_count;
    parts[part_count] = (struct part){hash, address, 0};
    return &parts[part_count++];
}

static void close_part(void)
{
    if (open_part != NULL) {
        open_part->instructions += begun - open_since;
    }
    open_part = NULL;
    open_since = begun;
}

static struct key *find_key(const struct leaver *at)
{
    size_t slot = mix(HASH_INITIAL, at->address) >> 8 & (KEYS_MAX - 1);

    for (size_t i = 0; i < KEYS_MAX; i++, slot = (slot + 1) & (KEYS_MAX - 1)) {
        if (keys[slot].exits == 0) {
            keys[slot].leaver = *at;
        }
        if (memcmp(&keys[slot].leaver, at, sizeof(*at)) == 0) {
            return &keys[slot];
        }
    }
    return NULL;
}

/* Keeps how the instructions of an exit are divided, once the second exit takes as many. A total
 * that is new takes the place of the rarest. */
static void count_total(struct key *key, uint64_t total)
{
    struct kept *kept = &key->kept[0];

    for (size_t i = 0; i < TOTALS; i++) {
        if (key->kept[i].count > 0 && key->kept[i].total == total) {
            kept = &key->kept[i];
            break;
        }
        kept = key->kept[i].count < kept->count ? &key->kept[i] : kept;
    }
    if (kept->count == 0 || kept->total != total) {
        free(kept->parts);
        *kept = (struct kept){.total = total};
    }
    if (++kept->count == 2 && part_count < PARTS_MAX) {
        kept->parts = plugin_allocate(part_count * sizeof(*parts));
        kept->part_count = part_count;
        memcpy(kept->parts, parts, part_count * sizeof(*parts));
    }
}

static void enter_l1(unsigned processor, void *data)
{
    const uint64_t *address = data;

    (void)processor;
    if (world == IN_L2) {
        world = IN_L1;
        exits++;
        recording = true;
        part_count = 0;
        exit_since = begun;
        open_part = NULL;
    }
    if (is_returning) {
        return_to(*address);
    }
    if (recording) {
        close_part();
        open_part = find_part(*address);
    }
}

static void run_guest(unsigned processor, void *data)
{
    static const struct leaver none;

    (void)processor;
    begun++;
    if (recording) {
        struct key *key = find_key(leaver != NULL ? leaver : &none);

        close_part();
        if (key != NULL) {
            key->exits++;
            count_total(key, begun - exit_since);
        }
    }
    recording = false;
    leaver = NULL;
    world = IN_L2;
    behind_vmrun = *(const uint64_t *)data;
}

static void begin_l2(unsigned processor, void *data)
{
    (void)processor;
    leaver = data;
}

#if PLUGIN_VERSION != 1
static void begin_l1(unsigned processor, void *data)
{
    (void)processor;
    (void)data;
    begun++;
}
#endif

/* ---- what is translated ---- */

static void *keep_address(uint64_t address)
{
    uint64_t *place = plugin_allocate(sizeof(*place));

    *place = address;
    return place;
}

static void watch_l2(struct plugin_instruction *instruction)
{
    uint8_t bytes[PLUGIN_BYTES_MAX];
    const size_t size = plugin_bytes(instruction, interface_version, bytes);
    struct leaver *at = plugin_allocate(sizeof(*at));

    at->address = qemu_plugin_insn_vaddr(instruction);
    at->size = (uint8_t)(size < KEY_BYTES ? size : KEY_BYTES);
    memcpy(at->bytes, bytes, at->size);
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, begin_l2, PLUGIN_REGISTERS_NONE, at);
}

static void watch_l1(struct plugin_instruction *instruction)
{
    uint8_t bytes[PLUGIN_BYTES_MAX];
    const size_t size = plugin_bytes(instruction, interface_version, bytes);
    const struct instruction decoded = instruction_decode(bytes, size);
    const uint64_t next = qemu_plugin_insn_vaddr(instruction) + size;

    if (decoded.runs_guest) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, run_guest, PLUGIN_REGISTERS_NONE,
                                               keep_address(next));
        return;
    }
#if PLUGIN_VERSION == 1
    qemu_plugin_register_vcpu_insn_exec_inline(instruction, PLUGIN_INLINE_ADD, &begun, 1);
#else
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, begin_l1, PLUGIN_REGISTERS_NONE, NULL);
#endif
    if (decoded.calls) {
        uint64_t *caller = keep_address(next);

        qemu_plugin_register_vcpu_insn_exec_cb(instruction, begin_call, PLUGIN_REGISTERS_NONE,
                                               caller);
        qemu_plugin_register_vcpu_mem_cb(instruction, call, PLUGIN_REGISTERS_NONE,
                                         PLUGIN_MEMORY_WRITES, caller);
    } else if (decoded.returns) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, begin_return, PLUGIN_REGISTERS_NONE,
                                               NULL);
    }
}

static void translate(plugin_id id, struct plugin_block *block)
{
    const size_t count = qemu_plugin_tb_n_insns(block);
    const uint64_t address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));
    const bool is_l2 = world == IN_L2 && address != behind_vmrun;

    (void)id;
    for (size_t i = 0; i < count; i++) {
        if (is_l2) {
            watch_l2(qemu_plugin_tb_get_insn(block, i));
        } else {
            watch_l1(qemu_plugin_tb_get_insn(block, i));
        }
    }
    if (!is_l2) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, enter_l1, PLUGIN_REGISTERS_NONE,
                                             keep_address(address));
    }
}

/* ---- start and end ---- */

static const struct kept *commonest(const struct key *key)
{
    const struct kept *best = &key->kept[0];

    for (size_t i = 1; i < TOTALS; i++) {
        best = key->kept[i].count > best->count ? &key->kept[i] : best;
    }
    return best;
}

static void write_key(const struct key *key)
{
    const struct kept *kept = commonest(key);

    if (key->exits < EXITS_LEAST || kept->parts == NULL) {
        return;
    }
    fprintf(file, "exit %" PRIx64 " ", key->leaver.address);
    for (size_t i = 0; i < key->leaver.size; i++) {
        fprintf(file, "%02x", key->leaver.bytes[i]);
    }
    fprintf(file, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu\n", key->leaver.size == 0 ? "-" : "",
            key->exits, kept->count, kept->total, kept->part_count);
    for (size_t i = 0; i < kept->part_count; i++) {
        const struct part *part = &kept->parts[i];

        fprintf(file, "%" PRIu32 " %" PRIx64 " %" PRIu64 "\n", stack_of(part->hash)->number,
                part->address, part->instructions);
    }
}

/* Writes the stacks in the order of their numbers. */
static void write_stacks(void)
{
    size_t *places = plugin_allocate((stack_count + 1) * sizeof(*places));

    for (size_t i = 0; i < STACKS_MAX; i++) {
        if (stacks[i].hash != 0) {
            places[stacks[i].number] = i;
        }
    }
    for (uint32_t i = 0; i < stack_count; i++) {
        const struct stack *stack = &stacks[places[i]];

        fprintf(file, "stack %" PRIu32, stack->depth);
        for (uint32_t j = 0; j < stack->depth; j++) {
            fprintf(file, " %" PRIx64, stack->callers[j]);
        }
        fputc('\n', file);
    }
    free(places);
}

static void finish(plugin_id id, void *data)
{
    (void)id;
    (void)data;
    fprintf(file, MAGIC " %" PRIu64 "\n", exits);
    write_stacks();
    for (size_t i = 0; i < KEYS_MAX; i++) {
        write_key(&keys[i]);
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
