#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# make bench ONLY=timerlat: PERIODS (default 10,000,000) periods of timerlat in exact time, as a run of
# hours would be: exact maxima, spans that sum to the whole, a log that does not grow.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

limit=3000
periods=${PERIODS:-10000000}
bench='.benches[] | select(.name == "timerlat")'

# play NAME PERIODS
play() {
    echo "timerlat: $2 periods" >&2
    boot "$1" 0 --shift 6 --bench timerlat --set timerlat.period_us=100 --set timerlat.ms=$(($2 / 10)) >&2
}

play short 100000
play long "$periods"
value long "$bench | .processors[] |
    \"processor \(.number): \(.periods) periods, \(.overruns) overruns; ticks: \" +
    \"median \(.whole.median), p99.9 \(.whole.p999), max \(.whole.max) at \(.whole.max_at)\""
echo "log: $(wc -c <"$work/short.log") bytes of 100,000 periods, $(wc -c <"$work/long.log") of $periods"
check 'all periods came through' 'they did not' \
    json long "$bench | .processors | all(.periods + .overruns == $periods)"
check 'spans sum to the whole' 'they do not' json long "$bench | .processors |
    all(.handler.sum + .dpc.sum + .thread.sum == .whole.sum)"
check 'the log does not grow with the periods' 'it does' \
    [ "$(wc -c <"$work/long.log")" -lt $(($(wc -c <"$work/short.log") + 1000)) ]
finish
