#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=build: what make costs, in a copy of the tree and without ccache: all of it, nothing, reading the
# rules, and all that includes the run's header. Processor seconds and steps (a file compiled or linked); seconds
# are those of as many jobs as there are processors.
#
#     ROUNDS  of each (default 3)
set -u

. tools/tests/support/lib.sh

rounds=${ROUNDS:-3}
tree=$work/tree
export CCACHE_DISABLE=1 MAKEFLAGS=
PICOLIBC=${PICOLIBC:-$(tools/build/picolibc.sh)}
LWIP=${LWIP:-$(tools/build/source.sh lwip)}
QRCODEGEN=${QRCODEGEN:-$(tools/build/source.sh qrcodegen)}
UPLOT=${UPLOT:-$(tools/build/npm.sh uplot)}
export PICOLIBC LWIP QRCODEGEN UPLOT
mkdir "$tree"
cp -a Makefile linker.ld boot kernel bench tools "$tree"

row() {
    printf '%-36s %3s %8s %8s %8s %8s %6s  %s\n' "$@"
}

# spend NAME GOAL...: makes it, and appends "PROCESSOR-SECONDS SECONDS STEPS" to $work/NAME.
spend() {
    spend_name=$1
    shift
    /usr/bin/time -o "$work/time" -f '%U %S %e' make --no-print-directory -C "$tree" -j"$(nproc)" INNER=1 "$@" \
        >"$work/make.txt" 2>&1 || fail "$spend_name is made" "$(tail -n 3 "$work/make.txt")"
    awk -v steps="$(grep -c '^  [A-Z][A-Z0-9]* ' "$work/make.txt")" '{ print $1 + $2, $3, steps }' "$work/time" >>"$work/$spend_name"
}

# median NAME COLUMN
median() {
    cut -d ' ' -f "$2" "$work/$1" | median_of
}

# figures NAME TEXT WHAT
figures() {
    # shellcheck disable=SC2046 # one word a figure
    row "$2" $(sort -n "$work/$1" | awk '{ v[NR] = $1 } END { printf "%d %.2f %.2f %.2f", NR, v[int((NR + 1) / 2)], v[1], v[NR] }') \
        "$(median "$1" 2)" "$(median "$1" 3)" "$3"
}

# at_most NAME COLUMN LIMIT WHAT
at_most() {
    check "$4" "$(median "$1" "$2")" awk -v got="$(median "$1" "$2")" -v limit="$3" 'BEGIN { exit got > limit }'
}

for round in $(seq "$rounds"); do
    rm -rf "$tree/build"
    spend cold all
    spend nothing all
    spend parse -n run
    touch "$tree/tools/run/run.h"
    spend run_h build/tare
done

row 'of make' n median least most seconds steps "processor seconds; load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors"
figures cold 'all, for the first time' 'bar: 180 processor seconds, 90 s of two'
figures nothing 'all, when nothing has changed' ''
figures parse 'the rules (make -n run)' ''
figures run_h 'build/tare, tools/run/run.h touched' 'bar: 10'
at_most cold 1 180 'all, for the first time: at most 180 processor seconds'
at_most run_h 1 10 'run.h: at most 10 processor seconds'
finish
