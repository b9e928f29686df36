#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare export --format kcidb: a report by KCIDB's schema whose tests are the benches and series of the run
# file, with their states and greatest samples; names from outside stay within the schema.
set -u

. tools/tests/support/lib.sh

# report NAME: of run file NAME.db; its tests in NAME.tests.
report() {
    "$TARE" export --format kcidb -o "$work/$1.json" "$work/$1.db" >"$work/output" 2>&1 &&
        /usr/bin/python3 tools/ci/tests/kcidb_check.py "$work/$1.json" >"$work/$1.tests" 2>"$work/output"
}

"$TEST_BIN/big_log" 3000 500 3 >"$work/log" && "$TARE" decode "$work/log" -o "$work/run.db" 2>"$work/decode" ||
    fail 'a run file' "$(cat "$work/decode")"
check 'a report as the schema has it' "$(tail -n 2 "$work/output" 2>&1)" report run
sqlite3 -separator ' ' "$work/run.db" "SELECT 'tare.' || name || CASE WHEN pass > 1 THEN '.' || pass ELSE '' END,
    CASE state WHEN 'OK' THEN 'PASS' WHEN 'SKIP' THEN 'SKIP' WHEN 'FAIL' THEN 'FAIL' ELSE 'ERROR' END, 'None' FROM bench
    UNION ALL SELECT 'tare.' || bench || CASE WHEN series.pass > 1 THEN '.' || series.pass ELSE '' END || '.' || series.name,
    'PASS', max FROM series JOIN bench ON bench = bench.name AND series.pass = bench.pass
    WHERE state = 'OK' AND of IS NULL AND max IS NOT NULL" | sort >"$work/expected"
sort "$work/run.tests" >"$work/found"
check 'a test for each bench and series, as the run file has them' "$(diff "$work/expected" "$work/found" | head -n 4)" \
    cmp -s "$work/expected" "$work/found"
check 'there are some with a value' "$(cat "$work/expected")" test "$(grep -vc None "$work/expected")" -gt 2

bench=$(sqlite3 "$work/run.db" 'SELECT name FROM bench LIMIT 1')
for state in OK:PASS SKIP:SKIP ERROR:ERROR FAIL:FAIL CRASH:ERROR; do
    cp "$work/run.db" "$work/state.db"
    sqlite3 "$work/state.db" "UPDATE bench SET state = '${state%:*}', reason = 'a \"reason\"' WHERE name = '$bench'"
    check "${state%:*} is ${state#*:}" "$(cat "$work/output")" report state
    check "${state%:*}: no other" "$(head -n 3 "$work/state.tests")" \
        grep -qx "tare.$bench ${state#*:} None" "$work/state.tests"
done
sqlite3 "$work/state.db" "UPDATE series SET name = '..a b..é' WHERE rowid = 1;
    UPDATE machine SET value = 'é ' || x'ff' || char(1) WHERE name = 'cpu_brand'; UPDATE bench SET state = 'OK'"
check 'names from outside' "$(tail -n 2 "$work/output")" report state

sed 's/"status": "PASS"/"status": "OK"/' "$work/run.json" >"$work/bad.json"
check 'the check sees a state that is none' 'it does not' \
    sh -c '! /usr/bin/python3 tools/ci/tests/kcidb_check.py "$1" >"$1.out" 2>&1' sh "$work/bad.json"
expect_status 'one bench alone is refused' 2 "$TARE" export --format kcidb --bench idle "$work/run.db"
finish
