#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Files on the modelled disk: what bench files checks in the image, and the trace of its system calls
# and faults.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# events NAME COUNT TEXT: checks that COUNT events of the trace contain TEXT.
events() {
    check "trace: $1: $2" "$(grep -c "$3" "$work/events")" \
        [ "$(grep -c "$3" "$work/events")" -eq "$2" ]
}

boot files 0 --shift 6 --bench files
check 'files: counts, sharing, read-ahead, system calls and lost pages are as promised' \
    "$(value files '.benches[0].reason')" all_ok files files
expect_status 'its trace is exported' 0 \
    "$TARE" export --format ctf -o "$work/ctf" "$work/files.db"
babeltrace2 --clock-seconds "$work/ctf/files" >"$work/events" 2>"$work/warnings"
for call in open:2 read:7 seek:2 map:3; do
    events "calls of ${call%:*}" "${call#*:}" " sys_file_${call%:*}: "
done
events 'faults that wait for the disk' 2 'tare_fault_entry.*kind = ( "file"'
events 'faults that find the page in the cache' 1 'tare_fault_entry.*kind = ( "soft"'
events 'they end' 3 'tare_fault_exit.*kind = ( "\(file\|soft\)"'
expect_status 'lttng-analyses read it' 0 lttng-schedstats --no-progress "$work/ctf/files"
check 'every tick has its account, and the thread waited for the disk' \
    "$(value files '.benches[0].accounting | .unknown, .difference, .inconsistencies' | tr '\n' ' ')" \
    json files '.benches[0].accounting | .unknown == 0 and .difference == 0 and
        .inconsistencies == 0 and ([.threads[] | select(.name == "caller") | .waiting.disk] | add) > 0'

finish
