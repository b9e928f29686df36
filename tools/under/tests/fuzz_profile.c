/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as the file of the plugin that profiles exits, as L1's symbols and as an
 * image. What is read adds up. */
#include <stdint.h>
#include <string.h>

#include "tools/tests/support/demand.h"
#include "tools/under/profile.h"
#include "tools/under/profile_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_profile(const uint8_t *data, size_t size)
{
    char error[PROFILE_ERROR_MAX] = "";
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    const struct symbols none = {0};
    struct profile profile;

    demand(in != NULL);
    if (profile_read(&profile, &none, in, error)) {
        for (size_t i = 0; i < profile.count; i++) {
            const struct profile_exit *item = &profile.items[i];
            uint64_t sum = 0;

            for (size_t k = 0; k < item->parts.count; k++) {
                demand(strpbrk(item->parts.items[k].name, "0123456789\n") == NULL);
                sum += (uint64_t)item->parts.items[k].instructions;
            }
            demand(sum == item->total && item->kept <= item->exits && item->exits <= profile.exits);
            free(profile_kind(&profile, &none, item));
        }
    } else {
        demand(error[0] != '\0');
    }
    profile_free(&profile);
    fclose(in);
}

static void check_symbols(const uint8_t *data, size_t size)
{
    static const char map[] = "1000-2000 r-xp 00000000 00:02 92 /lib/a\n";
    FILE *in = fmemopen((void *)(uintptr_t)map, sizeof(map) - 1, "r");
    struct symbols symbols = {0};
    char name[SYMBOL_NAME_MAX];

    symbols_read(&symbols, in);
    fclose(in);
    in = fmemopen((void *)(uintptr_t)data, size, "r");
    symbols_read(&symbols, in);
    rewind(in);
    symbols_read_image(&symbols, in, 0);
    fclose(in);
    for (size_t i = 0; i < symbols.count; i++) {
        symbols_name(&symbols, symbols.items[i].address, name);
        demand(strpbrk(name, ";\n") == NULL);
    }
    symbols_free(&symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) {
        check_profile(data, size);
        check_symbols(data, size);
    }
    return 0;
}
