/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as the answer of a DHCP server, behind a header that is right where the
 * first byte is even. What is found is a text that ends, with the plan's name at its end.
 */
#include <stdlib.h>
#include <string.h>

#include "boot/dhcp_answer.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t cookie[] = {99, 130, 83, 99};
    struct dhcp_answer answer;
    uint8_t *packet = malloc(size + 240);
    size_t begin = 0;

    demand(packet != NULL);
    if (size > 0 && data[0] % 2 == 0) {
        memset(packet, data[0], 240);
        memcpy(packet + 236, cookie, sizeof(cookie));
        begin = 240;
    }
    memcpy(packet + begin, data, size);
    memset(&answer, 'x', sizeof(answer));
    if (dhcp_answer_read(packet, begin + size, &answer)) {
        const char *end = memchr(answer.folder, '\0', sizeof(answer.folder));

        demand(end != NULL && (end == answer.folder || end[-1] == '/' || end[-1] == '\\'));
    }
    free(packet);
    return 0;
}
