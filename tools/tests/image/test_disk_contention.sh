#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Threads at a modelled disk in exact time against `tare sim`'s closed M/D/Q: mean and 99th percentile
# within 3 standard errors. The depth of `diskload` lets 4 threads to a disk of constant service, and
# the law of nvme has 42 servers by itself. ssd2014 is held against the report: its table of 1 to 32
# threads that read a file each in order.
#
#     DISK_CONTENTION=full   1 to 32 threads, 1000 reads each, both ways, 2 minutes; else 3 loads,
#                            by the depth alone
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# contention NAME KIND SERVERS: $work/contention has the table.
contention() {
    /usr/bin/python3 tools/tests/image/disk_contention.py "$TARE" "$work/$1.db" "$2" "$3" \
        >"$work/contention" 2>&1
}

# load NAME OPTION...: a run of diskload alone.
load() {
    load_name=$1
    shift
    boot "$load_name" 0 --bench diskload --set disk.model=nvme --set diskload.order=random --set diskload.traced=0 "$@"
}

# print_table: of the full run.
print_table() {
    [ "${DISK_CONTENTION:-}" != full ] || cat "$work/contention"
}

test_depth() {
    contention "$1" whole 4
    agrees=$?
    print_table
    check 'a depth of 4: mean and p99 of each load are those of M/D/4' "$(cat "$work/contention")" \
        test "$agrees" -eq 0
    contention "$1" whole 5
    differs=$?
    check 'and not those of M/D/5' "$(cat "$work/contention")" test "$differs" -eq 1
}

test_servers() {
    contention "$1" device 42
    agrees=$?
    print_table
    check 'the 42 servers of nvme: mean and p99 are those of M/D/42' \
        "$(cat "$work/contention")" test "$agrees" -eq 0
}

# as_reported THREADS NS: reads of a file each, in order, take this time a block, within 10 %; a tick
# of this run is 1 ns.
as_reported() {
    as_block=$(value report ".benches[0].loads[] | select(.threads == $1).block")
    check "$1 threads: $2 ns a block in the report's section 16" "$as_block" \
        awk "BEGIN { exit !(${as_block:-0} > $2 * 0.9 && ${as_block:-0} < $2 * 1.1) }"
}

# The report's form: of each thread's file, some blocks in order. 7000 of them, of files of 28 MB,
# with DISK_CONTENTION=full.
test_report() {
    set -- --set diskload.reads=50
    [ "${DISK_CONTENTION:-}" != full ] ||
        set -- --set diskload.reads=7000 --set disk.mib=875 --memory 1280 --set bench.limit_ms=0
    boot report 0 --bench diskload --set disk.model=ssd2014 --set diskload.traced=0 \
        --set diskload.threads=1,8,16,24,28,31,32 "$@"
    as_reported 1 125292
    as_reported 8 138843
    as_reported 16 160024
    as_reported 24 281612
    as_reported 28 454182
    as_reported 31 960801
    as_reported 32 10669071
}

if [ "${DISK_CONTENTION:-}" = full ]; then
    load deep --shift 0 --set diskload.reads=1000 --set diskload.think_us=400 --set diskload.depth=4
    test_depth deep
    load wide --shift 0 --set diskload.reads=1000 --set diskload.think_us=0
    test_servers wide
else
    load deep --set diskload.threads=1,8,32 --set diskload.reads=120 --set diskload.think_us=400 \
        --set diskload.depth=4
    test_depth deep
fi
test_report
finish
