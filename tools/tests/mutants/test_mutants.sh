#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Known answers: what all benches publish in exact time is what tools/tests/mutants/answers has. And a sample of the
# catalogue of mutants: the first round of the image, and two of the host's. Whatever the score lists as killed must be
# killed, in the image by whom it says. `make mutants` runs the whole catalogue.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/mutants/rounds.sh

sample='1 56' # of the host's

benches() {
    sqlite3 "$work/$1.db" "SELECT name FROM bench WHERE state $2 ORDER BY name" | tr '\n' ' '
}

# cstate_once: boots only cstate. Returns whether its figures are the known answers. Two processors wake at about the same
# time there, and on a busy host QEMU does not always let the same one go first.
cstate_once() {
    boot_once cstate --mode exact --smp 2 --bench cstate --plan "$mutants/plan"
    ! unlike "$work/cstate.db" | grep '^cstate' >"$work/unlike"
}

test_answers() {
    boot clean 0 --smp 2 --bench "$(all_benches)" --plan "$mutants/plan"
    check 'without damage each bench is OK' "$(benches clean "<> 'OK'")" test -z "$(benches clean "<> 'OK'")"
    unlike "$work/clean.db" >"$work/unlike"
    [ "$(cut -f 1 "$work/unlike")" != cstate ] || up_to 5 cstate_once
    check 'each figure is the known answer; if it is meant to change, run make answers' \
        "$(tr '\n\t' ',:' <"$work/unlike")" test ! -s "$work/unlike"
}

test_image() {
    catalogue image >"$work/catalogue"
    sqlite3 "$work/clean.db" 'SELECT name FROM bench ORDER BY name' >"$work/benches"
    few=$(cut -f 2 "$work/catalogue" | sort | uniq -c | awk '$1 < 4 { print $2 }' | tr '\n' ' ')
    none=$(cut -f 2 "$work/catalogue" | sort -u | comm -23 "$work/benches" - | tr '\n' ' ')
    check 'each bench has at least 4 mutants' "$few$none" test -s "$work/benches" -a -z "$few$none"
    sh tools/tests/mutants/image.sh 1 >"$work/image" 2>"$work/errors"
    check 'the first round runs' "$(cat "$work/errors")" test "$(wc -l <"$work/image")" -gt 50
    worse image
}

# worse OF: checks the lines of $work/OF against the score: none may be killed less well.
worse() {
    awk -F'\t' '
        function rank(by) { return by == "run" ? 2 : by == "test" ? 1 : 0 }
        NR == FNR { listed[$2, $3] = $1; next }
        $1 == "broken" || rank($1) < rank(listed[$2, $3]) { print $2 ": " $3 ": " $1 ", listed as " listed[$2, $3] }' \
        "$mutants/score_$1" "$work/$1" >"$work/worse"
    check "$1: mutants are killed as the score lists them" "$(tr '\n' ';' <"$work/worse")" test ! -s "$work/worse"
}

test_host() {
    # shellcheck disable=SC2086 # numbers
    sh tools/tests/mutants/host.sh $sample >"$work/host" 2>"$work/errors"
    check 'the sample of the host runs' "$(cat "$work/errors")" test "$(wc -l <"$work/host")" -eq "$(echo "$sample" | wc -w)"
    worse host
}

test_score() {
    check 'the score in tools/tests/README.md is that of the list; run tools/tests/mutants/table.sh' 'it differs' \
        sh tools/tests/mutants/table.sh --check
}

firmware=${FIRMWARE:-/usr/share/ovmf/OVMF.fd}
machine_or_finish 'known answers and mutants'
test_answers
test_image
test_host
test_score
finish
