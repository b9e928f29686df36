#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare sim -o: a simulation as a run that every command takes and none mixes with measured ones;
# settings, one after the other.
set -u

. tools/tests/support/lib.sh

paper=tools/tests/models/paper.model

# at LOAD FILTER: what the JSON of the paper's model at this load of low has there.
at() {
    "$TARE" sim "$paper" --arrivals poisson --set occupancy.low="$1" --passes 1000 \
        --replications 6 --json 2>"$work/error" | jq -r "$2"
}

# A loop over a setting, all points with the same random numbers.
test_settings() {
    for load in 0.1 0.2 0.3 0.4 0.5 0.6; do
        at $load '[.results[0].statistics[] | select(.name | test("^special.transit(.p..)?$")) |
            .mean] | @csv'
    done >"$work/points"
    check 'mean and quantiles rise with the load, and are in order' "$(cat "$work/points")" \
        awk -F , 'NF != 4 { bad = 1 }
            { for (i = 1; i <= 4; i++) { bad += $i <= last[i]; last[i] = $i } }
            $2 >= $3 || $3 >= $4 { bad = 1 }
            END { exit bad || NR != 6 }' "$work/points"
    # What is less urgent takes nothing from what is more: not a digit of the medium level's waits
    # may depend on the low one's work.
    for scale in 0.5 1; do
        "$TARE" sim tools/tests/models/two2.model --set scale.low=$scale --replications 4 --json \
            2>"$work/error" | jq -c '[.results[0].statistics[] |
            select(.name | startswith("medium.wait"))]' >"$work/medium.$scale"
    done
    check 'the same random numbers at all points' "$(cat "$work/medium.1")" \
        cmp -s "$work/medium.0.5" "$work/medium.1"
    check 'of some waits' "$(cat "$work/medium.1")" grep -q '"mean":0\.[0-9]' "$work/medium.1"
}

# A measured run of another kind.
measured() {
    "$TEST_BIN/big_log" 500 200 2 >"$work/log" &&
        "$TARE" decode "$work/log" -o "$work/measured.db" 2>"$work/decode"
}

test_run() {
    expect_status 'a run file' 0 "$TARE" sim "$paper" --passes 500 --replications 16 \
        -o "$work/one.db"
    expect_status 'and another' 0 "$TARE" sim "$paper" --passes 500 --replications 16 \
        --seed 2 --set occupancy.low=0.4 -o "$work/two.db"
    expect_status 'show' 0 "$TARE" show --full "$work/one.db"
    check 'marked as simulated' "$(head -n 2 "$work/output")" \
        grep -q '^VALID  simulated time' "$work/output"
    "$TARE" show --samples model/response "$work/one.db" >"$work/response" 2>&1
    check '500 responses, none shorter than the work' "$(sort -n "$work/response" | head -n 3)" \
        awk '$1 < 1290000 { bad = 1 } END { exit bad || NR != 500 }' "$work/response"
    expect_status 'more load is worse' 1 "$TARE" compare "$work/one.db" "$work/two.db"
    check 'of each replication' "$(cat "$work/output")" \
        grep -q '^  replications.special.transit.p50 ' "$work/output"
    measured || fail 'a measured run' "$(cat "$work/decode")"
    expect_status 'compare refuses a measured run' 2 "$TARE" compare "$work/one.db" \
        "$work/measured.db"
    check 'and gives the reason' "$(cat "$work/output")" grep -q 'which is simulated' "$work/output"
    for format in csv json openmetrics tsv; do
        expect_status "export as $format" 0 "$TARE" export --format $format \
            -o "$work/export.$format" "$work/one.db"
    done
    expect_status 'report' 0 "$TARE" report "$work/one.db" -o "$work/one.html"
    check 'marked as simulated' '' grep -q 'simulated: 1 tick is 1 ns' "$work/one.html"
    check 'and nothing of a TSC' "$(grep -o '.\{20\}TSC at.\{20\}' "$work/one.html")" \
        sh -c '! grep -q "TSC at" "$1"' - "$work/one.html"
}

# What shows and exports traces takes that of a simulation.
test_trace() {
    expect_status 'a trace' 0 "$TARE" sim --trace --passes 40 --replications 1 -o "$work/trace.db" \
        "$paper"
    expect_status 'its threads' 0 "$TARE" show --threads "$work/trace.db"
    check 'the stimulus runs for its work' "$(cat "$work/output")" \
        grep -qE '^ +[0-9]+  special 1 +1 +[0-9.]+ ms  51\.60 ms ' "$work/output"
    expect_status 'its delays' 0 "$TARE" show --delays 'special 1' "$work/trace.db"
    check 'each with who had the processor' "$(cat "$work/output")" \
        grep -qE '^ +thread (low|medium) [1-9] +(has higher|same) priority' "$work/output"
    "$TARE" export --format ctf -o "$work/ctf" "$work/trace.db" 2>"$work/error"
    babeltrace2 "$work/ctf" >"$work/events" 2>"$work/error"
    check 'as CTF: a mark for each stimulus and each response' \
        "$(head -n 3 "$work/error")" [ "$(grep -c 'tare_mark' "$work/events")" -eq 80 ]
    "$TARE" export --format perfetto -o "$work/perfetto" "$work/trace.db" >"$work/output" 2>&1
    check 'for Perfetto' "$(cat "$work/output")" [ -s "$work/perfetto" ]
    # Customers at a station are requests to a device.
    "$TARE" sim --trace --passes 400 --replications 1 -o "$work/disk.db" \
        tools/tests/models/disk.model
    expect_status 'a station' 0 "$TARE" show --disks "$work/disk.db"
    check 'none is faster than its service' "$(cat "$work/output")" \
        grep -qE '^ +disk +4[0-9]+ +4[0-9]+ +0 +[0-9] +150\.0 us' "$work/output"
    # Each processor has a trace.
    "$TARE" sim --trace --passes 50 --replications 1 -o "$work/two.db" \
        tools/tests/models/processors.model
    expect_status 'two processors' 0 "$TARE" show --threads "$work/two.db"
    check 'the second has its process' "$(cat "$work/output")" \
        sh -c 'sed -n "/^model@back/,\$p" "$1" | grep -qE "^ +[0-9]+  database "' - "$work/output"
    expect_status 'the machine has overheads' 0 "$TARE" sim --trace --passes 40 --replications 1 \
        --set overhead.interrupt=0.1 --set overhead.switch=0.1 -o "$work/overhead.db" "$paper"
    expect_status 'its interrupts' 0 "$TARE" show --irqs "$work/overhead.db"
    check 'a handler for an arrival' "$(cat "$work/output")" \
        grep -qE '^ +arrival +net +[1-9][0-9]+  10,000 ' "$work/output"
}

test_settings
test_run
test_trace
finish
