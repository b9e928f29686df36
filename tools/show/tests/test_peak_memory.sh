#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Peak memory of show, show --json and report over runs of 10^5 and 10^6 events, a tenth of them keys: what one
# more key takes.
set -u

. tools/tests/support/lib.sh

# peak COMMAND...: its peak memory in KiB.
peak() {
    /usr/bin/time -o "$work/peak" -f %M "$@" >/dev/null 2>"$work/error" && tail -n 1 "$work/peak"
}

# grows NAME MOST ARGUMENT...: each of 90,000 more keys takes at most MOST bytes.
grows() {
    grows_name=$1
    grows_most=$2
    shift 2
    grows_few=$(peak "$TARE" "$@" "$work/few.db")
    grows_many=$(peak "$TARE" "$@" "$work/many.db")
    if [ -z "$grows_few" ] || [ -z "$grows_many" ]; then
        fail "$grows_name" "$(tail -n 1 "$work/error")"
        return
    fi
    grows_each=$(((grows_many - grows_few) * 1024 / 90000))
    if [ "$grows_each" -le "$grows_most" ]; then
        pass "$grows_name"
    else
        fail "$grows_name" "$grows_each bytes a key, at most $grows_most"
    fi
}

for runs in 'few 80000 100000' 'many 800000 1000000'; do
    # shellcheck disable=SC2086 # three words
    set -- $runs
    "$TEST_BIN/big_log" "$2" "$3" >"$work/log" && "$TARE" decode -o "$work/$1.db" "$work/log" 2>"$work/error" || exit 1
done
grows show 520 show
grows 'show --json' 1150 show --json
grows report 1750 report -o "$work/page.html"
finish
