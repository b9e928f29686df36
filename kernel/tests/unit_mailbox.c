/* SPDX-License-Identifier: BSD-2-Clause */
/* The mailbox in memory that lies where the image looks for it: 128 and 64 MiB. */
#include <stdlib.h>
#include <sys/mman.h>

#include "kernel/mailbox.h"
#include "tools/tests/support/unit.h"

#define MIB       (1ull << 20)
#define PAGE      4096u
#define PLACE     (128 * MIB)
#define LOWER     (64 * MIB)
#define MAP_BYTES (24 * MIB)
#define WORDS_MAX 160
#define HEADER    sizeof(struct mailbox_header)

static struct handoff handoff;
static struct mailbox mailbox;

static void put_range(uint64_t address, uint64_t bytes, enum memory_kind kind)
{
    handoff.ranges[handoff.range_count++] = (struct memory_range){address, bytes / PAGE, kind};
}

/* As of a machine with free memory up to `end`, and firmware's beyond. */
static void make_map(uint64_t end)
{
    handoff.range_count = 0;
    put_range(0, 640 << 10, MEMORY_FREE);
    put_range(MIB, end - MIB, MEMORY_FREE);
    put_range(end, 16 * MIB, MEMORY_FIRMWARE);
    mailbox = (struct mailbox){0};
}

static uint64_t place(void)
{
    return (uint64_t)(uintptr_t)mailbox.header;
}

static void fill(size_t bytes)
{
    static uint8_t line[1000];

    for (size_t i = 0; i < sizeof(line); i++) {
        line[i] = (uint8_t)(i * 7);
    }
    for (size_t done = 0; done < bytes; done += sizeof(line)) {
        CHECK(mailbox_write(&mailbox, line, sizeof(line)));
    }
}

/* The map goes on to say what it said, but for the mailbox. */
static void test_reserve(void)
{
    make_map(240 * MIB);
    CHECK(mailbox_reserve(&handoff, &mailbox));
    CHECK_EQUAL(place(), PLACE);
    CHECK_EQUAL(handoff.range_count, 5);
    uint64_t pages = 0;

    for (uint32_t i = 1; i < handoff.range_count; i++) {
        CHECK_EQUAL(handoff.ranges[i].address, MIB + pages * PAGE);
        pages += handoff.ranges[i].pages;
        CHECK_EQUAL(handoff.ranges[i].kind, i == 2 || i == 4 ? MEMORY_FIRMWARE : MEMORY_FREE);
    }
    CHECK_EQUAL(pages * PAGE, 255 * MIB);
    CHECK_EQUAL(handoff.ranges[2].address, PLACE);
    CHECK_EQUAL(handoff.ranges[2].pages * PAGE, MAILBOX_BYTES);
}

/* A quarter of what is free there at the most, another place, or none. */
static void test_little_memory(void)
{
    make_map(136 * MIB);
    CHECK(mailbox_reserve(&handoff, &mailbox));
    CHECK_EQUAL(place(), PLACE);
    CHECK_EQUAL(handoff.ranges[2].pages * PAGE, 2 * MIB);
    make_map(130 * MIB);
    CHECK(mailbox_reserve(&handoff, &mailbox));
    CHECK_EQUAL(place(), LOWER);
    make_map(66 * MIB);
    CHECK(!mailbox_reserve(&handoff, &mailbox));
    CHECK_EQUAL(handoff.range_count, 3);
    CHECK(mailbox.header == NULL);
    make_map(240 * MIB);
    handoff.range_count = HANDOFF_RANGES_MAX - 1;
    CHECK(!mailbox_reserve(&handoff, &mailbox));
}

static void test_round_trip(void)
{
    static const size_t sizes[] = {0, 1000, 1000000, 15000000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        make_map(240 * MIB);
        CHECK(mailbox_reserve(&handoff, &mailbox));
        fill(sizes[i]);
        mailbox_seal(&mailbox);
        make_map(240 * MIB);
        CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_FULL);
        CHECK_EQUAL(mailbox.length, sizes[i]);
        for (size_t k = 0; k < mailbox.length; k += 997) {
            CHECK_EQUAL(mailbox_bytes(&mailbox)[k], (uint8_t)(k % 1000 * 7));
        }
        mailbox_clear(&mailbox);
        CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_NONE);
    }
}

static void test_attempts(void)
{
    make_map(240 * MIB);
    CHECK(mailbox_reserve(&handoff, &mailbox));
    mailbox_seal(&mailbox);
    for (unsigned i = 0; i < MAILBOX_ATTEMPTS_MAX; i++) {
        CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_NONE); /* it is taken */
        make_map(240 * MIB);
        CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_FULL);
        CHECK(mailbox_attempt(&mailbox));
        CHECK(mailbox_reserve(&handoff, &mailbox));
    }
    make_map(240 * MIB);
    CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_FULL);
    CHECK(!mailbox_attempt(&mailbox));
    mailbox_clear(&mailbox);
}

/* What does not fit is left out whole, and said at the end; nothing is written behind the room. */
static void test_full(void)
{
    static uint8_t half[MAILBOX_BYTES / 2];
    uint8_t *behind = (uint8_t *)(uintptr_t)(PLACE + MAILBOX_BYTES);

    make_map(240 * MIB);
    memset(behind, 0x55, 1000);
    CHECK(mailbox_reserve(&handoff, &mailbox));
    CHECK(mailbox_write(&mailbox, half, sizeof(half)));
    CHECK(!mailbox_write(&mailbox, half, sizeof(half)));
    CHECK(!mailbox_write(&mailbox, half, 1));
    mailbox_seal(&mailbox);
    make_map(240 * MIB);
    CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_FULL);
    CHECK(mailbox.length > sizeof(half) && mailbox.length <= sizeof(half) + WORDS_MAX);
    CHECK(memmem(mailbox_bytes(&mailbox) + sizeof(half), mailbox.length - sizeof(half),
                 "only 8388608 bytes", 18) != NULL);
    for (size_t i = 0; i < 1000; i++) {
        CHECK_EQUAL(behind[i], 0x55);
    }
}

static void test_full_to_the_brim(void)
{
    make_map(240 * MIB);
    CHECK(mailbox_reserve(&handoff, &mailbox));
    uint8_t *all = calloc(1, mailbox.room);

    CHECK(mailbox_write(&mailbox, all, mailbox.room));
    CHECK(!mailbox_write(&mailbox, all, 1));
    mailbox_seal(&mailbox);
    CHECK(mailbox.length + HEADER <= MAILBOX_BYTES);
    make_map(240 * MIB);
    CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_FULL);
    free(all);
}

/* Any bit that changed on the way is told; without its name it is no mailbox at all. */
static void test_damage(void)
{
    for (size_t bit = 0; bit < (HEADER + 2000) * 8; bit += 3) {
        uint8_t *bytes = (uint8_t *)(uintptr_t)PLACE;

        make_map(240 * MIB);
        CHECK(mailbox_reserve(&handoff, &mailbox));
        fill(2000);
        mailbox_seal(&mailbox);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        make_map(240 * MIB);
        CHECK_EQUAL(mailbox_find(&handoff, &mailbox), bit < 64 ? MAILBOX_NONE : MAILBOX_DAMAGED);
    }
}

/* A good header whose bytes would lie beyond free memory, and one in memory that is not free. */
static void test_outside(void)
{
    make_map(240 * MIB);
    CHECK(mailbox_reserve(&handoff, &mailbox));
    fill(2000000);
    mailbox_seal(&mailbox);
    make_map(PLACE + MIB);
    CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_DAMAGED);
    make_map(PLACE);
    CHECK_EQUAL(mailbox_find(&handoff, &mailbox), MAILBOX_NONE);
}

static int map_at(uint64_t address)
{
    return mmap((void *)(uintptr_t)address, MAP_BYTES, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
}

int main(void)
{
    if (!map_at(PLACE) || !map_at(LOWER)) {
        fprintf(stderr, "unit_mailbox: no memory at 64 and 128 MiB\n");
        return 1;
    }
    RUN(test_reserve());
    RUN(test_little_memory());
    RUN(test_round_trip());
    RUN(test_attempts());
    RUN(test_full());
    RUN(test_full_to_the_brim());
    RUN(test_damage());
    RUN(test_outside());
    return unit_finish("unit_mailbox");
}
