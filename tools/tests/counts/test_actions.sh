#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Counts by action: a plugin of QEMU written a second time (own_plugin.c) runs in the same QEMU as the project's, and
# gives the same counts of 30 page downs in each structure of the window system.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

if ! qemu-system-x86_64 -help | grep -q '^-plugin ' || ! ${CC:-cc} -O2 -shared -fPIC -fvisibility=hidden \
    -o "$work/own.so" tools/tests/counts/own_plugin.c; then
    skip 'counts by action' 'QEMU here takes no plugins, or none can be built'
    finish test_actions
    exit
fi
script='pagedown as=warm_up'
script="$script$(printf '; then 30ms pageup as=page_up; then 30ms pagedown as=page_down%.0s' $(seq 30))"
boot actions 0 --shift 6 --bench page_down --count p5 --set trace.bytes=40000000 --set page_down.drivers=test \
    --set bench.limit_ms=2000000 --set "page_down.script={$script}" -- -plugin "$work/own.so,out=$work/rows"
"$TARE" export --format csv-events --bench page_down -o "$work/events.csv" "$work/actions.db"
run_file_json actions
/usr/bin/python3 tools/tests/counts/own_counts.py "$work/rows" "$work/events.csv" "$work/actions.db" \
    "$work/actions.run.json" page_down page_down >"$work/equal" 2>"$work/different"
for structure in in_kernel server segmented; do
    check "$structure: all 8 counts of 30 of 30 page downs are those of the other plugin" \
        "$(grep "^$structure" "$work/equal"; head -n 1 "$work/different")" \
        grep -q "^${structure}[.].*: 30 of 30 equal$" "$work/equal"
done
check 'weighted time is service and 20, 8 and 3 cycles an event' "$(value actions '.benches[0].interactive.actions[0]')" \
    json actions '[.benches[0].interactive.actions[] | (.counts["dtlb-misses"] * 20 + .counts["itlb-misses"] * 20 +
        .counts["segment-loads"] * 8 + .counts.misaligned * 3) * 64 + .service == .weighted_model] | length > 90 and all'
check 'an action is two events, and its next call is not before its end' 'it is' \
    json actions '[.benches[0].interactive.actions[] | .events == 2 and .call >= .service] | all'
"$TARE" show --by action page_down "$work/actions.db" >"$work/shown"
check 'tare show --by action has a row for each' "$(head -n 30 "$work/shown")" \
    test "$(grep -c '^ *[0-9]* page_down *server' "$work/shown")" -eq 30
check 'and the deviation over the 30' "$(grep -A 9 'server.*page_down' "$work/shown")" \
    grep -q '^    dtlb-misses  *30 ' "$work/shown"
"$TARE" show "$work/actions.db" >"$work/brief"
check 'the brief names the phase that it shows' "$(grep page_down "$work/brief")" \
    grep -q 'page_down .*[[]segmented[.]test[]]' "$work/brief"
check 'times of counts are no metrics' 'they are' \
    sh -c "! sqlite3 '$work/actions.db' 'SELECT name FROM metric' | grep -q counted_at"
check 'weighted time has a separate unit' "$(sqlite3 "$work/actions.db" 'SELECT name, unit FROM metric')" \
    sh -c "[ \"\$(sqlite3 '$work/actions.db' \"SELECT DISTINCT unit FROM metric
        WHERE series = 'weighted'\")\" = 'cycles (model)' ]"
finish test_actions
