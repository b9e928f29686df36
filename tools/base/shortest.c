/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/base/shortest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WHOLE_MAX 0x1p53 /* every whole number below is a double */

const char *shortest_digits(double value, char text[SHORTEST_MAX])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, SHORTEST_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

const char *table_digits(double value, char text[SHORTEST_MAX])
{
    if (value == round(value) && fabs(value) < WHOLE_MAX) {
        snprintf(text, SHORTEST_MAX, "%.0f", value);
    } else if (fabs(value) >= 1e5 && fabs(value) < WHOLE_MAX) {
        snprintf(text, SHORTEST_MAX, "%.1f", value);
    } else {
        snprintf(text, SHORTEST_MAX, "%.6g", value);
    }
    return text;
}
