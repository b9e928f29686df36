/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes, as a file of a collection: conclusions come to an end, and read nothing but the file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/tests/field/conclude.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;

    if (nowhere == NULL) {
        nowhere = fopen("/dev/null", "w");
    }
    conclude(nowhere, "fuzz", data, size);
    return 0;
}
