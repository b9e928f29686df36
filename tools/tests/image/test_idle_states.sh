#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Benches cstate and ramp under QEMU: HLT and MWAIT of one processor, which acts as HLT there, several
# processors one at a time and all at once, and a processor without MONITOR. Exit latencies and a clock
# that rises are idle_machine's.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# MWAIT of several processors is PAUSE in exact time, and firmware parks processors in it: one only.
test_mwait() {
    boot mwait 0 --shift 6 --bench cstate,ramp -- -cpu max,-rdrand,-rdseed,+monitor
    check 'mwait: both OK' "$(value mwait '[.benches[] | .status, .reason]')" all_ok mwait cstate ramp
    check 'mwait: HLT and hint 0, to the instruction the same' "$(value mwait '.benches[0].idle_states')" \
        json mwait '.benches[0].idle_states | [.[].state] == ["hlt", "mwait00"] and
            .[0].points == .[1].points and (.[0].points | length == 8) and
            ([.[].early_ends] == [0, 0]) and
            ([.[].points[] | .min > 64 * 8 and .max < 64 * 20] | all)'
    check 'mwait: the work is the same behind each state' "$(value mwait '.benches[1].ramps')" \
        json mwait '.benches[1].ramps | [.[].state] == ["pause", "hlt", "mwait00"] and
            ([.[] | .by_aperf == false and .first == 1 and .final == 1 and .settled_ticks == 0 and
                .lost_ticks == 0] | all)'
    check 'ramp: APERF is missing, with the reason' "$(value mwait '.benches[1].absent')" \
        json mwait '[.benches[1].absent[] | select(.name == "aperf") | .reason |
            contains("APERF")] == [true]'
}

test_processors() {
    boot three 0 --shift 6 --smp 3 --bench cstate --set cstate.longest_us=200
    check 'three: each by itself, then all at once' \
        "$(value three '.benches[0] | .status, .reason, .idle_states' | tr '\n' ' ')" json three \
        '.benches[0] | .status == "OK" and ([.idle_states[] | [.together, .processor]] ==
            [[false, 0], [false, 1], [false, 2], [true, 0], [true, 1], [true, 2]])'
    check 'three: by itself each is as the first' "$(value three '.benches[0].idle_states')" \
        json three '[.benches[0].idle_states[] | select(.together | not) | .points] |
            .[0] == .[1] and .[1] == .[2]'
    check 'three: MWAIT is missing, with the reason' "$(value three '.benches[0].absent')" json three \
        '[.benches[0].absent[] | select(.name == "mwait") | .reason | contains("MONITOR")] == [true]'
    "$TARE" show --full "$work/three.db" >"$work/show"
    check 'three: no line of the view is wider than a terminal' "$(cat "$work/show")" \
        awk 'length > 80 { exit 1 }' "$work/show"
}

test_mwait
test_processors
finish
