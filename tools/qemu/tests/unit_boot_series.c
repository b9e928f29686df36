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
    struct boot_series series = {.repeat = 12};

    series.order = boot_series_draw(&series);

    CHECK_EQUAL(boot_series_count(&series), 12);
    CHECK(!boot_series_is_b(&series, 1) && !boot_series_is_b(&series, 2));
    check_name(&series, 0, "run.db", "run-1.db");
    check_name(&series, 11, "dir.d/run", "dir.d/run-12");
    check_name(&series, 2, "dir/.hidden", "dir/.hidden-3");
    check_name(&series, 2, "a.b.log", "a.b-3.log");
    free(series.order);
}

static void test_interleaved(void)
{
    static char order[] = "abbaabbaab";
    const struct boot_series series = {.repeat = 5, .interleaved = true, .order = order};
    unsigned seen[2] = {0};

    CHECK_EQUAL(boot_series_count(&series), strlen(order));
    for (size_t i = 0; order[i] != '\0'; i++) {
        const bool is_b = order[i] == 'b';

        seen[is_b]++;
        CHECK_EQUAL(boot_series_is_b(&series, i), is_b);
        CHECK_EQUAL(boot_series_number(&series, i), seen[is_b]);
    }
    CHECK(seen[0] == 5 && seen[1] == 5);
    check_name(&series, 0, "run.db", "run-a-1.db");
    check_name(&series, 2, "run.db", "run-b-2.db");
    check_name(&series, 3, "run.db", "run-a-2.db");
}

/* The order is that of the seed, has as many boots of each side, and each order occurs. */
static void test_drawn(void)
{
    struct boot_series series = {.repeat = 2, .interleaved = true};
    size_t seen[16] = {0};

    for (series.seed = 1; series.seed <= 600; series.seed++) {
        char *order = boot_series_draw(&series);
        char *again = boot_series_draw(&series);
        unsigned bits = 0;

        CHECK_TEXT(order, again);
        for (size_t i = 0; i < 4; i++) {
            bits |= (unsigned)(order[i] == 'b') << i;
        }
        seen[bits]++;
        free(order);
        free(again);
    }
    for (unsigned bits = 0; bits < 16; bits++) {
        CHECK(__builtin_popcount(bits) == 2 ? seen[bits] > 60 && seen[bits] < 140
                                            : seen[bits] == 0);
    }
}

int main(void)
{
    RUN(test_drawn());
    RUN(test_repeated());
    RUN(test_interleaved());
    return unit_finish("unit_boot_series");
}
