#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The queries of tools/store/README.md as the sqlite3 shell runs them; and that it names every table
# and column that there is.
set -u

readme=tools/store/README.md
views=tools/digest/README.md

. tools/tests/support/lib.sh

# blocks KIND: each block of this kind into $work/KIND.N.sql; "sql" or "sql fleet".
blocks() {
    awk -v fence="\`\`\`$1" -v base="$work/$2" '
        $0 == fence { inside = 1; n++; next }
        /^```$/ { inside = 0 }
        inside { print > (base "." n ".sql") }' "$readme"
}

# runs NAME DATABASE QUERY: it gives rows.
runs() {
    sqlite3 -batch -bail "$2" <"$3" >"$work/answer" 2>&1
    runs_status=$?
    check "$1" "status $runs_status: $(head -n 3 "$work/answer") of $(head -n 2 "$3")" \
        test "$runs_status" -eq 0 -a -s "$work/answer"
}

"$TEST_BIN/big_log" 6000 3000 3 >"$work/log"
"$TARE" decode "$work/log" -o "$work/run.db" 2>"$work/decode" || fail decode "$(cat "$work/decode")"
"$TARE" db add "$work/fleet.db" "$work/run.db" >"$work/add" || fail 'db add' "$(cat "$work/add")"
# What this log lacks.
cp "$work/run.db" "$work/rich.db"
sqlite3 "$work/rich.db" "INSERT INTO loss VALUES('made up')"

# What an earlier tare wrote: without what is derived, and with table event.
older=$(sqlite3 "$work/run.db" "SELECT 'DROP ' || type || ' ' || name || ';' FROM sqlite_master
    WHERE type = 'view' AND name NOT IN ('sample', 'noise') OR name LIKE 'digest%' AND type = 'table'
    ORDER BY type DESC")
cp "$work/run.db" "$work/old.db"
sqlite3 "$work/old.db" "$older ALTER TABLE counter_event RENAME TO event; PRAGMA user_version = 6"
expect_status 'a run file of schema 6 is shown' 0 "$TARE" show "$work/old.db"
cp "$work/fleet.db" "$work/old_fleet.db"
sqlite3 "$work/old_fleet.db" "$older DROP INDEX fleet_machine; ALTER TABLE counter_event RENAME TO event;
    UPDATE fleet_version SET version = 1; CREATE VIEW metric AS SELECT run_id, n FROM series"
expect_status 'a fleet of version 1 is listed' 0 "$TARE" db list "$work/old_fleet.db"
expect_status 'and read' 0 "$TARE" db extract "$work/old_fleet.db" 1 -o "$work/extracted.db"
check 'what it holds is the run' 'bytes differ' cmp -s "$work/extracted.db" "$work/run.db"
expect_status 'it is not added to' 1 "$TARE" db add "$work/old_fleet.db" "$work/old.db"
expect_status 'both are upgraded' 0 "$TARE" db upgrade "$work/old.db" "$work/old_fleet.db"
check 'the run file is as if written by this tare' 'bytes differ' cmp -s "$work/old.db" "$work/run.db"
for view in metric event event_count account gap finding; do
    for place in fleet old_fleet; do
        sqlite3 "$work/$place.db" "SELECT * FROM $view" >"$work/$place.$view"
    done
    check "the fleet has the same $view" 'other rows' cmp -s "$work/fleet.$view" "$work/old_fleet.$view"
done
expect_status 'the run is there already' 0 "$TARE" db add "$work/old_fleet.db" "$work/old.db"
check 'and not added again' "$(cat "$work/output")" grep -q 'run 1 already present' "$work/output"

# What is too large is there by its quantiles and as a count.
"$TEST_BIN/big_log" 600000 300000 4 >"$work/large.log"
"$TARE" decode "$work/large.log" -o "$work/large.db" 2>"$work/decode"
sqlite3 "$work/large.db" "SELECT p50_ticks = median, interval_low IS NULL, note LIKE 'more than%'
    FROM metric AS m JOIN series AS s USING (bench, pass) WHERE s.name = m.series
    AND m.name = 'idle.floor'" >"$work/large"
sqlite3 "$work/large.db" "SELECT n > 262144, kept, (SELECT count(*) FROM event) FROM event_count
    WHERE kind = 'trace'" >>"$work/large"
check 'a large run: no interval, and no event' "$(cat "$work/large")" \
    test "$(tr '\n' ' ' <"$work/large")" = '1|1|1 1|0|0 '

# Pages by the size of a run alone.
"$TEST_BIN/big_log" 2200000 1000 >"$work/pages.log"
"$TARE" decode "$work/pages.log" -o "$work/pages.db" 2>"$work/decode"
"$TARE" db add "$work/pages_fleet.db" "$work/pages.db" >"$work/add"
"$TARE" db extract "$work/pages_fleet.db" 1 -o "$work/pages_back.db"
check 'small pages of a small run, large ones of a large run' 'others' \
    test "$(for run in run pages; do sqlite3 "$work/$run.db" 'PRAGMA page_size'; done | tr '\n' ' ')" = \
    '4096 65536 '
check 'a fleet gives a large run back' 'bytes differ' cmp -s "$work/pages_back.db" "$work/pages.db"

blocks sql run
blocks 'sql fleet' fleet
count=0
for query in "$work"/run.*.sql; do
    count=$((count + 1))
    runs "query $count of README" "$work/rich.db" "$query"
done
check 'README has queries' "$count" test "$count" -ge 5
runs 'the query of fleets' "$work/fleet.db" "$work/fleet.1.sql"

sqlite3 "$work/run.db" "SELECT value FROM sample WHERE bench = 'echo' AND series = 'idle'
    ORDER BY number" >"$work/view"
"$TARE" show --samples echo/idle "$work/run.db" >"$work/samples"
check 'view of samples' "$(head -n 2 "$work/view")" cmp -s "$work/view" "$work/samples"

missing=
for place in run fleet; do
    names=$(sqlite3 "$work/$place.db" "SELECT DISTINCT m.name || ' ' || c.name
        FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE m.type IN ('table', 'view') AND m.name <> 'fleet_version'" | tr ' ' '\n' | sort -u)
    for name in $names; do
        grep -q "\`$name\`" "$readme" "$views" || missing="$missing $place:$name"
    done
done
check 'README names every table and column' "$missing" test -z "$missing"

finish
