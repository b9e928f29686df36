/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/left.h"

#include <inttypes.h>
#include <stdio.h>

#define US_IN_MS 1000
#define US_IN_S  1000000

void left_expect(struct left *left, uint64_t set_ms)
{
    left->set_ms += set_ms;
    left->unset += set_ms == 0 ? 1 : 0;
}

void left_took(struct left *left, uint64_t set_ms, uint64_t us)
{
    left->set_ms -= set_ms < left->set_ms ? set_ms : left->set_ms;
    left->unset -= set_ms == 0 && left->unset > 0 ? 1 : 0;
    left->took_us += us;
    left->took_set_us += set_ms * US_IN_MS < us ? set_ms * US_IN_MS : us;
    left->behind++;
}

bool left_us(const struct left *left, uint64_t *us)
{
    if (left->behind == 0) {
        return false;
    }
    const uint64_t average = (left->took_us - left->took_set_us) / left->behind;

    *us = left->set_ms * US_IN_MS + average * left->unset;
    return true;
}

const char *left_text(uint64_t us, char text[LEFT_TEXT_MAX])
{
    const uint64_t s = (us + US_IN_S / 2) / US_IN_S;

    if (s < 10) {
        snprintf(text, LEFT_TEXT_MAX, "about %" PRIu64 " s", s > 0 ? s : 1);
    } else if (s < 90) {
        snprintf(text, LEFT_TEXT_MAX, "about %" PRIu64 " s", (s + 2) / 5 * 5);
    } else if (s < 5400) {
        snprintf(text, LEFT_TEXT_MAX, "about %" PRIu64 " min", (s + 30) / 60);
    } else {
        snprintf(text, LEFT_TEXT_MAX, "about %" PRIu64 " h", (s + 1800) / 3600);
    }
    return text;
}
