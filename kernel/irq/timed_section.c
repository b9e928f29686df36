/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/timed_section.h"

#include "kernel/cpu/descriptors.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/pmu/reader.h"

/* These are also used by timed_section.S. */
extern volatile uint64_t timed_section_exit_stamp;
volatile uint64_t timed_section_exit_stamp;
void timed_section_entry(void) __attribute__((visibility("hidden")));
void timed_section_interrupt(uint64_t entry);

static struct {
    struct timed_section *ring;
    int64_t *rows;
    size_t row_words;
    size_t capacity;
    size_t count;
    uint64_t dropped;
    timed_section_handler *handler;
    struct timed_section *open; /* last sample; its exit time is in timed_section_exit_stamp */
    uint8_t vector;
    char fault[NESTING_TEXT_MAX]; /* empty: none */
} section;

static void close_last(void)
{
    if (section.open != NULL) {
        section.open->exit = timed_section_exit_stamp;
        section.open = NULL;
    }
}

/* Calls the handler between two rows of counters. The rows of a sample that is not kept are
 * overwritten by the next; if the ring is full, scratch rows are used. */
static bool handle_counted(void)
{
    static int64_t scratch[2 * READER_ROW_MAX];
    int64_t *rows = section.count < section.capacity
                        ? section.rows + 2 * section.row_words * section.count
                        : scratch;

    reader_read(rows);
    const bool kept = section.handler();

    reader_read(rows + section.row_words);
    return kept;
}

void timed_section_interrupt(uint64_t entry)
{
    close_last();
    interrupt_count_expected(section.vector);
    if (section.rows != NULL ? handle_counted() : section.handler()) {
        if (section.count < section.capacity) {
            section.open = &section.ring[section.count++];
            section.open->entry = entry;
        } else {
            section.dropped++;
        }
    }
    lapic_end_of_interrupt();
}

void timed_section_start(uint8_t vector, struct timed_section *ring, int64_t *rows, size_t capacity,
                         timed_section_handler *handler)
{
    section.ring = ring;
    section.rows = rows;
    section.row_words = reader_row_words();
    section.capacity = capacity;
    section.count = 0;
    section.dropped = 0;
    section.handler = handler;
    section.open = NULL;
    section.vector = vector;
    descriptors_set_entry(vector, timed_section_entry);
}

size_t timed_section_stop(uint64_t *dropped)
{
    close_last();
    descriptors_reset_entry(section.vector);
    *dropped = section.dropped;
    const size_t count = section.count;
    const size_t nested = nesting_of_sections(section.ring, count);

    section.fault[0] = '\0';
    if (nested < count) {
        nesting_text(section.vector, nested, count, section.fault);
    }
    section.count = 0;
    return count;
}

const char *timed_section_fault(void)
{
    return section.fault[0] != '\0' ? section.fault : NULL;
}
