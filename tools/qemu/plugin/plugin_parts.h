/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts that QEMU's plugins share: memory, the bytes of an instruction, a counter of
 * instructions, the file to write.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/qemu/plugin/plugin_api.h"

#define PLUGIN_BYTES_MAX       16
#define PLUGIN_COPYING_VERSION 3 /* from which on qemu_plugin_insn_data() copies */

#define EXPORTED __attribute__((visibility("default")))

/* Returns zeroed memory; without it ends QEMU. */
static inline void *plugin_allocate(size_t size)
{
    void *memory = calloc(1, size);

    if (memory == NULL) {
        fputs("tare's plugin: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

#if PLUGIN_VERSION != 1
static inline void plugin_add_one(unsigned processor, void *data)
{
    uint64_t *counter = data;

    (void)processor;
    ++*counter;
}
#endif

/* Adds 1 to *counter each time the instruction begins. */
static inline void plugin_count(struct plugin_instruction *instruction, uint64_t *counter)
{
#if PLUGIN_VERSION == 1
    qemu_plugin_register_vcpu_insn_exec_inline(instruction, PLUGIN_INLINE_ADD, counter, 1);
#else
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, plugin_add_one, PLUGIN_REGISTERS_NONE,
                                           counter);
#endif
}

/* Reads the bytes of an instruction through an interface of `version`, and returns their number. */
static inline size_t plugin_bytes(const struct plugin_instruction *instruction, int version,
                                  uint8_t bytes[PLUGIN_BYTES_MAX])
{
    const size_t size = qemu_plugin_insn_size(instruction);
    const size_t length = size < PLUGIN_BYTES_MAX ? size : PLUGIN_BYTES_MAX;
    const void *there = qemu_plugin_insn_data(instruction, bytes, length);

    if (version < PLUGIN_COPYING_VERSION) {
        memcpy(bytes, there, length);
    }
    return length;
}

/* Opens the file of argument out=FILE for a machine of one processor. Returns NULL, with a line on
 * standard error, if an argument is another, the file cannot be opened, or the machine is another.
 */
static inline FILE *plugin_open(const struct plugin_info *info, int argc, char **argv)
{
    static const char out[] = "out=";
    FILE *file = NULL;

    for (int i = 0; i < argc; i++) {
        if (file == NULL && strncmp(argv[i], out, sizeof(out) - 1) == 0) {
            file = fopen(argv[i] + sizeof(out) - 1, "wb");
        } else {
            file = NULL;
        }
        if (file == NULL) {
            fprintf(stderr, "tare's plugin: cannot use %s\n", argv[i]);
            return NULL;
        }
    }
    if (file == NULL) {
        fputs("tare's plugin: out=FILE is missing\n", stderr);
    } else if (!info->system_emulation || info->system.processors > 1) {
        fputs("tare's plugin: expected a machine with 1 processor\n", stderr);
        fclose(file);
        file = NULL;
    }
    return file;
}
