#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What is known beforehand is found: gaps of known length by each detector of noise, to the
# instruction where the loop is counted, and latencies behind windows of masked interrupts, on their
# line.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

options='--shift 3 --bench sensitivity --set sensitivity.trials=20'

# curve NAME CURVE FILTER: true if jq's filter is true of that curve. $t is ticks an instruction.
curve() {
    json "$1" '(.run.ticks_per_instruction | tonumber) as $t | .benches[] |
        select(.name == "sensitivity") | .curves[] |
        select("\(.detector).\(.injector)" == "'"$2"'") | '"$3"
}

# curves NAME: all in brief.
curves() {
    value "$1" '.benches[] | select(.name == "sensitivity") | .reason,
        (.curves[] | "\(.detector).\(.injector) \(.reading) \(.threshold) \(.p99_ticks)")' |
        tr '\n' ';'
}

# at_law CURVE: of a reading r and a threshold, the point is the first length above threshold - r, to
# the two instructions of an iteration.
at_law() {
    curve exact "$1" '(.threshold - .reading) as $sure |
        .p99_ticks > $sure and .p99_ticks <= $sure + 2 * $t and .missed_ticks <= $sure and
        ([range(.found | length) as $i | .length_ticks[$i] > $sure and .found[$i] == 0 or
            .length_ticks[$i] <= $sure and .found[$i] > 0] | any | not)'
}

test_exact() {
    # shellcheck disable=SC2086
    boot exact 0 $options
    check 'every curve of one processor is there' "$(curves exact)" json exact '.benches[] |
        select(.name == "sensitivity") | .curves | map("\(.detector).\(.injector)") |
        sort == ["ftq.timer", "fwq.timer", "gap.spin", "gap.timer", "gap_lowest.spin",
            "gap_lowest.timer", "selfish.spin", "selfish.timer"]'
    for detector in gap gap_lowest selfish; do
        check "$detector: all above threshold less a reading is found, nothing else" \
            "$(curves exact)" at_law $detector.timer
    done
    check 'gap_lowest: the 99 % point is one reading of the loop' "$(curves exact)" \
        curve exact gap_lowest.timer '.threshold == 2 * .reading and .reading == 35 * $t and
            .missed_ticks == .reading and .p99_ticks == .reading + 2 * $t'
    for detector in fwq ftq; do
        check "$detector: each gap is found" "$(curves exact)" \
            curve exact $detector.timer '.p99_at_most and .found == .tried and
                .threshold == .reading'
    done
    check 'no false alarm' "$(curves exact)" json exact \
        '[.benches[] | .curves[]? | .alarms] | unique == [0]'
    check 'each length was tried each time' "$(curves exact)" json exact \
        '[.benches[] | .curves[]? | .tried[]] | unique == [20]'
    check '20 of 20 prove 86.1 %' "$(curves exact)" curve exact gap.timer \
        '.proven > 0.8608 and .proven < 0.8610'
    # shellcheck disable=SC2086
    boot again 0 $options
    check 'a second boot logs the same bytes' 'it does not' cmp "$work/exact.log" "$work/again.log"
    "$TARE" show --full "$work/exact.db" >"$work/shown"
    check 'tare show: points and curves' "$(cat "$work/shown")" \
        grep -qE '^  gap_lowest\.timer +19 +1041 +\.{9}#+$' "$work/shown"
}

# The other processor's turn is a part of what its interrupt takes: on two, in exact time.
test_ipi() {
    # shellcheck disable=SC2086
    boot pair 0 $options --smp 2 --set sensitivity.injectors=ipi
    for detector in gap gap_lowest selfish; do
        check "$detector: interrupts of the other processor, all that are long enough" \
            "$(curves pair)" curve pair $detector.ipi '(.threshold - .reading) as $sure |
            ([.tried[]] | unique) == [20] and .alarms == 0 and .p99_ticks <= $sure + 2 * $t'
    done
    check 'fwq: it has no PAUSE at which the other has its turn' "$(curves pair)" json pair \
        '.benches[] | .absent[] | select(.name == "fwq.ipi") | .reason | contains("PAUSE")'
}

test_smi() {
    # shellcheck disable=SC2086
    boot smi 0 $options --smm --set sensitivity.injectors=smi
    check 'SMIs: each of 20 by three detectors' "$(curves smi)" json smi '.benches[] |
        select(.name == "sensitivity") | [.curves[] | .found, .tried] == [[20], [20], [20], [20],
            [20], [20]]'
}

# deviation KIND FILTER: true if jq's filter is true of how far points of that kind are above the line.
deviation() {
    json window '(.run.ticks_per_instruction | tonumber) as $t | .benches[] |
        select(.name == "cliwindow") | .cli_window.above_line_'"$1"' | .n > 40 and '"$2"
}

test_window() {
    boot window 0 --shift 3 --bench cliwindow
    check 'window: latency is its remainder and 10 instructions, each time' \
        "$(value window '.benches[0].cli_window')" deviation in_window '.min == 10 * $t and .max == .min'
    # The interrupt comes with the first instruction behind the timer's end, which lies anywhere
    # within one; a deadline is a whole number of ticks, rounded down.
    check 'after the window: 14.5 instructions, less what the timer ends before one' \
        "$(value window '.benches[0].cli_window')" \
        deviation behind_window '.min > 13.5 * $t and .max <= 14.5 * $t + 1'
    check 'slope 1' "$(value window '.benches[0].cli_window')" \
        json window '.benches[0].cli_window.slope == 1'
}

test_exact
test_ipi
test_smi
test_window
finish
