#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Every verdict can fail: an image is built in which the truth of each bench is damaged once
# (tools/tests/image/mutants), and no bench of it may be OK. Without the damage all are.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

mutants=tools/tests/image/mutants
tree=$work/tree

run() {
    run_name=$1
    run_status=$2
    shift 2
    boot "$run_name" "$run_status" --shift 6 --smp 2 --plan tools/tests/image/shortest.plan "$@"
}

sql() {
    sqlite3 -separator '|' "$work/$1.db" "$2"
}

# Names of mutants whose text does not stand once in its file; all others are applied.
damage() {
    grep -v '^#' "$mutants" | while IFS= read -r name && IFS= read -r file && IFS= read -r from &&
        IFS= read -r to; do
        from=$from to=$to awk '
            $0 == ENVIRON["from"] { $0 = ENVIRON["to"]; found++ }
            { print }
            END { exit found != 1 }' "$tree/$file" >"$work/damaged" || echo "${name%%:*}"
        cat "$work/damaged" >"$tree/$file"
    done
}

# The table of bench and what damage makes it, one line each.
table() {
    sql mutant "SELECT name, state, reason FROM bench" >"$work/states"
    tr ':' '|' <"$work/mutated" | awk -F'|' 'NR == FNR { damage[$1] = $2; next }
        { print "verdict", $1 ":" damage[$1] ": " $2 ": " $3 }' - "$work/states"
}

test_mutants() {
    copy_tree
    wrong=$(damage)
    check 'each mutant stands once in its file' "$wrong" test -z "$wrong"
    inner_make -j2 build/image/tare.efi || fail 'the damaged image is built' "$(tail -n 5 "$work/make.txt")"
    run clean 0
    run mutant 1 "$tree/build/image/tare.efi"
    grep -v '^#' "$mutants" | awk 'NR % 4 == 1' | sort >"$work/mutated"
    boot on_request 1 --shift 6 --exec nop "$tree/build/image/tare.efi"
    check 'exec, which runs on request, fails because of its built-in code' \
        "$(sql on_request "SELECT state, reason FROM bench")" \
        test "$(sql on_request "SELECT state, reason FROM bench" | cut -c 1-22)" = \
        'FAIL|the built-in code'
    table
    sql clean "SELECT name FROM bench ORDER BY name" >"$work/benches"
    missing=$(cut -d : -f 1 "$work/mutated" | comm -23 "$work/benches" - | tr '\n' ' ')
    check 'each bench has a mutant' "$missing" test -s "$work/benches" -a -z "$missing"
    surviving=$(sql mutant "SELECT name FROM bench WHERE state IN ('OK', 'SKIP')" | tr '\n' ' ')
    check 'no mutant survives' "$surviving" test -z "$surviving"
    others=$(sql clean "SELECT name, reason FROM bench WHERE state <> 'OK'" | tr '\n' ' ')
    check 'without damage each bench is OK' "$others" test -z "$others"
}

test_mutants
finish
