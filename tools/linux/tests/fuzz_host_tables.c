/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: any bytes as SMBIOS structures, an entry point and an ACPI table that are to be sent.
 * What is blanked once stays as it is when it is blanked again, and its entry point has sums of 0.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/linux/host_tables.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy in memory of that length, so that a byte behind it is noticed. */
static uint8_t *copy(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size);

    demand(bytes != NULL);
    memcpy(bytes, data, size);
    return bytes;
}

static void blank(const uint8_t *data, size_t size)
{
    uint8_t *once = copy(data, size);
    const bool sound = host_tables_blank_smbios(once, size);
    uint8_t *twice = copy(once, size);

    demand(host_tables_blank_smbios(twice, size) == sound && memcmp(once, twice, size) == 0);
    free(once);
    free(twice);
}

static void move(const uint8_t *data, size_t size)
{
    uint8_t *entry = copy(data, size);
    uint8_t sum = 0;

    if (host_tables_move_smbios(entry, size)) {
        const size_t length = entry[3] == '3' ? entry[6] : entry[5];

        for (size_t i = 0; i < length; i++) {
            sum = (uint8_t)(sum + entry[i]);
        }
    }
    demand(sum == 0);
    free(entry);
}

/* A head, a line for each 16 bytes, and an empty one. */
static void print(const uint8_t *data, size_t size)
{
    char *text = NULL;
    size_t length;
    size_t lines = 0;
    FILE *out = open_memstream(&text, &length);

    demand(out != NULL);
    const bool good = host_tables_acpi(out, data, size);

    fclose(out);
    for (size_t i = 0; i < length; i++) {
        lines += text[i] == '\n' ? 1 : 0;
    }
    demand(good == (size >= 4) && lines == (good ? 2 + (size + 15) / 16 : 0));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) {
        blank(data, size);
        move(data, size);
        print(data, size);
    }
    return 0;
}
