/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's plugin that counts: it counts what the guest executes, and writes what it has counted at
 * each RDTSC (tools/qemu/rows.h). Its argument is out=FILE.
 *
 * It counts one processor. Nothing that the guest sees depends on it.
 *
 * QEMU calls the plugin for an instruction before that is executed. An instruction that faults is
 * begun twice, but virtual time counts it once. The instruction begun last before a fault's handler
 * is therefore not counted. If a block of instructions was left before its end, an instruction in
 * it faulted; the block that follows is a fault handler from then on, and whatever leads to a
 * handler faulted. Only an access to a device ends a block early as well: QEMU executes that
 * instruction in a separate block, of which it reports only the access, and goes on after it or
 * with an interrupt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/qemu/plugin/instruction.h"
#include "tools/qemu/plugin/plugin_api.h"
#include "tools/qemu/plugin/plugin_parts.h"
#include "tools/qemu/plugin/tlb.h"
#include "tools/qemu/rows.h"

#define HANDLERS_MAX 64

/* What is known about a translation block while it is executed. */
struct block {
    uint64_t address;
    uint64_t last_page; /* page in which its last instruction ends */
    bool is_handler;    /* it handles faults */
    bool raises;        /* its last instruction raises an exception and is counted */
    size_t count;
    uint16_t offset[]; /* of each instruction from `address` */
};

EXPORTED int qemu_plugin_version = PLUGIN_VERSION;
EXPORTED int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc,
                                 char **argv);

static int interface_version;
static FILE *file;

static uint64_t begun; /* instructions */
static uint64_t faulted;
static uint64_t counted[ROW_COLUMNS]; /* all columns except instructions */
static struct tlb data_tlb;
static struct tlb code_tlb;

static const struct block *current; /* NULL: none yet */
static uint64_t begun_before;       /* instructions begun when the block was entered */
/* the block's last instruction was executed in a separate block */
static bool ended_alone;
static uint64_t handlers[HANDLERS_MAX];
static size_t handler_count;

static uint64_t last_row[ROW_COLUMNS];
static struct row_record pending; /* rows 0: none */

/* ---- rows ---- */

static void write_pending(void)
{
    if (pending.rows > 0) {
        fwrite(&pending, sizeof(pending), 1, file);
    }
    pending.rows = 0;
}

static void add_row(uint64_t address)
{
    struct row_record row = {.address = address, .rows = 1};

    counted[ROW_INSTRUCTIONS] = begun - faulted;
    for (size_t i = 0; i < ROW_COLUMNS; i++) {
        row.counted[i] = counted[i] - last_row[i];
        last_row[i] = counted[i];
    }
    if (pending.rows > 0 && pending.address == address &&
        memcmp(pending.counted, row.counted, sizeof(row.counted)) == 0) {
        pending.rows++;
        return;
    }
    write_pending();
    pending = row;
}

/* Writes the last record. A file that is incomplete because the disk is full lacks it. */
static void finish(plugin_id id, void *data)
{
    (void)id;
    (void)data;
    add_row(ROW_END);
    if (fflush(file) == 0 && ferror(file) == 0) {
        write_pending();
    }
    fclose(file);
}

/* ---- what is executed ---- */

static bool is_handler(uint64_t address)
{
    for (size_t i = 0; i < handler_count; i++) {
        if (handlers[i] == address) {
            return true;
        }
    }
    return false;
}

/* Judges how the block before ended, when `next` begins. */
static void judge_end(const struct block *before, struct block *next)
{
    const uint64_t executed = begun - begun_before;

    if (executed > 0 && executed < before->count) {
        if (ended_alone || next->address == before->address + before->offset[executed]) {
            return;
        }
        faulted++;
        if (next->address == before->address + before->offset[executed - 1]) {
            return; /* the instruction changed its own block and is executed again */
        }
        if (!next->is_handler && handler_count < HANDLERS_MAX) {
            handlers[handler_count++] = next->address;
        }
        next->is_handler = true;
        return;
    }
    faulted += next->is_handler && !before->raises;
}

static void use_code_page(uint64_t page)
{
    counted[ROW_ITLB_MISSES] += tlb_misses(&code_tlb, page);
}

static void enter_block(unsigned processor, void *data)
{
    struct block *block = data;
    const uint64_t page = block->address >> TLB_PAGE_BITS;

    (void)processor;
    if (current != NULL) {
        judge_end(current, block);
    }
    current = block;
    ended_alone = false;
    begun_before = begun;
    use_code_page(page);
    if (block->last_page != page) {
        use_code_page(block->last_page);
    }
}

static void read_tsc(unsigned processor, void *data)
{
    const uint64_t *address = data;

    (void)processor;
    add_row(*address);
}

static void load_cr3(unsigned processor, void *data)
{
    (void)processor;
    (void)data;
    counted[ROW_ADDRESS_SPACE_LOADS]++;
    tlb_empty(&data_tlb);
    tlb_empty(&code_tlb);
}

static void load_segments(unsigned processor, void *data)
{
    (void)processor;
    counted[ROW_SEGMENT_LOADS] += (uintptr_t)data;
}

static void access_memory(unsigned processor, uint32_t access, uint64_t address, void *data)
{
    const uint64_t size = 1ull << qemu_plugin_mem_size_shift(access);
    const uint64_t first = address >> TLB_PAGE_BITS;
    const uint64_t last = (address + size - 1) >> TLB_PAGE_BITS;

    (void)processor;
    ended_alone = ended_alone || data != current;
    counted[qemu_plugin_mem_is_store(access) ? ROW_STORES : ROW_LOADS]++;
    counted[ROW_MISALIGNED] += (address & (size - 1)) != 0;
    counted[ROW_DTLB_MISSES] += tlb_misses(&data_tlb, first);
    if (last != first) {
        counted[ROW_DTLB_MISSES] += tlb_misses(&data_tlb, last);
    }
}

/* ---- what is translated ---- */

/* Registers callbacks for an instruction. The last one of a block sets `raises`. */
static void watch_instruction(struct plugin_instruction *instruction, struct block *block)
{
    const uint64_t address = qemu_plugin_insn_vaddr(instruction);
    uint8_t bytes[PLUGIN_BYTES_MAX];
    const size_t length = plugin_bytes(instruction, interface_version, bytes);
    const struct instruction decoded = instruction_decode(bytes, length);

    plugin_count(instruction, &begun);
    qemu_plugin_register_vcpu_mem_cb(instruction, access_memory, PLUGIN_REGISTERS_NONE,
                                     PLUGIN_MEMORY_BOTH, block);
    block->raises = decoded.raises;
    if (decoded.reads_tsc) {
        uint64_t *place = plugin_allocate(sizeof(*place));

        *place = address;
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, read_tsc, PLUGIN_REGISTERS_NONE, place);
    }
    if (decoded.loads_cr3) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, load_cr3, PLUGIN_REGISTERS_NONE, NULL);
    }
    if (decoded.segment_loads > 0) {
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, load_segments, PLUGIN_REGISTERS_NONE,
                                               (void *)(uintptr_t)decoded.segment_loads);
    }
}

static void translate(plugin_id id, struct plugin_block *translated)
{
    const size_t count = qemu_plugin_tb_n_insns(translated);
    struct block *block = plugin_allocate(sizeof(*block) + count * sizeof(block->offset[0]));
    uint64_t end = 0;

    (void)id;
    block->count = count;
    for (size_t i = 0; i < count; i++) {
        struct plugin_instruction *instruction = qemu_plugin_tb_get_insn(translated, i);
        const uint64_t address = qemu_plugin_insn_vaddr(instruction);

        block->address = i == 0 ? address : block->address;
        block->offset[i] = (uint16_t)(address - block->address);
        end = address + qemu_plugin_insn_size(instruction) - 1;
        watch_instruction(instruction, block);
    }
    block->last_page = end >> TLB_PAGE_BITS;
    block->is_handler = is_handler(block->address);
    qemu_plugin_register_vcpu_tb_exec_cb(translated, enter_block, PLUGIN_REGISTERS_NONE, block);
}

/* ---- start ---- */

int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv)
{
    const struct row_header header = {.magic = ROW_MAGIC};

    file = plugin_open(info, argc, argv);
    if (file == NULL) {
        return 1;
    }
    interface_version = info->version.current;
    tlb_init(&data_tlb, TLB_DATA_ENTRIES);
    tlb_init(&code_tlb, TLB_CODE_ENTRIES);
    fwrite(&header, sizeof(header), 1, file);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
