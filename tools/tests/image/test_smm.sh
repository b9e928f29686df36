#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# System management interrupts: under QEMU with OVMF's SMM build a write to port B2h raises one,
# which `gap` sees by its length and MSR 34h counts. Both must agree. With firmware that has no SMM
# the port must not be touched: QEMU's processor then enters an SMM without a handler.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

watch='--shift 7 --bench gap --set gap.ms=20'

# gaps NAME: "time length smi" of each gap kept: the first, and the largest of the others.
gaps() {
    for gaps_list in gap worst; do
        json "$1" '[.benches[] | select(.name == "gap") | .series[].name] |
            index("'"$gaps_list"'_time") != null' || continue
        for gaps_series in time length smi; do
            "$TARE" show --samples "gap/${gaps_list}_$gaps_series" "$work/$1.db" \
                >"$work/$gaps_series" || return 1
        done
        paste -d ' ' "$work/time" "$work/length" "$work/smi"
    done
}

# seen NAME COUNT: so many SMIs lie in as many gaps, one in each.
seen() {
    gaps "$1" >"$work/gaps" || return 1
    [ "$(awk '$3 > 0 { gaps++; smis += $3 } END { print gaps + 0, smis + 0 }' "$work/gaps")" = \
        "$2 $2" ]
}

# long_enough NAME: each gap with an SMI is longer than the threshold, by far: firmware saves the
# processor's state, searches for the cause, and returns.
long_enough() {
    long_threshold=$(value "$1" '.benches[0].facts.threshold')
    gaps "$1" | awk -v least="$((2 * long_threshold))" '$3 > 0 && $2 < least { exit 1 }'
}

# evenly NAME COUNT: at equal distances, to a five-hundredth of the watch: a pass of the loop that is
# written down takes half of that.
evenly() {
    evenly_elapsed=$(value "$1" '.benches[0].facts.elapsed')
    gaps "$1" | awk -v elapsed="$evenly_elapsed" -v count="$2" '
        $3 > 0 {
            late = $1 - elapsed / (count + 1) * ++n
            if (late < -elapsed / 500 || late > elapsed / 500)
                bad = 1
        }
        END { exit bad || n != count }'
}

# more_than_kept NAME FIRST LARGEST: most gaps came behind the first, and the largest of all with
# them: it is kept, with its time; the rest is counted; the histogram agrees.
more_than_kept() {
    gaps "$1" >"$work/gaps" || return 1
    json "$1" '.benches[0] | .facts as $f | .gaps as $g |
        ([.series[] | {key: .name, value: .}] | from_entries) as $s |
        $s.gap_length.n == '"$2"' and $s.worst_length.n == '"$3"' and
        $f.over > '"$(($2 + $3))"' and $f.unkept == $f.over - '"$2"' and
        $f.rest == $f.unkept - '"$3"' and $f.largest == $s.worst_length.max and
        $f.largest > $s.gap_length.max and $f.largest >= $s.histogram_bound.max and
        $f.largest < $s.histogram_bound.max * 17 / 16 and
        $f.stolen == '"$(awk '{ sum += $2 } END { printf "%d", sum }' "$work/gaps")"' + $f.rest_sum and
        $f.stolen == '"$("$TARE" show --samples gap/gap_stolen "$work/$1.db" | paste -sd +)"' and
        $g.longest_ticks == $f.largest and $g.count == $f.over and $g.rest == $f.rest' &&
        grep -q "^$(value "$1" '.benches[0].facts | "\(.largest_at) \(.largest)"') " "$work/gaps"
}

# At shift 7 the loop itself is above the threshold: its passes fill what keeps the first gaps.
test_provoked() {
    # shellcheck disable=SC2086
    boot smm20 0 --smm $watch --set gap.ms=60 --set gap.provoke_smi=20 --set gap.keep=10 --set gap.keep_largest=25
    check 'smm20: the worst are kept although most gaps are not' \
        "$(value smm20 '.benches[0].facts'); $(gaps smm20 | tr '\n' ';')" more_than_kept smm20 10 25
    check 'smm20: counter and provocations agree' \
        "$(value smm20 '.benches[0].facts | .smi, .smi_provoked' | tr '\n' ' ')" \
        json smm20 '.run.valid and (.benches[0] | .status == "OK" and
            .facts.smi == 20 and .facts.smi_provoked == 20 and
            all(.absent[]; .name | startswith("cause.")))'
    provoked smm20 20
}

# provoked NAME COUNT: as gap saw them.
provoked() {
    check "$1: gap sees each by itself" "$(gaps "$1" | tr '\n' ';')" seen "$1" "$2"
    check "$1: with its length" "$(gaps "$1" | tr '\n' ';')" long_enough "$1"
    check "$1: at equal distances" "$(gaps "$1" | tr '\n' ';')" evenly "$1" "$2"
}

# The same as an event of the plan. A counted reading of the clock takes longer: hence the threshold.
smi_event="$watch --set gap.provoke_smi=5 --set gap.threshold_ns=12000 --set events=smi"
test_event() {
    # shellcheck disable=SC2086
    boot event 0 --smm $smi_event
    check 'event smi: counted, by MSR 34h' "$(value event '.run.events')" json event \
        '[.run.events[] | [.name, .state, .source]] == [["smi", "counted", "msr34"]]'
    check 'event smi: the gaps hold all of them' \
        "$(value event '.benches[] | select(.name == "gap") | .series')" json event \
        '.benches[] | select(.name == "gap") | .series[] | select(.event == "smi") |
            .of == "gap_length" and .total == 5'
    provoked event 5
    check 'event smi: SQL has the same noise' "$(query "$work/event.db" 'SELECT * FROM noise')" \
        json event '(.benches[] | select(.name == "gap")) as $gap |
            [$gap.gaps.count, $gap.gaps.longest_ticks, $gap.gaps.longest_at_ticks,
             $gap.smis.counted, ($gap.gaps.stolen_ppm | round), ($gap.gaps.per_second | round),
             ($gap.smis.per_second | round)] == '"$(query "$work/event.db" "SELECT json_array(gaps,
             longest, longest_at, smis, CAST(round(stolen_ppm) AS INT),
             CAST(round(gaps_per_second) AS INT), CAST(round(smis_per_second) AS INT))
             FROM noise WHERE series = 'gap'")"
}

test_quiet() {
    # shellcheck disable=SC2086
    boot quiet 0 --smm $watch
    check 'nothing provoked: counted, and none came' "$(value quiet '.benches[0].facts')" \
        json quiet '.benches[0].facts | .smi == 0 and .smi_provoked == 0'
    check 'nothing provoked: no gap' "$(gaps quiet | tr '\n' ';')" seen quiet 0
}

# The firmware writes to its variables: they must not be those of the run before.
test_determinism() {
    # shellcheck disable=SC2086
    boot again 0 --smm $smi_event
    check 'second log equal to the byte' 'it differs' cmp "$work/event.log" "$work/again.log"
}

test_without() {
    # shellcheck disable=SC2086
    boot plain 0 $watch --set gap.provoke_smi=5
    check 'no SMM: bench skipped, for MSR 34h, and B2h left alone' \
        "$(value plain '.benches[0].reason')" json plain '.benches[0] |
            .status == "SKIP" and (.reason | contains("MSR 34h")) and (.reason | contains("B2h"))'
    # shellcheck disable=SC2086
    boot unwatched 0 $watch
    for run in plain unwatched; do
        check "$run: SMIs absent, not 0" "$(value $run '.benches[0]')" json $run '.benches[0] |
            ([.absent[] | select(.name == "smi") | .reason | contains("MSR 34h")] == [true]) and
            (.facts | has("smi") or has("smi_provoked") | not) and
            ([.series[] | select(.name == "gap_smi")] == []) and
            .smis.counted == null'
    done
    check 'the gaps themselves are measured all the same' 'they are not' json unwatched \
        '.benches[0].status == "OK"'
}

# What an SMI takes, by two methods, of which the second knows nothing of the first; no APERF here.
test_cost() {
    boot cost 0 --smm --shift 6 --bench smicost
    check 'smicost: two methods agree' "$(value cost '.benches[0] | .status, .reason, .smi_cost')" \
        json cost '.benches[0] | .status == "OK" and .smi_cost.apart < 0.01 and
            .smi_cost.smi_gap > 64 * 100 and .facts.smi == .facts.smi_provoked'
    check 'smicost: the third is missing, with the reason' "$(value cost '.benches[0].absent')" \
        json cost '.benches[0] | .smi_cost.smi_aperf == null and
            ([.absent[] | select(.name == "smi_aperf") | .reason | contains("APERF")] == [true])'
    expect_status 'smicost: firmware against firmware' 0 "$TARE" compare \
        "$work/cost.db" "$work/cost.db"
    check 'smicost: compare has two metrics' "$(cat "$work/output")" grep -q '2 same' "$work/output"
    boot nocost 0 --shift 6 --bench smicost
    check 'smicost: without SMM skipped, for MSR 34h' "$(value nocost '.benches[0].reason')" \
        json nocost '.benches[0] | .status == "SKIP" and (.reason | contains("MSR 34h"))'
}

test_usage() {
    expect_status '--smm on a machine without SMM: refused' 2 "$TARE" boot --smm --machine pc "$image"
    check '--smm on a machine without SMM: the cure is printed' "$(cat "$work/output")" \
        grep -q 'omit --machine' "$work/output"
    expect_status '--variables without --smm: refused' 2 "$TARE" boot --variables x "$image"
    expect_status 'half a firmware: refused' 2 "$TARE" boot --smm --firmware x "$image"
    expect_status 'firmware that is not there: refused' 1 "$TARE" boot --smm \
        --firmware "$work/none" --variables "$work/none" --log "$work/none.log" "$image"
    check 'firmware that is not there: named' "$(cat "$work/output")" \
        grep -qF "$work/none: " "$work/output"
}

test_usage
test_provoked
test_event
test_quiet
test_determinism
test_without
test_cost
finish
