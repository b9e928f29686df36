#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# noise.stop_us in exact time: the first gap beyond it, made on purpose, ends gap and selfish on all
# processors, with the last readings of each in the log; a watch in rounds; causes of gaps.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

gap='.benches[] | select(.name == "gap")'

# One gap of 32 us and others below the threshold of 30 us come from this seed.
made='--set gap.ms=60 --set gap.inject_world=5 --set gap.threshold_ns=4000 --set gap.inject_us=90'

test_stop() {
    # shellcheck disable=SC2086
    boot stop 1 --smp 2 --bench gap,clock $made --set noise.stop_us=20
    check 'stop: gap is FAIL, and the reason names the processor' "$(value stop "$gap | .reason")" \
        json stop "$gap | .status == \"FAIL\" and (.reason | test(\"noise.stop_us=20: processor [01] \"))"
    check 'stop: the next bench runs' 'it does not' \
        json stop '.benches[] | select(.name == "clock") | .status == "OK"'
    check 'stop: before the end of the watch' "$(value stop "$gap | .facts.elapsed")" \
        json stop "$gap | .facts | .elapsed < 50000000 and .\"elapsed.1\" < 50000000"
    # The gap is among the last readings of the processor that stopped, and of nothing before it one
    # is beyond the threshold.
    check 'stop: the flight recorder ends with the gap' 'it does not' python3 - "$work/stop.db" <<'PY'
import plain, struct, sys
db = plain.connect(sys.argv[1])
facts = dict(db.execute("SELECT name, value FROM fact WHERE bench = 'gap'"))
for tail in ("", ".1"):
    blob = db.execute("SELECT samples FROM series WHERE bench = 'gap' AND name = 'flight' || ?",
                      (tail,)).fetchone()[0]
    readings = struct.unpack("<%dq" % (len(blob) // 8), blob)
    number = int(tail[1:] or 0)
    beyond = [n for n in readings[:-20] if n > 20000]
    if beyond:
        sys.exit("processor %d went on behind %s" % (number, beyond))
    if number == facts["stopped_by"] and facts["stopped_length"] not in readings[-20:]:
        sys.exit("the gap is not among the last readings")
PY
    # shellcheck disable=SC2086
    boot without 0 --smp 2 --bench gap $made
    check 'without noise.stop_us nothing is recorded' 'it is' \
        json without "$gap | [.series[].name | select(startswith(\"flight\"))] == [] and .stopped == null"
}

# At shift 6 a reading of two processors is longer than 5 us: the first one ends selfish.
test_selfish() {
    boot selfish 1 --shift 6 --smp 2 --bench selfish --set noise.stop_us=5
    check 'selfish: FAIL, and the reason names the processor' "$(value selfish '.benches[0].reason')" \
        json selfish '.benches[0] | .status == "FAIL" and (.reason | test("noise.stop_us=5: processor [01] "))
            and .stopped.length_ticks > 5000 and ([.series[].name] | index("flight.0") and index("flight.1"))'
}

# In rounds the same gaps are found; the time between rounds is none.
test_rounds() {
    # shellcheck disable=SC2086
    boot rounds 0 --smp 2 --bench gap $made --set gap.round_ms=7
    check 'rounds: time between is away, and no gap' "$(value rounds "$gap | .facts")" \
        json rounds "$gap | .facts | .rounds == 9 and .away > 0 and .elapsed >= 60000000"
    check 'rounds: the watch takes as much memory as without' 'it does not' \
        [ "$(value rounds "$gap | .facts.watch_bytes")" = "$(value without "$gap | .facts.watch_bytes")" ]
}

# Each SMI is the cause of its gap; what AMD's processors lack is missing, and not 0.
test_causes() {
    boot smi 0 --shift 7 --smm --bench gap --set gap.ms=30 --set gap.provoke_smi=10 \
        --set gap.threshold_ns=12000
    "$TARE" show --full "$work/smi.db" >"$work/shown"
    check 'causes: 10 gaps by SMIs, none unknown' "$(grep -A9 'cause of gaps' "$work/shown")" \
        grep -qE '^  SMI +10 .* 100.0 %' "$work/shown"
    check 'causes: what the machine lacks is missing' 'it is there' \
        sh -c "! grep -q '^  thermal limit' '$work/shown' && grep -q 'cause.thermal' '$work/shown'"
}

test_stop
test_selfish
test_rounds
test_causes
finish
