/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of QEMU's plugin interface that the plugin calls, in prototypes written for this project
 * from the documentation, docs/devel/tcg-plugins.rst, because Debian does not package QEMU's
 * header.
 *
 * QEMU takes a plugin whose qemu_plugin_version lies between the least that it accepts and its own:
 * QEMU 7.2 accepts up to 1, QEMU 9 accepts 2 and up. From version 3 on qemu_plugin_insn_data() is a
 * different function.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t plugin_id;

struct plugin_block;       /* a translation block */
struct plugin_instruction; /* an instruction of a block while it is translated */

struct plugin_info {
    const char *target_name;
    struct {
        int least;
        int current;
    } version;
    bool system_emulation;
    struct {
        int processors;
        int processors_max;
    } system;
};

enum plugin_registers {
    PLUGIN_REGISTERS_NONE,
};

enum plugin_memory {
    PLUGIN_MEMORY_READS = 1,
    PLUGIN_MEMORY_WRITES,
    PLUGIN_MEMORY_BOTH,
};

enum plugin_inline {
    PLUGIN_INLINE_ADD,
};

typedef void plugin_translated(plugin_id id, struct plugin_block *block);
typedef void plugin_executed(unsigned processor, void *data);
typedef void plugin_accessed(unsigned processor, uint32_t access, uint64_t address, void *data);
typedef void plugin_ended(plugin_id id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, plugin_translated *callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct plugin_block *block, plugin_executed *callback,
                                          enum plugin_registers registers, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct plugin_instruction *instruction,
                                            plugin_executed *callback,
                                            enum plugin_registers registers, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct plugin_instruction *instruction,
                                      plugin_accessed *callback, enum plugin_registers registers,
                                      enum plugin_memory which, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, plugin_ended *callback, void *data);

size_t qemu_plugin_tb_n_insns(const struct plugin_block *block);
struct plugin_instruction *qemu_plugin_tb_get_insn(const struct plugin_block *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct plugin_instruction *instruction);
size_t qemu_plugin_insn_size(const struct plugin_instruction *instruction);

bool qemu_plugin_mem_is_store(uint32_t access);
unsigned qemu_plugin_mem_size_shift(uint32_t access);

/* In versions 1 and 2, ignores `target` and `size`, and returns the bytes. From version 3 on,
 * copies the bytes to `target` and returns their number. */
void *qemu_plugin_insn_data(const struct plugin_instruction *instruction, void *target,
                            size_t size);

#if PLUGIN_VERSION == 1
/* removed in version 2 */
void qemu_plugin_register_vcpu_insn_exec_inline(struct plugin_instruction *instruction,
                                                enum plugin_inline operation, void *target,
                                                uint64_t value);
#endif
