/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that are printed elsewhere, as figures.
 */
#pragma once

#include "tools/base/table.h"
#include "tools/figure/figure.h"

/* Heads from the table's first row, cells from the others. The table is freed. */
__attribute__((format(printf, 5, 6))) struct figure *
figure_add_table(struct figures *figures, const char *section, const char *title,
                 struct table *table, const char *id, ...);
