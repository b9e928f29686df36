#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A new field of a record is one line of kernel/link/records.def: in a copy of the tree in which no
# other file of the host program is edited, the field is decoded, stored, shown as JSON, compared and
# documented. The image writes it with one statement, which does not compile without that line.
set -u

. tools/tests/support/lib.sh

tree=$work/tree
line='    FIELD(estimate, drift_ppb, drift_ppb, UNSIGNED, FLAGGED, "how far the rate moved") \'
statement='    record_unsigned(\&record, RECORD_KEY(estimate, drift_ppb), 17);'
mkdir -p "$tree/build/host"
cp -a boot kernel bench tools linker.ld Makefile "$tree"
# What is built already is not built again: cp -a keeps its times.
cp -a build/image build/smp build/lwip build/qrcodegen build/spleen build/uplot build/tare build/modules.mk "$tree/build" 2>/dev/null
cp -a build/host/obj build/host/lib build/host/*.list "$tree/build/host" 2>/dev/null

# built NAME GOAL...: the copy makes it, fast rather than small.
built() {
    built_name=$1
    shift
    built_status=0
    inner_make -j2 OPTIMISE='-O0 -w' "$@" || built_status=$?
    check "$built_name" "$(tail -n 5 "$work/make.txt")" test "$built_status" = 0
}

# Another statement after that of the field's neighbour, without the line: the image is refused.
sed -i "s/^.*RECORD_KEY(estimate, windows).*/&\n$statement/" "$tree/kernel/profile.c"
inner_make build/image/obj/kernel/profile.c.o
check 'field: the image does not name a field that the table lacks' "$(tail -n 3 "$work/make.txt")" \
    grep -q 'KEY_estimate_drift_ppb' "$work/make.txt"

line=$line awk '{ print } /^ *FIELD\(estimate, windows,/ { print ENVIRON["line"] }' kernel/link/records.def \
    >"$tree/kernel/link/records.def"
check 'field: it is one line' "$(diff kernel/link/records.def "$tree/kernel/link/records.def")" \
    test "$(diff kernel/link/records.def "$tree/kernel/link/records.def" | grep -c '^[<>]')" = 1
# Logs of an image that sends it.
sed -i -e 's/kind=real date=/kind=exact ticks_per_instruction=8 date=/' \
    -e 's/log_record(log, \("estimate .*windows=7\)");/log_recordf(log, \1 drift_ppb=%s", getenv("DRIFT"));/' \
    "$tree/tools/tests/programs/big_log.c"
built 'field: the image names it' build/image/obj/kernel/profile.c.o
built 'field: the host program is built' build/tare build/host/tests/big_log

tare=$tree/build/tare
for drift in 17 23; do
    (cd "$tree" && DRIFT=$drift build/host/tests/big_log 100 0) >"$work/$drift.log"
    "$tare" decode "$work/$drift.log" -o "$work/$drift.db" >"$work/output" 2>&1
    check "field: a log with $drift is decoded" "$(cat "$work/output")" test -s "$work/$drift.db"
    check "field: $drift is in the run file" "$(sqlite3 "$work/$drift.db" 'SELECT * FROM estimate')" \
        [ "$(sqlite3 "$work/$drift.db" 'SELECT windows, drift_ppb FROM estimate')" = "7|$drift" ]
    "$tare" show --json "$work/$drift.db" >"$work/$drift.json"
    check "field: $drift is in JSON" "$(grep windows "$work/$drift.json")" \
        grep -q "^ *\"drift_ppb\": $drift$" "$work/$drift.json"
done
"$tare" diff "$work/17.db" "$work/23.db" >"$work/diff.txt" 2>&1
check 'field: both are told apart' "$(cat "$work/diff.txt")" \
    test "$(grep -c '^  in [ab] .*, drift_ppb [0-9]*$' "$work/diff.txt")" = 2
(cd "$tree" && sh tools/build/lists.sh --fields) >"$work/fields.md"
check 'field: it is documented' "$(grep windows "$work/fields.md")" \
    grep -qx '| `drift_ppb` | `drift_ppb` | unsigned | flagged | how far the rate moved |' "$work/fields.md"
finish
