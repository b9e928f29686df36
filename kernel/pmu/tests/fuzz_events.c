/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as a plan's list of events. An accepted entry, printed and
 * parsed again, must stay the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/pmu/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct event_request *request)
{
    struct event_request again[EVENT_REQUESTS_MAX];
    char error[EVENT_ERROR_MAX];
    char text[EVENT_CODE_TEXT_MAX];
    char second[EVENT_CODE_TEXT_MAX];
    size_t count;

    if (memchr(request->name, '\0', sizeof(request->name)) == NULL || request->name[0] == '\0') {
        __builtin_trap();
    }
    if (request->raw &&
        (!event_list_parse(event_code_text(&request->code, text), again, &count, error) ||
         count != 1 || strcmp(event_code_text(&again[0].code, second), text) != 0)) {
        __builtin_trap();
    }
    if (!request->raw && strcmp(event_name(request->event), request->name) != 0) {
        __builtin_trap();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct event_request requests[EVENT_REQUESTS_MAX];
    char error[EVENT_ERROR_MAX];
    size_t count = 0;
    char *list = malloc(size + 1);

    if (list == NULL) {
        return 0;
    }
    memcpy(list, data, size);
    list[size] = '\0';
    if (event_list_parse(list, requests, &count, error)) {
        for (size_t i = 0; i < count; i++) {
            check(&requests[i]);
        }
    } else if (memchr(error, '\0', sizeof(error)) == NULL) {
        __builtin_trap();
    }
    free(list);
    return 0;
}
