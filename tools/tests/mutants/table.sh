#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/tests/mutants/table.sh [--check]
#
# Writes the score of the mutants, from score_image, score_host and score_smp, into tools/tests/README.md, or only compares.
set -eu

cd "$(dirname "$0")/../../.."
folder=tools/tests/mutants
readme=tools/tests/README.md

# rows FILE: a row for each bench or module, and their sum.
rows() {
    awk -F'\t' '
        /^#/ { next }
        { n[$2]++; n["**all**"]++; by[$2, $1]++; by["**all**", $1]++ }
        function row(name) {
            printf "| %s | %d | %d | %d | %d | %d |\n", name, n[name], by[name, "run"], by[name, "test"],
                by[name, "none"], n[name] - by[name, "run"] - by[name, "test"] - by[name, "none"]
        }
        END {
            for (name in n) { if (name !~ /\*/) { sorted[++count] = name } }
            for (i = 2; i <= count; i++) {
                for (k = i; k > 1 && sorted[k] < sorted[k - 1]; k--) { t = sorted[k]; sorted[k] = sorted[k - 1]; sorted[k - 1] = t }
            }
            for (i = 1; i <= count; i++) { row(sorted[i]) }
            row("**all**")
        }' "$1"
}

table() {
    printf '\n| bench | mutants | killed by the run | by a test | survived | not run |\n|---|---|---|---|---|---|\n'
    rows "$folder/score_image"
    printf '\n| code of the host | mutants | killed by the run | by a test | survived | not run |\n|---|---|---|---|---|---|\n'
    rows "$folder/score_host"
    printf '\n| kernel of several processors | mutants | killed by the run | by a test | survived | not run |\n|---|---|---|---|---|---|\n'
    rows "$folder/score_smp"
    printf '\nSurvivors:\n\n'
    awk -F'\t' '$1 == "none" { print "- " $2 ": " $3; n++ } END { if (!n) { print "- none" } }' \
        "$folder/score_image" "$folder/score_host" "$folder/score_smp"
    echo
}

new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
    sed '/^<!-- score of mutants -->$/q' "$readme"
    table
    sed -n '/^<!-- end of score -->$/,$p' "$readme"
} >"$new"
[ "${1-}" = --check ] || cat "$new" >"$readme"
cmp -s "$new" "$readme"
