#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Counts by the plugin of QEMU: the log is the same with it, and counts are as the code has them. Where
# QEMU takes no plugins, that is what is tested.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

short='--shift 6 --bench call,keystroke,process,windows --set windows.rounds=2 --set process.calls=50 --set process.pages=4
    --set process.rounds=10 --set call.trials=3'

# refused NAME PATTERN OPTION...: `tare boot` ends before QEMU starts, with a message.
refused() {
    refused_name=$1
    refused_pattern=$2
    shift 2
    "$TARE" boot --log "$work/refused.log" -o "$work/refused.db" "$@" >"$work/refused" 2>&1
    check "$refused_name" "$(cat "$work/refused")" grep -q -e "$refused_pattern" "$work/refused"
    check "$refused_name: no run file" 'there is one' test ! -e "$work/refused.db"
}

test_refused() {
    cat >"$work/qemu" <<'QEMU'
#!/bin/sh
case "$1" in
--version) echo 'QEMU emulator version 7.2.0' ;;
-help) echo '-device driver' ;;
esac
QEMU
    chmod +x "$work/qemu"
    refused 'a QEMU without plugins' '--count: .*does not support plugins' --mode exact --count p5 \
        --qemu "$work/qemu"
    refused 'two processors' '--count counts one processor' --mode exact --count p5 --smp 2
    refused 'another model' '--count p6 is unknown; did you mean p5?' --count p6
    refused 'beside --events' '--count and --events' --count p5 --events loads
}

# samples SERIES: the raw integers of bench/series.
samples() {
    "$TARE" show --samples "$1" "$work/counted.db"
}

# Each series with counts of instructions, as BENCH/SERIES; counted_at has times and no lengths.
counted_series() {
    value counted '.benches[] | .name as $bench | .series[] | select(.event == "instructions" and .of != "counted_at") |
        $bench + "/" + .of'
}

same_as_ticks() {
    samples "$1" >"$work/ticks" && samples "$1.instructions" >"$work/instructions" &&
        [ -s "$work/instructions" ] && awk '{ print $1 / 64 }' "$work/ticks" |
        cmp -s - "$work/instructions"
}

# always BENCH SERIES EVENT COUNT: in each sample.
always() {
    check "$1: $2: $4 $3 in each sample" \
        "$(value counted ".benches[] | select(.name == \"$1\") | .series[] |
            select(.name == \"$2.$3\")")" json counted ".benches[] | select(.name == \"$1\") |
            .series[] | select(.name == \"$2.$3\") | .n > 0 and .min == $4 and .max == $4"
}

test_counts() {
    # shellcheck disable=SC2086
    boot plain 0 $short
    # shellcheck disable=SC2086
    boot counted 0 $short --count p5
    check 'the log is the same with the plugin' 'it differs' cmp -s "$work/plain.log" \
        "$work/counted.log"
    check 'what counts each event is reported, the TLB as modelled' \
        "$(value counted .run.events)" json counted \
        '[.run.events[] | [.name, .source]] == [["instructions", "plugin"], ["loads", "plugin"],
            ["stores", "plugin"], ["misaligned", "plugin"], ["segment-loads", "plugin"],
            ["address-space-loads", "plugin"], ["dtlb-misses", "plugin-model"],
            ["itlb-misses", "plugin-model"]]'
    counted_series >"$work/series"
    check 'series with counts' "$(cat "$work/series")" test "$(wc -l <"$work/series")" -ge 40
    different=
    while read -r series; do
        same_as_ticks "$series" || different="$different $series"
    done <"$work/series"
    check 'instructions are the ticks of each sample of each series' "$different" \
        test -z "$different"
}

# call.S: a call stores its return address and the frame pointer, and loads them again.
test_truths() {
    always call register0 loads 2000
    always call register0 stores 2000
    always call register0 misaligned 0
    always call register0 segment-loads 0
    always call register0.twice loads 4000
    always process null_call address-space-loads 0
    always process null_call segment-loads 0
    always process round_trip address-space-loads 2
    always process round_trip_traced address-space-loads 2
    # A flush to the server is two loads of an address space, and none without it.
    check 'windows: two loads of an address space for each flush of a drawing' \
        "$(value counted '.benches[] | select(.name == "windows") | .facts')" json counted \
        '.benches[] | select(.name == "windows") | (2 * .facts["draw_flushes.server"]) as $loads |
            .series[] | select(.name == "draw.server.address-space-loads") |
            $loads > 0 and .min == $loads and .max == $loads'
    # A far call and its return load six segments, and each record loads ES 20 times; none loads an address space.
    check 'windows: segment loads are those of its far calls and records' \
        "$(value counted '.benches[] | select(.name == "windows") | .facts')" json counted \
        '.benches[] | select(.name == "windows") | (6 * .facts["draw_flushes.segmented"] +
            20 * .facts["draw_requests.segmented"]) as $loads |
            .series[] | select(.name == "draw.segmented.segment-loads") |
            $loads > 0 and .min == $loads and .max == $loads'
    always windows draw.segmented address-space-loads 0
    always windows draw.in_kernel address-space-loads 0
    always windows draw.in_kernel segment-loads 0
    # A record has 30 accesses that are not aligned; the trace of the system call, which the kernel's
    # structure has instead, has a few (its records are packed).
    check 'windows: 30 accesses of each record are not aligned' \
        "$(value counted '.benches[] | select(.name == "windows") | .series[] |
            select(.name | test("^draw[.].*misaligned")) | .name, .max')" json counted \
        '.benches[] | select(.name == "windows") | .facts as $f | (.series | map({key: .name, value: .}) |
            from_entries) as $s | (30 * $f["draw_requests.segmented"]) as $records |
            ($s["draw.segmented.misaligned"].min - $s["draw.in_kernel.misaligned"].max) as $more |
            $records > 0 and $more <= $records and
            $more >= $records - 4 * $f["draw_flushes.segmented"]'
    # Each interrupt ends by IRET, which loads CS and SS.
    check 'keystroke: idle samples have counts: 2 segment loads an interrupt, no address space' \
        "$(value counted '.benches[] | select(.name == "keystroke") | .absent')" json counted \
        '.benches[] | select(.name == "keystroke") | (.series | map({key: .name, value: .}) |
            from_entries) as $s | (.facts.entries_vector_64 + .facts.entries_vector_81) as $interrupts |
            ($s["idle.segment-loads"].total - 2 * $interrupts) as $outside |
            $s["idle.loads"].n == $s.idle.n and $s["idle.loads"].max > 100 and $interrupts > 200 and $outside <= 0 and $outside >= -4 and
            $s["idle.address-space-loads"].max == 0'
    "$TARE" show --full "$work/counted.db" >"$work/shown"
    check 'tare show names the model' "$(grep -n modelled "$work/shown")" \
        grep -q 'dtlb-misses, modelled: a plugin of QEMU simulates the TLB of a Pentium' \
        "$work/shown"
}

# steps BENCH NAME: what each action took and counted, by instructions, without what is of the idle loop's
# samples; and the counts of the phases. Misses of data pages depend on them as well (see behind).
steps() {
    "$TARE" export --format json -o "$work/steps.json" "$work/$2.db"
    jq -c --arg bench "$1" '.benches[] | select(.name == $bench) |
        (.interactive.actions[] | del(.begin, .idle, .weighted_model, .counts["dtlb-misses"])),
        (.facts | with_entries(select(.key | test("^(instructions|misaligned|segment-loads|address-space-loads|elapsed)[.]"))))' \
        "$work/steps.json"
}

# misses NAME: of data pages, of each action of page_down.
misses() {
    "$TARE" export --format json -o "$work/misses.json" "$work/$1.db"
    jq '.benches[] | select(.name == "page_down") | .interactive.actions[].counts["dtlb-misses"]' "$work/misses.json"
}

# A phase does not depend on what ran before it: alone in the boot, and after other benches.
test_behind() {
    down='pagedown as=warm_up; then 30ms pageup; then 30ms pagedown as=page_down'
    edit='key enter as=warm_up; then 30ms key esc; then 30ms key enter as=start_edit'
    boot alone 0 --mode exact --shift 6 --memory 1024 --count p5 --bench page_down --set page_down.drivers=test \
        --set "page_down.script={$down}" --set trace.bytes=16000000
    boot behind 0 --mode exact --shift 6 --memory 1024 --count p5 --bench echo,editor,windows,object_edit,page_down \
        --set page_down.drivers=test --set "page_down.script={$down}" --set trace.bytes=16000000 \
        --set object_edit.drivers=hand --set "object_edit.script={$edit}" \
        --set editor.drivers=fast --set 'editor.script={type characters=10; pageup}'
    steps page_down alone >"$work/alone"
    steps page_down behind >"$work/behind"
    check 'page_down alone: 9 actions and the phases have counts' "$(cat "$work/alone")" \
        test "$(grep -c '"class".*"segment-loads"' "$work/alone")" -eq 9 -a "$(grep -c instructions.server "$work/alone")" -eq 1
    check 'page_down behind four benches: equal to the instruction' \
        "$(diff "$work/alone" "$work/behind")" cmp -s "$work/alone" "$work/behind"
    misses alone >"$work/misses-alone"
    misses behind >"$work/misses-behind"
    check 'page_down behind four benches: misses of data pages differ by at most 3 an action' \
        "$(paste "$work/misses-alone" "$work/misses-behind")" sh -c \
        "paste '$work/misses-alone' '$work/misses-behind' | awk '{ d = \$1 - \$2; bad += d > 3 || d < -3 } END { exit NR != 9 || bad }'"
}

test_refused
if qemu-system-x86_64 -help | grep -q '^-plugin '; then
    test_counts
    test_truths
    test_behind
else
    skip 'counts' 'QEMU here takes no plugins'
fi
finish test_count
