/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a figure as an SVG file for papers, which needs no other file: black on white, readable in
 * grey, text as text. Tables and missing figures are drawn as well. Each column of pixels shows the
 * greatest of its points, and no span is thinner than a pixel.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/figure/figure.h"

/* Writes the file. Returns false if writing failed; errno has the reason. */
bool svg_write(FILE *out, const struct figure *figure);
/* Writes only its element <svg>, for a page. Returns false if memory is exhausted. */
bool svg_element(FILE *out, const struct figure *figure);
