/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer: any bytes as an image. What is read is whole: each bench and each parameter has a
 * name.
 */
#include <stdint.h>
#include <string.h>

#include "tools/qemu/image_benches.h"
#include "tools/tests/support/demand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_param(const struct bench_param *param)
{
    char error[PLAN_ERROR_MAX];
    uint32_t words = 0;

    demand(strlen(param->name) + strlen(param->default_text) < 65536);
    if (param_check(param, param->name, param->default_text, error) && param->words != NULL) {
        words = param_words(param, param->default_text);
    }
    demand(words == 0 || param->words != NULL);
}

static void check_bench(const struct bench *bench)
{
    demand(bench->name != NULL && strlen(bench->name) < 65536 && bench->params != NULL);
    for (const struct bench_param *p = bench->params; p->name != NULL; p++) {
        check_param(p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image_benches benches;
    char error[IMAGE_BENCHES_ERROR_MAX] = "";
    const bool read = image_benches_parse(&benches, NULL, data, size, error);

    demand(read == (error[0] == '\0') && strchr(error, '\n') == NULL);
    for (size_t i = 0; read && i < benches.count; i++) {
        check_bench(benches.benches[i]);
    }
    for (size_t i = 0; read && i < benches.run_key_count; i++) {
        check_param(&benches.run_keys[i]);
    }
    image_benches_free(&benches);
    return 0;
}
