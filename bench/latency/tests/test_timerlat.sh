#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Bench timerlat in exact time: spans are the whole, the same each time; added delays come back to
# the tick; books that do not grow with the number of periods; all processors at once; loads.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

bench='.benches[] | select(.name == "timerlat")'

# lane NAME PROCESSOR FILTER
lane() {
    value "$1" "$bench | .processors[$2] | $3"
}

# same NAME WHAT LEFT RIGHT
same() {
    if [ -n "$3" ] && [ "$3" = "$4" ]; then
        pass "$1: $2"
    else
        fail "$1: $2" "$3 is not $4"
    fi
}

# Of 15,000 periods p99.9 has 15 above it.
boot alone 0 --shift 4 --bench timerlat --set timerlat.period_us=20 --set timerlat.ms=300
check 'alone: OK' 'it is not' all_ok alone timerlat
check 'alone: every period came through' "$(lane alone 0 '[.periods, .overruns]')" \
    json alone "$bench | .processors[0] | .periods == 15000 and .overruns == 0"
for span in handler dpc thread whole; do
    check "alone: $span: median and 99.9 % are one" "$(lane alone 0 ".$span")" \
        json alone "$bench | .processors[0].$span | .median == .p999 and .p999 != null"
done
check 'alone: spans sum to the whole' "$(lane alone 0 .)" json alone "$bench | .processors[0] |
    .handler.sum + .dpc.sum + .thread.sum == .whole.sum"

# An iteration is two instructions: 1000 more are 2000, in the span that they are in alone.
boot once 0 --bench timerlat --set timerlat.ms=20 --set timerlat.delay_dpc=1000 \
    --set timerlat.delay_thread=500
boot twice 0 --bench timerlat --set timerlat.ms=20 --set timerlat.delay_dpc=2000 \
    --set timerlat.delay_thread=1500
ticks=$(value once .run.ticks_per_instruction)
for pair in handler:0 dpc:2000 thread:2000 whole:4000; do
    span=${pair%:*}
    grown=$(($(lane twice 0 ".$span.max") - $(lane once 0 ".$span.max")))
    same delays "$span grew by ${pair#*:} instructions" "$grown" "$((${pair#*:} * ticks))"
done

# 100,000 instructions are a whole of some 800 us: the first period ends the bench.
boot stopped 1 --smp 2 --bench timerlat --set timerlat.delay_thread=50000 --set noise.stop_us=300
check 'stopped: FAIL by name' "$(value stopped "$bench | .reason")" \
    json stopped "$bench | .status == \"FAIL\" and (.reason | test(\"noise.stop_us=300\"))"
check 'stopped: at its first latency beyond, all processors behind a few periods' \
    "$(value stopped "$bench | [.facts.stopped_at, .processors]")" json stopped "$bench |
    .facts.stopped_at == 0 and (.processors | length == 2 and all(.periods + .overruns < 10))"
boot within 0 --bench timerlat --set timerlat.ms=5 --set noise.stop_us=300
check 'within the threshold: OK' 'it is not' all_ok within timerlat

# Memory, log and run file are as large for more periods: only digits grow.
boot shorter 0 --shift 6 --bench timerlat --set timerlat.ms=200 --set timerlat.period_us=100
boot longer 0 --shift 6 --bench timerlat --set timerlat.ms=100000 --set timerlat.period_us=100
check 'longer: OK' 'it is not' all_ok longer timerlat
check 'longer: 1,000,000 periods' "$(lane longer 0 .)" \
    json longer "$bench | .processors[0] | .periods + .overruns == 1000000"
grown=$(($(wc -c <"$work/longer.log") - $(wc -c <"$work/shorter.log")))
if [ "$grown" -lt 500 ]; then
    pass 'longer: the log is no longer for five hundred times as many periods'
else
    fail 'longer: the log' "it is longer by $grown bytes"
fi

boot all 0 --smp 4 --bench timerlat --set timerlat.ms=50
check 'all: OK' 'it is not' all_ok all timerlat
check 'all: four processors, all their periods' "$(value all "$bench | .processors")" json all \
    "$bench | .processors | length == 4 and all(.periods == 50 and .overruns == 0)"

for load in memory cache ipi; do
    boot "$load" 0 --smp 3 --bench timerlat --set timerlat.ms=20 --set timerlat.load=$load
    check "$load: OK" 'it is not' all_ok "$load" timerlat
    check "$load: two processors worked meanwhile" "$(value "$load" "$bench | .facts")" \
        json "$load" "$bench | .facts | .loaders == 2 and .load_rounds >= 2"
done
boot without 0 --bench timerlat --set timerlat.load=memory
check 'a load on one processor is SKIP' 'it is not' json without "$bench | .status == \"SKIP\""

finish
