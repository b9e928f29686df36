#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Threads on four processors for long, and at a high rate, in exact time (`make bench ONLY=smp`):
# - ten virtual minutes of bench beside, with a trace and without one: the books close to the tick;
# - 20,000 switches a second and more on each processor for a second, without a lost record.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

smp=${image%/*}/tare-smp.efi

# elapsed NAME: prints the elapsed ticks of each processor, and the difference of its accounts to them.
elapsed() {
    sqlite3 "$work/$1.db" "
        WITH part AS (SELECT CASE WHEN name LIKE 'account_cpu%' THEN substr(name, 12, instr(substr(name, 12), '_') - 1) + 0 ELSE 0 END
            AS cpu, name LIKE '%elapsed' AS whole, value FROM fact WHERE name LIKE 'account\\_%' ESCAPE '\\' AND name <> 'account_record')
        SELECT cpu, sum(value * whole), sum(value * (1 - 2 * whole)) FROM part GROUP BY cpu ORDER BY cpu"
}

ten() {
    boot "$1" 0 --shift 8 --smp 4 --bench beside --set beside.requests=3000 --set beside.period_us=50000 \
        --set beside.quantum_us=10000 --set beside.work_us=4000 --set trace.bytes=8000000 --set "trace.mode=$1" "$smp"
    elapsed "$1" >"$work/elapsed"
    cat "$work/elapsed"
    check "$1: four processors, ten minutes each, difference 0" 'see above' \
        test "$(awk -F'|' '$2 >= 600000000000 && $3 == 0' "$work/elapsed" | wc -l)" -eq 4
}

ten drain
/usr/bin/python3 tools/tests/smp/smp_books.py "$TARE" "$work/drain.db" >"$work/books"
cat "$work/books"
check 'drain: smp_books.py finds nothing wrong' 'see above' sh -c "! grep -v ^pass '$work/books'"
ten off

boot rate 0 --smp 4 --bench affinity --set affinity.moves=10000 --set affinity.quantum_us=66 --set trace.bytes=16000000 "$smp"
"$TARE" export --format csv-events --bench affinity "$work/rate.db" | awk -F, '
    NR == 2 { begin = $4 }
    $6 == "thread_switch" && $4 - begin < 900000000 { count[$5]++ }
    END { for (cpu in count) { printf "%d %.0f\n", cpu, count[cpu] / 0.9 } }' | sort >"$work/rates"
cat "$work/rates"
check 'rate: 20,000 switches a second on each of four processors, for 0.9 s' 'see above' \
    test "$(awk '$2 >= 20000' "$work/rates" | wc -l)" -eq 4
check 'rate: no record is lost' "$(sqlite3 "$work/rate.db" 'SELECT cpu, kept, discarded FROM trace')" \
    test "$(sqlite3 "$work/rate.db" 'SELECT count(*) > 0 AND sum(discarded + overwritten) = 0 FROM trace')" -eq 1
finish
