#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Files that are no run files or damaged ones, and places that take no file: every command reports it on
# one line, fails, and leaves nothing half-written under the final name.
set -u

. tools/tests/support/lib.sh

out=$work/out

# refused NAME COMMAND...: fails with one line on standard error, and leaves nothing in $out.
refused() {
    refused_name=$1
    shift
    rm -rf "$out"
    mkdir "$out"
    refused_status=0
    "$@" >"$work/stdout" 2>"$work/stderr" </dev/null || refused_status=$?
    if [ "$refused_status" -ne 1 ]; then
        fail "$refused_name" "status $refused_status: $(head -n 3 "$work/stderr")"
    elif [ "$(wc -l <"$work/stderr")" -ne 1 ]; then
        fail "$refused_name" "not one line: $(head -n 5 "$work/stderr")"
    elif [ -n "$(ls -A "$out")" ]; then
        fail "$refused_name" "left: $(ls -A "$out")"
    else
        pass "$refused_name"
    fi
}

# all_refuse FILE: every command that reads a run file.
all_refuse() {
    refused "show $1" "$TARE" show --full "$work/$1"
    refused "export $1" "$TARE" export --format ctf -o "$out/ctf" "$work/$1"
    refused "export $1 as JSON" "$TARE" export --format json -o "$out/json" "$work/$1"
    refused "report $1" "$TARE" report -o "$out/page.html" "$work/$1"
    refused "compare $1" "$TARE" compare "$work/good.db" "$work/$1"
    refused "db add $1" "$TARE" db add "$out/fleet.db" "$work/$1"
}

# altered NAME SQL: a copy of the good run file on which the SQL was run.
altered() {
    cp "$work/good.db" "$work/$1"
    sqlite3 "$work/$1" "$2" || fail "$1" 'sqlite3 failed'
}

"$TEST_BIN/big_log" 3000 3000 2 >"$work/log"
"$TARE" decode "$work/log" -o "$work/good.db" 2>"$work/stderr" || fail decode "$(cat "$work/stderr")"

# ---- an invalid run beside a valid one ----

cp "$work/good.db" "$work/kept.db"
head -c $(($(wc -c <"$work/log") / 2)) "$work/log" >"$work/cut.log"
expect_status 'an invalid run' 1 "$TARE" decode "$work/cut.log" -o "$work/kept.db"
check 'does not replace a valid one' 'it is another' cmp -s "$work/good.db" "$work/kept.db"
check 'but goes beside it, with a line that reports it' "$(cat "$work/output")" \
    grep -q "kept.db holds a valid run and is left as it is; this invalid run is in $work/kept.invalid.db" \
    "$work/output"
check 'where it is to be read' "$(ls "$work")" \
    sh -c '"$1" show "$2" 2>&1 | grep -q INVALID' sh "$TARE" "$work/kept.invalid.db"
expect_status 'by force' 1 "$TARE" decode --force "$work/cut.log" -o "$work/kept.db"
check 'it replaces the valid one' 'it is the old one' sh -c '! cmp -s "$1" "$2"' sh "$work/good.db" "$work/kept.db"
expect_status 'an invalid run where one is' 1 "$TARE" decode "$work/cut.log" -o "$work/kept.db"
check 'replaces it' "$(cat "$work/output")" \
    sh -c '! grep -q "holds a valid run" "$1"' sh "$work/output"
expect_status 'a valid run where an invalid one is' 0 "$TARE" decode "$work/log" -o "$work/kept.db"
check 'replaces it, too' 'it is another' cmp -s "$work/good.db" "$work/kept.db"

head -c 20000 "$work/good.db" >"$work/cut.db"
head -c 60 "$work/good.db" >"$work/stump.db"
: >"$work/empty.db"
echo 'dear diary' >"$work/text.db"
mkdir "$work/directory.db"
sqlite3 "$work/foreign.db" 'CREATE TABLE run(key, value)'
altered newer.db 'PRAGMA user_version = 99'
altered type.db "UPDATE bench SET pass = 'one'"
altered text_samples.db "UPDATE series SET samples = 'not bytes' WHERE rowid = 1"
altered short.db "UPDATE series SET samples = x'0000' WHERE rowid = 1"
altered claims.db "UPDATE series SET n = 4000000000 WHERE rowid = 1"
altered two_names.db "INSERT INTO object SELECT bench, pass, kind, id, 'x', process, priority FROM object"
altered packets.db "UPDATE trace SET packets = zeroblob(8192)"
altered no_table.db "DROP TABLE series"
altered view.db "ALTER TABLE loss RENAME TO old; CREATE VIEW loss AS SELECT text FROM loss"
altered endless.db "DROP TABLE loss; CREATE VIEW loss AS WITH RECURSIVE more(text) AS
    (SELECT 'a' UNION ALL SELECT 'a' FROM more) SELECT text FROM more"
altered computed.db "DROP TABLE loss; CREATE TABLE loss(n, text AS (hex(zeroblob(100000000))));
    INSERT INTO loss(n) VALUES (1)"
altered benches.db "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 5000)
    INSERT INTO bench(name, pass, state) SELECT 'b' || n, 1, 'OK' FROM more"
for file in cut.db stump.db empty.db text.db directory.db foreign.db newer.db type.db \
    text_samples.db short.db claims.db two_names.db packets.db no_table.db view.db endless.db computed.db \
    benches.db missing.db; do
    all_refuse $file
done

: >"$work/empty.log"
for log in empty.log text.db missing.log directory.db; do
    rm -rf "$out"
    mkdir "$out"
    expect_status "decode $log" 1 "$TARE" decode "$work/$log" -o "$out/run.db"
    check "decode $log leaves nothing" "$(ls -A "$out")" test -z "$(ls -A "$out")"
done

# Fleets.
refused 'add to a text' "$TARE" db add "$work/text.db" "$work/good.db"
refused 'add to a run file' "$TARE" db add "$work/good.db" "$work/good.db"
refused 'add to a foreign database' "$TARE" db add "$work/foreign.db" "$work/good.db"
refused 'list a run file' "$TARE" db list "$work/good.db"
refused 'list what is not there' "$TARE" db list "$work/missing.db"
"$TARE" db add "$work/fleet.db" "$work/good.db" >"$work/stdout" || fail 'db add' 'failed'
cp "$work/fleet.db" "$work/newer_fleet.db"
sqlite3 "$work/newer_fleet.db" 'UPDATE fleet_version SET version = 9'
refused 'list a newer fleet' "$TARE" db list "$work/newer_fleet.db"
cp "$work/fleet.db" "$work/bad_fleet.db"
sqlite3 "$work/bad_fleet.db" "UPDATE series SET samples = zeroblob(length(samples))"
refused 'extract what was changed' "$TARE" db extract "$work/bad_fleet.db" 1 -o "$out/run.db"
# changed TABLE SQL: a change that no row contradicts.
changed() {
    cp "$work/fleet.db" "$work/changed_$1.db"
    sqlite3 "$work/changed_$1.db" "$2" || fail "$1" 'sqlite3 failed'
    refused "extract a run whose $1 was changed" "$TARE" db extract "$work/changed_$1.db" 1 -o "$out/run.db"
    check "$1: its rows are reported as changed" "$(cat "$work/stderr")" \
        grep -q '^tare db: run 1 differs from what was added' "$work/stderr"
}
changed machine "UPDATE machine SET value = value || '?' WHERE position = 0"
changed series "UPDATE series SET unit = 'ns' WHERE position = 0"
changed info "DELETE FROM run WHERE position = (SELECT max(position) FROM run)"
changed fleet "UPDATE fleet SET content = upper(content)"

# Fleets with SQL of their own, which must not run.
endless='WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT n FROM more'
# fleet_with TABLE SQL: a fleet whose table TABLE is called old, and where the SQL was run.
fleet_with() {
    cp "$work/fleet.db" "$work/$1_fleet.db"
    sqlite3 "$work/$1_fleet.db" "ALTER TABLE $1 RENAME TO old; $2" || fail "$1" 'sqlite3 failed'
}
for table in fleet fleet_version series; do
    fleet_with $table "CREATE VIEW $table AS $endless"
    refused "list a fleet whose $table is a view" timeout 10 "$TARE" db list "$work/${table}_fleet.db"
    refused "extract from a fleet whose $table is a view" timeout 10 \
        "$TARE" db extract "$work/${table}_fleet.db" 1 -o "$out/run.db"
    refused "add to a fleet whose $table is a view" timeout 10 \
        "$TARE" db add "$work/${table}_fleet.db" "$work/good.db"
done
cp "$work/good.db" "$work/view_run.db"
sqlite3 "$work/view_run.db" "CREATE TABLE fleet(run_id); CREATE VIEW fleet_version AS $endless"
refused 'list a run file that would be a fleet, with a view' timeout 10 \
    "$TARE" db list "$work/view_run.db"
refused 'extract from a run file that would be a fleet, with a view' timeout 10 \
    "$TARE" db extract "$work/view_run.db" 1 -o "$out/run.db"
fleet_with loss 'CREATE TABLE loss(run_id, position, n, text AS (hex(zeroblob(100000000))))'
refused 'extract from a fleet with a computed column' timeout 10 \
    "$TARE" db extract "$work/loss_fleet.db" 1 -o "$out/run.db"
cp "$work/fleet.db" "$work/trigger_fleet.db"
"$TARE" db remove "$work/trigger_fleet.db" 1 >"$work/stdout" || fail 'db remove' 'failed'
sqlite3 "$work/trigger_fleet.db" "CREATE TRIGGER more AFTER INSERT ON fleet
    BEGIN INSERT INTO fleet_version $endless; END"
expect_status 'add to a fleet with a trigger: it does not run' 0 timeout 10 \
    "$TARE" db add "$work/trigger_fleet.db" "$work/good.db"
check 'foreign files are as they were' 'changed' \
    test "$(sqlite3 "$work/foreign.db" 'SELECT count(*) FROM sqlite_master')" -eq 1

# Many programs that write the same file: each does it or reports another writer.
rm -rf "$out"
mkdir "$out"
for number in 1 2 3 4 5 6 7 8; do
    {
        status=0
        "$TARE" decode "$work/log" -o "$out/run.db" >"$work/writer$number" 2>&1 || status=$?
        [ "$status" -eq 0 ] || { [ "$status" -eq 1 ] &&
            grep -q 'another program is writing it' "$work/writer$number"; } || echo "$number" >>"$work/writers"
    } &
done
wait
check 'eight writers of one file' "$(cat "$work"/writer*)" test ! -e "$work/writers"
check 'the file is whole, and alone' "$(ls "$out")" cmp "$work/good.db" "$out/run.db"
check 'nothing is left beside it' "$(ls "$out")" test "$(ls "$out")" = run.db

# A disk that is full: no file may grow beyond 8 KiB.
no_room() {
    (
        ulimit -f 16
        exec "$@"
    )
}
refused 'no room: export ctf' no_room "$TARE" export --format ctf -o "$out/ctf" "$work/good.db"
refused 'no room: export json' no_room "$TARE" export --format json -o "$out/json" "$work/good.db"
refused 'no room: report' no_room "$TARE" report -o "$out/page.html" "$work/good.db"
refused 'no room: db add' no_room "$TARE" db add "$out/fleet.db" "$work/good.db"
refused 'no room: db extract' no_room "$TARE" db extract "$work/fleet.db" 1 -o "$out/run.db"
rm -rf "$out"
mkdir "$out"
expect_status 'no room: decode' 1 no_room "$TARE" decode "$work/log" -o "$out/run.db"
check 'no room: decode leaves nothing' "$(ls -A "$out")" test -z "$(ls -A "$out")"

# QEMU, which writes the log of a boot, drops what finds no room: these benches' log, which is coded,
# takes more than 8 KiB.
image=${IMAGE:-build/image/tare.efi}
if command -v qemu-system-x86_64 >"$work/which"; then
    rm -rf "$out"
    mkdir "$out"
    expect_status 'no room: boot' 1 no_room "$TARE" boot --mode exact --shift 6 --bench echo,paths,idle,gap \
        --log "$out/log" -o "$out/run.db" "$image"
    check 'no room: boot names the log' "$(cat "$work/output")" \
        grep -q "cannot write $out/log: File too large; free space" "$work/output"
    check 'no room: boot leaves only the log' "$(ls -A "$out")" test "$(ls -A "$out")" = log
else
    skip 'no room: boot' 'no QEMU'
fi

# Places where not even root may make a file.
for place in /proc "$work/text.db" "$work/none"; do
    refused "export to $place" "$TARE" export --format json -o "$place/x" "$work/good.db"
    refused "export ctf to $place" "$TARE" export --format ctf -o "$place/x" "$work/good.db"
    refused "report to $place" "$TARE" report -o "$place/x.html" "$work/good.db"
    refused "db add to $place" "$TARE" db add "$place/x.db" "$work/good.db"
    refused "db extract to $place" "$TARE" db extract "$work/fleet.db" 1 -o "$place/x.db"
    expect_status "decode to $place" 1 "$TARE" decode "$work/log" -o "$place/x.db"
done

# A run file takes the place of no log, and of nothing that is no file.
ln -s log "$work/link"
refused 'decode over its log' "$TARE" decode "$work/log" -o "$work/log"
refused 'decode over its log by another name' "$TARE" decode "$work/log" -o "$work/link"
expect_status 'the log is as it was' 0 "$TARE" decode "$work/log" -o "$work/again.db"
check 'the log is as it was: same run file' 'another' cmp -s "$work/good.db" "$work/again.db"

# Nor does anything that is written take the place of what it is made of, whatever its name.
# keeps FILE COMMAND...: it is refused, and the file is as it was.
keeps() {
    keeps_file=$1
    shift
    cp "$keeps_file" "$work/before"
    refused "over $(basename "$keeps_file"): $2" "$@"
    check "over $(basename "$keeps_file"): $2: it is as it was" 'changed' \
        cmp -s "$work/before" "$keeps_file"
    check "over $(basename "$keeps_file"): $2: the reason is printed" "$(cat "$work/stderr")" \
        grep -qE 'is an input of this command; name another file' "$work/stderr"
}
ln -s good.db "$work/good_link"
cp "$work/good.db" "$work/named.db.tmp"
printf 'max paths.switch 1 s\n' >"$work/limits"
printf 'passes 10\nlevels low\nstimulus s arrivals poisson interval 10\n  route low 1\n' >"$work/model"
printf 'delay processing 1\n' >"$work/delays"
printf 'bench=call\n' >"$work/plan"
keeps "$work/good.db" "$TARE" export --format csv -o "$work/good.db" "$work/good.db"
keeps "$work/good.db" "$TARE" export --format csv -o "$work/good_link" "$work/good.db"
keeps "$work/named.db.tmp" "$TARE" export --format csv -o "$work/named.db" "$work/named.db.tmp"
keeps "$work/good.db" "$TARE" report -o "$work/good.db" "$work/good.db"
keeps "$work/again.db" "$TARE" compare --html "$work/again.db" "$work/good.db" "$work/again.db"
keeps "$work/limits" "$TARE" compare --limits "$work/limits" --html "$work/limits" \
    "$work/good.db" "$work/again.db"
keeps "$work/fleet.db" "$TARE" db extract "$work/fleet.db" 1 -o "$work/fleet.db"
keeps "$work/model" "$TARE" sim --replications 2 -o "$work/model" "$work/model"
keeps "$work/delays" "$TARE" sim -o "$work/delays" "$work/delays"
keeps "$work/plan" "$TARE" boot --mode exact --plan "$work/plan" --log "$work/plan" -o "$out/db" "$work/text.db"
keeps "$work/plan" "$TARE" boot --mode exact --plan "$work/plan" --log "$out/log" -o "$work/plan" "$work/text.db"
expect_status 'a boot whose run file is its log' 1 \
    "$TARE" boot --mode exact --log "$work/same" -o "$work/./same" "$image"
check 'the reason is printed' "$(cat "$work/output")" grep -q 'log and run file cannot be the same file' "$work/output"
echo precious >"$work/back.db.rows"
expect_status 'extract beside a file of the name with .rows' 0 \
    "$TARE" db extract "$work/fleet.db" 1 -o "$work/back.db"
check 'it is as it was' "$(cat "$work/back.db.rows")" test "$(cat "$work/back.db.rows")" = precious
mkfifo "$work/fifo"
expect_status 'decode to a FIFO' 1 "$TARE" decode "$work/log" -o "$work/fifo"
check 'decode to a FIFO: it is still one' "$(ls -l "$work/fifo")" test -p "$work/fifo"
refused 'a FIFO as one of several logs' "$TARE" decode "$work/log" "$work/fifo" -o "$out/db"

# Standard output that is full.
full() {
    "$@" >/dev/full
}
refused 'full: show' full "$TARE" show --full "$work/good.db"
refused 'full: show --json' full "$TARE" show --json "$work/good.db"
refused 'full: export csv-events' full "$TARE" export --format csv-events "$work/good.db"
refused 'full: export json' full "$TARE" export --format json "$work/good.db"
refused 'full: report' full "$TARE" report -o - "$work/good.db"
refused 'full: db query' full "$TARE" db query "$work/fleet.db" 'SELECT * FROM metric'

# closed NAME COMMAND...: into a pipe whose reader has ended: what fits into a pipe would else be
# written. It ends as other programs do, by SIGPIPE (128 + 13) and in silence.
closed() {
    closed_name=$1
    shift
    {
        sleep 0.2
        "$@" 2>"$work/stderr"
        echo $? >"$work/status"
    } | true
    check "closed pipe: $closed_name" "status $(cat "$work/status"): $(cat "$work/stderr")" \
        test "$(cat "$work/status")" -eq 141 -a ! -s "$work/stderr"
}
closed show "$TARE" show --full "$work/good.db"
closed 'show --json' "$TARE" show --json "$work/good.db"
closed 'show --samples' "$TARE" show --samples echo/idle "$work/good.db"
closed 'export csv-events' "$TARE" export --format csv-events "$work/good.db"
closed 'export csv' "$TARE" export --format csv "$work/good.db"
closed report "$TARE" report -o - "$work/good.db"
closed 'db query' "$TARE" db query "$work/fleet.db" \
    'SELECT a.name, b.name FROM series a, series b, series c, series d'

finish
