# SPDX-License-Identifier: BSD-2-Clause
#
# awk -f fuzz_table.awk TABLE ROWS: the table of all runs of the fuzzers with those of ROWS added, each
# "PARSER EXECUTIONS SECONDS FIRST LAST STATUS": seconds of processor time, edges before and after.
# Executions, hours and crashes are sums; edges, their growth and the rate are those of the last run.

function keep(name) {
    if (!(name in executions)) {
        names[count++] = name
    }
}

FILENAME == ARGV[1] {
    if ($1 !~ /^(#|parser|all)/ && NF == 8) {
        keep($1)
        executions[$1] = $2; hours[$1] = $3; rate[$1] = $4; edges[$1] = $5; grown[$1] = $6; last[$1] = $7; crashes[$1] = $8
    }
    next
}

{
    keep($1)
    executions[$1] += $2
    hours[$1] += $3 / 3600
    rate[$1] = $3 > 0 ? int($2 / $3) : 0
    edges[$1] = $5
    grown[$1] = $4 > 0 ? sprintf("%.2f%%", ($5 - $4) * 100 / $4) : "-"
    last[$1] = sprintf("%.0f", $3)
    crashes[$1] += $6 != 0
}

END {
    print "# SPDX-License-Identifier: BSD-2-Clause"
    print "# All runs of `make fuzz`, which adds to this table. Hours, rate and \"last\" (seconds of the last run)"
    print "# are of processor time; edges, and how many the last run added, are those of the last run."
    format = "%-12s %12s %9s %8s %7s %8s %6s %8s\n"
    printf format, "parser", "executions", "hours", "a_second", "edges", "added", "last", "crashes"
    for (i = 1; i < count; i++) {
        for (k = i; k > 0 && names[k] < names[k - 1]; k--) {
            swapped = names[k]; names[k] = names[k - 1]; names[k - 1] = swapped
        }
    }
    for (i = 0; i < count; i++) {
        name = names[i]
        printf format, name, executions[name], sprintf("%.4f", hours[name]), rate[name], edges[name], grown[name],
            last[name], crashes[name]
        all_executions += executions[name]; all_hours += hours[name]; all_edges += edges[name]; all_crashes += crashes[name]
    }
    printf format, "all", sprintf("%.0f", all_executions), sprintf("%.4f", all_hours), "-", all_edges, "-", "-", all_crashes
}
