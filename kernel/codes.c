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

static const char title[] = "tare " TARE_VERSION ": the log of this run as QR codes";
static uint8_t *copy; /* NULL: bytes are only counted */
static size_t copied;
static struct screen_log shown;

static bool copy_bytes(void *context, const uint8_t *bytes, size_t length)
{
    (void)context;
    if (copy != NULL) {
        memcpy(copy + copied, bytes, length);
    }
    copied += length;
    return true;
}

/* Opens the whole log, which is written to memory. Returns NULL on success, otherwise the reason.
 */
static const char *open_log(void)
{
    link_save_again();
    link_save(copy_bytes, NULL);
    copy = memory_allocate(copied, 16);
    if (copy == NULL) {
        return "no free memory for the log";
    }
    copied = 0;
    link_save_again();
    link_save(copy_bytes, NULL);
    return screen_log_open(&shown, copy, copied) ? NULL : "the log is too long for QR codes";
}

/* Returns whether a key was pressed: sets 1 and 2 have codes below 80h for it. */
static bool key_pressed(void)
{
    const uint8_t status = i8042_status();
    const uint8_t byte = (status & I8042_OUTPUT_FULL) != 0 ? i8042_read() : 0;

    return (status & I8042_FROM_MOUSE) == 0 && byte > 0 && byte < 0x80;
}

/* Waits for as long as a code is shown, by the TSC, or by port accesses of about 1 us each if its
 * rate is unknown. Returns whether a key was pressed. */
static bool wait_for_key(bool has_keyboard)
{
    const uint64_t ticks = clock_ticks_from_us(CODE_US);
    const uint64_t begin = tsc_read();

    for (uint64_t i = 0; ticks != 0 ? tsc_read() - begin < ticks : i < CODE_US; i++) {
        if (has_keyboard && key_pressed()) {
            return true;
        }
        port_write8(0x80, 0);
    }
    return false;
}

static void write_page(uint32_t step, bool has_keyboard, bool stays)
{
    struct grid *page = screen_page();
    const int columns = screen_code_columns();
    const uint32_t at = step % shown.blocks + 1;
    char progress[80], size[200], shots[160];
    const char *const texts[] = {
        title,
        progress,
        size,
        "By camera: open tare.html on a phone or laptop, and point it at the codes.",
        shots,
        !has_keyboard ? "No keyboard was found: switch the machine off when you are done."
        : stays       ? "A key ends this and shows the results."
                      : "A key ends this; then the machine powers off or restarts.",
    };
    int row = 2;

    snprintf(progress, sizeof(progress), "code %u, round %u", screen_log_number(&shown, step) + 1,
             step / shown.blocks + 1);
    snprintf(shots, sizeof(shots),
             "By screenshots (BMC, KVM, hypervisor): take %u codes with different numbers; then "
             "run tare decode SHOT*.png",
             shown.blocks);
    snprintf(size, sizeof(size),
             "The log has %u bytes. Any %u different codes hold it, in any order; now and then it "
             "takes one or two more.",
             shown.length, shown.blocks);
    grid_clear(page, 0, page->rows);
    grid_bar(page, (struct grid_place){0, 0, columns}, at, shown.blocks);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        row += 1 + grid_wrap(page, (struct grid_place){row, 0, columns}, page->rows - row, 0,
                             i < 2 ? INK_STRONG : INK_PLAIN, texts[i]);
    }
}

const char *codes_show(const struct acpi_facts *acpi, bool stays)
{
    uint8_t code[SCREEN_CODE_MAX];
    uint32_t stale;
    const char *why =
        screen_code_columns() == 0 ? "the screen is too small, or there is none" : open_log();

    if (why != NULL) {
        return why;
    }
    interrupts_disable();
    const bool has_keyboard = i8042_probe(acpi)->present && i8042_open(&stale);

    for (uint32_t step = 0; step == 0 || !wait_for_key(has_keyboard); step++) {
        write_page(step, has_keyboard, stays);
        screen_code(code, screen_log_code(&shown, screen_log_number(&shown, step), code));
    }
    i8042_close();
    return NULL;
}

unsigned codes_shown(void)
{
    return shown.blocks;
}
