#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare export against those who read such traces: babeltrace2, event by event and to the byte;
# lttng-analyses, whose totals must be those of `tare show`. On traces of a real boot, and on made-up
# ones that lack whatever a trace can lack.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. "$(dirname "$0")/export_formats.sh"

benches='aliasing background echo inversion nesting order overload paths process switches'

# printed TEXT: the last command of expect_status printed it.
printed() {
    grep -qF -- "$1" "$work/output"
}

# lost FILE KIND: the sum of what babeltrace2 warned of, "event" or "packet".
lost() {
    awk -v kind="$2" '/Tracer discarded/ {
        for (i = 1; i < NF; i++) if ($i == "discarded" && $(i + 2) ~ "^" kind) sum += $(i + 1)
    } END { print sum + 0 }' "$1"
}

# events NAME BENCH[:PASS]: how many events the trace has by the run file.
events() {
    value "$1" ".benches[] | select(.name == \"${2%:*}\" and .pass == $(pass_of "$2")) |
        .accounting.events"
}

# kept_by NAME BENCH: how many events the image reports as kept; 1 at least.
kept_by() {
    value "$1" ".benches[] | select(.name == \"$2\") | [[.traces[].kept] | add, 1] | max"
}

pass_of() {
    case $1 in
    *:*) echo "${1#*:}" ;;
    *) echo 1 ;;
    esac
}

# directory BENCH[:PASS]: of its exported trace.
directory() {
    case $1 in
    *:1) echo "${1%:*}" ;;
    *:*) echo "${1%:*}.${1#*:}" ;;
    *) echo "$1" ;;
    esac
}

# lines NAME BENCH[:PASS]: its translated events, as babeltrace2 prints those of the CTF trace.
lines() {
    "$TEST_BIN/unit_export" "$work/$1.db" "$2"
}

# test_readable NAME BENCH[:PASS] DISCARDED PACKETS: by babeltrace2, with these losses and no other
# warning.
test_readable() {
    readable=$work/$1.ctf/$(directory "$2")
    babeltrace2 --clock-seconds "$readable" >"$work/theirs" 2>"$work/warnings"
    readable_status=$?
    check "$1, $2: babeltrace2 reads it" "status $readable_status: $(head -n 1 "$work/warnings")" \
        test "$readable_status" -eq 0
    check "$1, $2: as many events" "$(wc -l <"$work/theirs") of $(events "$1" "$2")" \
        test "$(wc -l <"$work/theirs")" -eq "$(events "$1" "$2")"
    check "$1, $2: babeltrace2 reports $3 discarded, $4 packets lost" "$(cat "$work/warnings")" \
        test "$(lost "$work/warnings" event) $(lost "$work/warnings" packet)" = "$3 $4"
    check "$1, $2: no warning beside that" "$(grep -v 'Tracer discarded' "$work/warnings")" \
        not grep -qv 'Tracer discarded' "$work/warnings"
    lines "$1" "$2" >"$work/ours"
    check "$1, $2: babeltrace2 prints every event as it was translated, to the byte" \
        "$(cmp "$work/ours" "$work/theirs" 2>&1)" cmp -s "$work/ours" "$work/theirs"
}

not() {
    ! "$@"
}

# Durations of both, rounded down to ns or not, by less than 1 ns; `n` must be equal.
same='def ns($hz): . * 1e9 / $hz;
    def printable: gsub("[^ -~]"; "?");
    def near($a; $b): ($a - $b) | fabs <= 1;
    def same_spread($hz; $a): .n == $a.n and
        near(.min | ns($hz); $a.min) and near(.max | ns($hz); $a.max) and
        near(.total / .n | ns($hz); $a.mean);'

# analyses PROGRAM TABLE DIRECTORY: a table of lttng-analyses as rows of values.
analyses() {
    "$1" "$3" 2>"$work/analyses.err" | jq --arg table "$2" '[.results[] |
        select(.class == $table).data[] | map(if type == "object" then . else {} end)]'
}

# compared NAME BENCH JSON: the JSON of lttng-analyses' rows beside that of the accounting. The
# filter is on standard input and must print true.
compared() {
    "$TARE" show --json "$work/$1.db" >"$work/json" 2>/dev/null
    jq -e --slurpfile theirs "$3" --arg bench "$2" "$same"'
        .run.verdict.hz as $hz | .benches[] | select(.name == $bench).accounting as $ours |
        $theirs[0] as $theirs | '"$(cat)" "$work/json" >"$work/compared" 2>&1
}

# What a failed comparison saw.
seen() {
    head -c 300 "$work/rows"
    cat "$work/compared" "$work/analyses.err"
}

# Wake-ups of each thread, and how long they took: as many rows, each with the same n, least, mean
# and largest.
test_schedstats() {
    analyses lttng-schedstats-mi per_tid_stats "$work/$1.ctf/$2" >"$work/rows"
    check "$1, $2: lttng-schedstats has the wake-ups of tare show" \
        "$(seen)" compared "$1" "$2" "$work/rows" <<'FILTER'
        [$ours.threads[] | select(.wakeup_delay.n > 0)] as $awake |
        ($awake | length) == ($theirs | length) and
        all($awake[]; . as $thread | any($theirs[];
            (.[0].tid // 0) == $thread.id and .[0].name == ($thread.name | printable) and
            ({n: .[1].value, min: .[2].value, mean: .[3].value, max: .[4].value}) as $row |
            $thread.wakeup_delay | same_spread($hz; $row)))
FILTER
    lttng-schedstats --no-progress "$work/$1.ctf/$2" >"$work/printed" 2>"$work/analyses.err"
    check "$1, $2: and prints them" "$(head -n 5 "$work/printed" "$work/analyses.err")" \
        test "$(sed -nE 's/^.* \([0-9]+\) +([0-9]+) .*/\1/p' "$work/printed" | sort)" = \
        "$(jq -r '.[][1].value' "$work/rows" | sort)"
}

# Handlers. lttng-analyses forgets an interrupt that another one nests in: of those that were
# interrupted themselves it must have what tare show has less them.
test_irqstats() {
    analyses lttng-irqstats-mi hard-stats "$work/$1.ctf/$2" >"$work/rows"
    check "$1, $2: lttng-irqstats has the interrupts of tare show" \
        "$(seen)" compared "$1" "$2" "$work/rows" <<'FILTER'
        [$ours.vectors[] | select(.gross.n > 0)] as $taken |
        all($taken[]; . as $vector | any($theirs[];
            .[0].nr == $vector.id and .[0].name == $vector.name and
            ({n: .[1].value, min: .[2].value, mean: .[3].value, max: .[4].value}) as $row |
            if $vector.nested == 0 then $vector.gross | same_spread($hz; $row)
            else $row.n < $vector.gross.n and $row.n >= $vector.gross.n - $vector.nested end) or
            ($vector.nested >= $vector.gross.n))
FILTER
    analyses lttng-irqstats-mi soft-stats "$work/$1.ctf/$2" >"$work/rows"
    check "$1, $2: and the deferred calls" "$(seen)" \
        compared "$1" "$2" "$work/rows" <<'FILTER'
        [$ours.dpcs[] | select(.gross.n > 0)] as $called |
        ($called | length) == ($theirs | length) and
        all($called[]; . as $dpc | any($theirs[]; .[0].nr == $dpc.id and
            ({n: .[1].value, min: .[2].value, mean: .[3].value, max: .[4].value}) as $run |
            ({n: .[6].value, min: .[7].value, mean: .[8].value, max: .[9].value}) as $wait |
            ($dpc.gross | same_spread($hz; $run)) and
            ($dpc.queued | same_spread($hz; $wait))))
FILTER
    expect_status "$1, $2: lttng-irqstats prints them" 0 \
        lttng-irqstats --no-progress "$work/$1.ctf/$2"
}

# Requests to disks, from issue to completion.
test_iostats() {
    analyses lttng-iolatencystats-mi disk-latency-stats "$work/$1.ctf/$2" >"$work/rows"
    check "$1, $2: lttng-iolatencystats has the requests of tare show" \
        "$(seen)" compared "$1" "$2" "$work/rows" <<'FILTER'
        ($ours.disks | length) == 1 and ($theirs | length) == 1 and
        ($theirs[0] | {n: .[1].value, min: .[2].value, mean: .[3].value, max: .[4].value}) as $row |
        $ours.disks[0].time.n > 1000 and ($ours.disks[0].time | same_spread($hz; $row))
FILTER
}

# Every bench of a real boot.
test_boot() {
    boot real 0 --set aliasing.periods=4 --bench "$(echo "$benches gap" | tr ' ' ,)"
    expect_status 'real: exported' 0 "$TARE" export --format ctf -o "$work/real.ctf" "$work/real.db"
    for bench in $benches; do
        check "real: bench $bench has a trace of what the image kept" "$(events real "$bench")" \
            test "$(events real "$bench")" -eq "$(kept_by real "$bench")"
        test_readable real "$bench" "$(value real ".benches[] | select(.name == \"$bench\") |
            [.traces[] | .discarded + .overwritten] | add")" 0
        # What happened in a gap, only the image knows.
        if [ "$bench" != overload ]; then
            test_schedstats real "$bench"
            test_irqstats real "$bench"
        fi
    done
    check 'real: overload discarded and overwrote events' "$(cat "$work/real.err")" json real \
        '.benches[] | select(.name == "overload") |
            all(.traces[]; .discarded + .overwritten > 100000)'
    test_whole_directory
}

# All traces of a run can be read as one: their clocks are the same.
test_whole_directory() {
    babeltrace2 --clock-seconds "$work/real.ctf" >"$work/theirs" 2>"$work/warnings"
    check 'real: all benches read as one' "$(grep -v 'Tracer discarded' "$work/warnings")" \
        test "$(wc -l <"$work/theirs")" -eq "$(value real '[.benches[].accounting.events] | add')"
    check 'real: in order of time' 'they are not' sort -c -t '[' -k 2,2n "$work/theirs"
}

# Made-up traces; the losses are known.
test_made_up() {
    "$TEST_BIN/trace_run" "$work/made.db" 100000 >"$work/truth"
    expect_status 'made up: exported' 0 "$TARE" export --format ctf -o "$work/made.ctf" "$work/made.db"
    check 'made up: reports what is missing' "$(cat "$work/output")" \
        printed "$(awk '$1 == "lossy" && $2 == 1 { print $4 }' "$work/truth") more discarded"
    test_readable made plain 0 0
    test_schedstats made plain
    test_irqstats made plain
    test_iostats made plain
    while read -r bench pass discarded packets; do
        test_readable made "$bench:$pass" "$discarded" "$packets"
    done <<TRUTH
$(awk '$1 == "lossy" { print $1, $2, $4, $6 }' "$work/truth")
TRUTH
    expect_status 'made up: lttng-schedstats bears losses' 0 \
        lttng-schedstats --no-progress --skip-validation "$work/made.ctf/lossy.2"
    "$TARE" export --format csv-events --bench plain "$work/made.db" >"$work/csv"
    check 'made up: as CSV, a line for each event and a heading' "$(head -n 2 "$work/csv")" \
        test "$(wc -l <"$work/csv")" -eq "$(($(events made plain) + 1))"
    check 'made up: with the TSC, the name and the fields' "$(head -n 2 "$work/csv")" \
        test "$(sed -n 2p "$work/csv")" = \
        'plain,1,real,'"$(sed -n 2p "$work/csv" | cut -d , -f 4)"',thread_is,thread=0 process=0 priority=0 state=0 why=0'
}

# refuses NAME TEXT STATUS OPTION...: gives the reason, and leaves $work/manners as it is.
refuses() {
    refuses_name=$1
    refuses_text=$2
    refuses_status=$3
    shift 3
    (cd "$work/manners" && find . -type f -exec cksum {} +) | sort >"$work/before"
    expect_status "$refuses_name" "$refuses_status" "$TARE" export "$@"
    check "$refuses_name: gives the reason" "$(cat "$work/output")" printed "$refuses_text"
    (cd "$work/manners" && find . -type f -exec cksum {} +) | sort >"$work/after"
    check "$refuses_name: touches nothing" "$(diff "$work/before" "$work/after")" \
        cmp -s "$work/before" "$work/after"
}

test_manners() {
    mkdir "$work/manners"
    echo precious >"$work/manners/letter"
    refuses 'a directory with other things' 'letter' 1 \
        --format ctf -o "$work/manners" "$work/made.db"
    refuses 'a file for a directory' "$work/manners/letter" 1 \
        --format ctf -o "$work/manners/letter" "$work/made.db"
    refuses 'a directory that cannot be made' "$work/none/such" 1 \
        --format ctf -o "$work/none/such" "$work/made.db"
    expect_status '--force writes beside them' 0 \
        "$TARE" export --force --format ctf -o "$work/manners" "$work/made.db"
    check '--force: the others are left alone' 'they are not' \
        grep -q precious "$work/manners/letter"
    check '--force: and the traces are there' 'they are not' \
        cmp -s "$work/made.ctf/plain/kernel/stream_0" "$work/manners/plain/kernel/stream_0"
    rm "$work/manners/letter"
    mkdir "$work/manners/.tare-export.killed"
    expect_status 'a former export is replaced' 0 \
        "$TARE" export --format ctf -o "$work/manners" "$work/real.db"
    check 'former export: what this run does not have is gone' "$(ls -A "$work/manners")" \
        test "$(ls -A "$work/manners" | tr '\n' ' ')" = "$benches "
    expect_status 'one bench beside the others' 0 \
        "$TARE" export --format ctf --bench plain -o "$work/manners" "$work/made.db"
    check 'one bench: the others stay' "$(ls -A "$work/manners")" \
        test "$(ls -A "$work/manners" | tr '\n' ' ')" = \
        "$(echo "$benches plain" | tr ' ' '\n' | sort | tr '\n' ' ')"
    rm -r "$work/manners/plain/kernel"
    echo mine >"$work/manners/plain/notes"
    refuses 'a name that is taken' 'is not an earlier export' 1 \
        --force --format ctf --bench plain -o "$work/manners" "$work/made.db"
    refuses 'a bench without a trace' 'no trace of bench clock' 1 --format csv-events --bench clock \
        "$work/made.db"
    refuses 'no run file' "$work/none.db" 1 --format csv-events "$work/none.db"
    refuses 'no format' 'no format given: add --format' 2 "$work/made.db"
    refuses 'an unknown format' '--format xml' 2 --format xml "$work/made.db"
    refuses 'CTF without a directory' '-o DIR' 2 --format ctf "$work/made.db"
    refuses 'CSV to a directory' 'Is a directory' 1 \
        --format csv-events -o "$work/manners" "$work/made.db"
    check 'CSV to a full disk fails' 'it does not' not sh -c \
        "'$TARE' export --format csv-events '$work/made.db' >/dev/full 2>'$work/printed'"
    test_small_disk
}

# CTF to a disk that is too small: nothing half is left. Needs a separate file system.
test_small_disk() {
    mkdir "$work/small"
    if ! mount -t tmpfs -o size=64k none "$work/small" 2>"$work/printed"; then
        skip 'CTF to a full disk' 'no file system can be mounted here'
        return
    fi
    expect_status 'CTF to a full disk fails' 1 \
        "$TARE" export --format ctf -o "$work/small/out" "$work/made.db"
    check 'CTF to a full disk: gives the reason' "$(cat "$work/output")" printed 'No space left'
    check 'CTF to a full disk: nothing is left' "$(ls -A "$work/small")" \
        test -z "$(ls -A "$work/small")"
    umount "$work/small"
}

for program in babeltrace2 lttng-schedstats-mi; do
    if ! command -v $program >"$work/which"; then
        skip 'exported traces' "no $program"
        finish
        exit
    fi
done
: >"$work/compared"
test_boot
test_made_up
test_manners
test_formats
finish
