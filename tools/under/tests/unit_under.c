/* SPDX-License-Identifier: BSD-2-Clause */
/* What L1's console states, and L1's command line. */
#include "tools/under/under.h"

#include <string.h>

#include "tools/tests/support/unit.h"

static void test_console(void)
{
    struct under_console console = {.status = 99};

    CHECK(under_console_line(&console, "[    0.1] Linux version 6.1") == NULL);
    CHECK(under_console_line(&console, "") == NULL);
    CHECK_TEXT(under_console_line(&console, "tare-l1: L2 starts"), "L2 starts");
    /* the kernel may write to the same line */
    CHECK_TEXT(under_console_line(&console, "[ 1.0] kvm: ready tare-l1: L2 starts"), "L2 starts");
    CHECK(!console.ended && console.failure[0] == '\0' && console.bytes == 0);
    CHECK(under_console_line(&console, "tare-l1: error: kvm.ko does not load") == NULL);
    CHECK(under_console_line(&console, "tare-l1: error: there is no /dev/kvm") == NULL);
    CHECK_TEXT(console.failure, "kvm.ko does not load");
    CHECK(under_console_line(&console, "tare-l1: bytes 4294967296") == NULL);
    CHECK(console.bytes == UINT64_C(4294967296));
    CHECK(!console.ended && console.status == 99);
    CHECK(under_console_line(&console, "tare-l1: end 3[    2.0] reboot: Power down") == NULL);
    CHECK(console.ended && console.status == 3);
}

/* A reason that is longer than the buffer is cut. */
static void test_long_reason(void)
{
    struct under_console console = {0};
    char line[2 * UNDER_ERROR_MAX];

    memset(line, 'x', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    memcpy(line, "tare-l1: error: ", 16);
    CHECK(under_console_line(&console, line) == NULL);
    CHECK(strlen(console.failure) == UNDER_ERROR_MAX - 1);
}

/* Words of the user come last, because the last one of a name counts. */
static void test_command_line(void)
{
    struct under_machine machine = {.kind = UNDER_AMD, .append = "mitigations=auto"};
    char text[UNDER_ERROR_MAX];
    const char *line = under_command_line(&machine, text);

    CHECK(strstr(line, "mitigations=off") < strstr(line, " mitigations=auto"));
    CHECK_TEXT(strstr(line, " mitigations=auto"), " mitigations=auto");
    CHECK(strstr(line, "clearcpuid") == NULL);
    machine = (struct under_machine){.kind = UNDER_INTEL};
    line = under_command_line(&machine, text);
    CHECK(strstr(line, " clearcpuid=rdrand ") != NULL);
    CHECK(line[strlen(line) - 1] != ' ');
}

/* Notes in order: "KEY=VALUE;" each. */
static void put_note(void *context, const char *key, const char *value)
{
    char *text = context;

    strcat(strcat(strcat(strcat(text, key), "="), value), ";");
}

static void test_describe(void)
{
    static const struct qemu_machine guest = {.program = "/nonexistent", .type = "pc"};
    const struct under_files files = {.release = "6.9", .sha256 = "ab", .bochs = "Bochs 2.7"};
    const struct under_machine intel = {.kind = UNDER_INTEL, .guest = &guest, .append = "quiet2"};
    char text[2 * UNDER_ERROR_MAX] = "";

    under_describe(&intel, &files, put_note, text);
    CHECK(strncmp(text, "under=kvm-intel;under.l0=Bochs 2.7;under.l1.kernel=6.9;", 55) == 0);
    CHECK(strstr(text, " quiet2;under.l1.processors=1;under.l2.machine=pc;") != NULL);
    CHECK(strstr(text, "under.l1.qemu") == NULL); /* it states no version */
    CHECK(strstr(text, "under.l0.shift") == NULL);

    const struct under_machine program = {.kind = UNDER_LINUX, .emulator = "/bin/true", .shift = 2};

    text[0] = '\0';
    under_describe(&program, &files, put_note, text);
    CHECK(strncmp(text, "under=linux;", 12) == 0);
    CHECK(strstr(text, "under.l0.shift=2;") != NULL && strstr(text, "under.l2") == NULL);
}

int main(void)
{
    RUN(test_console());
    RUN(test_long_reason());
    RUN(test_command_line());
    RUN(test_describe());
    return unit_finish("unit_under");
}
