/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of the sandbox as bytes, the list of codes, names of what is refused, and faults in
 * words. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kernel/sandbox/code_list.h"
#include "kernel/sandbox/fault_text.h"
#include "kernel/sandbox/outcome.h"
#include "kernel/sandbox/program.h"
#include "tools/tests/support/unit.h"

#define CAPACITY 8192
#define ADDRESS  0x600000000000ull
#define RESULTS  (ADDRESS + 0x100000)
#define BODY     PROGRAM_BODY_OFFSET

static const uint8_t add[] = {0x48, 0x01, 0xc3};
static const uint8_t init[] = {0xb8, 1, 0, 0, 0};

static void test_list(void)
{
    struct code code;

    CHECK_EQUAL(code_list_count(""), 0);
    CHECK_EQUAL(code_list_count("90"), 1);
    CHECK_EQUAL(code_list_count("90,,4801c3"), 3);
    CHECK(code_list_read("90,,4801c3", 2, &code) == NULL);
    CHECK_EQUAL(code.length, 3);
    CHECK(memcmp(code.bytes, add, sizeof(add)) == 0);
    CHECK(code_list_read("90,,4801c3", 1, &code) == NULL && code.length == 0);
    CHECK(code_list_read("90", 1, &code) != NULL);
    CHECK(code_list_read("9", 0, &code) != NULL);
    CHECK(code_list_read("9G", 0, &code) != NULL);
    CHECK(code_list_read("4801C3", 0, &code) != NULL && code.length == 0);
}

/* At the limit and a byte beyond. */
static void test_longest(void)
{
    char text[2 * CODE_BYTES_MAX + 3];
    struct code code;

    memset(text, '0', sizeof(text));
    text[2 * CODE_BYTES_MAX] = '\0';
    CHECK(code_list_read(text, 0, &code) == NULL && code.length == CODE_BYTES_MAX);
    text[2 * CODE_BYTES_MAX] = '0';
    text[sizeof(text) - 1] = '\0';
    CHECK(code_list_read(text, 0, &code) != NULL && code.length == 0);
}

static struct program_source source_of(uint32_t copies, uint32_t loops)
{
    return (struct program_source){
        .init = init,
        .init_bytes = sizeof(init),
        .code = add,
        .code_bytes = sizeof(add),
        .copies = copies,
        .loops = loops,
    };
}

static void test_unrolled(void)
{
    const struct program_source source = source_of(2, 0);
    uint8_t *bytes = malloc(CAPACITY);
    struct program program;
    uint32_t byte;

    CHECK(program_build(&source, bytes, CAPACITY, ADDRESS, RESULTS, &program));
    CHECK(memcmp(bytes + program.entry, init, sizeof(init)) == 0);
    CHECK_EQUAL(bytes[program.entry - 1], 0xcc);
    /* LFENCE in front of the first copy, and behind the last. */
    CHECK(memcmp(bytes + BODY - 3, "\x0f\xae\xe8\x48\x01\xc3\x48\x01\xc3\x0f\xae\xe8", 12) == 0);
    CHECK(memcmp(bytes + program.exit, "\x0f\x0b\xcc", 3) == 0);
    CHECK(program_part_of(&program, program.entry + 4, &byte) == PROGRAM_INIT && byte == 4);
    CHECK(program_part_of(&program, program.entry + 5, &byte) == PROGRAM_OUTSIDE);
    CHECK(program_part_of(&program, BODY + 4, &byte) == PROGRAM_CODE && byte == 1);
    CHECK(program_part_of(&program, BODY + 6, &byte) == PROGRAM_OUTSIDE);
    CHECK(program_part_of(&program, UINT64_MAX, &byte) == PROGRAM_OUTSIDE);
    free(bytes);
}

static void test_looped(void)
{
    const struct program_source source = source_of(4, 7);
    uint8_t *bytes = malloc(CAPACITY);
    struct program program;
    int32_t distance;

    CHECK(program_build(&source, bytes, CAPACITY, ADDRESS, RESULTS, &program));
    CHECK(memcmp(bytes + program.entry + sizeof(init), "\x49\xc7\xc7\x07\0\0\0", 7) == 0);
    CHECK(memcmp(bytes + BODY + 12, "\x49\xff\xcf\x0f\x85", 5) == 0);
    memcpy(&distance, bytes + BODY + 17, sizeof(distance));
    CHECK_EQUAL(distance, -21);
    free(bytes);
}

/* The first store of the second row names that row. */
static void test_results(void)
{
    const struct program_source source = source_of(1, 0);
    uint8_t *bytes = malloc(CAPACITY);
    struct program program;
    int32_t distance;

    CHECK(program_build(&source, bytes, CAPACITY, ADDRESS, RESULTS, &program));
    const size_t store = BODY + sizeof(add) + 5;

    CHECK(memcmp(bytes + store, "\x89\x05", 2) == 0);
    memcpy(&distance, bytes + store + 2, sizeof(distance));
    CHECK_EQUAL(ADDRESS + store + 6 + (uint64_t)distance,
                RESULTS + offsetof(struct program_results, row[1]));
    free(bytes);
}

/* Behind the first row's TSC the counters, by their indices, each with an LFENCE before it. */
static void test_counters(void)
{
    static const uint32_t indices[] = {7, 0x40000001};
    struct program_source source = source_of(1, 0);
    uint8_t *bytes = malloc(CAPACITY);
    struct program program;

    source.rdpmc = indices;
    source.counters = 2;
    CHECK(program_build(&source, bytes, CAPACITY, ADDRESS, RESULTS, &program));
    const uint8_t *at = bytes + program.entry + sizeof(init) + 7 + 21;

    CHECK(memcmp(at, "\x0f\xae\xe8\x0f\x31", 5) == 0);
    CHECK(memcmp(at + 17, "\xb9\x07\0\0\0\x0f\xae\xe8\x0f\x33", 10) == 0);
    CHECK(memcmp(at + 39, "\xb9\x01\0\0\x40\x0f\xae\xe8\x0f\x33", 10) == 0);
    source.counters = PROGRAM_COUNTERS_MAX + 1;
    CHECK(!program_build(&source, bytes, CAPACITY, ADDRESS, RESULTS, &program));
    free(bytes);
}

static sigjmp_buf after_program;

static void leave(int signal)
{
    siglongjmp(after_program, signal);
}

/* Runs a program as it is, in this process: UD2 ends it. The signal that did. */
static int run_here(const struct program_source *source, struct program_results *results)
{
    const struct sigaction action = {.sa_handler = leave};
    struct program program;
    struct sigaction before;
    uint8_t *bytes = mmap(NULL, CAPACITY + sizeof(*results), PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint64_t address = (uint64_t)(uintptr_t)bytes;
    int signal = -1;

    if (bytes != MAP_FAILED &&
        program_build(source, bytes, CAPACITY, address, address + CAPACITY, &program)) {
        sigaction(SIGILL, &action, &before);
        signal = sigsetjmp(after_program, 1);
        if (signal == 0) {
            ((void (*)(void))(uintptr_t)(bytes + program.entry))();
        }
        sigaction(SIGILL, &before, NULL);
        memcpy(results, bytes + CAPACITY, sizeof(*results));
    }
    munmap(bytes, CAPACITY + sizeof(*results));
    return signal;
}

/* On a processor: it comes to its end, past both readings. Code that raises
 * #UD where init's EAX is lost gets there as well. */
static void test_runs(void)
{
    static const uint8_t keeps[] = {0x83, 0xf8, 0x01, 0x74, 0x02, 0x0f, 0xff}; /* CMP; JE; UD0 */
    struct program_results results;
    struct program_source source = source_of(40, 0);

    CHECK_EQUAL(run_here(&source, &results), SIGILL);
    CHECK(results.row[0][0] != 0 && results.row[1][0] > results.row[0][0]);
    source = source_of(4, 1000);
    source.code = keeps;
    source.code_bytes = sizeof(keeps);
    CHECK_EQUAL(run_here(&source, &results), SIGILL);
    CHECK(results.row[0][0] != 0 && results.row[1][0] > results.row[0][0]);
    CHECK_EQUAL(results.saved[0], 1);
}

/* A copy more than there is room for. */
static void test_fits(void)
{
    struct program_source source = source_of(1, 0);
    uint8_t *bytes = malloc(CAPACITY);
    struct program program;

    while (program_build(&source, bytes, CAPACITY, ADDRESS, RESULTS, &program)) {
        CHECK(program.exit + 2 <= CAPACITY);
        source.copies++;
    }
    CHECK(source.copies > 1000);
    source = source_of(1, 0);
    source.init_bytes = PROGRAM_BODY_OFFSET;
    CHECK(!program_build(&source, bytes, CAPACITY, ADDRESS, RESULTS, &program));
    free(bytes);
}

static int is_named(const char *bytes, size_t length, const char *name)
{
    const char *found = refused_name((const uint8_t *)bytes, length);

    return name == NULL ? found == NULL : found != NULL && strcmp(found, name) == 0;
}

static void test_refused(void)
{
    CHECK(is_named("\xf4", 1, "HLT"));
    CHECK(is_named("\x66\xef", 2, "OUT"));
    CHECK(is_named("\x48\x0f\x07", 3, "SYSRET"));
    CHECK(is_named("\x0f\x01\x10", 3, "LGDT"));
    CHECK(is_named("\x0f\x01\xd0", 3, NULL)); /* XGETBV */
    CHECK(is_named("\x0f\x01\xd1", 3, "XSETBV"));
    CHECK(is_named("\x0f\x01\xf0", 3, "LMSW"));
    CHECK(is_named("\x0f\x00\xd8", 3, "LTR"));
    CHECK(is_named("\x66\x0f\x38\x82", 4, "INVPCID"));
    CHECK(is_named("\x48\x01\xc3", 3, NULL));
    CHECK(is_named("\x0f\x01", 2, NULL));
    CHECK(is_named("\x0f", 1, NULL));
    CHECK(is_named("\x66\x66", 2, NULL));
    CHECK(is_named("", 0, NULL));
}

static int reads_as(const struct sandbox_fault *fault, const char *name, const char *wanted)
{
    char text[FAULT_TEXT_MAX];

    fault_text(fault, name, text);
    return strcmp(text, wanted) == 0;
}

static void test_faults(void)
{
    struct sandbox_fault fault = {.vector = 13, .part = PROGRAM_CODE, .byte = 3, .refused = "HLT"};

    CHECK(reads_as(&fault, "#GP protection", "HLT is not allowed (#GP) at byte 3 of the code"));
    fault.refused = NULL;
    fault.part = PROGRAM_INIT;
    CHECK(reads_as(&fault, "#GP general protection", "#GP general protection at byte 3 of init"));
    fault = (struct sandbox_fault){
        .vector = 14, .error_code = 6, .rip = 16, .address = 16, .part = PROGRAM_CODE};
    CHECK(reads_as(&fault, "#PF", "#PF, write to 0x10, at byte 0 of the code"));
    fault.error_code = 4;
    fault.part = PROGRAM_OUTSIDE;
    CHECK(reads_as(&fault, "#PF", "#PF, jump to 0x10, outside the code, at 0x10"));
    fault.address = UINT64_MAX;
    CHECK(reads_as(&fault, "#PF", "#PF, read of 0xffffffffffffffff, outside the code, at 0x10"));
}

/* What the code left in RAX, RCX and RDX is stored before the second reading overwrites it. */
static void test_keeps(void)
{
    /* MOV $1, %eax; MOV $2, %ecx; MOV $3, %edx */
    static const uint8_t sets[] = {0xb8, 1, 0, 0, 0, 0xb9, 2, 0, 0, 0, 0xba, 3, 0, 0, 0};
    struct program_source source = {
        .init = init, .code = sets, .code_bytes = sizeof(sets), .copies = 1};
    struct program_results results = {0};

    CHECK_EQUAL(run_here(&source, &results), SIGILL);
    CHECK(results.saved[0] != 1 || results.saved[1] != 2 || results.saved[2] != 3);
    source.keeps = true;
    CHECK_EQUAL(run_here(&source, &results), SIGILL);
    CHECK(results.saved[0] == 1 && results.saved[1] == 2 && results.saved[2] == 3);
    CHECK(results.row[1][0] > results.row[0][0]);
}

/* The digest of the memory depends on each word and on its place. */
static void test_memory(void)
{
    static uint64_t memory[SANDBOX_MEMORY_BYTES / sizeof(uint64_t)];
    uint64_t *areas = memory + SANDBOX_AREAS_OFFSET / sizeof(uint64_t);
    const size_t second = SANDBOX_AREA_BYTES / sizeof(uint64_t);
    int64_t none[SANDBOX_MEMORY];
    int64_t one[SANDBOX_MEMORY];
    int64_t other[SANDBOX_MEMORY];

    sandbox.memory = (uint8_t *)memory;
    sandbox_memory(none);
    CHECK_EQUAL(none[1], 0);
    areas[second + 1] = 5;
    sandbox_memory(one);
    CHECK(one[0] != none[0]);
    CHECK_EQUAL(one[1], 1);
    CHECK_EQUAL(one[2], SANDBOX_AREA(1) + 8);
    CHECK_EQUAL(one[3], 5);
    CHECK_EQUAL(one[4], 0);
    areas[second + 1] = 6;
    sandbox_memory(other);
    CHECK(other[0] != one[0]);
    areas[second + 1] = 0;
    areas[second + 2] = 5;
    sandbox_memory(other);
    CHECK(other[0] != one[0]);
    for (size_t i = 0; i < SANDBOX_WORDS_SHOWN + 1; i++) {
        areas[i] = 1;
    }
    sandbox_memory(other);
    CHECK_EQUAL(other[1], SANDBOX_WORDS_SHOWN + 2);
    CHECK_EQUAL(other[SANDBOX_MEMORY - 2], SANDBOX_AREA(0) + 8 * (SANDBOX_WORDS_SHOWN - 1));
    sandbox_clear();
    sandbox_memory(other);
    CHECK_EQUAL(other[0], none[0]);
}

int main(void)
{
    RUN(test_list());
    RUN(test_longest());
    RUN(test_unrolled());
    RUN(test_looped());
    RUN(test_results());
    RUN(test_counters());
    RUN(test_runs());
    RUN(test_fits());
    RUN(test_refused());
    RUN(test_faults());
    RUN(test_keeps());
    RUN(test_memory());
    return unit_finish("unit_sandbox");
}
