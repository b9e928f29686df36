/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as an object file, as a plan's list of codes, and as an instruction. What is
 * refused has a reason; a list that is read reads the same when it is written again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/sandbox/code_list.h"
#include "kernel/sandbox/fault_text.h"
#include "tools/qemu/exec_settings.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_object(const uint8_t *data, size_t size)
{
    static struct code code;
    char error[OBJECT_ERROR_MAX] = "";
    const bool is_code = object_code(data, size, &code, error);

    demand(is_code == (error[0] == '\0') && memchr(error, '\0', sizeof(error)) != NULL);
    demand(!is_code || (code.length > 0 && code.length <= CODE_BYTES_MAX));
}

static void check_again(const char *list, size_t index)
{
    static struct code code;
    static struct code again;
    static char text[2 * CODE_BYTES_MAX + 1];

    if (code_list_read(list, index, &code) != NULL) {
        demand(code.length == 0);
        return;
    }
    demand(code.length <= CODE_BYTES_MAX);
    text[0] = '\0';
    for (size_t i = 0; i < code.length; i++) {
        sprintf(text + 2 * i, "%02x", code.bytes[i]);
    }
    demand(code_list_read(text, 0, &again) == NULL && again.length == code.length &&
           memcmp(again.bytes, code.bytes, code.length) == 0);
}

static void check_list(const uint8_t *data, size_t size)
{
    char *list = strndup((const char *)data, size);
    const size_t count = code_list_count(list);

    for (size_t i = 0; i <= count; i++) {
        check_again(list, i);
    }
    free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_object(data, size);
    check_list(data, size < 4096 ? size : 4096);
    refused_name(data, size);
    return 0;
}
