#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=fleet: runs a second into a fleet in PostgreSQL, and the times of queries of metrics, with
# flat and with partitioned tables. RUNS of them (100,000), and FLAT_RUNS into flat tables (10,000).
#
# The run is a small one of a lab, two benches in exact time. The server runs beside the client, and syncs its files
# unless SETTINGS are others. Processor seconds of both are printed, since they depend least on what else the machine
# does; the server's are those of all its processes.
set -eu

. tools/tests/support/lib.sh
. tools/tests/support/postgres.sh

runs=${RUNS:-100000}
flat=${FLAT_RUNS:-10000}
files=${FILES:-1000}
size_runs=${SIZE_RUNS:-500}
bench=build/host/bench/fleet

load_average() {
    cut -d ' ' -f 1 /proc/loadavg
}

# Of the server's processes, ended ones among them.
server_ticks() {
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v server="$(head -n 1 "$work/pg/data/postmaster.pid")" '
        { sub(/^[0-9]+ \(.*\)/, $1 " name") }
        $4 == server { ticks += $14 + $15 }
        $1 == server { ticks += $14 + $15 + $16 + $17 }
        END { print ticks }'
}

empty() {
    psql -q "$remote" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' 2>"$work/psql"
}

# server_time TICKS RUNS: since there were so many.
server_time() {
    awk -v ticks="$(($(server_ticks) - $1))" -v runs="$2" -v hertz="$(getconf CLK_TCK)" \
        'BEGIN { printf "    CPU time of the server, ms a run: %.2f\n", 1000 * ticks / hertz / runs }'
}

# What the commands that this shell has ended took, in milliseconds, is in $client. No subshell: it has ended none.
client_time() {
    times >"$work/times"
    client=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int(1000 * (60 * ($1 + $3) + $2 + $4)) }' "$work/times")
}

# load WHAT NAME RUNS
load() {
    empty
    echo "$1, $3 runs:"
    load_before=$(load_average)
    ticks=$(server_ticks)
    "$bench" load "$remote" "$2" "$work/run.db" "$3" | sed 's/^/    /'
    server_time "$ticks" "$3"
    echo "    load average of $(nproc) processors before and after: $load_before $(load_average)"
    "$bench" ask "$remote" "${TIMES:-300}" | sed 's/^/    /'
}

# sizes: of the databases of three loads of SIZE_RUNS, without what each has before its load.
sizes() {
    for size in 1 2 3; do
        psql -q "$remote" -c "CREATE DATABASE size$size"
        database="postgresql://tare@/size$size?host=$work/pg"
        blank=$(psql -At "$database" -c "SELECT pg_database_size('size$size')")
        "$bench" load "$database" parts "$work/run.db" "$size_runs" >"$work/load"
        psql -At "$database" -c "SELECT (pg_database_size('size$size') - $blank) / $size_runs"
    done | sort -n | awk -v runs="$size_runs" '{ bytes[NR] = $1 }
        END { printf "bytes of the database a run, %d loads of %d runs: median %d, min %d, max %d; bar: 30000\n",
              NR, runs, bytes[int((NR + 1) / 2)], bytes[1], bytes[NR] }'
}

"$TARE" boot --bench paths,process --set paths.samples=100 --set process.calls=200 \
    --set process.rounds=100 --mode exact --shift 6 -o "$work/run.db" >"$work/boot" 2>&1
# shellcheck disable=SC2086 # several words
start_server ${SETTINGS:-shared_buffers=1GB max_wal_size=4GB} >"$work/start" 2>&1 || {
    echo "bench_fleet: PostgreSQL does not start: $(tail -n 3 "$work/start")" >&2
    exit 1
}
echo "the run: $(sqlite3 "$work/run.db" "SELECT count(*) || ' series, ' || sum(n) || ' samples, ' ||
    (SELECT count(*) FROM digest_metric) || ' metrics, ' || (SELECT sum(length(packets)) FROM trace)
    || ' bytes of traces' FROM series")"
load 'flat tables' flat "$flat"
load 'partitioned tables' parts "$runs"
sizes
mkdir "$work/files"
"$bench" files "$work/run.db" "$files" "$work/files"
empty
load_before=$(load_average)
ticks=$(server_ticks)
client_time
before=$client
begin=$(date +%s%N)
"$TARE" db add "$remote" "$work/files" >"$work/add"
took=$(($(date +%s%N) - begin))
client_time
echo "tare db add of a folder with $files run files:"
echo "    runs a second: $((files * 1000000000 / took))"
awk -v ms="$((client - before))" -v runs="$files" 'BEGIN { printf "    CPU time of the client, ms a run: %.2f\n", ms / runs }'
server_time "$ticks" "$files"
echo "    load average of $(nproc) processors before and after: $load_before $(load_average)"
