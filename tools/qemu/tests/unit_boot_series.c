/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of boots, and the names of their files. */
#include <stdlib.h>

#include "tools/qemu/boot_series.h"
#include "tools/tests/support/unit.h"

static void check_name(const struct boot_series *series, size_t index, const char *path,
                       const char *expected)
{
    char *name = boot_series_name(series, index, path);

    CHECK_TEXT(name, expected);
    free(name);
}

static void test_repeated(void)
{
    const struct boot_series series = {.repeat = 12};

    CHECK_EQUAL(boot_series_count(&series), 12);
    CHECK(!boot_series_is_b(&series, 1) && !boot_series_is_b(&series, 2));
    check_name(&series, 0, "run.db", "run-1.db");
    check_name(&series, 11, "dir.d/run", "dir.d/run-12");
    check_name(&series, 2, "dir/.hidden", "dir/.hidden-3");
    check_name(&series, 2, "a.b.log", "a.b-3.log");
}

static void test_interleaved(void)
{
    static const char order[] = "ABBAABBAAB";
    const struct boot_series series = {.repeat = 5, .interleaved = true};
    unsigned seen[2] = {0};

    CHECK_EQUAL(boot_series_count(&series), strlen(order));
    for (size_t i = 0; order[i] != '\0'; i++) {
        const bool is_b = order[i] == 'B';

        seen[is_b]++;
        CHECK_EQUAL(boot_series_is_b(&series, i), is_b);
        CHECK_EQUAL(boot_series_number(&series, i), seen[is_b]);
    }
    CHECK(seen[0] == 5 && seen[1] == 5);
    check_name(&series, 0, "run.db", "run-a-1.db");
    check_name(&series, 2, "run.db", "run-b-2.db");
    check_name(&series, 3, "run.db", "run-a-2.db");
}

int main(void)
{
    RUN(test_repeated());
    RUN(test_interleaved());
    return unit_finish("unit_boot_series");
}
