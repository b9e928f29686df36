#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Faults in every bench (kernel/run/inject.h): each ends with its name and a backtrace that leads
# into its own source, and all others deliver what they deliver without.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

elf=$(dirname "$image")/tare.elf
kinds='ud pointer loop stack none'

run() {
    run_name=$1
    run_status=$2
    shift 2
    boot "$run_name" "$run_status" --shift 6 --smp 2 --plan tools/tests/image/shortest.plan "$@"
}

# sql NAME STATEMENT: on a run; `clean` is the run without faults.
sql() {
    sqlite3 "$work/$1.db" "ATTACH '$work/clean.db' AS clean; $2"
}

# Lines "BENCH KIND": one of the kinds for each, another one in each round.
draw() {
    awk -v round="$1" -v kinds="$kinds" 'BEGIN { count = split(kinds, kind, " ") }
        { print $1, kind[(NR + round) % count + 1] }' "$work/benches"
}

# Lines "BENCH STATE EXCEPTION": what is expected of a round.
expected() {
    while read -r bench kind; do
        case $kind in
        ud) echo "$bench CRASH #UD invalid opcode" ;;
        pointer | stack) echo "$bench CRASH #PF page fault" ;;
        loop) echo "$bench CRASH watchdog" ;;
        *) echo "$bench $(sql clean "SELECT state FROM clean.bench WHERE name = '$bench'") " ;;
        esac
    done <"$work/drawn"
}

found() {
    sql "$1" "SELECT b.name || ' ' || b.state || ' ' || coalesce(group_concat(n.value), '')
        FROM main.bench b LEFT JOIN main.crash c ON c.key = 'bench' AND c.value = b.name
        LEFT JOIN main.crash n ON n.crash = c.crash AND n.key = 'name'
        GROUP BY b.rowid ORDER BY b.rowid"
}

# Benches that crashed, each with the folders of bench/ that its backtrace leads through: by the
# debugging information, which the image does not have, inlined functions included.
led_through() {
    sql "$1" "SELECT c.value || ' ' || b.address FROM main.crash c
        JOIN main.backtrace b USING (crash) WHERE c.key = 'bench'" >"$work/frames"
    cut -d ' ' -f 2 "$work/frames" | addr2line -a -i -e "$elf" | awk -v frames="$work/frames" '
        /^0x/ { getline frame <frames; split(frame, word, " "); next }
        match($0, /bench\/[a-z]*\//) { print word[1], substr($0, RSTART, RLENGTH) }' | sort -u
}

# Benches with a fault, each with the folder of the file that registers it. A last call of its run()
# to a function that others use as well leaves nothing of its file on the stack.
own_folders() {
    awk '$2 != "none" { print $1 }' "$work/drawn" | while read -r bench; do
        name=$(grep -hE "^#define BENCH_[A-Z0-9_]+ +\"$bench\"$" bench/*/names.h | awk "{ print \$2 }")
        echo "$bench $(dirname "$(grep -lE "\.name = (\"$bench\"|${name:-none}),$" bench/*/*.c)")/"
    done | sort -u
}

# Benches that several processors measure in at once. QEMU's processors take turns, and the course of
# the boot decides which one comes first: these are compared where one processor works.
at_once="'cstate', 'ftq', 'fwq', 'gap', 'selfish', 'timerlat', 'together'"

# differing NAME CLEAN NOT: what differs in benches without a fault from the run CLEAN, of what the
# course of the boot does not decide; not in the benches NOT.
differing() {
    sql "$1" "ATTACH '$work/$2.db' AS other; SELECT a.bench || '/' || a.name FROM other.series a
        LEFT JOIN main.series b ON a.bench = b.bench AND a.name = b.name
        WHERE a.bench NOT IN (SELECT value FROM main.crash WHERE key = 'bench') AND
            a.name NOT REGEXP '$course_series' AND a.bench NOT IN ($3) AND
            a.samples IS NOT b.samples" | tr '\n' ' '
}

test_round() {
    round=$1
    draw "$round" >"$work/drawn"
    plan=$(awk '$2 != "none" { printf "%s%s@%s", n++ ? "," : "", $2, $1 }' "$work/drawn")
    run "round$round" 1 --set "inject=$plan" --set "inject.after=$2" --set bench.limit_ms=4000
    expected >"$work/expected"
    found "round$round" >"$work/found"
    check "round $round: each faulty bench CRASH by its name, all others as ever" \
        "$(diff "$work/expected" "$work/found" | head -n 6 | tr '\n' ' ')" \
        cmp -s "$work/expected" "$work/found"
    own_folders >"$work/own"
    led_through "round$round" >"$work/led"
    missing=$(comm -23 "$work/own" "$work/led")
    check "round $round: each backtrace leads through the bench" "$missing" \
        test -s "$work/own" -a -z "$missing"
    check "round $round: each stack overflow is called one" 'not all are' test \
        "$(grep -ac 'CRASH.*stack overflow' "$work/round$round.log")" = \
        "$(grep -c ' stack$' "$work/drawn")"
    differ=$(differing "round$round" clean "$at_once")
    check "round $round: all others deliver the same samples" "$differ" test -z "$differ"
}

# The benches that several processors measure in at once, on one, behind faults. They run by name.
test_one() {
    one_benches=call,cstate,fork,ftq,fwq,gap,loop,selfish,stride,switches,syscall,timerlat
    boot one_clean 0 --shift 6 --plan tools/tests/image/shortest.plan --bench $one_benches
    boot one 1 --shift 6 --plan tools/tests/image/shortest.plan --bench $one_benches --set \
        inject=loop@call,pointer@fork,ud@loop,pointer@stride,loop@switches,stack@syscall \
        --set inject.after=60 --set bench.limit_ms=4000
    crashed=$(sql one "SELECT group_concat(name, ' ') FROM main.bench WHERE state = 'CRASH'")
    check 'one processor: the six faults' "$crashed" \
        test "$crashed" = 'call fork loop stride switches syscall'
    differ=$(differing one one_clean "'timerlat'")
    check 'one processor: all others deliver the same samples' "$differ" test -z "$differ"
    # Its deadline falls on any instruction of the idle loop, of which one is HLT.
    check 'one processor: timerlat, to one instruction' "$(extremes one; extremes one_clean)" \
        test "$(sql one "ATTACH '$work/one_clean.db' AS other; SELECT count(*) FROM main.series a
            JOIN other.series b USING (bench, name, n) WHERE bench = 'timerlat' AND
            name IN ('handler.0', 'dpc.0', 'thread.0', 'whole.0') AND
            abs(a.min - b.min) <= 64 AND abs(a.max - b.max) <= 64")" = 4
}

extremes() {
    sql "$1" "SELECT name, min, max FROM main.series WHERE bench = 'timerlat' AND name LIKE '%.0'" |
        tr '\n' ' '
}

# Not a byte of memory for any bench.
test_memory() {
    run oom 1 --set inject=oom@all
    check 'no memory: each bench reports it' \
        "$(sql oom "SELECT name, state, reason FROM main.bench" | grep -vE 'memory|cannot allocate' | tr '\n' ' ')" \
        test "$(sql oom "SELECT count(*) FROM main.bench
            WHERE state IN ('ERROR', 'SKIP') AND (reason LIKE '%memory%' OR reason LIKE 'cannot allocate %' OR name IN
                (SELECT name FROM clean.bench WHERE state = 'SKIP'))")" = "$(wc -l <"$work/benches")"
    check 'no memory: no bench crashes' 'one does' test "$(sql oom 'SELECT count(*) FROM main.crash')" = 0
}

# The others wait for seconds of virtual time, in loops that let each processor run in turn: the larger
# the shift, the fewer turns.
test_vanish() {
    boot vanish 1 --shift 9 --smp 3 --plan tools/tests/image/shortest.plan --bench ipi,lines,contention,order \
        --set inject=vanish@ipi --set inject.after=2200
    check 'a processor that vanishes is reported as lost, and the bench that wanted it' \
        "$(value vanish '.benches[] | select(.name == "ipi") | .status, .reason')" \
        json vanish '(.benches[] | select(.name == "ipi") | .status == "ERROR" and
            (.reason | contains("processor 2 did not answer"))) and
            (.run.machine["lost.2"] | contains("lost"))'
    check 'later benches go on with those that are left' \
        "$(value vanish '.benches[] | .name, .status' | tr '\n' ' ')" all_left
}

# The processor that the kernel came from, while it is on another one.
test_vanish_first() {
    boot first 0 --shift 6 --smp 2 --set processor=1 --bench gap,loop --set gap.ms=5 \
        --set gap.processors=1 --set inject=vanish@gap
    check 'the first processor vanishes: it is reported, and the run ends on the other' \
        "$(value first '.run.machine["lost.0"]')" json first '.run.machine["lost.0"] |
            endswith("lost: it does not take the kernel back")'
    check 'the first processor vanishes: the benches are there' 'not all' all_ok first gap loop
}

# A limit that ends the bench before the fault: the fault is reported as absent. Then the example in
# README, whose limit leaves time for it.
test_unreached() {
    boot unreached 1 --shift 6 --bench idle --set inject=ud@idle --set inject.after=100000000 \
        --set bench.limit_ms=1000
    check 'a fault that the bench never came to is absent' \
        "$(value unreached '.benches[0] | .reason, .facts.injected_after')" json unreached \
        '.benches[0] | .status == "CRASH" and (.reason | contains("bench.limit_ms")) and
            .facts.injected_after == null and any(.absent[]; .name == "injected_after")'
    example=$(sed -n 's/^    tare boot --profile all \(--set inject=.*\)/\1/p' bench/README.md)
    # shellcheck disable=SC2086 # words
    boot example 1 --shift 6 --bench idle,gap,clock $example
    check "README's example, $example: the faults that it names" \
        "$(value example '.benches[] | .name, .status, .reason')" json example '.benches |
        (.[] | select(.name == "idle") | .status == "CRASH" and .facts.injected_after == 100) and
        (.[] | select(.name == "gap") | .reason | contains("bench.limit_ms")) and
        (.[] | select(.name == "clock") | .status == "OK")'
}

all_left() {
    for left_bench in lines order; do
        json vanish ".benches[] | select(.name == \"$left_bench\") | .status == \"OK\"" || return 1
    done
    json vanish '.benches[] | select(.name == "lines") | .facts.processors == 2'
}


run clean 0
sql clean "SELECT name FROM clean.bench ORDER BY rowid" >"$work/benches"
check 'all benches take part' "$(wc -l <"$work/benches")" test "$(wc -l <"$work/benches")" -ge 37
round=0
for after in 10 35 60 85 110; do
    test_round $round $after
    round=$((round + 1))
done
test_one
test_memory
test_vanish
test_vanish_first
test_unreached
finish
