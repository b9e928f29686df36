/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plugin for QEMU that counts what the project's plugin counts, written a second time from QEMU's
 * documentation (docs/devel/tcg-plugins.rst) and without its code. It reads instructions from the
 * text of QEMU's disassembler, which knows the mode of the processor. For each RDTSC it writes nine
 * 64-bit numbers to out=FILE: the address, and the eight counts so far.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

struct block;
struct insn;

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*see)(uint64_t id, struct block *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct insn *, void (*see)(unsigned, void *), int flags,
                                            void *data);
void qemu_plugin_register_vcpu_mem_cb(struct insn *,
                                      void (*see)(unsigned, uint32_t, uint64_t, void *), int flags,
                                      int which, void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*see)(uint64_t, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct block *);
struct insn *qemu_plugin_tb_get_insn(const struct block *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct insn *);
size_t qemu_plugin_insn_size(const struct insn *);
char *qemu_plugin_insn_disas(const struct insn *);
bool qemu_plugin_mem_is_store(uint32_t);
unsigned qemu_plugin_mem_size_shift(uint32_t);

EXPORTED int qemu_plugin_version = 1;
EXPORTED int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

enum { BEGUN, LOADS, STORES, MISALIGNED, SEGMENTS, SPACES, DATA_MISSES, CODE_MISSES, COUNTS };

static uint64_t counts[COUNTS];
static FILE *out;

/* ---- a buffer of translations: 4 ways, and the one that was not used for longest is replaced ----
 */

struct way {
    bool full;
    uint64_t page, used;
};
struct buffer {
    unsigned sets;
    struct way way[16][4];
};
static struct buffer data_buffer = {.sets = 16};
static struct buffer code_buffer = {.sets = 8};
static uint64_t now;

static bool misses(struct buffer *buffer, uint64_t page)
{
    struct way *set = buffer->way[page % buffer->sets];
    struct way *oldest = set;

    now++;
    for (struct way *way = set; way < set + 4; way++) {
        if (way->full && way->page == page) {
            way->used = now;
            return false;
        }
        if (oldest->full && (!way->full || way->used < oldest->used)) {
            oldest = way;
        }
    }
    *oldest = (struct way){true, page, now};
    return true;
}

/* ---- what is executed ---- */

static void begin(unsigned processor, void *data)
{
    const uint64_t first = (uint64_t)(uintptr_t)data >> 12;

    (void)processor;
    counts[BEGUN]++;
    counts[CODE_MISSES] += misses(&code_buffer, first);
}

static void cross(unsigned processor, void *data)
{
    (void)processor;
    counts[CODE_MISSES] += misses(&code_buffer, (uint64_t)(uintptr_t)data);
}

static void access(unsigned processor, uint32_t what, uint64_t address, void *data)
{
    const uint64_t last = address + (1u << qemu_plugin_mem_size_shift(what)) - 1;

    (void)processor;
    (void)data;
    counts[qemu_plugin_mem_is_store(what) ? STORES : LOADS]++;
    counts[MISALIGNED] += address % (1u << qemu_plugin_mem_size_shift(what)) != 0;
    for (uint64_t page = address >> 12; page <= last >> 12; page++) {
        counts[DATA_MISSES] += misses(&data_buffer, page);
    }
}

static void load_segments(unsigned processor, void *number)
{
    (void)processor;
    counts[SEGMENTS] += (uintptr_t)number;
}

static void load_space(unsigned processor, void *data)
{
    (void)processor;
    (void)data;
    counts[SPACES]++;
    memset(data_buffer.way, 0, sizeof(data_buffer.way));
    memset(code_buffer.way, 0, sizeof(code_buffer.way));
}

static void read_tsc(unsigned processor, void *address)
{
    const uint64_t pc = (uint64_t)(uintptr_t)address;

    (void)processor;
    fwrite(&pc, sizeof(pc), 1, out);
    fwrite(counts, sizeof(counts), 1, out);
}

/* ---- what is translated ---- */

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    const size_t length = strlen(text);

    return length >= strlen(with) && strcmp(text + length - strlen(with), with) == 0;
}

static uintptr_t segments_of(const char *text)
{
    static const char *const far[] = {"lds",   "les",  "lss",  "lfs",  "lgs",
                                      "lcall", "ljmp", "lret", "retf", "iret"};
    static const char *const registers[] = {" %ds", " %es", " %ss", " %fs", " %gs"};

    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
        if (starts(text, far[i])) {
            return starts(text, "iretq") ? 2 : 1;
        }
    }
    for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
        if ((starts(text, "mov") || starts(text, "pop")) && ends(text, registers[i])) {
            return 1;
        }
    }
    return 0;
}

static void translate(uint64_t id, struct block *block)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct insn *insn = qemu_plugin_tb_get_insn(block, i);
        const uint64_t at = qemu_plugin_insn_vaddr(insn);
        const uint64_t last = (at + qemu_plugin_insn_size(insn) - 1) >> 12;
        char text[128] = "";
        char *shown = qemu_plugin_insn_disas(insn);

        /* one blank between words, and none at the end */
        for (size_t k = 0; shown != NULL && shown[k] != '\0' && strlen(text) < 120; k++) {
            const bool blank = shown[k] == ' ' || shown[k] == '\t';
            const size_t used = strlen(text);

            text[used] = blank ? ' ' : shown[k];
            text[used] = blank && (used == 0 || text[used - 1] == ' ') ? '\0' : text[used];
        }
        qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, 0, (void *)(uintptr_t)at);
        if (last != at >> 12) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, cross, 0, (void *)(uintptr_t)last);
        }
        qemu_plugin_register_vcpu_mem_cb(insn, access, 0, 3, NULL);
        if (starts(text, "rdtsc")) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, read_tsc, 0, (void *)(uintptr_t)at);
        }
        if (starts(text, "mov") && ends(text, " %cr3")) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, load_space, 0, NULL);
        }
        if (segments_of(text) > 0) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, load_segments, 0,
                                                   (void *)segments_of(text));
        }
    }
}

static void finish(uint64_t id, void *data)
{
    (void)id;
    (void)data;
    fclose(out);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
    (void)info;
    out = argc == 1 && starts(argv[0], "out=") ? fopen(argv[0] + 4, "wb") : NULL;
    if (out == NULL) {
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
