#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Bulk transfers and latency under load on the modelled wire. Packets that are lost are sent again, as
# many as were lost; blocks in which that happens are named. A delay of each packet and of each byte
# comes back in the bounds, to the instruction.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

bytes=1048576
segment=1460
on_wire=1538 # of a full segment: 54 bytes of headers, 24 of Ethernet
# What `late` has more than `early`, of each packet and of each byte.
late_packet_ns=320000
late_byte_ps=32000

# fact NAME BENCH FACT: its value.
fact() {
    sqlite3 "$work/$1.db" "SELECT value FROM fact WHERE bench = '$2' AND name = '$3'"
}

# is NAME BENCH FACT VALUE
is() {
    [ "$(fact "$1" "$2" "$3")" = "$4" ]
}

data() {
    fact "$1" netbandwidth "data_$2.pair"
}

lost_and_sent_again() {
    [ "$(data loss lost)" -gt 0 ] && [ "$(data loss again)" -eq "$(data loss lost)" ] &&
        is loss netbandwidth data_twice.pair 0 &&
        [ "$(data loss sent)" -eq $(((bytes + segment - 1) / segment + $(data loss again))) ]
}

# Every block in which segments were sent again counts as an outlier, and the slowest block is one.
outliers_named() {
    [ "$(query "$work/loss.db" "
        WITH block AS (SELECT number, value FROM sample WHERE bench = 'netbandwidth' AND
                series = 'block.pair.65536.1460'),
            again AS (SELECT number, value FROM sample WHERE bench = 'netbandwidth' AND
                series = 'again.pair.65536.1460')
        SELECT sum(again.value > 0) || ' ' || sum(again.value) || ' ' ||
            (SELECT again.value > 0 FROM block JOIN again USING (number)
                ORDER BY block.value DESC LIMIT 1)
        FROM again")" = "$(fact loss netbandwidth outliers.pair) $(data loss again) 1" ]
}

# delayed FACT: by how many ticks `late` is longer than `early`.
delayed() {
    echo $(($(fact late netbandwidth "$1") - $(fact early netbandwidth "$1")))
}

# A round trip is two frames: twice the delay of a frame, and that of the bytes of both. Each frame is
# seen at the end of an instruction, of 64 ns.
delay_in_round_trip() {
    delay_ns=$((2 * late_packet_ns + (on_wire + 60 + 24) * late_byte_ps / 1000))
    [ "$(sqlite3 "$work/late.db" "
        SELECT abs($(delayed shortest.pair.4096.1460) - $delay_ns * hz / 1000000000) <= 2 * 64
        FROM verdict")" = 1 ]
}

delay_in_bounds() {
    is late netbandwidth bound_wire.pair.4096 $((segment * 1000000000000 / (on_wire * (8000 + late_byte_ps)))) &&
        is late netbandwidth bound_window.pair.4096 "$(sqlite3 "$work/late.db" "
            SELECT 4096 * hz / $(fact late netbandwidth shortest.pair.4096.1460) FROM verdict")"
}

# measured NAME WINDOW: bytes a second.
measured() {
    sqlite3 "$work/$1.db" "
        SELECT $(fact "$1" netbandwidth "bytes.pair.$2.1460") * hz /
            $(fact "$1" netbandwidth "total.pair.$2.1460") FROM verdict"
}

# within_bounds NAME WINDOW
within_bounds() {
    for within_bound in bound_wire.pair.$2 bound_window.pair.$2 bound_copy; do
        [ "$(measured "$1" "$2")" -le "$(fact "$1" netbandwidth "$within_bound")" ] || return 1
    done
}

# Nothing was lost: what the stack counts as sent again is nothing.
nothing_again() {
    is early netbandwidth retransmitted.pair 0 && is early netbandwidth outliers.pair 0 &&
        is early netbandwidth data_lost.pair 0
}

# Both series have all samples; with load it takes longer, as the wire has the load's segments.
loaded_takes_longer() {
    [ "$(sqlite3 "$work/early.db" "
        SELECT idle.n || ' ' || loaded.n || ' ' || (loaded.median > idle.median)
        FROM series AS idle, series AS loaded WHERE idle.bench = 'netload' AND
            loaded.bench = 'netload' AND idle.name = 'idle.pair' AND
            loaded.name = 'loaded.pair'")" = '20 20 1' ] &&
        [ "$(fact early netload meanwhile.pair)" -gt 0 ]
}

set -- --shift 6 --set netbandwidth.paths=pair --set netbandwidth.messages=1460
boot loss 0 "$@" --bench netbandwidth --set netbandwidth.windows=65536 \
    --set netbandwidth.bytes=$bytes --set net.loss_ppm=10000 --set net.packet_ns=2000000
set -- "$@" --set netbandwidth.windows=4096 --set netbandwidth.bytes=131072
boot early 0 "$@" --bench netbandwidth,netload --set netload.samples=20 --set netload.paths=pair \
    --set net.packet_ns=2000000
boot late 0 "$@" --bench netbandwidth --set net.packet_ns=$((2000000 + late_packet_ns)) \
    --set net.byte_ps=$((8000 + late_byte_ps))

check 'loss: it is OK' 'it is not' all_ok loss netbandwidth
check 'loss: as many segments are sent again as were lost' \
    "lost $(data loss lost), sent again $(data loss again), arrived twice $(data loss twice)" \
    lost_and_sent_again
check 'loss: every byte is checked' 'one is not' is loss netbandwidth bytes_checked.pair $bytes
check 'loss: no byte is wrong' 'one is' is loss netbandwidth bytes_wrong.pair 0
check 'loss: outliers are the blocks in which segments were sent again' 'they are others' outliers_named
check 'without loss nothing is sent again' 'something is' nothing_again
check 'delay: it comes back in the round trip, to the instruction' \
    "by $(delayed shortest.pair.4096.1460) ticks" delay_in_round_trip
check 'delay: it comes back in the bounds' 'it does not' delay_in_bounds
check 'no transfer is above a bound, with loss' 'one is' within_bounds loss 65536
check 'no transfer is above a bound' 'one is' within_bounds early 4096
check 'no transfer is above a bound, with a delay' 'one is' within_bounds late 4096
check 'a round trip takes longer with load' 'it does not' loaded_takes_longer
finish
