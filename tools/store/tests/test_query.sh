#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare db query, list and history of files that another program changed or was stopped in: views of
# the file never run, damaged samples and edited statistics are refused, a query is one SELECT, and
# a change that was interrupted is undone.
set -u

. tools/tests/support/lib.sh

# changed NAME SQL: a copy of the run file, changed.
changed() {
    cp "$work/run.db" "$work/$1.db" && sqlite3 "$work/$1.db" "$2" >"$work/changed" 2>&1 ||
        fail "$1: change" "$(cat "$work/changed")"
}

# answer NAME FILE QUERY TEXT: the last line of the answer.
answer() {
    got=$(timeout 20 "$TARE" db query "$2" "$3" 2>&1 | tail -n 1)
    check "$1" "$got" test "$got" = "$4"
}

# endless VIEW: a view of this name that never ends.
endless() {
    echo "DROP VIEW $1; CREATE VIEW $1 AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)
        SELECT * FROM r"
}

"$TEST_BIN/big_log" 6000 3000 3 >"$work/log"
"$TARE" decode "$work/log" -o "$work/run.db" 2>"$work/decode" || fail decode "$(cat "$work/decode")"
metrics=$("$TARE" db query "$work/run.db" 'SELECT count(*) FROM metric' | tail -n 1)
check 'there are metrics' "$metrics" test "$metrics" -gt 3

# ---- views of the file ----
changed views "$(endless metric); CREATE VIEW sample AS SELECT 1 AS value; CREATE VIEW own AS SELECT 1 AS one"
answer 'a run file: known views are those of this tare' "$work/views.db" 'SELECT count(*) FROM metric' "$metrics"
expect_status 'a run file: no view of the file runs' 1 timeout 20 "$TARE" db query "$work/views.db" 'SELECT * FROM own'
"$TARE" db add "$work/fleet.db" "$work/run.db" >"$work/add"
cp "$work/fleet.db" "$work/views_fleet.db"
sqlite3 "$work/views_fleet.db" "$(endless metric); CREATE VIEW own AS SELECT 1 AS one"
answer 'a fleet: known views are those of this tare' "$work/views_fleet.db" 'SELECT count(*) FROM metric' "$metrics"
expect_status 'a fleet: no view of the file runs' 1 timeout 20 "$TARE" db query "$work/views_fleet.db" 'SELECT * FROM own'
expect_status 'a fleet: nor by its full name' 1 timeout 20 "$TARE" db query "$work/views_fleet.db" \
    'SELECT * FROM main.metric'
sqlite3 "$work/views_fleet.db" 'ALTER TABLE digest_metric RENAME TO hidden;
    CREATE VIEW digest_metric AS SELECT * FROM hidden'
expect_status 'a fleet: no view in place of a table' 1 timeout 20 "$TARE" db query "$work/views_fleet.db" 'SELECT 1'

# ---- what the samples say ----
changed samples "UPDATE series SET samples = zeroblob(length(samples)) WHERE name = 'floor'"
changed median "UPDATE series SET median = median - 1 WHERE name = 'floor'"
changed p99 "UPDATE series SET p99 = NULL WHERE name = 'floor'"
changed max "UPDATE series SET max = max + 1 WHERE rowid = (SELECT max(rowid) FROM series)"
for file in samples median p99 max; do
    expect_status "$file changed: not shown" 1 "$TARE" show "$work/$file.db"
    expect_status "$file changed: not queried" 1 "$TARE" db query "$work/$file.db" 'SELECT n FROM series'
    expect_status "$file changed: not added" 1 "$TARE" db add "$work/fleet.db" "$work/$file.db"
done
changed metric "UPDATE digest_metric SET p50 = 1, p99 = 1, max = 1"
answer 'metrics are computed, not taken from the file' "$work/metric.db" \
    'SELECT count(*) FROM digest_metric WHERE p50 = 1 AND max = 1' 0

# ---- samples ----
# total FILE: each sample counts, whatever the length of its series, as show has them.
total() {
    "$TARE" db query "$1" "SELECT count(*), sum(value) FROM sample WHERE series = 'idle'" | tail -n 1
}
# seconds COMMAND...: processor time.
seconds() {
    (
        "$@" >"$work/total"
        times >"$work/times"
        awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$work/times"
    )
}
for n in 20001 100000 1000000; do
    "$TEST_BIN/big_log" $n 10 >"$work/$n.log" && "$TARE" decode "$work/$n.log" -o "$work/$n.db" 2>"$work/decode"
    seconds total "$work/$n.db" >"$work/$n.seconds"
    "$TARE" show --samples echo/idle "$work/$n.db" | awk '{ n++; sum += $NF } END { printf "%d\t%.0f\n", n, sum }' >"$work/shown"
    check "all $n samples of a series are rows" "$(cat "$work/total" "$work/shown")" cmp -s "$work/total" "$work/shown"
done
"$TARE" db add "$work/long_fleet.db" "$work/100000.db" >"$work/add"
total "$work/100000.db" >"$work/total"
check 'a fleet has them too' "$(total "$work/long_fleet.db")" test "$(total "$work/long_fleet.db")" = "$(cat "$work/total")"
# 10 times the samples: 10 times the time, and 100 if it were quadratic.
check 'the time of a query is linear' "$(cat "$work/100000.seconds" "$work/1000000.seconds")" \
    awk -v few="$(cat "$work/100000.seconds")" -v many="$(cat "$work/1000000.seconds")" 'BEGIN { exit !(many < 20 * few) }'

# ---- one SELECT ----
for query in "ATTACH '$work/new.db' AS other" 'PRAGMA table_info(run)' 'DELETE FROM run' 'VACUUM' 'BEGIN' \
    "VACUUM INTO '$work/new.db'" 'SELECT 1; DELETE FROM run' '' 'CREATE TEMP TABLE t(x)'; do
    for file in run fleet; do
        expect_status "$file: not one SELECT: $query" 1 "$TARE" db query "$work/$file.db" "$query"
    done
done
check 'no file was made' 'new.db' test ! -e "$work/new.db"
answer 'WITH is a SELECT' "$work/fleet.db" 'WITH a(x) AS (SELECT 7) SELECT x FROM a;' 7

# ---- a change that was interrupted ----
sqlite3 "$work/fleet.db" >"$work/killed" 2>&1 <<SQL
PRAGMA cache_size = 1;
BEGIN IMMEDIATE;
UPDATE fleet SET file = 'half', valid = 0;
UPDATE series SET samples = zeroblob(length(samples));
UPDATE run SET value = 'half';
.shell kill -9 \$PPID
SQL
check 'a journal is left' "$(ls "$work")" test -s "$work/fleet.db-journal"
cp "$work/fleet.db" "$work/halves.db"
cp "$work/fleet.db-journal" "$work/halves.db-journal"
cp "$work/halves.db" "$work/third.db"
cp "$work/halves.db-journal" "$work/third.db-journal"
expect_status 'list after an interrupted change' 0 "$TARE" db list "$work/fleet.db"
check 'list: as before the change' "$(cat "$work/output")" grep -q 'VALID .*run.db' "$work/output"
answer 'query after an interrupted change' "$work/halves.db" "SELECT count(*) FROM run WHERE value = 'half'" 0
expect_status 'history after an interrupted change' 0 "$TARE" compare --history "$work/third.db"
check 'history: of one run' "$(cat "$work/output")" sh -c '! grep -q readonly "$1"' sh "$work/output"
check 'the journals are gone' "$(ls "$work")" test ! -s "$work/fleet.db-journal" -a ! -s "$work/halves.db-journal"

finish
