/* SPDX-License-Identifier: BSD-2-Clause */
/* A vector that a machine delivers within its own handler, at each place of the handler: found in
 * the stamps that timed_section.c itself makes then. */
#include "kernel/irq/timed_section.c" /* NOLINT(bugprone-suspicious-include): the unit under test */
#include "tools/tests/support/unit.h"

#define RING   8
#define VECTOR 0x40

void descriptors_set_entry(uint8_t vector, void (*entry)(void))
{
    (void)vector;
    (void)entry;
}

void descriptors_reset_entry(uint8_t vector)
{
    (void)vector;
}

void interrupt_count_expected(uint64_t vector)
{
    (void)vector;
}

size_t reader_row_words(void)
{
    return 0;
}

static void read_nothing(int64_t *row)
{
    (void)row;
}
void (*reader_chosen)(int64_t *row) = read_nothing;

void timed_section_entry(void)
{
}

/* Where the machine delivers the vector once more. */
enum place { NOWHERE, IN_HANDLER, AT_END };
static enum place again;
static uint64_t now;

static void deliver(void);

static void nest(enum place at)
{
    if (again == at) {
        again = NOWHERE;
        deliver();
    }
}

void lapic_end_of_interrupt(void)
{
    now += 10;
    nest(AT_END);
}

static bool handle(void)
{
    now += 100;
    nest(IN_HANDLER);
    return true;
}

/* As timed_section.S: stamps around the handler. */
static void deliver(void)
{
    now += 5;
    timed_section_interrupt(now);
    now += 5;
    timed_section_exit_stamp = now;
}

/* Three interrupts, the second with another one in it. Returns the fault. */
static const char *run_three(enum place at)
{
    static struct timed_section ring[RING];
    uint64_t dropped;

    timed_section_start(VECTOR, ring, NULL, RING, handle);
    for (int i = 0; i < 3; i++) {
        again = i == 1 ? at : NOWHERE;
        deliver();
        now += 1000;
    }
    CHECK_EQUAL(timed_section_stop(&dropped), at == NOWHERE ? 3 : 4);
    CHECK_EQUAL(dropped, 0);
    return timed_section_fault();
}

static void test_none(void)
{
    uint64_t dropped;

    CHECK(run_three(NOWHERE) == NULL);
    timed_section_start(VECTOR, NULL, NULL, 0, handle);
    deliver();
    CHECK_EQUAL(timed_section_stop(&dropped), 0);
    CHECK_EQUAL(dropped, 1);
    CHECK(timed_section_fault() == NULL);
}

static void test_nested(void)
{
    uint64_t dropped;

    /* The inner one is kept first, and nothing closes it; the outer one begins before it. */
    CHECK_TEXT(run_three(IN_HANDLER), "vector 0x40 entered within its own handler, with interrupts "
                                      "off: interrupt 2 of 4");
    /* The outer one is closed by the inner one, with the exit of an earlier interrupt. */
    CHECK_TEXT(run_three(AT_END), "vector 0x40 entered within its own handler, with interrupts "
                                  "off: interrupt 2 of 4");
    CHECK_EQUAL(timed_section_stop(&dropped), 0);
    CHECK(timed_section_fault() == NULL);
}

/* The case that was seen: the very first interrupt, closed by a stamp that was never written. */
static void test_first(void)
{
    const struct timed_section sections[] = {{21449064360, 0}, {21449064400, 21449065000}};

    CHECK_EQUAL(nesting_of_sections(sections, 2), 0);
    CHECK_EQUAL(nesting_of_sections(sections + 1, 1), 1);
    CHECK_EQUAL(nesting_of_sections(NULL, 0), 0);
    const struct timed_section within[] = {{10, 100}, {100, 120}, {119, 130}};

    CHECK_EQUAL(nesting_of_sections(within, 2), 2);
    CHECK_EQUAL(nesting_of_sections(within, 3), 2);
}

static void test_entries(void)
{
    const uint64_t entries[] = {1000, 1500, 2100, 2550};

    CHECK_EQUAL(nesting_of_entries(entries, 4, 450), 4);
    CHECK_EQUAL(nesting_of_entries(entries, 4, 451), 3);
    CHECK_EQUAL(nesting_of_entries(entries, 4, 501), 1);
    CHECK_EQUAL(nesting_of_entries((const uint64_t[]){2000, 1000}, 2, 0), 1);
    CHECK_EQUAL(nesting_of_entries(entries, 0, 1000), 0);
}

int main(void)
{
    RUN(test_none());
    RUN(test_nested());
    RUN(test_first());
    RUN(test_entries());
    return unit_finish("unit_nesting");
}
