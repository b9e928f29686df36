#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench-fleet: runs a second into a fleet in PostgreSQL, and the times of queries of metrics, with
# flat and with partitioned tables. RUNS of them (100,000), and FLAT_RUNS into flat tables (10,000).
#
# The run is a small one of a lab, two benches in exact time; the server runs beside the client and
# its files are not synced.
set -eu

. tools/tests/support/lib.sh
. tools/tests/support/postgres.sh

runs=${RUNS:-100000}
flat=${FLAT_RUNS:-10000}
files=${FILES:-1000}
bench=build/host/bench/fleet

# load WHAT NAME RUNS
load() {
    psql -q "$remote" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' 2>"$work/psql"
    echo "$1, $3 runs, load of the machine $(cut -d ' ' -f 1 /proc/loadavg):"
    "$bench" load "$remote" "$2" "$work/run.db" "$3" | sed 's/^/    /'
    "$bench" ask "$remote" "${TIMES:-300}" | sed 's/^/    /'
    psql -At "$remote" -c "SELECT '    bytes of the database a run: ' ||
        pg_database_size('postgres') / $3"
}

"$TARE" boot --bench paths,process --set paths.samples=100 --set process.calls=200 \
    --set process.rounds=100 --mode exact --shift 6 -o "$work/run.db" >"$work/boot" 2>&1
start_server fsync=off shared_buffers=1GB max_wal_size=16GB >"$work/start" 2>&1 || {
    echo "bench_fleet: PostgreSQL does not start: $(tail -n 3 "$work/start")" >&2
    exit 1
}
echo "the run: $(sqlite3 "$work/run.db" "SELECT count(*) || ' series, ' || sum(n) || ' samples, ' ||
    (SELECT count(*) FROM digest_metric) || ' metrics, ' || (SELECT sum(length(packets)) FROM trace)
    || ' bytes of traces' FROM series")"
load 'flat tables' flat "$flat"
load 'partitioned tables' parts "$runs"
mkdir "$work/files"
"$bench" files "$work/run.db" "$files" "$work/files"
psql -q "$remote" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' 2>"$work/psql"
begin=$(date +%s%N)
"$TARE" db add "$remote" "$work/files" >"$work/add"
echo "tare db add of a folder with $files run files: $((files * 1000000000 / ($(date +%s%N) - begin))) a second"
