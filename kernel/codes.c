/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/codes.h"

#include <stdio.h>
#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/port.h"
#include "kernel/dev/i8042.h"
#include "kernel/link/link.h"
#include "kernel/link/screen_blocks.h"
#include "kernel/mem/memory.h"
#include "kernel/plan/version.h"
#include "kernel/screen/screen.h"

/* Cameras merge codes that are shown for less than about 100 ms. */
#define CODE_US 220000u
/* First row of the texts below the bar. */
#define TEXT_ROW 8

static struct {
    uint8_t *bytes;
    size_t length;
    size_t room;
} copy;
static unsigned shown;

/* ---- the log ---- */

static bool count_bytes(void *context, const uint8_t *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    copy.room += length;
    return true;
}

static bool copy_bytes(void *context, const uint8_t *bytes, size_t length)
{
    (void)context;
    if (length > copy.room - copy.length) {
        return false;
    }
    memcpy(copy.bytes + copy.length, bytes, length);
    copy.length += length;
    return true;
}

/* Writes the whole log to memory. */
static const char *copy_log(void)
{
    link_save_again();
    link_save(count_bytes, NULL);
    copy.bytes = memory_allocate(copy.room, 16);
    if (copy.bytes == NULL) {
        return "no free memory for the log";
    }
    link_save_again();
    return link_save(copy_bytes, NULL) ? NULL : "the log has changed";
}

/* ---- the keyboard ---- */

/* Returns whether a key was pressed: set 1 and set 2 have codes below 80h for it. */
static bool key_pressed(void)
{
    const uint8_t status = i8042_status();

    if ((status & I8042_OUTPUT_FULL) == 0) {
        return false;
    }
    const uint8_t byte = i8042_read();

    return (status & I8042_FROM_MOUSE) == 0 && byte > 0 && byte < 0x80;
}

/* Waits for the length of a code, by the TSC, or by port accesses of about 1 us each if its rate is
 * unknown. Returns false if a key was pressed. */
static bool wait(bool has_keyboard)
{
    const uint64_t ticks = clock_ticks_from_us(CODE_US);
    const uint64_t begin = tsc_read();

    for (uint64_t i = 0; ticks != 0 ? tsc_read() - begin < ticks : i < CODE_US; i++) {
        if (has_keyboard && key_pressed()) {
            return false;
        }
        port_write8(0x80, 0);
    }
    return true;
}

/* ---- the page ---- */

static void write_page(const struct screen_log *log, uint32_t step, bool has_keyboard)
{
    struct grid *page = screen_page();
    const int columns = screen_code_columns();
    const uint32_t round = step / log->blocks + 1;
    const uint32_t at = step % log->blocks + 1;
    char text[240];
    int row = TEXT_ROW;

    grid_clear(page, 0, page->rows);
    grid_text(page, (struct grid_place){0, 0, columns}, INK_STRONG, "tare " TARE_VERSION);
    grid_wrap(page, (struct grid_place){2, 0, columns}, 2, 0, INK_PLAIN,
              "The log of this run, as QR codes");
    snprintf(text, sizeof(text), "code %u of %u, round %u", at, log->blocks, round);
    grid_text(page, (struct grid_place){5, 0, columns}, INK_STRONG, text);
    grid_bar(page, (struct grid_place){6, 0, columns}, at, log->blocks);
    snprintf(text, sizeof(text),
             "The log has %u bytes. Any %u different codes hold it, in any order; now and then it "
             "takes one or two more.",
             log->length, log->blocks);
    row += grid_wrap(page, (struct grid_place){row, 0, columns}, 8, 0, INK_PLAIN, text) + 1;
    row += grid_wrap(page, (struct grid_place){row, 0, columns}, 8, 0, INK_PLAIN,
                     "By camera: open tare.html on a phone or laptop, and point it at the codes.") +
           1;
    row += grid_wrap(page, (struct grid_place){row, 0, columns}, 8, 0, INK_PLAIN,
                     "By screenshots (BMC, KVM, hypervisor): take one for each code, at different "
                     "times; then run tare decode SHOT*.png") +
           1;
    grid_wrap(page, (struct grid_place){row, 0, columns}, 8, 0, INK_PLAIN,
              has_keyboard ? "A key ends this and shows the results."
                           : "No keyboard was found: switch the machine off when you are done.");
}

static void show_codes(const struct screen_log *log, bool has_keyboard)
{
    uint8_t code[SCREEN_CODE_MAX];

    for (uint32_t step = 0;; step++) {
        const size_t length = screen_log_code(log, screen_log_number(log, step), code);

        write_page(log, step, has_keyboard);
        screen_code(code, length);
        if (!wait(has_keyboard)) {
            return;
        }
    }
}

const char *codes_show(const struct acpi_facts *acpi)
{
    static struct screen_log log;
    uint32_t stale;

    interrupts_disable();
    if (screen_code_columns() == 0) {
        return "the screen is too small for QR codes, or there is none";
    }
    const char *why = copy_log();

    if (why != NULL) {
        return why;
    }
    if (!screen_log_open(&log, copy.bytes, copy.length)) {
        return "the log is too long for QR codes";
    }
    const bool has_keyboard = i8042_probe(acpi)->present && i8042_open(&stale);

    shown = log.blocks;
    show_codes(&log, has_keyboard);
    i8042_close();
    return NULL;
}

unsigned codes_shown(void)
{
    return shown;
}
