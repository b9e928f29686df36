#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/tests/mutants/host.sh [NUMBER...]       (make mutants)
#
# Runs the mutants of the host's code, all or those of these numbers in the catalogue, one at a time: builds the
# object of the damaged module and the unit tests that load it, and runs these, that of the file and the module's own
# first, until one fails. Prints for each, with tabs: who killed it (test, none: it survived, or broken), its module, what was
# falsified, the test that failed.
set -u

. tools/tests/support/lib.sh
. tools/tests/mutants/rounds.sh

mkdir "$tree" && cp -a Makefile linker.ld boot kernel bench tools "$tree" && mkdir "$tree/build" &&
    cp -a build/modules.mk build/lwip build/qrcodegen "$tree/build" && mkdir "$tree/build/host" && cp -a build/host/tests "$tree/build/host" || exit 1
[ ! -d build/spleen ] || cp -a build/spleen build/uplot "$tree/build"

# loading OBJECT FOLDER: the unit tests that load the shared object, at most 25, those of the folder first.
loading() {
    [ ! -e "$work/$1.tests" ] || { cat "$work/$1.tests" && return; }
    for loading_test in "$tree"/build/host/tests/unit_*; do
        objdump -p "$loading_test" 2>/dev/null | grep -q "NEEDED.*/$1\$" || continue
        loading_name=${loading_test##*/}
        [ -e "$2/tests/$loading_name.c" ] && echo "0 $loading_name" || echo "1 $loading_name"
    done | sort | head -n 25 | cut -d ' ' -f 2 | tee "$work/$1.tests"
}

# killed NUMBER MODULE WHAT FILE LINE REPLACEMENT: prints the mutant's line.
killed() {
    folder=$(dirname "$4")
    object=$(echo "$folder" | tr / -).so
    : >"$work/broken"
    damage "$@"
    if [ -s "$work/broken" ] || ! inner_make "build/host/tests/lib/$object"; then
        printf 'broken\t%s\t%s\t%s\n' "$2" "$3" "$(cut -f 2 "$work/broken")$(grep -m 1 error "$work/make.txt")"
    else
        by=
        first=unit_$(basename "$4" .c)
        for test in $([ ! -e "$folder/tests/$first.c" ] || echo "$first"; loading "$object" "$folder" | grep -vx "$first"); do
            [ ! -e "$folder/tests/$test.c" ] || inner_make "build/host/tests/$test"
            (cd "$tree" && timeout 60 "build/host/tests/$test") >"$work/output" 2>&1 || { by=$test && break; }
        done
        printf '%s\t%s\t%s\t%s\n' "${by:+test}" "$2" "$3" "$by" | sed 's/^\t/none\t/'
    fi
    undamage "$@"
}

catalogue host >"$work/catalogue"
for number in ${*:-$(cut -f 1 "$work/catalogue")}; do
    awk -F'\t' -v number="$number" '$1 == number' "$work/catalogue" | each_mutant killed
done
