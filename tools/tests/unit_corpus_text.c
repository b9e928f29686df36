/* SPDX-License-Identifier: BSD-2-Clause */
/* The text form of fuzz corpora: every byte survives, lines stay short and ASCII, and a damaged
 * file is refused with the line and the reason. */
#include "tools/tests/corpus_text.h"

#include <stdlib.h>

#include "tools/tests/demand.h"
#include "tools/tests/unit.h"

#define BYTE_VALUES 256
#define INPUTS      300
#define HEAD        "# comment\n\ninput a 3\n"

static struct corpus_reader reader;

/* A corpus of one input, which the caller frees. */
static char *written(const char *name, const uint8_t *bytes, size_t size)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    demand(file != NULL);
    corpus_write_begin(file);
    corpus_write(file, name, bytes, size);
    demand(fclose(file) == 0);
    return text;
}

/* Reads the text up to its first input, damage or end. */
static enum corpus_result read_first(const char *text, size_t length)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, length, "rb");

    demand(file != NULL);
    corpus_read_begin(&reader, file);
    const enum corpus_result result = corpus_read(&reader);

    fclose(file);
    return result;
}

static void check_lines(const char *text)
{
    size_t length = 0;

    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\n') {
            CHECK(length == 0 || at[-1] != ' ');
            length = 0;
            continue;
        }
        length++;
        CHECK(*at >= ' ' && *at <= '~' && length <= CORPUS_LINE_MAX);
    }
    CHECK_EQUAL(length, 0);
}

static void check_round_trip(const uint8_t *bytes, size_t size)
{
    char *text = written("name", bytes, size);

    check_lines(text);
    CHECK_EQUAL(read_first(text, strlen(text)), CORPUS_INPUT);
    CHECK_TEXT(reader.error, "");
    CHECK_TEXT(reader.input.name, "name");
    CHECK_EQUAL(reader.input.size, size);
    CHECK(memcmp(reader.input.bytes, bytes, size) == 0);
    free(text);
}

static void test_all_bytes(void)
{
    uint8_t bytes[4 * BYTE_VALUES];

    for (size_t i = 0; i < BYTE_VALUES; i++) {
        bytes[i] = (uint8_t)i;
    }
    check_round_trip(bytes, BYTE_VALUES);
    /* The same among text. */
    memset(bytes + BYTE_VALUES, 'x', sizeof(bytes) - BYTE_VALUES);
    check_round_trip(bytes, sizeof(bytes));
    for (size_t i = 0; i < BYTE_VALUES; i++) {
        bytes[0] = (uint8_t)i;
        check_round_trip(bytes, 1);
        bytes[1] = (uint8_t)i;
        check_round_trip(bytes, 4);
    }
}

static void test_sizes(void)
{
    static uint8_t bytes[CORPUS_SIZE_MAX];

    check_round_trip(bytes, 0);
    for (size_t size = 1; size <= INPUTS; size++) {
        memset(bytes, ' ', size);
        check_round_trip(bytes, size);
        memset(bytes, '\\', size);
        check_round_trip(bytes, size);
        memset(bytes, '\n', size);
        check_round_trip(bytes, size);
        memset(bytes, 0, size);
        check_round_trip(bytes, size);
    }
    memset(bytes, 0xff, sizeof(bytes));
    check_round_trip(bytes, sizeof(bytes));
}

static void test_random_inputs(void)
{
    const char pool[] = "ab \\\n\t|>:#\x01\xff";
    uint64_t state = 28;

    for (size_t i = 0; i < INPUTS; i++) {
        uint8_t bytes[INPUTS];
        const size_t size = unit_random(&state) % sizeof(bytes);
        const size_t kinds = 1 + unit_random(&state) % (sizeof(pool) - 1);

        for (size_t at = 0; at < size; at++) {
            bytes[at] = (uint8_t)pool[unit_random(&state) % kinds];
        }
        check_round_trip(bytes, size);
    }
}

/* The form is a contract: what git has stays what it is. */
static void test_form(void)
{
    const char mixed[] = "two\nlines\\\x01 ";
    const uint8_t binary[] = {0x00, 0x01, 0x02, 0x03, 0xff};
    char *text = written("mixed", (const uint8_t *)mixed, sizeof(mixed) - 1);

    CHECK(strstr(text, "\n\ninput mixed 12\n|two\n>lines\\\\\\x01\\x20\n") != NULL);
    CHECK(strncmp(text, "# SPDX-License-Identifier: BSD-2-Clause\n", 40) == 0);
    free(text);
    text = written("binary", binary, sizeof(binary));
    CHECK(strstr(text, "\n\ninput binary 5\n: 00010203 ff\n") != NULL);
    free(text);
    text = written("empty", binary, 0);
    CHECK(strstr(text, "\n\ninput empty 0\n") != NULL);
    free(text);
}

static void test_several_inputs(void)
{
    const char *const text = HEAD "|ab\n# comment\ninput b 0\n\ninput c 2\n: 00\n>a\n";
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "rb");

    demand(file != NULL);
    corpus_read_begin(&reader, file);
    CHECK_EQUAL(corpus_read(&reader), CORPUS_INPUT);
    CHECK_TEXT(reader.input.name, "a");
    CHECK_EQUAL(corpus_read(&reader), CORPUS_INPUT);
    CHECK_TEXT(reader.input.name, "b");
    CHECK_EQUAL(reader.input.size, 0);
    CHECK_EQUAL(corpus_read(&reader), CORPUS_INPUT);
    CHECK_TEXT(reader.input.name, "c");
    CHECK(reader.input.size == 2 && memcmp(reader.input.bytes, "\0a", 2) == 0);
    CHECK_EQUAL(corpus_read(&reader), CORPUS_END);
    fclose(file);
}

/* The text, of `length` bytes, is refused in this line and for this reason. */
static void refused_bytes(const char *text, size_t length, unsigned long line, const char *reason)
{
    enum corpus_result result = read_first(text, length);

    CHECK_EQUAL(result, CORPUS_DAMAGED);
    CHECK_EQUAL(reader.line, line);
    CHECK(strstr(reader.error, reason) != NULL);
    if (strstr(reader.error, reason) == NULL) {
        fprintf(stderr, "\"%s\" has no \"%s\"\n", reader.error, reason);
    }
}

static void refused(const char *text, unsigned long line, const char *reason)
{
    refused_bytes(text, strlen(text), line, reason);
}

static void test_damaged_lines(void)
{
    char longer[CORPUS_LINE_MAX + 8];

    refused_bytes(HEAD "|a\0\n", sizeof(HEAD "|a\0\n") - 1, 4, "byte 0x00 is not printable");
    refused(HEAD "|ab\r\n", 4, "byte 0x0d is not printable");
    refused(HEAD "|a\tb\n", 4, "byte 0x09 is not printable");
    refused("# \xc3\xa9\n", 1, "byte 0xc3 is not printable");
    refused(HEAD "|ab", 4, "has no newline");
    memset(longer, '#', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    refused(longer, 1, "longer than 120 characters");
}

static void test_damaged_bodies(void)
{
    refused(HEAD "|a\\b\n", 4, "neither \\xNN nor \\\\");
    refused(HEAD "|a\\xg0\n", 4, "neither");
    refused(HEAD "|a\\x0\n", 4, "neither");
    refused(HEAD "|ab\\\n", 4, "neither");
    refused(HEAD "|ab\\x\n", 4, "neither");
    refused(HEAD ": 6162 6\n", 4, "not a byte in hexadecimal");
    refused(HEAD ": 61 6 2\n", 4, "not a byte in hexadecimal");
    refused(HEAD ": zz\n", 4, "not a byte in hexadecimal");
    refused(HEAD "|abc\n", 4, "more than the 3 bytes");
    refused(HEAD ">ab\n: 6364\n", 5, "more than the 3 bytes");
    refused(HEAD "|a\n", 4, "ends after 2 of 3 bytes");
    refused(HEAD "|a\n\n", 5, "ends after 2 of 3 bytes");
    refused(HEAD ">ab\ninput b 0\n", 5, "ends after 2 of 3 bytes");
    refused(HEAD "abc\n", 4, "ends after 0 of 3 bytes");
}

static void test_damaged_heads(void)
{
    refused("|text\n", 1, "is not \"input NAME SIZE\"");
    refused("input a\n", 1, "is not \"input NAME SIZE\"");
    refused("input a 1 2\n", 1, "is not \"input NAME SIZE\"");
    refused("input a x\n", 1, "is not \"input NAME SIZE\"");
    refused("input a 65537\n", 1, "at most 65536");
    refused("input a -1\n", 1, "at most 65536");
    refused("input a/b 1\n", 1, "not a valid name");
    refused("input .. 1\n", 1, "not a valid name");
    refused("input -a 1\n", 1, "not a valid name");
}

/* Nor is the second input read that does not follow the first. */
static void refused_second(const char *text, unsigned long line)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "rb");

    demand(file != NULL);
    corpus_read_begin(&reader, file);
    CHECK_EQUAL(corpus_read(&reader), CORPUS_INPUT);
    CHECK_EQUAL(corpus_read(&reader), CORPUS_DAMAGED);
    CHECK_EQUAL(reader.line, line);
    CHECK(strstr(reader.error, "names ascend") != NULL);
    fclose(file);
}

static void test_order(void)
{
    refused_second("input b 0\ninput a 0\n", 2);
    refused_second("input b 1\n>x\n\ninput b 1\n>y\n", 4);
}

static void test_names(void)
{
    char name[CORPUS_NAME_MAX + 2];

    CHECK(corpus_name_valid("056ef005563f") && corpus_name_valid("a-b_C.9"));
    CHECK(!corpus_name_valid("") && !corpus_name_valid(".") && !corpus_name_valid("a b"));
    CHECK(!corpus_name_valid("/a") && !corpus_name_valid("\xc3\xa9"));
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CHECK(!corpus_name_valid(name));
    name[CORPUS_NAME_MAX] = '\0';
    CHECK(corpus_name_valid(name));
}

int main(void)
{
    RUN(test_all_bytes());
    RUN(test_sizes());
    RUN(test_random_inputs());
    RUN(test_form());
    RUN(test_several_inputs());
    RUN(test_damaged_lines());
    RUN(test_damaged_bodies());
    RUN(test_damaged_heads());
    RUN(test_order());
    RUN(test_names());
    return unit_finish("unit_corpus_text");
}
