#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare db: runs of several machines in one SQLite file and in a PostgreSQL server of our own, which
# must answer alike; what is put in comes out again to the byte; all or nothing is added.
set -u

. tools/tests/support/lib.sh
. tools/tests/support/postgres.sh

# made SAMPLES EVENTS SERIES NAME: a run file.
made() {
    "$TEST_BIN/big_log" "$1" "$2" "$3" >"$work/log" &&
        "$TARE" decode "$work/log" -o "$work/$4" 2>"$work/decode"
}

# both FILE QUERY: does it give the same rows, at least one, in both?
both() {
    "$TARE" db query "$fleet" "$2" >"$work/$1.sqlite" 2>&1 &&
        "$TARE" db query "$reader" "$2" >"$work/$1.postgres" 2>&1 &&
        cmp -s "$work/$1.sqlite" "$work/$1.postgres" && [ "$(wc -l <"$work/$1.sqlite")" -gt 1 ]
}

# answers NAME QUERY
answers() {
    check "$1: the same answer" "$(head -n 2 "$work"/answer.* 2>&1)" both answer "$2"
}

# A query needs a role that only reads.
reader_of() {
    case $1 in
    "$remote") echo "$reader" ;;
    *) echo "$1" ;;
    esac
}

# runs_in NAME: how many.
runs_in() {
    "$TARE" db query "$(reader_of "$1")" 'SELECT count(*) FROM fleet' | tail -n 1
}

# test_store LABEL NAME: what holds of one store alone.
test_store() {
    expect_status "$1: add" 0 "$TARE" db add "$2" "$work/one.db" "$work/$hostile.db"
    expect_status "$1: add again" 0 "$TARE" db add "$2" "$work/one.db"
    check "$1: what is there is not doubled" "$(cat "$work/output")" \
        grep -q '^run 1 already present' "$work/output"
    expect_status "$1: a bad file among good ones" 1 "$TARE" db add "$2" "$work/three.db" \
        "$work/log"
    check "$1: and none is reported as added" "$(cat "$work/output")" \
        sh -c '! grep -q "^run" "$1" && grep -q "none of the 2 files was added" "$1"' sh "$work/output"
    check "$1: nothing of them is added" "$(runs_in "$2") runs" test "$(runs_in "$2")" -eq 2
    expect_status "$1: list" 0 "$TARE" db list "$2"
    check "$1: list prints both" "$(cat "$work/output")" test "$(grep -c '^ *[12] .* VALID ' "$work/output")" -eq 2
    for id in 1 2; do
        expect_status "$1: extract run $id" 0 "$TARE" db extract "$2" $id -o "$work/back$id.db"
    done
    check "$1: run 1 is as it was" 'bytes differ' cmp -s "$work/one.db" "$work/back1.db"
    check "$1: run 2 is as it was" 'bytes differ' cmp -s "$work/$hostile.db" "$work/back2.db"
    expect_status "$1: a run that is not there" 1 "$TARE" db extract "$2" 3 -o "$work/back3.db"
    check "$1: no file of it" 'a file' test ! -e "$work/back3.db" -a ! -e "$work/back3.db.tmp"
    expect_status "$1: query does not write" 1 "$TARE" db query "$(reader_of "$2")" 'DELETE FROM fleet'
    expect_status "$1: exactly one query" 1 "$TARE" db query "$(reader_of "$2")" 'SELECT 1; SELECT 2'
    expect_status "$1: no query" 1 "$TARE" db query "$(reader_of "$2")" 'SELECT no_such_column FROM fleet'
    check "$1: the reason is one line" "$(cat "$work/output")" \
        test "$(wc -l <"$work/output")" -eq 1
}

test_forms() {
    query='SELECT value, 1.5 AS half, NULL AS none FROM machine WHERE run_id = 2'
    "$TARE" db query --json "$1" "$query" >"$work/json"
    check "$2: JSON holds the hostile name" "$(cat "$work/json")" \
        jq -e --arg value "$value" '.[0] == {value: $value, half: 1.5, none: null}' "$work/json" >"$work/jq"
    printf 'value,half,none\r\n"%s",1.5,\r\n' "$(printf %s "$value" | sed 's/"/""/g')" >"$work/csv"
    "$TARE" db query --csv "$1" "$query" >"$work/csv.ours"
    check "$2: CSV too" "$(cat "$work/csv.ours")" cmp -s "$work/csv" "$work/csv.ours"
    "$TARE" db query --csv "$1" "SELECT '=1+1' AS a, '-x' AS b, '@x' AS c, -5 AS d, -2.5 AS e" >"$work/csv.ours"
    check "$2: no cell of CSV is a formula, and numbers stay" "$(cat "$work/csv.ours")" \
        test "$(tail -n 1 "$work/csv.ours" | tr -d '\r')" = "'=1+1,'-x,'@x,-5,-2.5"
}

test_both() {
    answers 'runs' 'SELECT run_id, content, file, machine, date, kind, valid, reason FROM fleet
        ORDER BY run_id'
    for view in metric event event_count account gap finding; do
        # Of times the nanoseconds: engines print floating point numbers in different ways.
        columns=$(sqlite3 "$fleet" "SELECT group_concat(CASE
            WHEN name IN ('min', 'p50', 'p99', 'max', 'interval_low', 'interval_high', 'seconds',
                'share', 'value') OR name LIKE '%\_s' ESCAPE '\'
            THEN 'CAST(round(CAST(1e9 * ' || name || ' AS NUMERIC)) AS BIGINT) AS ' || name
            WHEN name LIKE '%\_ticks' ESCAPE '\'
            THEN 'CAST(round(CAST(' || name || ' AS NUMERIC)) AS BIGINT) AS ' || name
            ELSE name END) FROM pragma_table_info('$view')")
        rows=$(sqlite3 "$fleet" "SELECT count(*) FROM $view")
        [ "$rows" -eq 0 ] || answers "view $view" "SELECT $columns FROM $view ORDER BY 1, 2, 3, 4, 5, 6, 7"
    done
    answers 'samples' 'SELECT run_id, bench, pass, series, count(*) AS n, min(value) AS least,
        max(value) AS most FROM sample GROUP BY run_id, bench, pass, series
        ORDER BY run_id, bench, pass, series'
    answers 'noise' 'SELECT run_id, bench, pass, series, CAST(round(1000 * stolen_ppm) AS BIGINT) AS ppb,
        gaps, longest, longest_at, smis FROM noise ORDER BY run_id, bench, pass, series'
    answers 'bytes' "SELECT samples FROM series WHERE run_id = 2 AND name = 'floor'"
    for table in run machine verdict bench fact param series object trace; do
        columns=$(sqlite3 "$fleet" "SELECT group_concat(CASE type WHEN 'BLOB' THEN
            CASE name WHEN 'samples' THEN 'length(samples)' ELSE '0' END || ' AS bytes' ELSE '\"' || name || '\"' END)
            FROM pragma_table_info('$table')")
        rows=$(sqlite3 "$fleet" "SELECT count(*) FROM \"$table\"")
        [ "$rows" -eq 0 ] ||
            answers "table $table" "SELECT $columns FROM $table ORDER BY run_id, position"
    done
}

# Several make the same fleet at once: each waits for its turn. A file that was left empty is one.
test_first() {
    : >"$work/first.db"
    for first in one three "$hostile"; do
        "$TARE" db add "$work/first.db" "$work/$first.db" >"$work/first.out" 2>&1 &
    done
    wait
    check 'the first to add: all of them' "$(cat "$work/first.out")" \
        test "$(runs_in "$work/first.db")" -eq 3
    (
        echo 'BEGIN IMMEDIATE;'
        sleep 1
        rm "$work/second.db"
    ) | sqlite3 "$work/second.db" &
    until [ -e "$work/second.db" ]; do sleep 0.05; done
    expect_status 'a fleet that is removed while one waits' 1 \
        "$TARE" db add "$work/second.db" "$work/one.db"
    check 'the reason is printed' "$(cat "$work/output")" grep -q 'removed by another program' "$work/output"
    wait
}

sql_of() {
    psql -qAt -v ON_ERROR_STOP=1 "$remote" "$@"
}

# No program runs and no file is read on the server's machine, whatever the role may do.
test_powers() {
    # shellcheck disable=SC2016
    for query in "COPY (SELECT 1) TO PROGRAM 'touch $work/pg/ran'" 'COPY (SELECT key FROM run) TO STDOUT' \
        "SELECT pg_read_file('PG_VERSION')" "DO \$\$BEGIN COPY run TO PROGRAM 'touch $work/pg/ran'; END\$\$" \
        'WITH gone AS (DELETE FROM run RETURNING 1) SELECT * FROM gone' 'SELECT 1 INTO made' 'SHOW data_directory'; do
        for role in "$remote" "$reader"; do
            expect_status "PostgreSQL: ${role%@*}, ${query%% *} ${#query}" 1 timeout 20 "$TARE" db query "$role" "$query"
        done
    done
    check 'PostgreSQL: no program ran' 'it ran' test ! -e "$work/pg/ran"
    expect_status 'PostgreSQL: a role with powers does not query' 1 "$TARE" db query "$remote" 'SELECT 1'
    check 'PostgreSQL: the cure is printed' "$(cat "$work/output")" grep -q 'expected a role that only reads' "$work/output"
    sql_of -c 'CREATE ROLE half LOGIN' -c 'GRANT pg_read_all_data, pg_read_server_files TO half' >"$work/role" 2>&1
    expect_status 'PostgreSQL: nor one that reads files of the server' 1 \
        "$TARE" db query "postgresql://half@/postgres?host=$work/pg" 'SELECT 1'
}

# Run 10001 begins the second part of each table, where 9999 of the others were removed.
test_parts() {
    sql_of -c 'UPDATE fleet SET run_id = 10000 WHERE run_id = 2' >"$work/parts" 2>&1
    expect_status 'PostgreSQL: the next part' 0 "$TARE" db add "$remote" "$work/three.db"
    check 'PostgreSQL: its rows lie there' "$(cat "$work/output")" \
        test "$(sql_of -c 'SELECT count(*) FROM fleet_rows_1 WHERE run_id = 10001')" -gt 0
    expect_status 'PostgreSQL: and come out' 0 "$TARE" db extract "$remote" 10001 -o "$work/part.db"
    check 'PostgreSQL: as they went in' 'bytes differ' cmp -s "$work/three.db" "$work/part.db"
    mkdir "$work/files"
    cp "$work/one.db" "$work/three.db" "$work/files"
    expect_status 'a folder is added' 0 "$TARE" db add "$work/folder.fleet" "$work/files"
    check 'a folder: each of its run files' "$(cat "$work/output")" test "$(runs_in "$work/folder.fleet")" -eq 2
    expect_status 'a folder without run files' 1 "$TARE" db add "$work/folder.fleet" "$work/pg"
}

# test_many LABEL NAME: more runs than one flush holds, in one transaction, each of them twice.
test_many() {
    expect_status "$1: many runs" 0 "$TARE" db add "$2" "$work/many"
    check "$1: each of them once" "$(runs_in "$2") runs" test "$(runs_in "$2")" -eq "$many"
    check "$1: the others are those present" "$(head -n 3 "$work/output")" \
        test "$(grep -c 'already present' "$work/output")" -eq "$many"
    expect_status "$1: many runs again" 0 "$TARE" db add "$2" "$work/many"
    check "$1: all of them are present" "$(head -n 3 "$work/output")" \
        test "$(grep -c 'already present' "$work/output")" -eq $((2 * many))
    check "$1: by their numbers" "$(head -n 3 "$work/output")" \
        test "$(awk '{ print $2 }' "$work/output" | sort -n | uniq -c | awk '$1 == 2' | wc -l)" -eq "$many"
    expect_status "$1: a bad file behind many" 1 "$TARE" db add "$2" "$work/more" "$work/log"
    check "$1: none of them is added" "$(runs_in "$2") runs" test "$(runs_in "$2")" -eq "$many"
    expect_status "$1: rows longer than what is sent at once" 0 "$TARE" db add "$2" "$work/long.db" "$work/one.db"
    for run in "$many" $((many + 1)) $((many + 2)); do
        "$TARE" db extract "$2" "$run" -o "$work/many.$run" 2>"$work/output"
    done
    check "$1: they come out as they went in" "$(cat "$work/output")" cmp -s "$work/long.db" "$work/many.$((many + 1))"
    check "$1: as does what came behind them" 'bytes differ' cmp -s "$work/one.db" "$work/many.$((many + 2))"
    check "$1: and before them" 'bytes differ' cmp -s "$work/many/$many.db" "$work/many.$many"
}

# changed NUMBER NAME: three.db of another machine.
changed() {
    cp "$work/three.db" "$work/$2" && edit_run "$work/$2" "UPDATE machine SET value = 'machine $1' WHERE rowid = 1"
}

# More than one flush holds, each twice; those in more/ are others.
make_many() {
    mkdir "$work/many" "$work/more"
    for run in $(seq "$((many - 1))"); do
        changed "$run" "many/$run.db" && cp "$work/many/$run.db" "$work/many/$run.again.db" &&
            changed "more $run" "more/$run.db" || return
    done
    made 700 0 1 "many/$many.db" && cp "$work/many/$many.db" "$work/many/$many.again.db" &&
        made 400000 200000 2 long.db
}

# A part that was taken out takes no rows.
test_detached() {
    sql_of -c 'ALTER TABLE fleet_series DETACH PARTITION fleet_series_0' >"$work/detached" 2>&1
    expect_status 'PostgreSQL: the newest part was taken out' 1 "$TARE" db add "$remote" "$work/more"
    check 'PostgreSQL: and the cure is printed' "$(cat "$work/output")" grep -q 'series_0 .*attach it' "$work/output"
    sql_of -c 'ALTER TABLE fleet_series ATTACH PARTITION fleet_series_0 FOR VALUES FROM (1) TO (10001)' >"$work/detached" 2>&1
    expect_status 'PostgreSQL: it is there again' 0 "$TARE" db add "$remote" "$work/three.db"
}

# What the server refuses while rows are on their way is the command's error.
test_refused() {
    sql_of -c "ALTER TABLE fleet_rows_0 ADD CONSTRAINT less CHECK (rows NOT LIKE '%machine more 270%')" >"$work/refused" 2>&1
    before=$(runs_in "$remote")
    expect_status 'PostgreSQL: rows that it refuses' 1 "$TARE" db add "$remote" "$work/more"
    check 'PostgreSQL: the reason is one line' "$(cat "$work/output")" \
        sh -c 'test "$(wc -l <"$1")" -eq 1 && grep -q fleet_rows_0 "$1"' sh "$work/output"
    sql_of -c 'ALTER TABLE fleet_rows_0 DROP CONSTRAINT less' >"$work/refused" 2>&1
    check 'PostgreSQL: no run of them is there' "$(runs_in "$remote") runs" \
        test "$(runs_in "$remote")" -eq "$before"
}

# A fleet of version 4, whose tables are those of SQLite: it stays one, and runs go in and come out.
test_older() {
    sqlite3 "$fleet" .schema | sed -n -e 's/ INTEGER/ BIGINT/g' -e 's/ BLOB/ BYTEA/' -e 's/ REAL/ DOUBLE PRECISION/g' \
        -e '/^CREATE TABLE.*fleet/{p;d;}' -e '/^CREATE TABLE/s/);$/) PARTITION BY RANGE (run_id);/p' |
        sort -u >"$work/older.sql"
    sql_of -c 'DROP SCHEMA public CASCADE' -c 'CREATE SCHEMA public' -f "$work/older.sql" \
        -c 'INSERT INTO fleet_version VALUES(4)' >"$work/older" 2>&1
    expect_status 'PostgreSQL: add to a fleet of version 4' 0 "$TARE" db add "$remote" "$work/one.db" "$work/$hostile.db"
    check 'PostgreSQL: its small tables are tables' "$(cat "$work/older")" \
        test "$(sql_of -c 'SELECT count(*) > 0 FROM machine_0')" = t
    for id in 1 2; do
        "$TARE" db extract "$remote" $id -o "$work/older$id.db" >"$work/output" 2>&1
    done
    check 'PostgreSQL: run 1 of version 4 is as it was' "$(cat "$work/output")" cmp -s "$work/one.db" "$work/older1.db"
    check 'PostgreSQL: run 2 of version 4 is as it was' "$(cat "$work/output")" cmp -s "$work/$hostile.db" "$work/older2.db"
    expect_status 'PostgreSQL: remove from a fleet of version 4' 0 "$TARE" db remove "$remote" 1
}

# A run whose rows were changed in the database is refused.
test_altered() {
    sql_of -c 'UPDATE trace SET packets = set_byte(packets, 20, get_byte(packets, 20) # 1) WHERE run_id = 1' >"$work/altered" 2>&1
    expect_status 'PostgreSQL: packets that were changed' 1 "$TARE" db extract "$remote" 1 -o "$work/altered.db"
}

# Whenever it is stopped: no folder is left, and the file is whole or not there.
test_stopped() {
    mkdir "$work/folder"
    stopped=whole
    for hundredths in 01 02 03 04 05 06 08 10 15 20; do
        rm -f "$work/stopped.db"
        TMPDIR="$work/folder" timeout "0.$hundredths" "$TARE" db extract "$fleet" 1 \
            -o "$work/stopped.db" >"$work/output" 2>&1
        [ ! -e "$work/stopped.db" ] || cmp -s "$work/stopped.db" "$work/one.db" ||
            stopped="cut after 0.$hundredths s"
    done
    check 'extract that is stopped: whole or nothing' "$stopped" test "$stopped" = whole
    check 'extract that is stopped: no folder is left' "$(ls "$work/folder")" \
        test -z "$(ls "$work/folder")"
}

hostile="x'); DROP TABLE fleet; --\"\$1\""
value="a\"b','c'); DELETE FROM run; -- %s \$1 ?1 \\"
fleet="$work/fleet.db"
reader="postgresql://reader@/postgres?host=$work/pg"

made 3000 1000 3 one.db && made 500 200 2 "$hostile.db" && made 100 0 1 three.db ||
    fail 'run files' "$(cat "$work/decode")"
edit_run "$work/$hostile.db" \
    "UPDATE machine SET value = '$(printf %s "$value" | sed "s/'/''/g")'" \
    "UPDATE object SET name = x'7f41' || 'é' WHERE rowid = 1" ||
    fail 'a hostile run' "$(cat "$work/edited")"

many=280
make_many || fail 'many run files' "$(cat "$work/decode")"

test_store SQLite "$fleet"
test_many SQLite "$work/many.fleet"
test_forms "$fleet" SQLite
test_first
test_stopped
# char(27) is what a foreign text may hold: files are given it, a terminal is not.
escape="SELECT char(27) || char(155) || 'a' AS text"
"$TARE" db query "$fleet" "$escape" >"$work/raw"
check 'query: a file gets the bytes' "$(od -c "$work/raw")" test "$(sed 1d "$work/raw")" = "$(printf '\033\302\233a')"
script -qec "'$TARE' db query '$fleet' \"$escape\"" "$work/terminal" </dev/null >"$work/raw"
check 'query: no control character reaches a terminal' "$(od -c "$work/raw")" \
    test "$(sed 1d "$work/raw" | tr -d '\r')" = '???a'
"$TARE" db query "$fleet" 'SELECT char(155) || char(233) AS a' --json >"$work/raw"
check 'query: JSON has no control character' "$(od -c "$work/raw")" \
    grep -q '"\\u009bé"' "$work/raw"
check 'no other file is left' "$(ls "$work")" test ! -e "$fleet-journal"

if [ -z "$server" ]; then
    fail 'PostgreSQL' 'not installed: tools/build/setup.sh test'
elif ! start_server fsync=off >"$work/start" 2>&1; then
    fail 'PostgreSQL' "the server does not start: $(tail -n 3 "$work/start")"
else
    sql_of -c 'CREATE ROLE reader LOGIN' -c 'GRANT pg_read_all_data TO reader' >"$work/role" 2>&1
    test_store PostgreSQL "$remote"
    test_forms "$reader" PostgreSQL
    test_powers
    test_both
    test_altered
    expect_status 'PostgreSQL: remove' 0 "$TARE" db remove "$remote" 1
    check 'PostgreSQL: one run is left' "$(runs_in "$remote")" test "$(runs_in "$remote")" -eq 1
    test_parts
    sql_of -c 'DROP SCHEMA public CASCADE' -c 'CREATE SCHEMA public' 2>"$work/schema"
    test_many PostgreSQL "$remote"
    test_refused
    test_detached
    test_older
fi
expect_status 'SQLite: remove' 0 "$TARE" db remove "$fleet" 1
check 'SQLite: one run is left' "$(runs_in "$fleet")" test "$(runs_in "$fleet")" -eq 1
expect_status 'no server' 1 "$TARE" db list "postgresql://guest@/none?host=$work/none"
check 'the reason is one line' "$(cat "$work/output")" test "$(wc -l <"$work/output")" -eq 1

finish
