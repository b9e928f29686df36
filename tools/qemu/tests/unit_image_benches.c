/* SPDX-License-Identifier: BSD-2-Clause */
/* The benches of an image: a made-up PE file with two of them, whole, moved and damaged. */
#include "tools/qemu/image_benches.h"

#include <stddef.h>
#include <stdlib.h>

#include "kernel/run/registry.h"
#include "tools/tests/support/unit.h"

#define PE_AT       64
#define OPTIONAL    16
#define DATA_AT     512
#define DATA_RVA    0x1000
#define DATA_BYTES  2048
#define FILE_BYTES  (DATA_AT + DATA_BYTES)
#define TABLE_AT    64 /* in the data, as all that follow */
#define REGISTRY_AT 256
#define KEYS_AT     288
#define BENCHES_AT  448
#define PARAMS_AT   768
#define TEXTS_AT    1024

static uint8_t file[FILE_BYTES];
static size_t texts;

static void put(size_t at, uint64_t value, size_t length)
{
    memcpy(file + at, &value, length);
}

/* A pointer that the image will relocate is the address in the image before that. */
static void put_pointer(size_t at, size_t target)
{
    put(DATA_AT + at, DATA_RVA + target, 8);
}

static void put_text(size_t at, const char *text)
{
    put_pointer(at, TEXTS_AT + texts);
    memcpy(file + DATA_AT + TEXTS_AT + texts, text, strlen(text) + 1);
    texts += strlen(text) + 1;
}

static void put_section(size_t index, const char *name, uint64_t rva, uint64_t bytes, uint64_t at)
{
    const size_t header = PE_AT + 24 + OPTIONAL + index * 40;

    memcpy(file + header, name, strlen(name));
    put(header + 12, rva, 4);
    put(header + 16, bytes, 4);
    put(header + 20, at, 4);
}

static void put_param(size_t at, const char *name, enum bench_param_type type, uint64_t min,
                      uint64_t max)
{
    put(DATA_AT + at + offsetof(struct bench_param, type), type, 4);
    put_text(at + offsetof(struct bench_param, name), name);
    put_text(at + offsetof(struct bench_param, default_text), "7");
    put_text(at + offsetof(struct bench_param, summary), "what it is");
    put(DATA_AT + at + offsetof(struct bench_param, min), min, 8);
    put(DATA_AT + at + offsetof(struct bench_param, max), max, 8);
}

static void put_bench(size_t index, const char *name, bool on_request)
{
    const size_t at = BENCHES_AT + index * sizeof(struct bench);

    put_pointer(REGISTRY_AT + index * 8, at);
    put_text(at + offsetof(struct bench, name), name);
    file[DATA_AT + at + offsetof(struct bench, on_request)] = on_request;
}

static void put_table(void)
{
    memcpy(file + DATA_AT + TABLE_AT, REGISTRY_MARK, sizeof(REGISTRY_MARK));
    put(DATA_AT + TABLE_AT + offsetof(struct registry_table, bench_bytes), sizeof(struct bench), 8);
    put(DATA_AT + TABLE_AT + offsetof(struct registry_table, param_bytes),
        sizeof(struct bench_param), 8);
    put_pointer(TABLE_AT + offsetof(struct registry_table, start), REGISTRY_AT);
    put_pointer(TABLE_AT + offsetof(struct registry_table, end), REGISTRY_AT + 16);
    put_pointer(TABLE_AT + offsetof(struct registry_table, run_keys), KEYS_AT);
    put(DATA_AT + TABLE_AT + offsetof(struct registry_table, run_key_count), 2, 8);
    put_param(KEYS_AT, "bench", PARAM_IS_TEXT, 0, 0);
    put_param(KEYS_AT + sizeof(struct bench_param), "exit", PARAM_IS_WORD, 0, 0);
    put_text(KEYS_AT + sizeof(struct bench_param) + offsetof(struct bench_param, words),
             "poweroff,halt");
}

/* Benches idle, with parameters ms and tick_hz, and model, on request and without any. */
static void make_file(void)
{
    memset(file, 0, sizeof(file));
    texts = 0;
    memcpy(file, "MZ", 2);
    put(60, PE_AT, 4);
    memcpy(file + PE_AT, "PE", 2);
    put(PE_AT + 6, 2, 2);
    put(PE_AT + 20, OPTIONAL, 2);
    put_section(0, ".data", DATA_RVA, DATA_BYTES, DATA_AT);
    put_section(1, ".relr", 0x3000, 0, FILE_BYTES);
    put_table();
    put_bench(0, "idle", false);
    put_pointer(BENCHES_AT + offsetof(struct bench, params), PARAMS_AT);
    put_param(PARAMS_AT, "ms", PARAM_IS_TIME, 1, 86400000);
    put_param(PARAMS_AT + sizeof(struct bench_param), "tick_hz", PARAM_IS_NUMBER, 1, 10000);
    put_bench(1, "model", true);
    CHECK(TEXTS_AT + texts <= DATA_BYTES);
}

static void check_whole(const uint8_t *bytes, size_t size)
{
    struct image_benches benches;
    char error[IMAGE_BENCHES_ERROR_MAX] = "";

    CHECK(image_benches_parse(&benches, NULL, bytes, size, error));
    CHECK_TEXT(error, "");
    CHECK_EQUAL(benches.count, 2);
    CHECK_EQUAL(benches.run_key_count, 2);
    if (benches.count == 2 && benches.run_key_count == 2) {
        const struct bench *idle = benches.benches[0];

        CHECK_TEXT(idle->name, "idle");
        CHECK(!idle->on_request && benches.benches[1]->on_request);
        CHECK_TEXT(idle->params[1].name, "tick_hz");
        CHECK_TEXT(idle->params[1].default_text, "7");
        CHECK_EQUAL(idle->params[1].max, 10000);
        CHECK(idle->params[2].name == NULL && benches.benches[1]->params[0].name == NULL);
        CHECK_TEXT(benches.run_keys[0].name, "bench");
        CHECK(benches.run_keys[0].words == NULL);
        CHECK_TEXT(benches.run_keys[1].words, "poweroff,halt");
    }
    image_benches_free(&benches);
}

static void test_whole(void)
{
    make_file();
    check_whole(file, sizeof(file));
}

/* In a disk, behind what begins like a PE file and is none. */
static void test_disk(void)
{
    const size_t before = 3 * 512;
    uint8_t *disk = calloc(1, before + sizeof(file));

    make_file();
    memcpy(disk, file, 512);
    memcpy(disk + before, file, sizeof(file));
    check_whole(disk, before + sizeof(file));
    free(disk);
}

/* Of two images in a disk, the first one is read, or the first one with the group that was asked
 * for. */
static void test_two_images(void)
{
    const size_t stride = (sizeof(file) + 511) / 512 * 512;
    uint8_t *disk = calloc(2, stride);
    struct image_benches benches;
    char error[IMAGE_BENCHES_ERROR_MAX];

    make_file();
    memcpy(disk, file, sizeof(file));
    CHECK(!image_benches_parse(&benches, "smp", disk, 2 * stride, error));
    CHECK_EQUAL(benches.count, 0);
    put_text(BENCHES_AT + sizeof(struct bench) + offsetof(struct bench, group), "smp");
    memcpy(disk + stride, file, sizeof(file));
    CHECK(image_benches_parse(&benches, NULL, disk, 2 * stride, error));
    CHECK(benches.benches[1]->group == NULL);
    image_benches_free(&benches);
    CHECK(image_benches_parse(&benches, "smp", disk, 2 * stride, error));
    CHECK_TEXT(benches.benches[1]->group, "smp");
    CHECK_TEXT(error, "");
    image_benches_free(&benches);
    CHECK(!image_benches_parse(&benches, "sm", disk, 2 * stride, error));
    free(disk);
}

/* The plan is then checked by these benches alone. */
static void test_registry(void)
{
    struct image_benches benches;
    char error[PLAN_ERROR_MAX];
    static struct plan plan;

    make_file();
    CHECK(image_benches_parse(&benches, NULL, file, sizeof(file), error));
    registry_use_benches(benches.benches, benches.count);
    registry_use_plan(&plan);
    CHECK(registry_check_list("idle,model", error));
    CHECK(!registry_check_list("idel", error));
    CHECK_TEXT(error, "no bench \"idel\"; valid names: all none idle model");
    CHECK(plan_parse(&plan, "idle.ms=0", 9, error) && !registry_check_params(error));
    CHECK_TEXT(error, "idle.ms: expected a time from 1 to 86400000 ms, got \"0\"");
    CHECK(plan_parse(&plan, "idle.ms=abc", 11, error) && !registry_check_params(error));
    CHECK(plan_parse(&plan, "idle.ms=5", 9, error) && registry_check_params(error));
    registry_use_benches(NULL, 0);
    image_benches_free(&benches);
}

static void refused(const char *why)
{
    struct image_benches benches;
    char error[IMAGE_BENCHES_ERROR_MAX] = "";

    CHECK(!image_benches_parse(&benches, NULL, file, sizeof(file), error));
    CHECK(strstr(error, why) != NULL);
    image_benches_free(&benches);
}

static void test_damaged(void)
{
    make_file();
    file[DATA_AT + TABLE_AT] = 'T';
    refused("no table of benches was found");
    make_file();
    file[0] = 'm';
    refused("no table of benches was found");
    make_file();
    put(DATA_AT + TABLE_AT + offsetof(struct registry_table, bench_bytes), 8, 8);
    refused("from another version");
    make_file();
    put(DATA_AT + TABLE_AT + offsetof(struct registry_table, run_key_count), UINT64_MAX, 8);
    refused("damaged");
    make_file();
    put_pointer(TABLE_AT + offsetof(struct registry_table, start), DATA_BYTES - 4);
    refused("damaged");
    make_file();
    put(DATA_AT + KEYS_AT + offsetof(struct bench_param, type), PARAM_IS_TEXT + 1, 4);
    refused("damaged");
    make_file();
    put(DATA_AT + KEYS_AT + offsetof(struct bench_param, type), PARAM_IS_WORDS, 4); /* no words */
    refused("damaged");
    make_file();
    memset(file + DATA_AT + TEXTS_AT, 'x', DATA_BYTES - TEXTS_AT); /* no text ends */
    refused("damaged");
}

/* Every cut is refused or whole, and none reads beyond its end. */
static void test_cut(void)
{
    make_file();
    for (size_t size = 0; size < sizeof(file); size++) {
        uint8_t *cut = malloc(size > 0 ? size : 1);
        struct image_benches benches;
        char error[IMAGE_BENCHES_ERROR_MAX] = "";

        memcpy(cut, file, size);
        CHECK(!image_benches_parse(&benches, NULL, cut, size, error) && error[0] != '\0');
        image_benches_free(&benches);
        free(cut);
    }
}

int main(void)
{
    RUN(test_whole());
    RUN(test_disk());
    RUN(test_two_images());
    RUN(test_registry());
    RUN(test_damaged());
    RUN(test_cut());
    return unit_finish("unit_image_benches");
}
