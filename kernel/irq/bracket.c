/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/irq/bracket.h"

#include "kernel/cpu/descriptors.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/pmu/reader.h"

/* These are also used by bracket.S. */
extern volatile uint64_t bracket_exit_stamp;
volatile uint64_t bracket_exit_stamp;
void bracket_entry(void) __attribute__((visibility("hidden")));
void bracket_interrupt(uint64_t entry);

static struct {
    struct bracket_sample *ring;
    int64_t *rows;
    size_t row_words;
    size_t capacity;
    size_t count;
    uint64_t dropped;
    bracket_handler *handler;
    struct bracket_sample *open; /* last sample, whose exit time is still in bracket_exit_stamp */
    uint8_t vector;
} bracket;

static void close_last(void)
{
    if (bracket.open != NULL) {
        bracket.open->exit = bracket_exit_stamp;
        bracket.open = NULL;
    }
}

/* Calls the handler between two rows of counters. The rows of a sample that is not kept are
 * overwritten by the next; if the ring is full, scratch rows are used. */
static bool handle_counted(void)
{
    static int64_t scratch[2 * READER_ROW_MAX];
    int64_t *rows = bracket.count < bracket.capacity
                        ? bracket.rows + 2 * bracket.row_words * bracket.count
                        : scratch;

    reader_read(rows);
    const bool kept = bracket.handler();

    reader_read(rows + bracket.row_words);
    return kept;
}

void bracket_interrupt(uint64_t entry)
{
    close_last();
    interrupt_count_expected(bracket.vector);
    if (bracket.rows != NULL ? handle_counted() : bracket.handler()) {
        if (bracket.count < bracket.capacity) {
            bracket.open = &bracket.ring[bracket.count++];
            bracket.open->entry = entry;
        } else {
            bracket.dropped++;
        }
    }
    lapic_end_of_interrupt();
}

void bracket_start(uint8_t vector, struct bracket_sample *ring, int64_t *rows, size_t capacity,
                   bracket_handler *handler)
{
    bracket.ring = ring;
    bracket.rows = rows;
    bracket.row_words = reader_row_words();
    bracket.capacity = capacity;
    bracket.count = 0;
    bracket.dropped = 0;
    bracket.handler = handler;
    bracket.open = NULL;
    bracket.vector = vector;
    descriptors_set_entry(vector, bracket_entry);
}

size_t bracket_stop(uint64_t *dropped)
{
    close_last();
    descriptors_reset_entry(bracket.vector);
    *dropped = bracket.dropped;
    return bracket.count;
}
