/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as libpfm4's names of events in a plan's list, for a processor that the
 * bytes up to the first line end name, or for a given one. What is taken is a list of the image's.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/counters/host/event_names.h"
#include "tools/tests/support/demand.h"

#define LIST_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool opened;
    char error[EVENT_NAMES_ERROR_MAX] = "";
    char why[EVENT_ERROR_MAX];
    struct event_request requests[EVENT_REQUESTS_MAX];
    char resolved[LIST_MAX];
    struct event_cpu cpu;
    size_t count;

    demand(opened || event_names_open(error));
    opened = true;
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    char *list = strchr(text, '\n');

    if (list != NULL) {
        *list++ = '\0';
    }
    if (list == NULL || !event_cpu_find(text, &cpu, error)) {
        list = list != NULL ? list : text;
        demand(event_cpu_find("skl", &cpu, error));
    }
    if (event_names_resolve_list(&cpu, list, resolved, sizeof(resolved), error)) {
        demand(memchr(resolved, '\0', sizeof(resolved)) != NULL);
        event_list_parse(resolved, requests, &count, why);
    } else {
        demand(error[0] != '\0' && memchr(error, '\0', sizeof(error)) != NULL);
    }
    free(text);
    return 0;
}
