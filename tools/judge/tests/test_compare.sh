#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare compare: two boots that differ in one parameter, a run of this Linux, limits, and what is
# refused.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

# compare STATUS NAME ARGUMENT...: its output goes to $work/output.
compare() {
    compare_status=$1
    compare_name=$2
    shift 2
    expect_status "$compare_name: status $compare_status" "$compare_status" "$TARE" compare "$@"
}

# printed NAME TEXT: the last output holds the text, however it was wrapped.
printed() {
    tr -s ' \n' ' ' <"$work/output" >"$work/line"
    check "$1" "$(head -n 20 "$work/output")" grep -qF -- "$2" "$work/line"
}

# holds NAME FILTER: jq's filter is true of the last output.
holds() {
    check "$1" "$(head -n 20 "$work/output")" sh -c 'jq -e "$1" "$2" >/dev/null 2>&1' sh "$2" \
        "$work/output"
}

set -- --shift 6 --bench echo,gap,paths --set paths.samples=100 --set gap.ms=200 \
    --set gap.threshold_ns=50000
echo 'echo.work_us=2100' >"$work/b.plan"
boot x 0 "$@" --interleave "$work/b.plan"
for side in a b; do
    for end in log db; do
        check "--interleave: $side has a .$end" "$(ls "$work")" \
            mv "$work/x-$side-1.$end" "$work/$side.$end"
    done
done
check 'what to do next is named' "$(cat "$work/x.err")" \
    grep -qF "next: tare compare $work/x-a-1.db -- $work/x-b-1.db" "$work/x.err"
sqlite3 "$work/a.db" "SELECT value FROM run WHERE key = 'boot.order'" >"$work/order"
check 'the order of the boots was drawn, and is recorded' "$(cat "$work/order")" \
    grep -qE '^(ab, seed [0-9]+, boot 1|ba, seed [0-9]+, boot 2)$' "$work/order"
expect_status 'boots that all fail: the worst status' 1 "$TARE" boot --mode exact --qemu false \
    --repeat 2 --log "$work/bad.log" -o "$work/bad.db"
printed 'each was tried' 'boot 2 of 2: '
expect_status 'no boot at all' 2 "$TARE" boot --repeat 0

# ---- verdicts ----

compare 0 'a run and itself' "$work/a.db" "$work/a.db"
printed 'nothing differs' '0 worse, 0 better, 16 same, 0 unclear'
compare 1 'more work for each key' "$work/a.db" "$work/b.db"
printed 'is found, and nothing else' '6 worse, 0 better, 10 same, 0 unclear'
check 'in 80 columns' "$(cat "$work/output")" \
    sh -c '! grep -v "^  [ab]  " "$1" | grep -qE ".{81}"' sh "$work/output"
compare 0 'less work for each key' "$work/b.db" "$work/a.db"
printed 'is better' '0 worse, 6 better, 10 same, 0 unclear'
compare 0 'a larger threshold' --threshold 10 "$work/a.db" "$work/b.db"
compare 0 'only some metrics' --metric 'paths.*' "$work/a.db" "$work/b.db"
printed 'are compared' '0 worse, 0 better, 4 same, 0 unclear'
compare 1 'three runs' "$work/a.db" "$work/a.db" "$work/b.db"
printed 'each is set against the first' '0 worse, 0 better, 16 same, 0 unclear'
compare 1 'as JSON' --json "$work/a.db" "$work/b.db"
holds 'it parses, and has the same result' '.schema == "tare compare" and
    .comparisons[0].summary == {worse: 6, better: 0, changed: 0, differs: 0, unclear: 0, same: 10} and
    (.comparisons[0].one_boot | not) and .comparisons[0].lengths == "instructions" and
    (.comparisons[0].metrics | length) == 16'
holds 'the work is 100 us longer: 64 ns an instruction' '[.comparisons[0].metrics[] |
    select(.name == "echo.service.key_down") | .verdict == "worse" and .a.n == 100 and
    .b.median - .a.median > 1540 and .b.median - .a.median < 1585] == [true]'
compare 1 'by one measure' --json --measure idle "$work/a.db" "$work/b.db"
holds 'of input, metrics of no other' '[.comparisons[0].metrics[].name | select(startswith("echo."))] |
    index("echo.idle.printable") != null and
    (map(select(startswith("echo.response") or startswith("echo.service"))) | length == 0)'
holds 'the plans differ' '[.comparisons[0].differences[].what] == ["plan"]'
compare 1 'as a page' --html "$work/page.html" "$work/a.db" "$work/b.db"
check 'which is there' "$(ls -l "$work")" grep -q 'echo.service.key_down' "$work/page.html"
check 'named after both runs' "$(grep '<title>' "$work/page.html")" \
    grep -q '<title>tare: b.db against a.db</title>' "$work/page.html"
for name in '"a: a.db"' '"b: b.db"' '"worse"' '>2024-01-01T'; do
    check "it has $name" "$(ls -l "$work")" grep -qF -- "$name" "$work/page.html"
done
compare 1 'a page that cannot be written' --html "$work/none/page.html" "$work/a.db" "$work/a.db"
printed 'is named' 'none/page.html: No such file'

# ---- stolen time ----

# A hundred times as many clock interrupts are 0.6 % of each sample of the idle loop.
for hz in 100 10000; do
    boot "hz$hz" 0 --shift 3 --bench idle --set idle.ms=200 --set "idle.tick_hz=$hz"
done
compare 1 'a hundred times the stolen time' "$work/hz100.db" "$work/hz10000.db"
printed 'is worse, and nothing else' '1 worse, 0 better, 5 same, 0 unclear'
printed 'by its share of the time' 'worse metric a b change 95 % delta idle.stolen[ticking] 6'
printed 'the rule is printed' '(lost time: beyond 10 ppm of the time)'
compare 0 'the other way round' "$work/hz10000.db" "$work/hz100.db"
printed 'is better' '1 better'
compare 0 'a threshold above the difference' --threshold stolen=10000ppm "$work/hz100.db" \
    "$work/hz10000.db"
compare 1 'as JSON, with the difference' --json "$work/hz100.db" "$work/hz10000.db"
holds 'in ppm of the time' '.threshold_stolen_ppm == 10 and ([.comparisons[0].metrics[] |
    select(.name == "idle.stolen[ticking]") | .unit == "ppm" and .difference > 6000 and
    .difference < 6500 and .difference == .difference_low] == [true])'

for hz in 100 10000; do
    query "$work/hz$hz.db" "SELECT CAST(1000 * stolen_ppm AS INT) FROM noise
        WHERE series = 'ticking'" >"$work/sql"
    "$TARE" show --json "$work/hz$hz.db" |
        jq '.benches[] | .stolen_ppm.ticking * 1000 | floor' >"$work/shown"
    check "SQL and show agree, $hz Hz" "$(cat "$work/sql" "$work/shown")" \
        cmp -s "$work/sql" "$work/shown"
done

# ---- limits ----

cat >"$work/limits" <<'END'
# what this image keeps
max    noise.gap               50us in exact
median paths.switch            104 instructions   # to the instruction
p99    echo.service.key_up     <= 1 ms in exact   # of 100 values: the greatest keeps it
rate   gap.gap_length          20/s in exact
END
compare 0 'limits that are kept' --limits "$work/limits" "$work/a.db"
printed 'are counted' '4 kept, 0 broken'
printed 'no gap: the threshold and the histogram bound it' 'none is longer than the threshold'
printf 'median paths.switch 103 instructions\nmax paths.nothing 1s\n' >"$work/broken"
compare 1 'limits that are broken' --limits "$work/broken" "$work/a.db"
printed 'one by its value' 'BROKEN median paths.switch <= 103 instructions: 104 instructions'
printed 'one as its metric is missing' 'max paths.nothing <= 1 s: the run has no such metric'
compare 1 'limits beside a comparison' --json --limits "$work/broken" "$work/a.db" "$work/a.db"
holds 'are those of the later run' '(.runs[0].limits | not) and
    [.runs[1].limits[].kept] == [false, false]'
printf 'max noise.gap 50us\n' >"$work/broken"
compare 1 'a limit in us on an exact run, whose us are virtual' --limits "$work/broken" "$work/a.db"
printed 'is refused, with what helps' 'the limit is of real time, the run has exact time: if it is meant, write "in exact"'
printf 'max noise.gap 50us\nmax\nmedium x 5us\n' >"$work/malformed"
compare 2 'malformed limits' --limits "$work/malformed" "$work/a.db"
printed 'are named by line' "$work/malformed:2: max needs a metric, such as idle.floor"
printed 'each of them' "$work/malformed:3: unknown statistic \"medium\""

# ---- what is refused ----

# host NAME: this Linux as $work/NAME.db, with all figures; a busy machine spoils some, which are left out.
host() {
    host_name=$1
    up_to 40 host_whole
}
host_whole() {
    "$TARE" host --bench loop -o "$work/$host_name.db" >>"$work/host.out" 2>&1
    test "$(sqlite3 "$work/$host_name.db" 'SELECT count(*) FROM absent')" = 0
}
host host
compare 2 'exact against real time' "$work/a.db" "$work/host.db"
printed 'is refused' 'a.db has exact time, which counts instructions'
printed 'with what overrides it' '--force compares them anyway'
# A run of an older image, which reports the time of TCG as real.
cp "$work/host.db" "$work/emulated.db"
edit_run "$work/emulated.db" "DELETE FROM run WHERE key = 'hypervisor';
    INSERT INTO run VALUES ('hypervisor', 'TCGTCGTCGTCG')"
compare 2 'emulated against real time' "$work/emulated.db" "$work/host.db"
printed 'is refused, with both kinds' 'emulated.db has emulated time, which measures an emulator;'
compare 0 'by force' --force --threshold 1000 --html "$work/page.html" "$work/emulated.db" "$work/host.db"
printed 'the table has the warning' 'FORCED compared because of --force: '
printed 'and both kinds' 'time emulated time: measures the emulator, not a processor | real time'
check 'the page has the warning' "$work/page.html" grep -q 'compared because of --force: .* has emulated time' "$work/page.html"
compare 0 'and as JSON' --json --force --threshold 1000 "$work/emulated.db" "$work/host.db"
holds 'the warning and the kinds' '(.warnings[0] | startswith("compared because of --force: ")) and
    [.runs[].kind] == ["emulated", "real"]'
host again
"$TARE" compare --json "$work/host.db" "$work/again.db" >"$work/output" 2>&1
holds 'two runs of this Linux are compared in time' '.comparisons[0].lengths == "ns" and
    [.comparisons[0].metrics[].name] == ["loop.register", "loop.memory"]'
holds 'how boots vary is unknown: none is worse' '.comparisons[0].one_boot and
    .comparisons[0].summary.worse == 0 and .comparisons[0].summary.better == 0'
"$TARE" compare --all "$work/host.db" "$work/again.db" >"$work/output" 2>&1
printed 'and it is stated' 'one on each side: the variation between boots is unknown'

# ---- groups of boots ----

for number in 3 4; do
    host "host$number"
done
"$TARE" compare --json "$work/host.db" "$work/again.db" -- "$work/host3.db" "$work/host4.db" \
    >"$work/output" 2>&1
holds 'two boots a side are judged by their medians, and cannot decide' '.comparisons[0] |
    (.one_boot | not) and (.a_boots | length) == 2 and (.b_boots | length) == 2 and
    .summary.worse == 0 and .summary.better == 0 and .boots_needed == 4 and .order == "unknown" and
    ([.metrics[] | select(.by_boots and .a.boots == 2 and .p > 0.3 and
        ((.a.medians | add) / 2 - .a.median | fabs) < 0.001 and (.b.medians | length) == 2)] | length) == 2'
"$TARE" compare "$work/host.db" "$work/again.db" -- "$work/host3.db" "$work/host4.db" >"$work/output"
printed 'what so few boots cannot show' 'too few to tell a difference from chance: the smallest probability that such groups can have is 0.3333; in 2 tests, 4 of each decide'
printed 'nor boots in no known order' 'a drift of the machine cannot be told from a difference'

# Copies of one boot count once, by the run number; a boot is in one group only.
cp "$work/host.db" "$work/copy.db"
"$TARE" compare --json "$work/host.db" "$work/copy.db" "$work/again.db" -- "$work/host3.db" \
    "$work/host4.db" >"$work/output"
holds 'a copy counts once' '(.comparisons[0].a_boots | length) == 2 and
    (.warnings | length) == 1 and (.warnings[0] | endswith("it counts once"))'
compare 2 'a boot in both groups' "$work/host.db" "$work/again.db" -- "$work/host3.db" "$work/copy.db"
printed 'is refused' 'are one boot, but in both groups; --force'
compare 1 'only copies' --aa "$work/host.db" "$work/copy.db"
printed 'are not two boots' 'all files are copies of one boot'

# Boots of a group are of one machine, image and plan.
cp "$work/a.db" "$work/a2.db"
boot cpu 0 --shift 6 --bench echo,gap,paths --set paths.samples=100 --set gap.ms=200 \
    --set gap.threshold_ns=50000 -- -cpu Nehalem
compare 2 'two processors in one group' "$work/a.db" "$work/cpu.db" -- "$work/b.db"
printed 'are refused, with both files' "a.db and $work/cpu.db are in one group"
printed 'and the fields' 'cpu_brand (QEMU TCG CPU version 2.5+ | Intel Core i7 9xx'
compare 2 'two plans in one group' "$work/a.db" -- "$work/a2.db" "$work/b.db"
printed 'are refused' ' plan ('
"$TARE" compare --json --force "$work/a.db" "$work/cpu.db" -- "$work/b.db" >"$work/output"
holds 'by force with a warning' '[.warnings[] | select(contains("cpu_brand"))] | length == 1'

cp "$work/b.db" "$work/b2.db"
compare 1 'exact boots, two a side' "$work/a.db" "$work/a2.db" -- "$work/b.db" "$work/b2.db"
printed 'equal ones count as one' '6 worse, 0 better, 10 same, 0 unclear'
printed 'both are named' "a 2 boots: $work/a.db $work/a2.db"
compare 1 'groups as a page' --html "$work/groups.html" "$work/a.db" "$work/a2.db" -- "$work/b.db"
check 'names the groups' "$(ls -l "$work")" grep -q '2 boots: ' "$work/groups.html"
compare 2 'a boot twice' "$work/a.db" "$work/a.db" -- "$work/b.db"
printed 'is refused' 'give each boot only once'
compare 2 'three groups' "$work/a.db" -- "$work/b.db" -- "$work/b2.db"
compare 2 'half a group' "$work/a.db" "$work/b.db" --
compare 0 '-- without a run before it' -- "$work/a.db" "$work/a.db"

# ---- boots that should be equal ----

compare 0 'equal boots' --aa "$work/a.db" "$work/a2.db"
printed 'are equal to the tick' '2 boots, 16 metrics: equal in 16, different in 0'
compare 2 'boots that cannot be equal' --aa "$work/a.db" "$work/b.db"
compare 0 'boots that differ' --aa --force --json "$work/a.db" "$work/b.db"
holds 'by the work of each key' '[.metrics[] | select(.name == "echo.service.key_down") |
    .boots == 2 and (.equal | not) and .deviation > 0.03 and .deviation < 0.032 and
    .detectable == null] == [true]'
compare 2 'one boot' --aa "$work/a.db"
head -c $(($(stat -c %s "$work/a.log") * 2 / 3)) "$work/a.log" >"$work/cut.log"
"$TARE" decode "$work/cut.log" -o "$work/cut.db" >"$work/decode" 2>&1
compare 1 'a run that is invalid' "$work/a.db" "$work/cut.db"
printed 'is refused, with the reason' 'cut.db is INVALID: '
compare 1 'by force' --force "$work/a.db" "$work/cut.db"
printed 'is marked' 'FORCED compared because of --force: '
compare 1 'no such file' "$work/a.db" "$work/none.db"
compare 1 'nothing in common' --metric 'nothing.*' "$work/a.db" "$work/b.db"
printed 'is named' 'share no metric "nothing.*"'
compare 2 'one run alone' "$work/a.db"
compare 2 'a threshold that is none' --threshold much "$work/a.db" "$work/b.db"
compare 2 'a threshold without its number' --threshold instructions "$work/a.db" "$work/b.db"
compare 0 'a threshold in instructions, above it' --threshold 500000instructions "$work/a.db" "$work/b.db"
printed 'which the rule states' 'beyond 500,000 instructions'
compare 1 'and below it' --threshold 1000instructions "$work/a.db" "$work/b.db"
for none in stolen=much stolen=10 stolen=ppm stolen=-1ppm stolen=2000000ppm stolen=1ppmx; do
    compare 2 "a threshold that is none: $none" --threshold "$none" "$work/a.db" "$work/b.db"
    printed 'the cure is printed' 'must be stolen=NUMBERppm, from 0 to 1000000'
done
compare 2 'an alpha that is none' --alpha 2 "$work/a.db" "$work/b.db"
# ---- more gaps than there was room for ----

# Every command counts all of them; of the kept ones no maximum is printed, but that of all is.
boot c 0 --shift 6 --bench gap --set gap.ms=60 --set gap.threshold_ns=8 --set gap.keep=20 \
    --set gap.keep_largest=10
sqlite3 "$work/c.db" "SELECT n + value FROM series JOIN fact USING (bench)
    WHERE series.name = 'gap_length' AND fact.name = 'unkept'" >"$work/all"
read -r all <"$work/all"
check 'not all gaps were kept' "$all" test "$all" -gt 500
"$TARE" show gap "$work/c.db" >"$work/output"
shown=$(echo "$all" | sed -E ':a;s/^([0-9]{2,})([0-9]{3})/\1,\2/;ta')
printed 'show counts them all' "gaps above the threshold: $shown in"
printed 'and which of them were kept' 'the first 20 (gap.keep) and the 10 largest of the others'
rate=$(sed -n 's/.*: \([0-9.,]*\) per s; .*/\1/p' "$work/line" | tr -d ,)
"$TARE" show --statistics gap "$work/c.db" >"$work/output"
printed 'statistics state what they are of' "the first 20 of $shown"
"$TARE" export --format openmetrics -o "$work/metrics" "$work/c.db"
grep -c 'series="gap_length".*quantile="1"' "$work/metrics" >"$work/count"
check 'OpenMetrics have no maximum of them' "$(cat "$work/metrics")" test "$(cat "$work/count")" -eq 0
check 'and the longest of all' "$(cat "$work/metrics")" grep -q 'series="longest".*quantile="1"' \
    "$work/metrics"
awk -v all="$all" '/^tare_observed_/ { time = $2 } /^tare_event_rate.*bound="none"/ { rate = $2 }
    END { print all / time / rate }' "$work/metrics" >"$work/ratio"
check 'and the rate of all' "$(cat "$work/metrics")" awk '{ exit !($1 > 0.999 && $1 < 1.001) }' "$work/ratio"
for part in 0.99 1.01; do
    awk -v rate="$rate" -v part="$part" 'BEGIN { printf "rate gap.gap_length %.9g /s in exact\n", rate * part }' \
        >"$work/limits"
    status=0
    "$TARE" compare --limits "$work/limits" "$work/c.db" >"$work/output" 2>&1 || status=$?
    check "a limit of $part of the rate that show prints" "$(cat "$work/output")" \
        test "$status" -eq "$(awk -v part="$part" 'BEGIN { print part < 1 }')"
done

finish
