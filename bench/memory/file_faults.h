/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page faults of a mapped file, for bench pagefault: of pages that are on the disk ("file") and of
 * pages that are in the page cache ("soft"), each measured as a whole and split into parts.
 *
 * The pages are those of LAYOUT_BENCH. Ring 3 touches each once, in an order other than the file's:
 * first in a process that finds none of them in the cache, then in another that finds all. As for
 * other faults, one run measures the whole and another the parts, each with an empty cache:
 *
 *     entry   from before the instruction to the handler of page faults
 *     lookup  until the handler knows which page of which file is meant and whether the cache has
 *             it; for a page on the disk, also until a frame has been found and the device has the
 *             request
 *     device  page on the disk: until the handler of the disk's interrupt has seen it done
 *     fill    until the page is in the tables; page on the disk: with the rest of the interrupt
 *             handler and the switch to the thread
 *     return  to after the instruction, which is executed again
 *
 * Ring 3 hashes every word of every page that it gets. The kernel computes the same hash from these
 * pages, and checks each of their sectors if the volume has checksums.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/run/bench.h"

#define FILE_FAULT_PAGES_MAX 1024

/* Measures and publishes all, or publishes each series as absent with the reason. Returns BENCH_OK,
 * or a state with its reason set. */
enum bench_state file_faults_run(struct bench_run *run, size_t pages, bool tags);
