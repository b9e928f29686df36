#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Bench delivery: QEMU keeps every promise, by several seeds, on two processors, and in emulated time;
# a machine that breaks one fails by its name, and again from the keys that it printed.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/mutants/rounds.sh

# kept NAME COUNT: the bench is OK, COUNT promises were tried, and none was broken.
kept() {
    check "$1: $2 promises tried and kept" "$(value "$1" '.benches[] | .status, .reason, (.promises[] |
        select(.broken > 0))' | tr '\n' ' ')" json "$1" ".benches[0] | .status == \"OK\" and
        ([.promises[] | select(.broken == 0 and .tried > 0)] | length) == $2 and (.promises | length) == $2"
}

for seed in 1 2 3; do
    boot "seed$seed" 0 --bench delivery --set delivery.seed=$seed
    kept "seed$seed" 13
done
check 'exact: what was not tried is absent, with a reason' "$(value seed1 '.benches[0].absent')" \
    json seed1 '[.benches[0].absent[] | select(.reason | length > 10) | .name] | sort ==
        ["cross", "past", "smi", "x2apic"]'
check 'exact: a common promise is checked by every trial' 'it is not' json seed1 \
    '.benches[0].promises | (map(select(.name == "once"))[0].tried) == 13 * (map(select(.name == "order"))[0].tried)'

boot two 0 --smp 2 --bench delivery --set delivery.offsets=200
kept two 14
boot emulated 0 --mode real --bench delivery --set delivery.offsets=200
kept emulated 13
check 'emulated: time is not exact' "$(value emulated .run.kind)" json emulated '.run.kind == "emulated"'

# The image of a machine that delivers a vector twice at some offsets (a mutant of the catalogue).
copy_tree
mutate() {
    change "$4" "$5" "$6"
}
catalogue image | grep '	a vector is delivered twice	' | each_mutant mutate ||
    fail 'mutant: its line is in the file once' "$(catalogue image | grep delivery)"
inner_make build/image/tare.efi || fail 'mutant: it builds' "$(tail -n 5 "$work/make.txt")"
image=$tree/build/image/tare.efi
boot twice 1 --bench delivery "$image"
check 'twice: FAIL by the name of the promise, with section, number and offset' \
    "$(value twice '.benches[0].reason')" json twice '.benches[0] | .status == "FAIL" and (.reason |
        test("^once: vector 0x51 expected 1 delivery, got 2 .SDM 3 11[.]8[.]4; [0-9]+ of 13000; offset [0-9]+: delivery[.]seed=1 "))'
first=$(value twice '.benches[0].promises[] | select(.name == "once") | .first_offset')
boot again 1 --bench delivery --set "delivery.seed=1" --set "delivery.offsets=$((first + 1))" "$image"
check 'twice: the keys that FAIL prints repeat it, in the last offset' \
    "$(value again '.benches[0].promises[] | select(.name == "once")' | tr '\n' ' ')" \
    json again ".benches[0].promises[] | select(.name == \"once\") | .broken == 1 and .first_offset == $first"
finish
