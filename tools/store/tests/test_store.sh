#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The queries of tools/store/README.md as tare db query runs them; and that it names every table
# and column that there is.
set -u

readme=tools/store/README.md
views=tools/finding/README.md

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
    "$TARE" db query "$2" "$(cat "$3")" >"$work/answer" 2>&1
    runs_status=$?
    check "$1" "status $runs_status: $(head -n 3 "$work/answer") of $(head -n 2 "$3")" \
        test "$runs_status" -eq 0 -a "$(wc -l <"$work/answer")" -gt 1
}

"$TEST_BIN/big_log" 6000 3000 3 >"$work/log"
"$TARE" decode "$work/log" -o "$work/run.db" 2>"$work/decode" || fail decode "$(cat "$work/decode")"
"$TARE" db add "$work/fleet.db" "$work/run.db" >"$work/add" || fail 'db add' "$(cat "$work/add")"
# What this log lacks.
cp "$work/run.db" "$work/rich.db"
edit_run "$work/rich.db" "INSERT INTO loss VALUES('made up')"

# What an earlier tare wrote is refused.
cp "$work/run.db" "$work/old.db"
sqlite3 "$work/old.db" 'PRAGMA user_version = 6'
expect_status 'a run file of schema 6 is not shown' 1 "$TARE" show "$work/old.db"
check 'the schemas are named' "$(cat "$work/output")" grep -q 'schema 6, but this tare reads schemas 7 to 9' "$work/output"
cp "$work/fleet.db" "$work/old_fleet.db"
sqlite3 "$work/old_fleet.db" 'UPDATE fleet_version SET version = 3'
for action in "list $work/old_fleet.db" "extract $work/old_fleet.db 1 -o $work/extracted.db" \
    "add $work/old_fleet.db $work/run.db"; do
    # shellcheck disable=SC2086 # words
    expect_status "db ${action%% *}: not of a fleet of version 3" 1 "$TARE" db $action
    check "db ${action%% *}: the versions are named" "$(cat "$work/output")" \
        grep -q 'has version 3, this tare supports version 4' "$work/output"
done

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

"$TARE" db add "$work/large_fleet.db" "$work/large.db" >"$work/add"
"$TARE" db extract "$work/large_fleet.db" 1 -o "$work/large_back.db"
check 'a fleet gives a large run back' 'bytes differ' cmp -s "$work/large_back.db" "$work/large.db"

blocks sql run
blocks 'sql fleet' fleet
count=0
for query in "$work"/run.*.sql; do
    count=$((count + 1))
    runs "query $count of README" "$work/rich.db" "$query"
done
check 'README has queries' "$count" test "$count" -ge 5
runs 'the query of fleets' "$work/fleet.db" "$work/fleet.1.sql"

query "$work/run.db" "SELECT value FROM sample WHERE bench = 'echo' AND series = 'idle'
    ORDER BY number" >"$work/view"
"$TARE" show --samples echo/idle "$work/run.db" >"$work/samples"
check 'view of samples' "$(head -n 2 "$work/view")" cmp -s "$work/view" "$work/samples"

# The columns of records are those of kernel/link/records.def, to which README refers.
tools/build/lists.sh --fields >"$work/fields.md"
missing=
for place in run fleet; do
    names=$(sqlite3 "$work/$place.db" "SELECT DISTINCT m.name || ' ' || c.name
        FROM sqlite_master m, pragma_table_info(m.name) c
        WHERE m.type IN ('table', 'view') AND m.name <> 'fleet_version'" | tr ' ' '\n' | sort -u)
    for name in $names; do
        grep -q "\`$name\`" "$readme" "$views" "$work/fields.md" || missing="$missing $place:$name"
    done
done
check 'README names every table and column' "$missing" test -z "$missing"

finish
