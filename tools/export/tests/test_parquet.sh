#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare export --format parquet: two readers that are not ours have the rows that SQLite has, cell by
# cell: what is missing, the greatest and least integers, texts of any script, tables without a row, and
# of more than one row group.
set -u

. tools/tests/support/lib.sh

rows=tools/export/tests/parquet_rows

# made SAMPLES EVENTS SERIES NAME [AT]: a run file; 200 bytes of its log from AT on are lost.
made() {
    "$TEST_BIN/big_log" "$1" "$2" "$3" >"$work/log" || return
    if [ $# -eq 5 ]; then
        head -c "$5" "$work/log" >"$work/cut" && tail -c "+$(($5 + 200))" "$work/log" >>"$work/cut" &&
            mv "$work/cut" "$work/log"
    fi
    "$TARE" decode "$work/log" -o "$work/$4.db" 2>"$work/decode"
    [ -e "$work/$4.db" ]
}

# same READER NAME: are its rows of the exported files SQLite's?
same() {
    # Names sort as Python sorts them.
    # shellcheck disable=SC2046
    node $rows.mjs "$readers" "$1" $(printf '%s\n' "$work/$2"/*.parquet | LC_ALL=C sort) \
        >"$work/$2.$1" 2>"$work/node" && cmp "$work/$2.sqlite" "$work/$2.$1" >"$work/node" 2>&1
}

test_run() {
    expect_status "$1: export" 0 "$TARE" export --format parquet -o "$work/$1" "$work/$1.db"
    /usr/bin/python3 $rows.py "$work/$1.db" >"$work/$1.sqlite"
    for reader in hyparquet duckdb; do
        check "$1: $reader has the rows of SQLite" "$(head -n 3 "$work/node" 2>&1)" same $reader "$1"
    done
}

command -v node >/dev/null 2>&1 || {
    fail 'node' 'not installed: tools/build/setup.sh test'
    finish
    exit
}
readers=$(tools/build/parquet_readers.sh) || {
    skip 'Parquet' 'its readers cannot be fetched'
    finish
    exit
}
made 70000 3000 1 large && made 3000 500 3 plain && made 3000 0 3 lost 20000 ||
    fail 'run files' "$(cat "$work/decode")"
# As a foreign run file may have them.
sqlite3 "$work/plain.db" "UPDATE fact SET value = -9223372036854775807 - 1 WHERE rowid = 1;
    UPDATE fact SET value = 9223372036854775807 WHERE rowid = 2;
    UPDATE object SET name = 'Zähler 計 🕰 \"x\"' WHERE rowid = 1"
# Written by tare: what it derives follows.
"$TARE" db add "$work/fleet" "$work/plain.db" >"$work/output" 2>&1 &&
    "$TARE" db extract "$work/fleet" 1 -o "$work/plain.db" 2>"$work/output" ||
    fail 'a hostile run is written anew' "$(cat "$work/output")"
test_run large
test_run plain
test_run lost
check 'a sample that did not arrive is null' "$(head -n 3 "$work/lost.sqlite")" \
    grep -q "$(printf '\t∅$')" "$work/lost.sqlite"
check 'the extremes are among the rows' 'they are not' sh -c \
    'grep -q -e "-9223372036854775808" "$1" && grep -q 9223372036854775807 "$1"' sh "$work/plain.sqlite"
check 'there is a table without a row' 'there is none' \
    test "$(grep -A 1 '^=error.parquet' "$work/plain.duckdb" | tail -n 1 | cut -c 1)" = '='

# A byte in the middle of the samples.
at=$(($(stat -c %s "$work/plain/sample.parquet") / 2))
printf '\125' | dd of="$work/plain/sample.parquet" bs=1 seek=$at conv=notrunc 2>"$work/dd"
for reader in hyparquet duckdb; do
    if same $reader plain; then fail "$reader: a changed byte" 'the same rows'; else pass "$reader: a changed byte is seen"; fi
done

expect_status 'its own files are replaced' 0 "$TARE" export --format parquet -o "$work/large" "$work/large.db"
echo x >"$work/large/mine.parquet"
expect_status 'others are not' 1 "$TARE" export --format parquet -o "$work/large" "$work/large.db"
expect_status 'one bench alone is refused' 2 "$TARE" export --format parquet --bench idle -o "$work/x" "$work/large.db"
finish
