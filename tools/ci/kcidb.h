/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as JSON for KCIDB, the collection of test results of the kernel's CI systems (kcidb-io,
 * schema 5.3). tare sends nothing: kcidb-submit of a laboratory does.
 *
 * The version of tare is the checkout, the image the build. Every bench is a test `tare.BENCH`, and
 * every series of one that is OK a test `tare.BENCH.SERIES` with the greatest of its samples. OK is
 * PASS, SKIP is SKIP, FAIL is FAIL, ERROR and CRASH are ERROR.
 */
#pragma once

#include <stdio.h>

#include "tools/run/run.h"

void kcidb_write(FILE *out, const struct run *run);
