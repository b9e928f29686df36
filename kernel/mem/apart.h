/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that an address space shows apart from its range (address_space.h): several may show the
 * same, to read and to write. What looks a page of the range up does not find these pages, so that
 * none of them is taken for a process's own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/mem/address_space.h"

/* Pages of the pool (page_pool.h) that address_space_show_apart() takes at the most for `bytes`. */
uint64_t address_space_apart_pages(uint64_t bytes);

/* Shows `bytes` of `memory` at `address`, all in whole pages: outside the range and in its GiB,
 * where nothing shows yet. False where the pool has too few pages. */
bool address_space_show_apart(const struct address_space *space, uint64_t address,
                              const void *memory, uint64_t bytes);
