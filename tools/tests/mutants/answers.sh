#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/tests/mutants/answers.sh       (make answers)
#
# Writes the known answers: what each bench publishes in exact time, in ticks of 1/8 instruction. Boots all
# benches, each half of them, and all after a longer first bench. A value that depends on what ran before
# becomes `-`, and stays so.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/mutants/rounds.sh

benches=$(all_benches)
answer() {
    answer_name=$1
    shift
    boot "$answer_name" 0 --smp 2 --plan "$mutants/plan" "$@"
    figures "$work/$answer_name.db" >"$work/$answer_name.figures"
}
half() {
    echo "$benches" | tr , '\n' | awk -v rest="$1" 'NR % 2 == rest' | paste -sd ,
}

answer all --bench "$benches"
answer odd --bench "$(half 1)"
answer even --bench "$(half 0)"
answer later --bench "$benches" --set counters.iterations=123457 --set idle.ms=1234
[ "$failed" -eq 0 ] || exit 1
grep -v '^#' "$mutants/answers" >"$work/old.answers"
{
    sed -n '/^[^#]/q; p' "$mutants/answers"
    awk -F'\t' -v OFS='\t' '
        FNR == NR { order[++n] = $1 FS $2 FS $3; line[$1 FS $2 FS $3] = $0; next }
        FILENAME ~ /later/ && ($1 == "counters" || $1 == "idle") { next }
        {
            key = $1 FS $2 FS $3
            if (!(key in line)) { next }
            split(line[key], known, FS)
            merged = key
            for (i = 4; i <= 9; i++) { merged = merged FS (known[i] == $i || (FILENAME ~ /answers$/ && $i != "-") ? known[i] : "-") }
            line[key] = merged
        }
        END { for (i = 1; i <= n; i++) { print line[order[i]] } }' "$work/all.figures" "$work/odd.figures" \
        "$work/even.figures" "$work/later.figures" "$work/old.answers" | awk -F'\t' '$2 != "fact" || $6 != "-"'
} >"$work/answers" && cat "$work/answers" >"$mutants/answers"
