/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/sql.h"

#include <stdio.h>

void sql_table_text(const struct run_table *table, const char *const types[COLUMN_TYPES],
                    const char *lead, char sql[SQL_TABLE_MAX])
{
    size_t used = (size_t)snprintf(sql, SQL_TABLE_MAX, "CREATE TABLE \"%s\"(%s", table->name, lead);

    for (size_t i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];

        used += (size_t)snprintf(sql + used, SQL_TABLE_MAX - used, "%s\"%s\" %s%s",
                                 i > 0 ? ", " : "", column->name, types[column->type],
                                 column->required ? " NOT NULL" : "");
    }
    snprintf(sql + used, SQL_TABLE_MAX - used, ")");
}

/* %1$s: the columns in front, as "run_id, "; %2$s: that the verdict is of the same run. A fact is a
 * column. As bench/noise/host/stolen.c has it: no stolen time by gaps that are the loop itself. */
static const char noise_view[] =
    "CREATE VIEW noise AS WITH gap AS (SELECT %1$sbench, pass, "
    "max(CASE name WHEN 'over' THEN value END) AS gaps, "
    "max(CASE name WHEN 'stolen' THEN value END) AS lost, "
    "max(CASE name WHEN 'largest' THEN value END) AS longest, "
    "max(CASE name WHEN 'largest_at' THEN value END) AS longest_at, "
    "max(CASE name WHEN 'smi' THEN value END) AS smis, "
    "max(CASE name WHEN 'elapsed' THEN value END) AS elapsed, "
    "max(CASE name WHEN 'dead' THEN value END) AS dead, "
    "max(CASE name WHEN 'threshold' THEN value END) AS threshold, "
    "max(CASE name WHEN 'smallest' THEN value END) AS smallest "
    "FROM fact WHERE bench = 'gap' GROUP BY %1$sbench, pass), "
    "seen AS (SELECT gap.*, (SELECT hz FROM verdict WHERE ok <> 0%2$s) AS hz, "
    "NULLIF(elapsed - dead, 0) AS watched FROM gap), "
    "idle AS (SELECT %1$sbench, pass, sample.series, sum(value) AS whole, "
    "sum(CASE WHEN value > floor THEN value - floor ELSE 0 END) AS lost "
    "FROM sample JOIN (SELECT %1$sbench, pass, median AS floor FROM series "
    "WHERE bench = 'idle' AND name = 'floor') AS floors USING (%1$sbench, pass) "
    "JOIN (SELECT %1$sbench, pass, name AS series FROM series WHERE missing IS NULL) AS whole "
    "USING (%1$sbench, pass, series) "
    "WHERE series IN ('floor', 'ticking') GROUP BY %1$sbench, pass, series) "
    "SELECT %1$sbench, pass, 'gap' AS series, "
    "CASE WHEN gaps > 0 AND threshold / 2 < smallest THEN NULL "
    "ELSE 1e6 * lost / watched END AS stolen_ppm, "
    "gaps, 1.0 * gaps * hz / watched AS gaps_per_second, longest, longest_at, "
    "smis, 1.0 * smis * hz / NULLIF(elapsed, 0) AS smis_per_second FROM seen "
    "UNION ALL SELECT %1$sbench, pass, series, 1e6 * lost / NULLIF(whole, 0), "
    "NULL, NULL, NULL, NULL, NULL, NULL FROM idle";

void sql_noise_view_text(const char *of_run, char sql[SQL_VIEW_MAX])
{
    char lead[64] = "";
    char same[128] = "";

    if (*of_run != '\0') {
        snprintf(lead, sizeof(lead), "%s, ", of_run);
        snprintf(same, sizeof(same), " AND verdict.%s = gap.%s", of_run, of_run);
    }
    snprintf(sql, SQL_VIEW_MAX, noise_view, lead, same);
}
