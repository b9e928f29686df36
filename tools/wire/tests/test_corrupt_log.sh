#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# 10,000 corruptions of logs that the image wrote, one in each format, and some of a made-up one.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh
# shellcheck source-path=SCRIPTDIR source=boot.sh
. tools/tests/image/boot.sh

# corrupt NAME FIRST SEEDS [LOG]
corrupt() {
    corrupt_name="$1, seeds $2 to $(($2 + $3 - 1))"
    shift
    corrupt_first=$1
    corrupt_seeds=$2
    shift 2
    expect_status "$corrupt_name: no sample is wrong, what is lost is named" 0 \
        "$TEST_BIN/corrupt_log" --first "$corrupt_first" --seeds "$corrupt_seeds" "$@"
}

corrupt 'made-up log' 1 1500
if ! command -v qemu-system-x86_64 >"$work/which"; then
    skip 'logs of the image' 'no QEMU'
    finish
    exit
fi
boot binary 0 --shift 6 --bench call,clock,switches --set call.trials=5 --set clock.reads=1000 \
    --set switches.ms=2 --set switches.by=yield
check 'binary: there are frames of a trace' 'there are none' \
    test "$(value binary '[.benches[].traces | length] | add')" -gt 0
corrupt 'log of the image in binary format' 1 6000 "$work/binary.log"
boot text 0 --shift 6 --bench clock,idle --set clock.reads=200 --set idle.ms=100 \
    --set link.format=text
corrupt 'log of the image in text format' 6001 4000 "$work/text.log"
check 'text: the log is text' "$(cat "$work/output")" grep -q 'text format' "$work/output"
finish
