#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The queries of tools/store/README.md as the sqlite3 shell runs them; and that it names every table
# and column that there is.
set -u

readme=tools/store/README.md

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
        grep -q "\`$name\`" "$readme" || missing="$missing $place:$name"
    done
done
check 'README names every table and column' "$missing" test -z "$missing"

finish
