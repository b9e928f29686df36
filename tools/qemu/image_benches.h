/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the benches of an image from the file that will be booted: names, parameters and their
 * ranges, as kernel/run/registry.h has them in the image's data. With these the host checks a plan
 * by the image's own rules before the boot.
 *
 * The file is a PE file for UEFI as tools/build/convert.sh makes it, or a disk image that holds one
 * in one piece. Its bytes may be anything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"

#define IMAGE_BENCHES_ERROR_MAX 256

struct image_benches {
    const struct bench **benches; /* without their functions */
    const uint64_t *entries;      /* offset of each bench's function from the start of the image */
    size_t count;
    const struct bench_param *run_keys;
    size_t run_key_count;
    void **memory; /* everything to which the members above point */
    size_t memory_count, memory_capacity;
};

/* Reads the benches of a file; of a disk with several images, those of the first one that has a
 * bench of `group`, or of the first one if `group` is NULL. Returns false, with one line in `error`
 * that does not name the file, if no table was found, or if it is of another version or damaged.
 * Call image_benches_free() in any case. */
bool image_benches_read(struct image_benches *benches, const char *group, const char *path,
                        char error[IMAGE_BENCHES_ERROR_MAX]);
/* As image_benches_read(), from bytes in memory. */
bool image_benches_parse(struct image_benches *benches, const char *group, const uint8_t *bytes,
                         size_t size, char error[IMAGE_BENCHES_ERROR_MAX]);
void image_benches_free(struct image_benches *benches);
