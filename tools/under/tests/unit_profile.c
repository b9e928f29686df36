/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles of exits: the plugin's file, the names of functions, and what a run gets. */
#include "tools/tests/support/unit.h"
#include "tools/under/profile.h"
#include "tools/under/profile_symbols.h"

static const char whole[] = "tare exits 1 40\n"
                            "call 0 ffffffff81000100\n"
                            "exit e3fb4c2 12 11 30 0fa2\n"
                            "call 1 ffffffffc0001010\n"
                            "2 ffffffffc0001020 25\n"
                            "0 7ffff0001000 5\n"
                            "exit 0 9 9 0 -\n"
                            "end\n";

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
                              "damage\n"
                              "qemu:0000000000050000 0000000000000010 T main\n"
                              "/usr/lib/libc.so.6:0000000000002000 0000000000000020 W write\n"
                              "/usr/lib/libc.so.6:0000000000003000 0000000000000020 D environ\n"
                              "/usr/lib/libc.so.6:0000000000004000 T no_size\n"
                              "/usr/lib/libm.so.6:0000000000002000 0000000000000020 T sin\n";

static void read_symbols(struct symbols *symbols, const char *text)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

    *symbols = (struct symbols){0};
    symbols_read(symbols, in);
    fclose(in);
}

static bool read_text(const char *text, struct profile *profile, char error[PROFILE_ERROR_MAX])
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    struct symbols symbols;

    read_symbols(&symbols, l1_text);
    const bool good = in != NULL && profile_read(profile, &symbols, in, error);

    symbols_free(&symbols);
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
    CHECK_EQUAL(profile.items[0].address, 0xe3fb4c2);
    CHECK_EQUAL(profile.items[0].exits, 12);
    CHECK_EQUAL(profile.items[0].kept, 11);
    CHECK_EQUAL(profile.items[0].total, 30);
    CHECK_TEXT(profile.items[0].bytes, "0fa2");
    CHECK_EQUAL(profile.items[0].parts.count, 2);
    CHECK_TEXT(profile.items[0].parts.items[0].name, "start_kernel;vcpu_run [kvm];vcpu_run [kvm]");
    CHECK_EQUAL(profile.items[0].parts.items[0].instructions, 25);
    CHECK_TEXT(profile.items[0].parts.items[1].name, "write [libc.so.6]");
    CHECK_EQUAL(profile.items[0].parts.items[1].instructions, 5);
    CHECK_TEXT(profile.items[1].bytes, "-");
    profile_free(&profile);
}

/* Replaces `from` in the whole file, and expects an error in that line. */
static void refuse(const char *from, const char *to, unsigned line)
{
    const char *at = strstr(whole, from);
    struct profile profile;
    char error[PROFILE_ERROR_MAX] = "";
    char expected[32];
    char text[512];

    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
    snprintf(expected, sizeof(expected), "line %u is damaged", line);
    CHECK(!read_text(text, &profile, error));
    CHECK(strstr(error, expected) != NULL);
    if (strstr(error, expected) == NULL) {
        fprintf(stderr, "%s -> %s: \"%s\"\n", from, to, error);
    }
    profile_free(&profile);
}

static void test_damage(void)
{
    refuse("tare exits 1", "tare rows 1", 1);
    refuse("end\n", "", 8);
    refuse("end\n", "end", 8);
    refuse(" 25\n", " 26\n", 6); /* the parts no longer add up */
    refuse(" 25\n", " 24\n", 7);
    refuse("2 ffffffffc0001020", "3 ffffffffc0001020", 5); /* no such call */
    refuse("call 1", "call 2", 4);                         /* it contains itself */
    refuse("12 11 30", "10 11 30", 3);
    refuse("12 11 30", "41 11 30", 3); /* more than all exits */
    refuse("exit 0 9 9 0", "exit 0 9 9 1", 8);
    refuse("0fa2", "0fg2", 3);
    refuse("0fa2", "", 3);
    refuse("exit e3", "exits e3", 3);
    refuse("call 0 f", "0 f", 2);
    refuse(" 5\n", " -5\n", 6);
    refuse(" 5\n", " 5 5\n", 6);
    refuse(" 5\n", " 99999999999999999999\n", 6);
}

/* The image: functions at 1000h and 2000h. */
static void kind_is(const char *bytes, uint64_t address, const char *expected)
{
    struct profile_exit items[] = {{.address = address},
                                   {.address = 0x2010, .bytes = "f4"},
                                   {.address = 0x2020, .bytes = "0f30"},
                                   {.address = 0x1030, .bytes = "90"}};
    const struct profile profile = {.items = items, .count = 4};
    struct symbols image;

    read_symbols(&image, "1000 T exit_cpuid\n2000 T exit_ipi_hlt\n3000 T serial_put\n");
    snprintf(items[0].bytes, sizeof(items[0].bytes), "%s", bytes);
    char *kind = profile_kind(&profile, &image, &items[0]);

    CHECK_TEXT(kind, expected);
    free(kind);
    symbols_free(&image);
}

static void test_kinds(void)
{
    kind_is("0fa2", 0x101f, "cpuid");
    kind_is("48ffcf", 0x101f, "exit at exit_cpuid+0x1f");
    kind_is("ec", 0x301f, "IN at serial_put+0x1f");
    kind_is("8907", 0x301f, "store at serial_put+0x1f");
    kind_is("66ef", 0xf98, "OUT at 0xf98");
    kind_is("90", 0xf98, "exit at 0xf98");
    kind_is("440f22c0", 0x3000, "MOV to CR at serial_put+0x0");
    kind_is("f4", 0x2010, "ipi_hlt+0x10"); /* the function has another */
    kind_is("-", 0, "exit without an instruction");
}

/* ---- names ---- */

static void name_is(const struct symbols *symbols, uint64_t address, const char *expected)
{
    char name[SYMBOL_NAME_MAX];

    CHECK_TEXT(symbols_name(symbols, address, name), expected);
}

static void test_l1_names(void)
{
    struct symbols symbols;

    read_symbols(&symbols, l1_text);
    CHECK_EQUAL(symbols.map_count, 3);
    name_is(&symbols, 0xffffffff81000000, "start_kernel");
    name_is(&symbols, 0xffffffff810001ff, "do_syscall");
    name_is(&symbols, 0xffffffff81000250, "do_syscall");
    name_is(&symbols, 0xffffffffc0001004, "vcpu_run [kvm]");
    name_is(&symbols, 0x5555555a4000, "main [qemu]");
    name_is(&symbols, 0x5555555a4010, "[qemu]");
    /* 0x7ffff0000000 is offset 0x1000 of the file */
    name_is(&symbols, 0x7ffff0001000, "write [libc.so.6]");
    name_is(&symbols, 0x7ffff000101f, "write [libc.so.6]");
    name_is(&symbols, 0x7ffff0001020, "[libc.so.6]");
    name_is(&symbols, 0x7ffff0002000, "[libc.so.6]");
    name_is(&symbols, 0x7ffff0003000, "[libc.so.6]");
    name_is(&symbols, 0x1000, "[unknown]");
    symbols_free(&symbols);
}

/* Reads an image whose section begins at 60h, with the first bytes of a table of 3 functions. */
static void read_image(struct symbols *symbols, const char *section, size_t size)
{
    static const char table[] = "\3\0\0\0\x80\x20\x10\x90\1first\0exit_cpuid\0last";
    char image[2048] = "MZ";
    FILE *in = fmemopen(image, 0x60 + size, "r");

    memcpy(image + 16, section, 8);
    image[16 + 20] = 0x60;
    memcpy(image + 0x60, table, size);
    *symbols = (struct symbols){0};
    symbols_read_image(symbols, in, 0x40000);
    fclose(in);
}

static void test_image_names(void)
{
    struct symbols symbols;

    read_image(&symbols, ".symbols", 31);
    CHECK_EQUAL(symbols.count, 3);
    name_is(&symbols, 0x41000, "first");
    name_is(&symbols, 0x41010, "exit_cpuid");
    name_is(&symbols, 0x4109f, "exit_cpuid");
    name_is(&symbols, 0x410a0, "last");
    CHECK(symbols_find(&symbols, 0x40fff) == NULL);
    CHECK(symbols_find(&symbols, 0x43000) == NULL);
    symbols_free(&symbols);
    read_image(&symbols, ".symbols", 15); /* cut after the first name */
    CHECK_EQUAL(symbols.count, 1);
    symbols_free(&symbols);
    read_image(&symbols, ".symbols", 6); /* in the distances */
    CHECK_EQUAL(symbols.count, 0);
    symbols_free(&symbols);
    read_image(&symbols, ".rodata\0", 31);
    CHECK_EQUAL(symbols.count, 0);
    symbols_free(&symbols);
}

int main(void)
{
    RUN(test_read());
    RUN(test_damage());
    RUN(test_kinds());
    RUN(test_l1_names());
    RUN(test_image_names());
    return unit_finish("unit_profile");
}
