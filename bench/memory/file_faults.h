/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page faults of a mapped file, for bench pagefault: of pages that are on the disk ("file"), and of
 * pages that are in the page cache ("soft"), each whole and split.
 *
 * The pages are those of LAYOUT_BENCH, each touched once by ring 3, in an order that is not the
 * file's: first by a process that finds none of them in the cache, then by another that finds all.
 * As for other faults there is a run for the whole and one for the parts, each with an empty cache:
 *
 *     entry   from before the instruction to the handler of page faults
 *     lookup  until what shows there and whether the cache has it is known; of a page of the file
 *             also until a frame has been found and the device has the request
 *     device  of a page of the file: until the handler of the disk's interrupt has seen it done
 *     fill    until the page is in the tables; of a page of the file the rest of the handler and
 * the switch to the thread are in it return  to behind the instruction, which is run again
 *
 * Ring 3 hashes every word of every page that it is shown. The kernel makes the same hash of what
 * is in these pages, and checks each of their sectors, where the volume has checksums.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/run/bench.h"

#define FILE_FAULT_PAGES_MAX 1024

/* Publishes all, or states that it is absent, and why. BENCH_OK, or a state with its reason. */
enum bench_state file_faults_run(struct bench_run *run, size_t pages, bool tags);
