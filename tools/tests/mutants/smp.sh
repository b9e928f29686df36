#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/tests/mutants/smp.sh [NUMBER...]       (make mutants)
#
# Runs the mutants of the kernel of several processors, all or those of these numbers in the catalogue, one at a time:
# builds tare-smp.efi and boots it in exact time on four processors. Prints for each, with tabs: who killed it (run: the
# run's own verdict; test: smp_books.py, or a figure that differs from that of the undamaged image; none: it survived;
# broken), its subject, what was falsified, the reason.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/mutants/rounds.sh

benches=accounting,affinity,beside,boost,inversion2,quantum,runqueue,scaling,shootdown
limit=100

mkdir "$tree" "$tree/build" && cp -a Makefile linker.ld boot kernel bench tools "$tree" &&
    cp -a build/image build/smp build/lwip build/qrcodegen build/modules.mk "$tree/build" || exit 1
[ ! -d build/spleen ] || cp -a build/spleen build/uplot "$tree/build"

# boot_four NAME IMAGE: without a verdict.
boot_four() {
    rm -f "$work/$1.db" "$work/$1.log"
    boot_once "$1" --mode exact --smp 4 --bench $benches --set accounting.stagger_us=250 --set scaling.rounds=20 "$2"
}

# verdict NAME: prints why the run itself refuses a bench or the whole; nothing if it does not.
verdict() {
    [ -s "$work/$1.db" ] || { echo "no run: $(grep -v '^log' "$work/$1.err" | tail -n 1)" && return; }
    refused "$work/$1.db" | tr '\t' ' ' | head -n 1 | grep . && return
    [ "$once_status" -eq 0 ] || grep -m 1 . "$work/$1.out" || echo "status $once_status"
}

# judge NAME: prints who kills the mutant that was booted, a tab, and the reason.
judge() {
    reason=$(verdict "$1")
    [ -z "$reason" ] || { printf 'run\t%s\n' "$reason" && return; }
    reason=$(/usr/bin/python3 tools/tests/smp/smp_books.py "$TARE" "$work/$1.db" 2>&1 | grep -m 1 -v '^pass')
    [ -z "$reason" ] || { printf 'test\tsmp_books.py: %s\n' "${reason#FAIL  }" && return; }
    figures "$work/$1.db" >"$work/figures"
    reason=$(diff "$work/clean.figures" "$work/figures" | grep -m 1 '^[<>]' | cut -c 3- | cut -f 1-3 | tr '\t' ' ')
    [ -z "$reason" ] || { printf 'test\tfigure: %s\n' "$reason" && return; }
    printf 'none\t\n'
}

# killed NUMBER SUBJECT WHAT FILE LINE REPLACEMENT: prints the mutant's line.
killed() {
    : >"$work/broken"
    damage "$@"
    if [ -s "$work/broken" ] || ! inner_make build/image/tare-smp.efi; then
        printf 'broken\t%s\t%s\t%s\n' "$2" "$3" "$(cut -f 2 "$work/broken")$(grep -m 1 error "$work/make.txt")"
    else
        boot_four mutant "$tree/build/image/tare-smp.efi"
        by=$(judge mutant)
        printf '%s\t%s\t%s\t%s\n' "${by%%	*}" "$2" "$3" "$(echo "${by#*	}" | cut -c 1-160)"
        [ -z "${KEEP-}" ] || cp "$work/mutant.db" "$KEEP/$1.db"
    fi
    undamage "$@"
}

boot_four clean "${image%/*}/tare-smp.efi"
figures "$work/clean.db" >"$work/clean.figures"
[ "$(judge clean)" = "$(printf 'none\t')" ] || { echo "the undamaged image is killed: $(judge clean)" >&2 && exit 1; }
catalogue smp >"$work/catalogue"
for number in ${*:-$(cut -f 1 "$work/catalogue")}; do
    awk -F'\t' -v number="$number" '$1 == number' "$work/catalogue" | each_mutant killed
done
