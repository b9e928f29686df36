#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Profiles of `tare boot`: the image has every bench that they name, and takes their settings; which
# one runs where nothing is chosen; and what a person sees who only types `make run`.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

: >"$work/output"
profiles='quick noise memory system input paper network disk smp all'

# A plan that the image would refuse ends with status 2, before QEMU starts; what passes comes as far
# as QEMU, which is false here.
planned() {
    "$TARE" boot --mode exact --qemu false --log "$work/planned.log" -o "$work/planned.db" "$@" \
        "$image" >"$work/output" 2>&1
    [ $? -eq 1 ] && ! grep -q 'unknown\|must be\|no bench' "$work/output"
}

test_names() {
    "$TARE" boot --profile list >"$work/list"
    check 'list: ten profiles' "$(cat "$work/list")" \
        test "$(grep -oE '^[a-z]+' "$work/list" | tr '\n' ' ')" = "$profiles "
    for profile in $profiles; do
        check "$profile: the image has its benches and takes its settings" "$(cat "$work/output")" \
            planned --profile "$profile"
    done
    expect_status 'an unknown profile: wrong usage' 2 "$TARE" boot --profile quck "$image"
    check 'an unknown profile: the nearest is named' "$(cat "$work/output")" \
        grep -qF -- 'did you mean quick?' "$work/output"
}

# chosen NAME PROFILE OPTION...: that profile runs by itself; PROFILE none: none does.
chosen() {
    chosen_name=$1
    chosen_profile=$2
    shift 2
    planned "$@"
    sed -n 's/.*using profile \([a-z]*\), because no benches were chosen.*/\1/p' "$work/output" >"$work/chosen"
    check "$chosen_name: profile $chosen_profile" "$(cat "$work/output")" \
        test "$(cat "$work/chosen")" = "${chosen_profile#none}"
}

test_default() {
    echo 'idle.ms=10' >"$work/plan"
    chosen 'nothing is chosen' quick
    chosen 'only a setting' quick --set gap.ms=5
    chosen 'NICs' network --net hub
    chosen 'benches' none --bench idle
    chosen 'a plan' none --plan "$work/plan"
    chosen 'benches as a setting' none --set bench=idle
    chosen 'a role' none --set role=server
    chosen 'code' none --exec nop
    chosen 'a profile by name' none --profile disk
}

# What `make run` does once it is built.
test_first_screen() {
    "$TARE" boot --mode exact --log "$work/run.log" -o "$work/run.db" "$image" \
        >"$work/result" 2>"$work/progress"
    quick_status=$?
    check 'quick: valid' "$(cat "$work/progress")" test $quick_status -eq 0
    check 'quick: at most 60 lines with progress' "$(cat "$work/progress" "$work/result")" \
        test "$(cat "$work/progress" "$work/result" | wc -l)" -le 60
    check 'quick: one line of progress a bench' "$(cat "$work/progress")" \
        test "$(grep -c ' bench [a-z]*[: ]' "$work/progress")" = 7
    check 'quick: a figure within the first five lines of the result' "$(head -n 5 "$work/result")" \
        sh -c 'head -n 5 "$1" | grep -qE "[0-9] ?(instructions|ns|us|ms|s|%)"' sh "$work/result"
    check 'quick: each bench has its line' "$(cat "$work/result")" \
        test "$(grep -cE '^  [a-z]+ +OK ' "$work/result")" = 7
    check 'quick: the last line is the path of the page' "$(tail -n 1 "$work/result")" \
        test "$(tail -n 1 "$work/result")" = "page:  $work/run.html"
    check 'quick: which is there' "$(ls "$work")" grep -q '</html>' "$work/run.html"
    "$TARE" show "$work/run.db" >"$work/shown"
    check 'quick: show prints the same, and how to make a page' "$(diff "$work/result" "$work/shown")" \
        test "$(diff "$work/result" "$work/shown" | grep -c '^[<>]')" -le 3
}

test_names
test_default
test_first_screen
finish
