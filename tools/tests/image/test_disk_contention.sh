#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Threads at a modelled disk in exact time against `tare sim`'s closed M/D/Q: mean and 99th percentile
# within 3 standard errors. The depth of `diskload` lets 4 threads to a disk of constant service, and
# the law of ssd2014 has 24 servers by itself.
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
    boot "$load_name" 0 --bench diskload --set disk.model=ssd2014 --set diskload.traced=0 "$@"
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
    contention "$1" device 24
    agrees=$?
    print_table
    check 'the 24 servers of ssd2014: mean and p99 are those of M/D/24' \
        "$(cat "$work/contention")" test "$agrees" -eq 0
}

if [ "${DISK_CONTENTION:-}" = full ]; then
    load deep --shift 0 --set diskload.reads=1000 --set diskload.think_us=400 --set diskload.depth=4
    test_depth deep
    load wide --shift 0 --set diskload.reads=1000 --set diskload.think_us=100
    test_servers wide
else
    load deep --set diskload.threads=1,8,32 --set diskload.reads=120 --set diskload.think_us=400 \
        --set diskload.depth=4
    test_depth deep
fi
finish
