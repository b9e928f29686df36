/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles of exits: the plugin's file, the names of functions, and what a run gets. */
#include <elf.h>

#include "tools/tests/support/unit.h"
#include "tools/under/profile.h"
#include "tools/under/profile_symbols.h"

static const char whole[] = "tare exits 1 40\n"
                            "stack 2 ffffffff81000105 ffffffffc0001010\n"
                            "stack 0\n"
                            "exit e3fb4c2 0fa2 12 11 30 2\n"
                            "0 ffffffffc0001020 25\n"
                            "1 7ffff0001000 5\n"
                            "exit 0 - 9 9 0 0\n"
                            "end\n";

static bool read_text(const char *text, struct profile *profile, char error[PROFILE_ERROR_MAX])
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    const bool good = in != NULL && profile_read(profile, in, error);

    fclose(in);
    return good;
}

static void test_read(void)
{
    struct profile profile;
    char error[PROFILE_ERROR_MAX] = "";

    CHECK(read_text(whole, &profile, error));
    CHECK_EQUAL(profile.exits, 40);
    CHECK_EQUAL(profile.count, 2);
    CHECK_EQUAL(profile.stack_count, 2);
    CHECK_EQUAL(profile.stacks[0].depth, 2);
    CHECK(profile.stacks[0].callers[1] == 0xffffffffc0001010);
    CHECK_EQUAL(profile.items[0].kept, 11);
    CHECK_EQUAL(profile.items[0].total, 30);
    CHECK_EQUAL(profile.items[0].size, 2);
    CHECK_EQUAL(profile.items[0].bytes[1], 0xa2);
    CHECK_EQUAL(profile.items[0].parts[1].stack, 1);
    CHECK_EQUAL(profile.items[0].parts[1].instructions, 5);
    CHECK_EQUAL(profile.items[1].size, 0);
    profile_free(&profile);
}

/* Replaces `from` in the whole file, and expects the error. */
static void refuse(const char *from, const char *to, const char *expected)
{
    const char *at = strstr(whole, from);
    struct profile profile;
    char error[PROFILE_ERROR_MAX] = "";
    char text[512];

    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
    CHECK(!read_text(text, &profile, error));
    CHECK(strstr(error, expected) != NULL);
    if (strstr(error, expected) == NULL) {
        fprintf(stderr, "%s -> %s: \"%s\"\n", from, to, error);
    }
    profile_free(&profile);
}

static void test_damage(void)
{
    refuse("tare exits 1", "tare rows 1", "not a profile of exits");
    refuse("end\n", "", "its end is missing");
    refuse("end\n", "end", "its end is missing");
    refuse(" 25\n", " 26\n", "line 6 is damaged");     /* the parts no longer add up */
    refuse("1 7ffff", "2 7ffff", "line 6 is damaged"); /* no such stack */
    refuse("12 11 30", "10 11 30", "line 6 is damaged");
    refuse("12 11 30", "41 11 30", "line 6 is damaged"); /* more than all exits */
    refuse("30 2", "30 3", "line 7 is damaged");
    refuse("stack 2", "stack 3", "line 2 is damaged");
    refuse("stack 0", "stack 99999999", "line 3 is damaged");
    refuse("0fa2", "0fa", "line 4 is damaged");
    refuse("0fa2", "", "line 4 is damaged");
    refuse("exit e3", "exits e3", "line 4 is damaged");
    refuse(" 5\n", " -5\n", "line 6 is damaged");
    refuse(" 5\n", " 99999999999999999999\n", "line 6 is damaged");
}

static void kind_is(const char *bytes, size_t size, const char *function, const char *expected)
{
    struct profile_exit item = {.address = 0xe435f98, .size = size};

    memcpy(item.bytes, bytes, size);
    char *kind = profile_kind(&item, function, 0x1f);

    CHECK_TEXT(kind, expected);
    free(kind);
}

static void test_kinds(void)
{
    kind_is("\x0f\xa2", 2, "exit_cpuid", "cpuid");
    kind_is("\x48\xff\xcf", 3, "exit_cpuid", "exit at exit_cpuid+0x1f");
    kind_is("\xec", 1, "serial_put", "IN at serial_put+0x1f");
    kind_is("\x66\xef", 2, NULL, "OUT at 0xe435f98");
    kind_is("\x44\x0f\x22\xc0", 4, "lapic_set_priority", "MOV to CR at lapic_set_priority+0x1f");
    kind_is("\x0f\x01\xd9", 3, "exit_vmmcall", "vmmcall");
    kind_is("", 0, NULL, "exit without an instruction");
}

/* ---- names ---- */

static const char l1_text[] = "555555554000-5555555a0000 r--p 00000000 00:02 92   /bin/qemu\n"
                              "5555555a0000-555555600000 r-xp 0004c000 00:02 92   /bin/qemu\n"
                              "7ffff0000000-7ffff0100000 r-xp 00001000 00:02 93   /lib/libc.so.6\n"
                              "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0    [stack]\n"
                              "\n"
                              "ffffffff81000000 T _text\n"
                              "ffffffff81000000 T start_kernel\n"
                              "ffffffff81000100 t do_syscall\n"
                              "ffffffff81000200 D not_code\n"
                              "ffffffffc0001000 t vcpu_run\t[kvm]\n"
                              "damage\n";

static void read_symbols(struct symbols *symbols)
{
    FILE *in = fmemopen((void *)(uintptr_t)l1_text, sizeof(l1_text) - 1, "r");

    *symbols = (struct symbols){0};
    symbols_read(symbols, in);
    fclose(in);
}

static void name_is(const struct symbols *symbols, uint64_t address, const char *expected)
{
    char name[SYMBOL_NAME_MAX];

    CHECK_TEXT(symbols_name(symbols, address, name), expected);
}

static void test_kernel_names(void)
{
    struct symbols symbols;

    read_symbols(&symbols);
    symbols_sort(&symbols);
    CHECK_EQUAL(symbols.map_count, 3);
    name_is(&symbols, 0xffffffff81000000, "start_kernel");
    name_is(&symbols, 0xffffffff810001ff, "do_syscall");
    name_is(&symbols, 0xffffffff81000250, "do_syscall");
    name_is(&symbols, 0xffffffffc0001004, "vcpu_run [kvm]");
    name_is(&symbols, 0x5555555a0010, "[qemu]");
    name_is(&symbols, 0x1000, "[unknown]");
    symbols_free(&symbols);
}

/* An ELF file with one dynamic symbol. */
struct small_elf {
    Elf64_Ehdr head;
    Elf64_Shdr sections[3];
    Elf64_Sym symbol;
    char strings[16];
};

static struct small_elf make_elf(void)
{
    struct small_elf elf = {
        .head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                 .e_shoff = offsetof(struct small_elf, sections),
                 .e_shnum = 3},
        .sections = {{.sh_type = SHT_NULL},
                     {.sh_type = SHT_DYNSYM,
                      .sh_offset = offsetof(struct small_elf, symbol),
                      .sh_size = sizeof(Elf64_Sym),
                      .sh_link = 2},
                     {.sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(struct small_elf, strings),
                      .sh_size = 16}},
        .symbol = {.st_name = 1,
                   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                   .st_shndx = 1,
                   .st_value = 0x2000,
                   .st_size = 0x20},
        .strings = "\0write",
    };

    return elf;
}

static void test_dynamic_names(void)
{
    struct small_elf elf = make_elf();
    struct symbols symbols;

    read_symbols(&symbols);
    symbols_add_elf(&symbols, "libc.so.6", (const uint8_t *)&elf, sizeof(elf));
    symbols_add_elf(&symbols, "libm.so.6", (const uint8_t *)&elf, sizeof(elf)); /* not mapped */
    const size_t count = symbols.count;

    elf.sections[1].sh_size = UINT64_MAX;
    symbols_add_elf(&symbols, "libc.so.6", (const uint8_t *)&elf, sizeof(elf));
    elf = make_elf();
    elf.sections[2].sh_size = 17;
    symbols_add_elf(&symbols, "libc.so.6", (const uint8_t *)&elf, sizeof(elf));
    elf = make_elf();
    elf.symbol.st_name = 16;
    symbols_add_elf(&symbols, "libc.so.6", (const uint8_t *)&elf, sizeof(elf));
    elf = make_elf();
    elf.head.e_shoff = sizeof(elf) - 8;
    symbols_add_elf(&symbols, "libc.so.6", (const uint8_t *)&elf, sizeof(elf));
    CHECK_EQUAL(symbols.count, count);
    symbols_sort(&symbols);
    /* 0x7ffff0000000 is offset 0x1000 of the file */
    name_is(&symbols, 0x7ffff0001000, "write [libc.so.6]");
    name_is(&symbols, 0x7ffff000101f, "write [libc.so.6]");
    name_is(&symbols, 0x7ffff0001020, "[libc.so.6]");
    symbols_free(&symbols);
}

static void test_image_names(void)
{
    static const uint8_t image[] = "\1\0\0\0\5wrong......\3\0\0\0"
                                   "\x80\x20\x10\x90\1first\0exit_cpuid\0last\0";
    struct symbols symbols = {0};

    symbols_add_image(&symbols, image, sizeof(image));
    symbols_sort(&symbols);
    CHECK_EQUAL(symbols.count, 3);
    name_is(&symbols, 0x1000, "first");
    name_is(&symbols, 0x1010, "exit_cpuid");
    name_is(&symbols, 0x109f, "exit_cpuid");
    name_is(&symbols, 0x10a0, "last");
    CHECK(symbols_find(&symbols, 0xfff) == NULL);
    CHECK(symbols_find(&symbols, 0x100000) == NULL);
    symbols_free(&symbols);
    symbols_add_image(&symbols, image, sizeof(image) - 2); /* its end is missing */
    CHECK_EQUAL(symbols.count, 0);
    symbols_free(&symbols);
}

int main(void)
{
    RUN(test_read());
    RUN(test_damage());
    RUN(test_kinds());
    RUN(test_kernel_names());
    RUN(test_dynamic_names());
    RUN(test_image_names());
    return unit_finish("unit_profile");
}
