#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The experimental section of Endo et al. 1996 at its full size (`make bench ONLY=paper`): `tare boot
# --profile paper`, the truths that are known of it, counters of the two microbenchmarks, five seeds
# of the typist, a page of it all and pictures of the screens. They stay in build/paper.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

limit=1500
kept=build/paper
mkdir -p "$kept"

# of BENCH FILTER: of the paper's run.
of() {
    json paper "(.run.ticks_per_instruction | tonumber) as \$tick |
        .benches[] | select(.name == \"$1\") | $2"
}

facts() {
    value paper ".benches[] | select(.name == \"$1\") | .facts" | tr -d '\n ' | head -c 2000
}

# same BENCH FACT: there is one of each of nine phases, and all are equal.
same() {
    of "$1" "[.facts | to_entries[] | select(.key | startswith(\"$2.\")) | .value] |
        length == 9 and (unique | length) == 1"
}

test_whole() {
    begun=$(date +%s)
    boot paper 0 --profile paper --timeout "$limit"
    took=$(($(date +%s) - begun))
    printf 'tare boot --profile paper: %s s\n' "$took"
    check 'paper: all benches are OK' "$(value paper '.benches[] | select(.status != "OK") | .name')" \
        json paper '.run.valid and all(.benches[]; .status == "OK")'
    check 'paper: the whole in under 10 minutes' "$took s" test "$took" -lt 600
}

# Work is the same in all structures, whatever plays the script; crossings are those of the structure.
test_tasks() {
    for bench in editor writer slides page_down object_edit; do
        for fact in document_checksum screen_checksum; do
            check "$bench: $fact is the same in nine phases" "$(facts $bench)" same "$bench" "$fact"
        done
        for driver in hand test fast; do
            check "$bench, $driver: two address spaces a flush of a server, else none" "$(facts "$bench")" \
                of "$bench" ".facts | .[\"flushes.server.$driver\"] > 0 and
                    .[\"address_spaces.server.$driver\"] == 2 * .[\"flushes.server.$driver\"] and
                    .[\"address_spaces.in_kernel.$driver\"] == 0 and
                    .[\"address_spaces.segmented.$driver\"] == 0"
            check "$bench, $driver: six segment registers a far call of 16-bit code and 20 a record, else none" \
                "$(facts "$bench")" of "$bench" ".facts | .[\"far_calls.segmented.$driver\"] > 0 and
                    .[\"segment_loads.segmented.$driver\"] == 6 * .[\"far_calls.segmented.$driver\"] +
                        20 * .[\"unaligned.segmented.$driver\"] / 30 and
                    .[\"segment_loads.in_kernel.$driver\"] == 0 and
                    .[\"segment_loads.server.$driver\"] == 0"
        done
    done
    for bench in editor writer; do
        check "$bench: the document is what the script types, after corrections" "$(facts "$bench")" \
            of "$bench" '.facts | .script_length >= 1000 and
                .script_checksum == .["document_checksum.in_kernel.hand"]'
    done
}

test_long_events() {
    boot longs 0 --shift 7 --bench longevents --memory 1024 \
        --set 'longevents.script={key a hold=5ms every=20ms x8000}' --set trace.bytes=60000000 \
        --set bench.limit_ms=3600000
    check 'longevents, 8000 keys: mean 1/p and deviation like the mean, within 3 standard errors' \
        "$(value longs '.benches[0].long_events' | tr -d '\n ')" json longs \
        '.benches[0].long_events.phases[] | select(.phase == "random") |
         (.mean_off | fabs) < 3 and (.ratio_off | fabs) < 3'
    check 'longevents: periodic, deviation/mean below 0.1' \
        "$(value longs '.benches[0].long_events' | tr -d '\n ')" json longs \
        '.benches[0].long_events.phases[] | select(.phase == "periodic") | .ratio < 0.1'
}

test_table() {
    "$TARE" export --format csv-events --bench slides -o "$work/events.csv" "$work/paper.db"
    "$TARE" export --format json --bench slides -o "$work/slides.json" "$work/paper.db"
    /usr/bin/python3 tools/tests/image/slides_table.py "$work/paper.db" "$work/events.csv" \
        "$work/slides.json" 1024 >"$work/table" 2>&1
    right=$?
    cat "$work/table"
    check 'table 1: each action is the disk time of its requests and known work, to 8 us a request' \
        "$(cat "$work/table")" test "$right" -eq 0
    "$TARE" show --longest 8 slides "$work/paper.db" | tee "$kept/table1.txt"
}

test_counters() {
    boot counted 0 --shift 6 --bench windows,page_down,object_edit --count p5 \
        --set page_down.drivers=test --set object_edit.drivers=test --set trace.bytes=30000000 \
        --memory 1024
    check 'page_down, by the plugin: a server loads address spaces for its flushes alone' \
        "$(value counted '.benches[] | select(.name == "page_down") | .facts' | tr -d '\n ')" \
        json counted '.benches[] | select(.name == "page_down") | .facts |
            (.["address-space-loads.server.test"] - .["address_spaces.server.test"]) as $more |
            $more >= 0 and $more <= 4 and .["address-space-loads.in_kernel.test"] <= 2'
    cp "$work/counted.db" "$kept/"
}

test_pages() {
    expect_status 'tare report' 0 "$TARE" report "$work/paper.db" -o "$kept/paper.html"
    expect_status 'tare export --format screens' 0 "$TARE" export --format screens -o "$kept/screens" "$work/paper.db"
    cp "$work/paper.db" "$kept/"
}

test_whole
test_tasks
test_table
test_long_events
test_counters
test_pages
sh tools/tests/image/bench_seeds.sh | tee "$work/seeds"
check 'five seeds of the typist' "$(cat "$work/seeds")" grep -q ' 0 failed' "$work/seeds"
printf 'page, screens and runs: %s\n' "$kept"
finish
