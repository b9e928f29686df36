#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Round trips and connections in one guest, in exact time. On a hub of QEMU with two 82574L three boots
# give the same log, by interrupt; by polling it is the same from boot to boot as well. On the modelled
# wire a delay of each frame and of each byte comes back in the spans of the wire, to the tick, and in
# whole round trips. Two 82540EM raise their pins. Nothing is sent, and no figure of another bench moves,
# where a NIC is there and the plan does not name it. A lost packet is no sample, and a segment that is
# sent again names an outlier. A bench that dies with the stack up leaves the wire to the next one.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

benches=rtt,connection,netbandwidth,netload,nics,remotefile
# What `late` has more than `early`, of each frame and of each byte. Both wires are slower than what
# the sender has still to do before it waits: of a faster one the interrupt comes amid that.
more_ns=64000
more_ps=64000
early="--set net.packet_ns=40000 --set net.byte_ps=8000"
late="--set net.packet_ns=$((40000 + more_ns)) --set net.byte_ps=$((8000 + more_ps))"
overhead=24 # bytes on the wire beyond a frame's: preamble, FCS, gap

# series NAME BENCH SERIES VALUE...: minimum and maximum.
extremes() {
    sqlite3 "$work/$1.db" "SELECT min || ' ' || max FROM series WHERE bench = '$2' AND name = '$3'"
}

same_log() {
    [ "$(sha256sum <"$work/$1.log")" = "$(sha256sum <"$work/$2.log")" ]
}

test_hub() {
    for i in 1 2 3; do
        boot "hub$i" 0 --net hub --bench $benches
    done
    check 'hub: all benches are OK' "$(value hub1 '.benches[] | "\(.name) \(.reason)"')" \
        all_ok hub1 rtt connection netbandwidth netload remotefile
    check 'hub: three boots give the same log' "$(sha256sum "$work"/hub?.log)" \
        eval 'same_log hub1 hub2 && same_log hub2 hub3'
    check 'hub: packets come by MSI-X' "$(value hub1 '.benches[] | .params // empty')" \
        test "$(sqlite3 "$work/hub1.db" "SELECT count(*) FROM param WHERE
            name = 'interrupt.pair' AND value = 'MSI-X'")" -ge 1
    boot polled1 0 --net hub --bench $benches --set rtt.receive=poll --set connection.receive=poll \
        --set netbandwidth.receive=poll --set netload.receive=poll --set remotefile.receive=poll
    check 'hub: all benches are OK by polling' "$(value polled1 '.benches[] | "\(.name) \(.reason)"')" \
        all_ok polled1 rtt connection netbandwidth netload remotefile
}

# residual NAME: round trips that are not the sum of their spans.
residual() {
    query "$work/$1.db" "
        WITH span AS (SELECT bench, series, number, value,
                substr(series, instr(series, '.')) AS what, substr(series, 1, instr(series, '.') - 1) AS part
            FROM sample WHERE bench = 'rtt')
        SELECT count(*) || ' ' || coalesce(sum(whole.value != (SELECT sum(value) FROM span
                WHERE what = whole.what AND number = whole.number
                AND part NOT IN ('rtt', 'law', 'law_back'))), -1)
            FROM span AS whole WHERE part = 'rtt'"
}

# wire_grew PROTOCOL BYTES FRAME: spans of the wire grew by the law, in ticks of 1 ns rounded to
# instructions of 8.
wire_grew() {
    grown=$((more_ns + ($3 + overhead) * more_ps / 1000))
    for span in wire wire_back; do
        [ "$(extremes early rtt "$span.pair.$1.$2" | cut -d ' ' -f 1)" = \
            "$(extremes early rtt "$span.pair.$1.$2" | cut -d ' ' -f 2)" ] || return 1
        before=$(extremes early rtt "$span.pair.$1.$2" | cut -d ' ' -f 1)
        after=$(extremes late rtt "$span.pair.$1.$2" | cut -d ' ' -f 1)
        [ $((after - before)) -eq "$grown" ] || return 1
    done
    return 0
}

# trip_grew PROTOCOL BYTES FRAME: the round trip grew by twice that.
trip_grew() {
    grown=$((2 * (more_ns + ($3 + overhead) * more_ps / 1000)))
    before=$(extremes early rtt "rtt.pair.$1.$2" | cut -d ' ' -f 1)
    after=$(extremes late rtt "rtt.pair.$1.$2" | cut -d ' ' -f 1)
    printf 'rtt.pair.%s.%s: %s ticks, %s later: %s, the law has %s\n' "$1" "$2" "$before" \
        "$after" $((after - before)) "$grown"
    [ $((after - before)) -eq "$grown" ]
}

test_law() {
    # shellcheck disable=SC2086
    boot early 0 --bench rtt,connection $early
    # shellcheck disable=SC2086
    boot late 0 --bench rtt,connection $late
    check 'the spans of each round trip are the whole' "$(residual early)" \
        test "$(residual early)" = '720 0'
    for size in 64:106 512:554 1472:1514; do
        for protocol in icmp udp; do
            check "$protocol, ${size%:*} bytes: the wire's delay comes back to the tick" \
                "$(extremes early rtt "wire.pair.$protocol.${size%:*}") $(extremes late rtt "wire.pair.$protocol.${size%:*}")" \
                wire_grew $protocol "${size%:*}" "${size#*:}"
            trip_grew $protocol "${size%:*}" "${size#*:}" >"$work/grew"
            check "$protocol, ${size%:*} bytes: and in the round trip" "$(cat "$work/grew")" \
                trip_grew $protocol "${size%:*}" "${size#*:}"
        done
    done
}

# lost NAME PROTOCOL: of each size, trips and lost ones are all that were made, and none is slow.
lost() {
    for bytes in 1 64 512 1472; do
        sqlite3 "$work/$1.db" "SELECT n, value, max < 2 * median FROM series JOIN fact USING (bench)
            WHERE bench = 'rtt' AND series.name = 'rtt.pair.$2.$bytes' AND
                fact.name = 'lost.pair.$2.$bytes'"
    done | awk -F'|' '
        { trips += $1; lost += $2; slow += !$3 }
        END { print NR, trips, lost, slow; exit !(NR == 4 && lost > 0 && !slow &&
            trips + lost >= 120 && trips + lost <= 124) }'
}

# resent NAME: as many trips are slow as a segment was sent again in, and no trip is lost.
resent() {
    query "$work/$1.db" "
        SELECT sum(resent.value), sum(lost.value), sum((SELECT count(*) FROM sample WHERE
                sample.bench = 'rtt' AND series = whole.name AND sample.value > 10 * whole.median))
        FROM series AS whole
        JOIN fact AS resent ON resent.bench = 'rtt' AND
            resent.name = replace(whole.name, 'rtt.', 'resent.')
        JOIN fact AS lost ON lost.bench = 'rtt' AND lost.name = replace(whole.name, 'rtt.', 'lost.')
        WHERE whole.bench = 'rtt' AND whole.name LIKE 'rtt.pair.tcp.%'" |
        awk -F'|' '{ print; exit !($1 > 0 && $2 == 0 && $3 == $1) }'
}

test_lost() {
    boot lost 1 --shift 6 --bench connection,rtt --set inject=ud@connection \
        --set inject.after=3000 --set connection.paths=pair --set rtt.paths=pair \
        --set net.loss_ppm=20000
    check 'a bench dies with the stack up' "$(tail -n 3 "$work/lost.err")" \
        json lost '.benches[] | select(.name == "connection") | .status == "CRASH"'
    check 'the next one has the wire' "$(value lost '.benches[] | "\(.name) \(.reason)"')" \
        json lost '.benches[] | select(.name == "rtt") | .status == "OK"'
    for protocol in icmp udp; do
        check "$protocol: a lost packet is counted, and is no sample" "$(lost lost $protocol)" \
            lost lost $protocol
    done
    check 'tcp: trips in which a segment was sent again are the outliers' "$(resent lost)" \
        resent lost
}

# A NIC has the name of its place, also one that no driver takes.
test_nics() {
    boot nics 0 --shift 6 --bench nics --set net.use=eth0,eth2 -- \
        -netdev hubport,id=n0,hubid=0 -device e1000,netdev=n0,romfile=,addr=4 \
        -netdev hubport,id=n1,hubid=0 -device rtl8139,netdev=n1,romfile=,addr=5 \
        -netdev hubport,id=n2,hubid=0 -device e1000,netdev=n2,romfile=,addr=6
    check 'nics: every frame comes in by the pin' "$(value nics '.benches[] | "\(.status) \(.reason)"')" \
        all_ok nics nics
    check 'nics: what they are' "$(value nics '.benches[] | .found, .absent')" \
        json nics '.benches[] | select(.name == "nics") |
            .found.eth0 == "e1000, 82540EM, 8086:100e" and .found.eth1 == "no driver, 10ec:8139" and
            .found.eth2 == .found.eth0 and .found.wire1 == "wire, simulated link" and
            .found["nics.pair"] == "eth0,eth2" and .found["interrupt.pair"] == "INTx,INTx" and
            .absent == [{"name": "eth1", "reason": "there is no driver for it"}]'
}

# Their interrupt is proved without a frame. In emulated time: their frames leave by the host's time.
test_virtio() {
    virtio_got=0
    timeout $limit "$TARE" boot --mode real --bench nics --set net.use=eth0,eth1 \
        --log "$work/virtio.log" -o "$work/virtio.db" -- \
        -netdev hubport,id=n0,hubid=0 -netdev hubport,id=n1,hubid=0 \
        -device virtio-net-pci,netdev=n0,romfile= \
        -device virtio-net-pci,netdev=n1,romfile=,disable-legacy=on,vectors=0 \
        >"$work/virtio.out" 2>&1 || virtio_got=$?
    check 'virtio: ends with status 0' "$(tail -n 3 "$work/virtio.out")" test $virtio_got -eq 0
    check 'virtio: every frame comes in, by MSI-X and by the pin' \
        "$(value virtio '.benches[] | .status, .reason, .found' | tr -d '\n ')" \
        json virtio '.benches[] | select(.name == "nics") | .status == "OK" and
            .found["nics.pair"] == "eth0,eth1" and .found["interrupt.pair"] == "MSI-X,INTx"'
}

# A flood comes in at its cable meanwhile; what the NIC sends comes to who sends the flood.
test_unused() {
    unused_port=$((40000 + $$ % 10000 * 2))
    boot alone 0 --bench gap,nics
    { wait_for 120 sh -c "grep -aq 'bench gap (' '$work'/unused.log* 2>/dev/null" &&
        build/host/tests/frame_storm --flood 3 $unused_port $((unused_port + 1)) >"$work/flood"; } &
    flood=$!
    boot unused 0 --bench gap,nics -- -netdev "dgram,id=n0,local.type=inet,local.host=127.0.0.1,\
local.port=$((unused_port + 1)),remote.type=inet,remote.host=127.0.0.1,remote.port=$unused_port" \
        -device e1000e,netdev=n0,romfile=
    wait $flood
    check 'a NIC that the plan does not name sends nothing' "$(cat "$work/flood")" \
        grep -q ', 0 came' "$work/flood"
    check 'while thousands of frames come in' "$(cat "$work/flood")" \
        test "$(sed 's/.*: \([0-9]*\) frames sent.*/\1/' "$work/flood")" -gt 1000
    check 'and the samples of gap are the same' "$(extremes alone gap gap) $(extremes unused gap gap)" \
        test "$(sqlite3 "$work/alone.db" "SELECT hex(samples) FROM series WHERE bench = 'gap'")" = \
        "$(sqlite3 "$work/unused.db" "SELECT hex(samples) FROM series WHERE bench = 'gap'")"
}

test_hub
test_law
test_lost
test_nics
test_virtio
test_unused
finish
