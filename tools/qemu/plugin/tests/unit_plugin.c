/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/plugin/instruction.h"
#include "tools/qemu/plugin/tlb.h"
#include "tools/tests/support/unit.h"

/* ---- instruction.h: bytes of known instructions, by GNU as ---- */

struct known {
    const char *text;
    uint8_t bytes[10];
    size_t length;
    unsigned loads;
};

static const struct known segment_loads[] = {
    {"mov %eax, %ds", {0x8e, 0xd8}, 2, 1},
    {"mov %ds, %eax", {0x8c, 0xd8}, 2, 0},
    {"mov %cs:0x12, %es", {0x2e, 0x8e, 0x06, 0x12, 0x00}, 5, 1},
    {"mov %r8d, %ds", {0x41, 0x8e, 0xd8}, 3, 1},
    {"inc %ax, 16 bits", {0x40}, 1, 0},
    {"dec %di, 16 bits, and not the mov %eax, %ds behind it", {0x4f, 0x8e, 0xd8}, 1, 0},
    {"pop %ds", {0x1f}, 1, 1},
    {"pop %es", {0x07}, 1, 1},
    {"pop %ss", {0x17}, 1, 1},
    {"pop %fs", {0x0f, 0xa1}, 2, 1},
    {"pop %gs", {0x0f, 0xa9}, 2, 1},
    {"push %ds", {0x1e}, 1, 0},
    {"lds (%si), %di", {0xc5, 0x3c}, 2, 1},
    {"les 6(%bp), %bx", {0xc4, 0x5e, 0x06}, 3, 1},
    {"les 0x1234, %bx", {0xc4, 0x1e, 0x34, 0x12}, 4, 1},
    {"lds 0x1234(%bp), %si", {0xc5, 0xb6, 0x34, 0x12}, 4, 1},
    {"les %es:(%bx), %bx", {0x26, 0xc4, 0x1f}, 3, 1},
    {"vzeroupper", {0xc5, 0xf8, 0x77}, 3, 0},
    {"vmovdqu (%rsi), %ymm0", {0xc5, 0xfe, 0x6f, 0x06}, 4, 0},
    {"vmovdqu (%rsi), %ymm9", {0xc5, 0x7e, 0x6f, 0x0e}, 4, 0},
    {"vmovdqu 8(%rsi), %ymm9", {0xc5, 0x7e, 0x6f, 0x4e, 0x08}, 5, 0},
    {"vpbroadcastb %xmm1, %ymm9", {0xc4, 0x62, 0x7d, 0x78, 0xc9}, 5, 0},
    {"lss (%eax), %esp", {0x0f, 0xb2, 0x20}, 3, 1},
    {"lfs (%eax), %esp", {0x0f, 0xb4, 0x20}, 3, 1},
    {"lgs (%eax), %esp", {0x0f, 0xb5, 0x20}, 3, 1},
    {"movzbl (%rax), %eax", {0x0f, 0xb6, 0x00}, 3, 0},
    {"lcall $0x10, $0x1234", {0x9a, 0x34, 0x12, 0x10, 0x00}, 5, 1},
    {"ljmp $0x10, $0x1234", {0xea, 0x34, 0x12, 0x10, 0x00}, 5, 1},
    {"lcall *(%rax)", {0xff, 0x18}, 2, 1},
    {"rex.W ljmp *(%rax)", {0x48, 0xff, 0x28}, 3, 1},
    {"call *(%rax)", {0xff, 0x10}, 2, 0},
    {"jmp *%rax", {0xff, 0xe0}, 2, 0},
    {"lret", {0xcb}, 1, 1},
    {"data16 lret $4", {0x66, 0xca, 0x04, 0x00}, 4, 1},
    {"ret", {0xc3}, 1, 0},
    {"iretq", {0x48, 0xcf}, 2, 2},
    {"iret", {0xcf}, 1, 1},
    {"syscall", {0x0f, 0x05}, 2, 0},
    {"sysretq", {0x48, 0x0f, 0x07}, 3, 0},
    {"a prefix alone, cut", {0x66}, 1, 0},
};

static void test_segment_loads(void)
{
    for (size_t i = 0; i < sizeof(segment_loads) / sizeof(segment_loads[0]); i++) {
        const struct known *known = &segment_loads[i];
        const struct instruction found = instruction_decode(known->bytes, known->length);

        if (found.segment_loads != known->loads) {
            printf("%s\n", known->text);
        }
        CHECK_EQUAL(found.segment_loads, known->loads);
        CHECK(!found.reads_tsc && !found.loads_cr3 && !found.raises);
    }
}

static struct instruction decode(const char *bytes, size_t length)
{
    return instruction_decode((const uint8_t *)bytes, length);
}

static void test_others(void)
{
    CHECK(decode("\x0f\x31", 2).reads_tsc);         /* rdtsc */
    CHECK(decode("\x0f\x01\xf9", 3).reads_tsc);     /* rdtscp */
    CHECK(!decode("\x0f\x01\xf8", 3).reads_tsc);    /* swapgs */
    CHECK(!decode("\x0f\x33", 2).reads_tsc);        /* rdpmc */
    CHECK(decode("\x0f\x22\xd8", 3).loads_cr3);     /* mov %rax, %cr3 */
    CHECK(decode("\x41\x0f\x22\xd9", 4).loads_cr3); /* mov %r9, %cr3 */
    CHECK(!decode("\x0f\x22\xe0", 3).loads_cr3);    /* mov %rax, %cr4 */
    CHECK(!decode("\x0f\x20\xd8", 3).loads_cr3);    /* mov %cr3, %rax */
    CHECK(decode("\xcc", 1).raises);                /* int3 */
    CHECK(decode("\xcd\x48", 2).raises);            /* int $0x48 */
    CHECK(decode("\xce", 1).raises);                /* into */
    CHECK(decode("\x0f\x0b", 2).raises);            /* ud2 */
    CHECK(!decode("\x0f\x05", 2).raises);           /* syscall */
}

static void test_flow(void)
{
    CHECK(decode("\xe8\x01\x02\x03\x04", sizeof("\xe8\x01\x02\x03\x04") - 1).calls); /* call */
    CHECK(decode("\xff\xd0", sizeof("\xff\xd0") - 1).calls); /* call *%rax */
    CHECK(decode("\x41\xff\x54\x24\x10", sizeof("\x41\xff\x54\x24\x10") - 1)
              .calls); /* call *16(%r12) */
    CHECK(decode("\x64\xff\x14\x25\x40\x06\0\0", sizeof("\x64\xff\x14\x25\x40\x06\0\0") - 1)
              .calls);                                        /* call *%fs:0x640 */
    CHECK(!decode("\xff\xe0", sizeof("\xff\xe0") - 1).calls); /* jmp *%rax */
    CHECK(!decode("\xff\xc0", sizeof("\xff\xc0") - 1).calls); /* inc %eax */
    CHECK(decode("\xc3", sizeof("\xc3") - 1).returns);
    CHECK(decode("\xf3\xc3", sizeof("\xf3\xc3") - 1).returns);
    CHECK(decode("\xc2\x10\0", sizeof("\xc2\x10\0") - 1).returns);
    CHECK(!decode("\xcb", sizeof("\xcb") - 1).returns); /* lret */
    CHECK(decode("\x0f\x01\xd8", sizeof("\x0f\x01\xd8") - 1).runs_guest);
    CHECK(!decode("\x0f\x01\xd9", sizeof("\x0f\x01\xd9") - 1).runs_guest); /* vmmcall */
    CHECK(!decode("\x0f\x01\xd8", sizeof("\x0f\x01\xd8") - 1).calls &&
          !decode("\x0f\x01\xd8", sizeof("\x0f\x01\xd8") - 1).returns);
}

static void test_no_bytes(void)
{
    CHECK_EQUAL(decode("", 0).segment_loads, 0);
    CHECK(!decode("\x0f", 1).reads_tsc);
    CHECK_EQUAL(decode("\xff", 1).segment_loads, 0);
}

/* ---- tlb.h ---- */

static unsigned misses(struct tlb *tlb, uint64_t first, uint64_t count, uint64_t step)
{
    unsigned sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        sum += tlb_misses(tlb, first + i * step);
    }
    return sum;
}

/* As many pages in turn as there are entries stay; one more than the ways of a set goes round. */
static void test_capacity(void)
{
    struct tlb tlb;

    tlb_init(&tlb, TLB_DATA_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 0, TLB_DATA_ENTRIES, 1), TLB_DATA_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 0, TLB_DATA_ENTRIES, 1), 0);
    tlb_init(&tlb, TLB_CODE_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 0, TLB_DATA_ENTRIES, 1), TLB_DATA_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 0, TLB_DATA_ENTRIES, 1), TLB_DATA_ENTRIES);
}

static void test_ways(void)
{
    const uint64_t step = TLB_DATA_ENTRIES / TLB_WAYS;
    struct tlb tlb;

    tlb_init(&tlb, TLB_DATA_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 3, TLB_WAYS, step), TLB_WAYS);
    CHECK_EQUAL(misses(&tlb, 3, TLB_WAYS, step), 0);
    CHECK_EQUAL(misses(&tlb, 3, TLB_WAYS + 1, step), 1);
    /* The page that was used least recently, the first, had to go; the second goes for it. */
    CHECK(tlb_misses(&tlb, 3));
    CHECK(!tlb_misses(&tlb, 3 + 2 * step));
    CHECK(tlb_misses(&tlb, 3 + step));
}

static void test_emptied(void)
{
    struct tlb tlb;

    tlb_init(&tlb, TLB_DATA_ENTRIES);
    CHECK(tlb_misses(&tlb, 0));
    CHECK(!tlb_misses(&tlb, 0));
    tlb_empty(&tlb);
    CHECK(tlb_misses(&tlb, 0));
}

int main(void)
{
    RUN(test_segment_loads());
    RUN(test_others());
    RUN(test_flow());
    RUN(test_no_bytes());
    RUN(test_capacity());
    RUN(test_ways());
    RUN(test_emptied());
    return unit_finish("unit_plugin");
}
