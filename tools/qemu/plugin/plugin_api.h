/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of QEMU's interface for plugins that the plugin calls, in prototypes of our own: Debian
 * does not package QEMU's header. Written after the documentation, docs/devel/tcg-plugins.rst.
 *
 * QEMU takes a plugin whose qemu_plugin_version lies between the least that it takes and its own:
 * QEMU 7.2 takes up to 1, QEMU 9 takes 2 and up. qemu_plugin_insn_data() is another function from
 * version 3 on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t plugin_id;

struct plugin_block;       /* a translation block */
struct plugin_instruction; /* of one, while it is translated */

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

/* Versions 1 and 2: `target` and `size` are not looked at, and the bytes are returned. From 3 on
 * they are copied to `target`, and their number is returned. */
void *qemu_plugin_insn_data(const struct plugin_instruction *instruction, void *target,
                            size_t size);

#if PLUGIN_VERSION == 1
/* Gone in version 2. */
void qemu_plugin_register_vcpu_insn_exec_inline(struct plugin_instruction *instruction,
                                                enum plugin_inline operation, void *target,
                                                uint64_t value);
#endif
