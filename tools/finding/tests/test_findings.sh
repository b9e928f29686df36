#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Causes that are planted in a machine, end to end: boot, log, run file, finding. Each is the first
# finding, with the figure that was planted; where nothing is planted the one finding is what could have
# been found. Processors of a model have SMIs, steal time, dead counters, clocks and caches; QEMU has
# the disk, the application and the line. A slow processor: unit_run_findings, from raw samples.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# first NAME RULE FILTER: the first finding is of that rule, and jq's filter is true of it.
first() {
    check "$1: $2 is the first finding: $(value "$1" '.findings[0].text')" \
        "$(value "$1" '.findings')" json "$1" ".findings[0] | .rule == \"$2\" and ($3)"
}

# only_clear NAME
only_clear() {
    check "$1: only what could have been found: $(value "$1" '.findings[0].text')" \
        "$(value "$1" '.findings')" json "$1" '[.findings[].class] == ["clear"]'
}

# planted NAME KEY: a figure that the model printed.
planted() {
    sed -n "s/^$1 .*$2=\([0-9]*\).*/\1/p" "$work/planted"
}

# A tick of the model is 100 ns.
test_models() {
    if ! "$TEST_BIN/finding_machine" build/image/tare.elf "$work" >"$work/planted" 2>"$work/models.err"; then
        fail 'models: all boot' "$(tail -n 3 "$work/models.err")"
        return
    fi
    only_clear quiet
    first smi smi ".value == $(planted smi times) and (.text | test(\"^20 SMIs, 50[0-6] us each, 200 a second: 10\"))"
    first steal steal ".value == $(($(planted steal times) * $(planted steal ticks) * 100))"
    # From the median, of some 11 us, on.
    masked=$(($(planted masked ticks) * 100))
    first masked timer ".value > $masked and .value < $((masked + 15000)) and .at_ns != null"
    first dead_counter counter \
        ".value == 1 and (.text | contains(\"general$(planted dead_counter counter) ignores writes\"))"
    # A clock that is slower by p sees another that is faster by p / (1 - p).
    first drift drift ".value | . > 20300 and . < 20500"
    cold=$(($(planted cold ticks) * 100))
    first cold cold ".value > $((cold * 98 / 100)) and .value < $((cold * 102 / 100))"
}

test_quick() {
    boot quick 0 --profile quick
    only_clear quick
}

# Three frames of samples or traces, whose type is their second byte, are taken out of the log's middle.
test_lost() {
    python3 - "$work/quick.log" "$work/lost.log" <<'EOF'
import sys
data = open(sys.argv[1], 'rb').read()
pieces = data.split(b'\0')
whole = [i for i, piece in enumerate(pieces) if len(piece) > 60 and piece[1] in (21, 22)]
for i in whole[len(whole) // 2:len(whole) // 2 + 3]:
    pieces[i] = b''
open(sys.argv[2], 'wb').write(b'\0'.join(pieces))
EOF
    "$TARE" decode -o "$work/lost.db" "$work/lost.log" >/dev/null 2>&1
    first lost lost '.value == 3'
}

# A modelled disk is as slow as the plan wants it, which is no finding. The first screen says what kind of
# disk it is, and gives its law and the instructions apart.
test_disk() {
    boot disk 0 --shift 6 --bench disklatency --set disk.model=hdd1996
    check 'a modelled disk: no finding' "$(value disk '.findings')" json disk \
        '[.findings[].class] == ["clear"] and .run.devices == "disk modelled (hdd1996)" and .benches[0].modelled'
    "$TARE" show "$work/disk.db" >"$work/output"
    check 'a modelled disk: its kind is on the first screen' "$(cat "$work/output")" \
        grep -q '^  devices: disk modelled (hdd1996)$' "$work/output"
    check 'a modelled disk: law + instructions' "$(cat "$work/output")" \
        grep -qE '^  disklatency +OK +read.4096: law [0-9.]+ ms \+ [0-9,]+ instructions$' "$work/output"
}

# The button is held for 20 ms, which is what the application takes.
test_busy() {
    boot busy 0 --shift 6 --bench click --set click.busy_wait=1 --set click.cold=0 \
        --set 'click.script={click left hold=20ms every=40ms x10}'
    first busy busy '.value > 19900000 and .value < 20200000'
    boot meant 0 --shift 6 --bench click_busy --set click_busy.cold=0 \
        --set 'click_busy.script={click left hold=20ms every=40ms x10}'
    check 'click_busy does what it is there to show, which is no finding' \
        "$(value meant '.findings')" json meant '[.findings[].rule] | index("busy") == null'
}

# A gap that stops one processor of four: its figure is the injector's own bracket, and the way out of
# the loop and back, some 90 instructions of 64 ns.
test_gap() {
    boot gap 0 --shift 6 --smp 4 --bench gap --set gap.inject_local=1 --set gap.inject_us=2000 \
        --set gap.threshold_ns=30000
    processor=$(value gap '.benches[0].series[].name' | sed -n 's/^injected_length[.]//p')
    length=$("$TARE" show --samples "gap/injected_length.$processor" "$work/gap.db")
    first gap gap ".value >= $length and .value < $((length + 400 * 64)) and
        (.text | test(\"processor $processor alone: injected by the plan\"))"
}

# A thousand gaps, of which few are kept, on processors that take turns. The longest is none of those kept,
# so that nothing is known of what the other processors did meanwhile.
test_many_gaps() {
    boot many 0 --smp 4 --bench gap --set gap.ms=500 --set gap.inject_local=1000 --set gap.inject_us=5 \
        --set gap.keep=5 --set gap.keep_largest=0
    longest=$(for i in '' .1 .2 .3; do "$TARE" show --samples "gap/injected_length$i" "$work/many.db"; done |
        sort -n | tail -n 1)
    first many gap ".value >= $longest and (.text | test(\"injected by the plan .*; its 1,000 gaps take\")) and
        (.text | contains(\"alone\") | not)"
}

# SMIs that the plan provokes, of which few are kept: all are counted, and firmware is not blamed.
test_provoked() {
    boot provoked 0 --smm --bench gap --set gap.ms=500 --set gap.provoke_smi=40 --set gap.keep=5 \
        --set gap.keep_largest=0
    first provoked smi '.value == 40 and (.text |
        test("^40 SMIs, [0-9,]+ instructions each, 80 a second: .* the plan provoked 40 of them")) '
    check 'provoked: nothing else took time' "$(value provoked '.findings')" json provoked '.findings | length == 1'
}

# Events that this processor cannot count, and a key of a bench that does not run: on the first screen.
test_undone() {
    boot undone 0 --shift 6 --bench clock --set clock.reads=20 --events cycles,loads --set gap.keep=5
    first undone undone '.value == 2 and (.text | startswith("2 events of the plan were not counted: cycles, loads: "))'
    "$TARE" show "$work/undone.db" >"$work/output"
    check 'undone: events and key, before the verdict' "$(cat "$work/output")" test "$(sed '/VALID/q' "$work/output" |
        grep -cE '^undone +(2 events of the plan were not counted|1 key of the plan had no effect: gap.keep)')" = 2
}

test_models
test_quick
test_undone
test_gap
test_many_gaps
test_provoked
test_lost
test_disk
test_busy
finish
