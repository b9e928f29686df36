#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# All processors at once against known truth: gaps made on purpose that stop all processors or one,
# netgauge's method repeated from single readings, an injector of known period, and an emulator that
# is stopped. noise_truth.py computes each a second time from the samples, and finds damage to them.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# runs_ahead: succeeds if each input line ends with "OLD Hz -> NEW Hz" and the TSC became faster.
runs_ahead() {
    awk 'BEGIN { bad = 1 } { bad = 0 } $(NF - 1) <= $(NF - 4) { bad = 2; exit } END { exit bad }'
}

# ended NAME STATUS: succeeds if the run is valid, or invalid only because QEMU's TSC ran ahead of its clocks,
# which happens with several processors in real time (kernel/run/README.md). On a busy host, which takes a
# thread away between two readings, the TSC may also fall behind: the caller then boots again, up to three times.
ended() {
    [ "$2" -eq 0 ] && return
    [ "$2" -eq 1 ] && grep INVALID "$work/$1.err" >"$work/why" && runs_ahead <"$work/why" &&
        ! grep -qvE '^tare boot: INVALID: [a-z]+: FAIL, time changed: TSC by [a-z_]+: [0-9]+ Hz -> [0-9]+ Hz$' \
            "$work/why"
}

truth=bench/noise/tests/noise_truth.py

# holds NAME WHAT ARGUMENT...: the truth of the run file, printed; then each damage is found.
holds() {
    holds_name=$1
    holds_what=$2
    shift 2
    "$truth" "$holds_what" "$work/$holds_name.db" "$@" >"$work/truth"
}

damaged() {
    ! holds "$@"
}

truth() {
    tr '\n' ';' <"$work/truth"
}

# A strict rotation of four: a PAUSE before each reading hands over to the next one. Rarely (in one of 50
# boots a turn ended elsewhere) QEMU ends a processor's turn within a gap, and the others read in the
# middle of it. Then another boot is asked, up to three.
injected_once() {
    boot_once injected --mode exact --shift 3 --smp 4 --bench gap --set gap.ms=400 \
        --set gap.threshold_ns=4000 --set gap.inject_world=1000 --set gap.inject_local=1000 \
        --set gap.inject_us=40
    holds injected injected
}
test_injected() {
    up_to 3 injected_once
    injected_status=$?
    boot_ended injected 0
    check '1000 world and 1000 local gaps: all found, all classed, none invented' "$(truth)" \
        test "$injected_status" -eq 0
    check 'as many as were asked for' "$(truth)" grep -q '^made: world 1000 local 1000;' \
        "$work/truth"
    check 'the host joins them to the same counts' "$(value injected '.benches[0].processors')" \
        json injected '.benches[0] | (.world.stops | length) == 1000 and .world.refused == null and
            ([.processors[].world] | unique) == [1000] and
            ([.processors[].local] | add) == 1000 and ([.processors[].unknown] | add) == 0'
    check 'processors read in turns: each as often, its own gaps apart' \
        "$(value injected '.benches[0].facts | .reads, .["reads.3"]' | tr '\n' ' ')" \
        json injected '.benches[0].facts | ([.reads, .["reads.1"], .["reads.2"], .["reads.3"]] |
            max - min) * 100 < .reads'
    for damage in lose invent longer shift; do
        check "injected: damage $damage is found" 'it is not' damaged injected injected $damage
    done
}

noisy_once() {
    boot_once noisy --mode real --smp 2 --bench selfish --set selfish.ms=10 \
        --set selfish.readings=200000
    ended noisy "$once_status"
}

# Each in the time of the emulator's host, with its noise, and in exact time.
test_netgauge() {
    boot netgauge 0 --shift 3 --smp 4 --bench selfish --set selfish.ms=10 \
        --set selfish.readings=20000
    up_to 3 noisy_once
    check 'noisy: ends' "$(tail -n 3 "$work/noisy.err")" ended noisy "$once_status"
    for run in netgauge:20000 noisy:200000; do
        holds "${run%:*}" netgauge "${run#*:}"
        netgauge_status=$?
        check "${run%:*}: netgauge's method, from the readings, has the same counts" "$(truth)" \
            test "$netgauge_status" -eq 0
        check "${run%:*}: a longer reading is found" 'it is not' \
            damaged "${run%:*}" netgauge "${run#*:}" longer
    done
    for damage in smallest counted; do
        check "netgauge: damage $damage is found" 'it is not' damaged netgauge netgauge 20000 $damage
    done
    check 'in turns: each reading of the calibration holds all four' \
        "$(value netgauge '.benches[0].facts | .["smallest_before.0"], .["smallest_before.1"]')" \
        json netgauge '.benches[0].facts | .["reads.0"] > 100 and .["reads.3"] > 100'
}

# 500 ns of each 50 ms. A quantum is a ms; of the beat of quantum and unit nothing may be left.
test_injector() {
    boot injector 0 --shift 3 --bench ftq,fwq --set ftq.thief_hz=20 --set ftq.thief_ppm=10 \
        --set ftq.quantum_us=1000 --set ftq.quanta=1025
    holds injector injector 20 10
    injector_status=$?
    check 'an injector of 10 ppm: the spectrum has its frequency, to a bin' "$(truth)" \
        test "$injector_status" -eq 0
    "$TARE" show --full "$work/injector.db" >"$work/shown"
    check 'and so has the host' "$(grep -A 3 'comes every' "$work/shown")" \
        grep -qE '^ +0 +50\.00 ms +20 Hz +100\.0 %' "$work/shown"
    for damage in lose period; do
        check "injector: damage $damage is found" "$(truth)" damaged injector injector 20 10 $damage
    done
    check 'fwq: one processor, all pieces equal' 'they are not' json injector '.benches[] |
        select(.name == "fwq") | .status == "OK" and (.series[] | select(.name == "work.0") |
            .min == .max)'
}

# stop_emulator PID: once bench gap has begun, for 250 ms, four times. The line on the bench before it
# leaves with its first records, which are coded.
stop_emulator() {
    stop_tries=0
    until grep -aqs 'bench clock: OK' "$work/stopped.log"; do
        stop_tries=$((stop_tries + 1))
        [ "$stop_tries" -lt 600 ] || return 1
        sleep 0.1
    done
    stop_emulator_of=$(emulator_of "$1") || return 1
    for _ in 1 2 3 4; do
        sleep 0.5
        kill -STOP "$stop_emulator_of"
        sleep 0.25
        kill -CONT "$stop_emulator_of"
    done
}

# emulator_of PID: the process below it that has no child.
emulator_of() {
    emulator=$1
    while emulator_child=$(cut -d ' ' -f 1 "/proc/$emulator/task/$emulator/children") &&
        [ -n "$emulator_child" ]; do
        emulator=$emulator_child
    done
    [ "$emulator" != "$1" ] && echo "$emulator"
}

stopped_once() {
    rm -f "$work/stopped.log"
    timeout $limit "$TARE" boot --mode real --smp 2 --log "$work/stopped.log" \
        -o "$work/stopped.db" --bench clock,gap --set gap.ms=4000 --set gap.threshold_ns=1000000 \
        >"$work/stopped.out" 2>"$work/stopped.err" &
    stopped_boot=$!
    stop_emulator "$stopped_boot"
    stopped_begun=$?
    wait "$stopped_boot"
    stopped_status=$?
    ended stopped "$stopped_status"
}

test_stopped() {
    up_to 3 stopped_once
    check 'the emulator is stopped while gap watches' 'it does not begin' test "$stopped_begun" -eq 0
    check 'stopped: the run ends' "$(tail -n 3 "$work/stopped.err")" ended stopped "$stopped_status"
    holds stopped stopped 200 2
    stopped_status=$?
    check 'stopped for 250 ms: both processors stood still, at least twice' "$(truth)" test "$stopped_status" -eq 0
}

# A real cause that stops all processors, each of which counts it. In exact mode QEMU before 8.1 may
# hang in this firmware. A host that takes a processor's thread away for longer than firmware waits
# lets that processor come to its SMI after the others: then another run is asked, up to twelve.
smi_once() {
    boot_once smi --mode real --smm --smp 2 --bench gap --set gap.ms=100 --set gap.provoke_smi=5
    holds smi smi 5
    smi_status=$?
    [ "$smi_status" -eq 0 ] && ended smi "$once_status"
}
test_smi() {
    up_to 12 smi_once
    check 'smi: ends' "$(tail -n 3 "$work/smi.err")" ended smi "$once_status"
    check 'each of 5 SMIs stops both processors' "$(truth)" test "$smi_status" -eq 0
    check 'smi: damage far is found' "$(truth)" damaged smi smi 5 far
}

test_injected
test_smi
test_netgauge
test_injector
test_stopped
finish
