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

# same BENCH FACT: there is one of each phase, at least two, and all are equal.
same() {
    of "$1" "(.interactive.phases | length) as \$phases | [.facts | to_entries[] |
        select(.key | startswith(\"$2.\")) | .value] |
        length == \$phases and \$phases > 1 and (unique | length) == 1"
}

# each BENCH STRUCTURE FILTER: the filter holds for each phase NAME of the structure, and there is one.
each() {
    of "$1" ".facts as \$f | [.interactive.phases[].name | select(startswith(\"$2.\"))] |
        length > 0 and all(. as \$p | $3)"
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
            check "$bench: $fact is the same in all phases" "$(facts $bench)" same "$bench" "$fact"
        done
        check "$bench: two address spaces a flush of a server, no segment register" "$(facts "$bench")" \
            each "$bench" server '$f["flushes." + $p] > 0 and $f["segment_loads." + $p] == 0 and
                $f["address_spaces." + $p] == 2 * $f["flushes." + $p]'
        check "$bench: in the kernel neither" "$(facts "$bench")" \
            each "$bench" in_kernel '$f["address_spaces." + $p] == 0 and $f["segment_loads." + $p] == 0'
        [ "$bench" = writer ] || check "$bench: six segment registers a far call of 16-bit code and 20 a record" \
            "$(facts "$bench")" each "$bench" segmented '$f["far_calls." + $p] > 0 and
                $f["address_spaces." + $p] == 0 and
                $f["segment_loads." + $p] == 6 * $f["far_calls." + $p] + 20 * $f["unaligned." + $p] / 30'
    done
    for bench in editor writer; do
        check "$bench: the document is what the script types, after corrections" "$(facts "$bench")" \
            of "$bench" '.facts | .script_length >= 1000 and
                .script_checksum == .["document_checksum.in_kernel.test"]'
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
    check 'page_down, by the plugin: a server loads address spaces for its flushes alone' \
        "$(facts page_down)" \
        json paper '.benches[] | select(.name == "page_down") | .facts |
            (.["address-space-loads.server.test"] - .["address_spaces.server.test"]) as $more |
            $more >= 0 and $more <= 4 and .["address-space-loads.in_kernel.test"] <= 2'
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
