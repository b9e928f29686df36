#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The benches of group smp in exact mode, on 2 and 4 processors: all laws that they check themselves
# hold, smp_laws.py finds the same in their events, and a second boot gives the same bytes.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

benches=accounting,affinity,beside,boost,inversion2,migration,quantum,runqueue,scaling,shootdown
smp=${image%/*}/tare-smp.efi

# same_run A B: the logs are the same bytes, or the benches began at another time (firmware with several processors
# may take longer on a busy host) and all samples are the same.
same_run() {
    cmp -s "$work/$1.log" "$work/$2.log" ||
        "$TARE" diff --force "$work/$1.db" "$work/$2.db" | tr '\n' ' ' | grep -q ' 0 of [0-9]* series, 0 of [0-9]* samples'
}

# laws NAME CPUS: counts what smp_laws.py prints.
laws() {
    /usr/bin/python3 tools/tests/smp/smp_laws.py "$TARE" "$work/$1.db" "$2" >"$work/laws" 2>&1 ||
        fail "$1: laws" "$(tail -n 1 "$work/laws")"
    while read -r verdict what; do
        case $verdict in
        pass) pass "$1: $what" ;;
        FAIL) fail "$1: ${what%%: *}" "${what#*: }" ;;
        esac
    done <"$work/laws"
}

for cpus in 2 4; do
    boot "smp$cpus" 0 --smp $cpus --bench $benches "$smp"
    check "smp$cpus: every bench is OK, on $cpus processors" "$(value smp$cpus '.benches[].reason')" \
        json smp$cpus "(.benches | length) == 10 and (.benches | all(.status == \"OK\")) and
            ([.benches[] | .facts.cpus] | all(. == $cpus))"
    laws smp$cpus $cpus
done

boot again 0 --smp 4 --bench $benches "$smp"
check 'again: the same bytes' 'the logs differ' same_run smp4 again

# Ticks of the processors one after the other: each still finds its own threads.
boot staggered 0 --smp 4 --bench accounting --set accounting.stagger_us=250 "$smp"
check 'staggered: the ticks are a quarter of a period apart' "$(value staggered '.benches[0].facts')" \
    json staggered '.benches[0].facts | .["phase.1"] / .tick_period * 100 | round == 25'

# What a bench needs and the machine does not have.
boot alone 0 --smp 2 --bench affinity --set affinity.cpus=1 "$smp"
check 'alone: SKIP by name' "$(value alone '.benches[0]')" json alone '.benches[0] |
    .status == "SKIP" and .reason == "cpus: expected at least 2, got 1"'

finish
