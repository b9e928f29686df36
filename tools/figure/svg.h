/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A figure as an SVG file that stands by itself, for papers: black on white, readable in grey, text
 * as text. Tables and what is absent are drawn as such. Each column of pixels shows the greatest of
 * its points, and no span is thinner than a pixel.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/figure/figure.h"

/* False: writing failed; errno has the reason. */
bool svg_write(FILE *out, const struct figure *figure);
