/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sleep types of S5 out of DSDTs as firmware has them (kernel/dev/aml_sleep.c), and out of
 * bytes that end early or are no such package: then there are none.
 */
#include <string.h>

#include "kernel/dev/aml_sleep.h"
#include "tools/tests/support/unit.h"

#define NAME 0x08, '_', 'S', '5', '_'

static void test_forms(void)
{
    static const struct {
        uint8_t aml[20];
        uint8_t length;
        uint8_t types[2];
    } forms[] = {
        /* QEMU: four zeros. Coreboot: a byte, then a zero. One element: for both registers. */
        {{NAME, 0x12, 6, 4, 0, 0, 0, 0}, 12, {0, 0}},
        {{NAME, 0x12, 8, 4, 0x0a, 7, 0x0a, 5, 0, 0}, 14, {7, 5}},
        {{NAME, 0x12, 4, 1, 0x0a, 6}, 10, {6, 6}},
        {{NAME, 0x12, 6, 4, 1, 0x0a, 1, 0, 0}, 13, {1, 1}},
        /* A length of two bytes, and a name that stands before the package of another. */
        {{NAME, 0x12, 0x46, 0, 2, 0x0a, 3, 0x0a, 4}, 13, {3, 4}},
        {{'_', 'S', '5', '_', 0x5b, NAME, 0x12, 6, 4, 0x0a, 2, 1, 0}, 17, {2, 1}},
    };

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        uint8_t types[2] = {0xff, 0xff};

        CHECK(aml_sleep_types(forms[i].aml, forms[i].length, types));
        CHECK_EQUAL(types[0], forms[i].types[0]);
        CHECK_EQUAL(types[1], forms[i].types[1]);
    }
}

/* No prefix that lacks a value has one, and sanitizers watch its end. */
static void test_cut(void)
{
    static const uint8_t aml[] = {NAME, 0x12, 8, 4, 0x0a, 7, 0x0a, 5};
    uint8_t types[2];

    for (size_t length = 0; length < sizeof(aml); length++) {
        uint8_t copy[sizeof(aml)];
        uint8_t *end = copy + sizeof(copy) - length;

        memcpy(end, aml, length);
        CHECK(!aml_sleep_types(end, length, types));
    }
}

static void test_others(void)
{
    static const uint8_t others[][16] = {
        {NAME, 0x12, 6, 0, 0, 0, 0, 0},       /* no elements */
        {NAME, 0x11, 6, 4, 0, 0, 0, 0},       /* no package */
        {NAME, 0x12, 6, 2, 0x0a, 8, 0x0a, 0}, /* more than 3 bits */
        {NAME, 0x12, 6, 2, 0x0b, 5, 0, 0},    /* a word */
        {0x08, '_', 'S', '4', '_', 0x12, 6, 4, 0, 0, 0, 0},
    };
    uint8_t types[2];

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        CHECK(!aml_sleep_types(others[i], sizeof(others[i]), types));
    }
}

int main(void)
{
    RUN(test_forms());
    RUN(test_cut());
    RUN(test_others());
    return unit_finish("unit_aml_sleep");
}
