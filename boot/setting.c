/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of the setting that is measured (plan keys setting and boots): from the plan, or, with
 * setting=ask, from the machine's keyboard before the first boot of a series. The other boots of
 * the series take it from the file \tare-setting on the boot drive.
 */
#include "boot/boot.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/boots.h"
#include "kernel/plan/names.h"
#include "kernel/plan/number.h"

#define POLL_US    10000
#define WAIT_POLLS 6000 /* 60 s without a key */
#define KEY_BACK   0x08
#define KEY_RETURN 0x0d
#define UNNAMED    "unnamed"

static const CHAR16 file_name[] = L"tare-setting";
static EFI_SYSTEM_TABLE *table;
static char name[SETTING_NAME_MAX + 1];

static void print(const char *text)
{
    for (; *text != '\0'; text++) {
        CHAR16 wide[2] = {(CHAR16)*text, 0};

        table->ConOut->OutputString(table->ConOut, wide);
    }
}

/* Reads the name that was typed last; "" if there is none. */
static void read_last(void)
{
    EFI_FILE_HANDLE file = log_file_open_other(file_name, EFI_FILE_MODE_READ);
    UINTN length = SETTING_NAME_MAX;

    memset(name, 0, sizeof(name));
    if (file != NULL) {
        file->Read(file, &length, name);
        file->Close(file);
    }
    name[0] = setting_name_good(name) ? name[0] : '\0';
}

/* Keeps the name for the other boots of the series. */
static void keep(void)
{
    EFI_FILE_HANDLE file = log_file_open_other(file_name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE |
                                                              EFI_FILE_MODE_CREATE);
    UINTN length = SETTING_NAME_MAX;

    if (file != NULL) {
        file->Write(file, &length, name);
        file->Close(file);
    }
}

/* Waits for a key. Returns its character, or KEY_RETURN if none came. */
static CHAR16 next_key(void)
{
    EFI_INPUT_KEY key; /* EDK II sets it to 0 if there is no key */

    for (unsigned polls = 0; polls < WAIT_POLLS; polls++) {
        if (!EFI_ERROR(table->ConIn->ReadKeyStroke(table->ConIn, &key))) {
            return key.UnicodeChar;
        }
        table->BootServices->Stall(POLL_US);
    }
    return KEY_RETURN;
}

/* Replaces the name by what is typed, if anything is. */
static void read_line(void)
{
    char typed[SETTING_NAME_MAX + 1] = "";
    size_t length = 0;
    CHAR16 key;

    while ((key = next_key()) != KEY_RETURN) {
        const char text[2] = {key < 0x7f ? (char)key : ' ', '\0'};

        if (key == KEY_BACK && length > 0) {
            typed[--length] = '\0';
            print("\b \b");
        } else if (length < SETTING_NAME_MAX && setting_name_good(text)) {
            typed[length++] = text[0];
            print(text);
        }
    }
    if (length > 0 && strcmp(typed, PLAN_SETTING_ASK) != 0) {
        memcpy(name, typed, sizeof(name));
    }
}

static void ask(void)
{
    if (name[0] == '\0') {
        snprintf(name, sizeof(name), UNNAMED);
    }
    print("\r\ntare: which setting of this machine is measured? Type a name, such as smt-off, and "
          "Enter.\r\nEnter alone, or 60 s without a key: ");
    print(name);
    print("\r\n> ");
    read_line();
    print("\r\n");
    keep();
}

void setting_find(EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    static struct plan plan; /* too large for firmware's stack */
    char error[PLAN_ERROR_MAX];
    uint64_t boots = 1;

    table = system;
    if (!plan_parse(&plan, handoff->plan_text, handoff->plan_length, error)) {
        return; /* the kernel reports it */
    }
    const char *planned = plan_value(&plan, KEY_SETTING);
    const char *count = plan_value(&plan, KEY_BOOTS);

    if (planned == NULL || !setting_name_good(planned)) {
        return;
    }
    if (strcmp(planned, PLAN_SETTING_ASK) != 0) {
        snprintf(name, sizeof(name), "%s", planned);
        log_file_name(name);
        return;
    }
    read_last();
    log_file_name(name);
    if (count != NULL && !(parse_unsigned(count, &boots) && boots > 0)) {
        return; /* the kernel reports it */
    }
    const char *next = log_file_next();

    if (name[0] == '\0' || next == NULL || boots_begin(next, boots)) {
        ask();
    }
    const size_t room = PLAN_TEXT_MAX - handoff->plan_length;
    const int length =
        snprintf(handoff->plan_text + handoff->plan_length, room, "\n" KEY_SETTING "=%s\n", name);

    if (length > 0 && (size_t)length < room) {
        handoff->plan_length += (size_t)length; /* otherwise the kernel rejects setting=ask */
    }
}
