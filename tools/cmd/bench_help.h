/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `tare help BENCH`: what a bench measures, what is expected of it, and its parameters, as the
 * image that `tare boot` boots by default has them.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Prints the page of the bench. Returns false, with nothing printed, if the image has no such bench
 * or cannot be read. */
bool bench_help(FILE *out, const char *name);
