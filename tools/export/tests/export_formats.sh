# SPDX-License-Identifier: BSD-2-Clause
#
# The rest of test_export.sh, which sources it: tare export against the programs that its other forms
# are for. CSV in SQLite, JSON against its schema, OpenMetrics in promtool, figures as TSV,
# Perfetto traces in protoc, and the running times of lttng-cputop beside our accounts. And its
# manners towards files. All from $work/real.db, a real boot, and $work/made.db, made-up traces.
#
# shellcheck shell=sh

# The samples as the file has them give the very statistics of the run file's columns: nearest rank,
# of a copy that knows nothing of ours.
test_csv() {
    expect_status 'csv: written' 0 "$TARE" export --format csv -o "$work/samples.csv" "$work/real.db"
    sqlite3 "$work/csv.db" >"$work/output" 2>&1 <<SQL
.mode csv
.import $work/samples.csv sample
ATTACH '$work/real.db' AS run;
CREATE TABLE value AS SELECT bench, CAST(pass AS INTEGER) AS pass, series,
    CAST(value AS INTEGER) AS value, row_number() OVER w AS rank, count(*) OVER v AS n
    FROM sample WINDOW v AS (PARTITION BY bench, pass, series),
    w AS (PARTITION BY bench, pass, series ORDER BY CAST(value AS INTEGER));
CREATE TABLE summary AS SELECT bench, pass, series, max(n) AS n, min(value) AS min,
    max(CASE WHEN rank = (n + 1) / 2 THEN value END) AS median,
    max(CASE WHEN rank = (n * 99 + 99) / 100 THEN value END) AS p99,
    max(CASE WHEN rank = (n * 999 + 999) / 1000 THEN value END) AS p999,
    max(value) AS max FROM value GROUP BY 1, 2, 3;
.mode list
SELECT 'series', count(*) FROM run.series WHERE n > 0;
SELECT 'equal', count(*) FROM summary JOIN run.series ON series.bench = summary.bench AND
    series.pass = summary.pass AND series.name = summary.series WHERE series.n = summary.n AND
    series.min = summary.min AND series.median = summary.median AND
    series.max = summary.max AND coalesce(series.p99, summary.p99) = summary.p99 AND
    coalesce(series.p999, summary.p999) = summary.p999;
SELECT 'order', count(*) FROM (SELECT CAST("index" AS INTEGER) -
    row_number() OVER (PARTITION BY bench, pass, series ORDER BY rowid) AS difference FROM sample)
    WHERE difference <> -1;
SQL
    check 'csv: the samples give the statistics of the run file' "$(cat "$work/output")" test \
        "$(sed -n 's/^series|//p' "$work/output")" = "$(sed -n 's/^equal|//p' "$work/output")"
    check 'csv: of a dozen series at least' "$(cat "$work/output")" \
        test "$(sed -n 's/^series|//p' "$work/output")" -ge 12
    check 'csv: indices count up' "$(cat "$work/output")" printed 'order|0'
    "$TARE" export --format csv-summary "$work/real.db" >"$work/summary.csv"
    sqlite3 "$work/csv.db" >"$work/output" 2>&1 <<SQL
.mode csv
.import $work/summary.csv exported
ATTACH '$work/real.db' AS run;
.mode list
SELECT 'equal', count(*) = (SELECT count(*) FROM run.series) FROM exported JOIN run.series ON
    exported.bench = series.bench AND exported.pass = series.pass AND exported.series = series.name
    WHERE exported.n = series.n AND exported.min = coalesce(series.min, '') AND
    exported.median = coalesce(series.median, '') AND exported.p99 = coalesce(series.p99, '') AND
    exported.p999 = coalesce(series.p999, '') AND exported.max = coalesce(series.max, '');
SQL
    check 'csv-summary: as in the run file' "$(cat "$work/output")" printed 'equal|1'
}

test_json() {
    expect_status 'json: written' 0 "$TARE" export --format json -o "$work/run.json" "$work/real.db"
    "$TARE" export --schema >"$work/schema.json"
    "$TARE" show --json "$work/real.db" >"$work/show.json"
    "$TARE" export --format json "$work/made.db" >"$work/made.json"
    expect_status 'json: as its schema has it' 0 /usr/bin/python3 - "$work" <<'PYTHON'
import json, sys
from jsonschema import Draft202012Validator
work = sys.argv[1]
schema = json.load(open(work + "/schema.json"))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for name in ("run", "show", "made"):
    validator.validate(json.load(open(work + "/" + name + ".json")))
broken = json.load(open(work + "/run.json"))
broken["benches"][0]["series"][0]["n"] = "many"
if validator.is_valid(broken):
    sys.exit("a text for a number is let pass")
PYTHON
    check 'json: without the samples it is what show has' \
        "$(jq -S 'del(.benches[].series[].samples)' "$work/run.json" |
            diff - "$work/show.json" | head -n 5)" \
        test "$(jq -S 'del(.benches[].series[].samples)' "$work/run.json" | cksum)" = \
        "$(jq -S . "$work/show.json" | cksum)"
    check 'json: samples give its statistics' 'they do not' jq '[.benches[].series[] |
        .samples as $all | ($all | map(select(. != null)) | sort) as $sorted |
        ($sorted | length) == .n and ($all | length) == .n + .missing and
        (.n == 0 or ($sorted[0] == .min and $sorted[-1] == .max and
            $sorted[((.n + 1) / 2 | floor) - 1] == .median))] |
        if length > 12 and all then empty else error end' "$work/run.json"
}

test_openmetrics() {
    expect_status 'openmetrics: written' 0 \
        "$TARE" export --format openmetrics -o "$work/tare.prom" "$work/real.db"
    expect_status 'openmetrics: promtool has nothing against it' 0 \
        sh -c "promtool check metrics <'$work/tare.prom'"
    check 'openmetrics: promtool prints nothing' "$(cat "$work/output")" test ! -s "$work/output"
    expect_status 'openmetrics: prometheus_client reads it' 0 /usr/bin/python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_fd_to_metric_families
assert len(list(text_fd_to_metric_families(open(sys.argv[1])))) > 2' "$work/tare.prom"
    check 'openmetrics: it ends' "$(tail -n 1 "$work/tare.prom")" \
        test "$(tail -n 1 "$work/tare.prom")" = '# EOF'
    wanted=$(value real '.benches[] | select(.name == "paths").series[] |
        select(.name == "switch").median / 8')
    check 'openmetrics: a median is that of the run, in instructions' \
        "$wanted: $(grep 'metric="paths.switch"' "$work/tare.prom")" \
        grep -q "^tare_duration_instructions{.*metric=\"paths.switch\",kind=\"exact\",quantile=\"0.5\"} $wanted\$" \
        "$work/tare.prom"
    check 'openmetrics: exact time has no seconds' "$(grep -n seconds "$work/tare.prom" | head -n 3)" \
        not grep -q '^tare_duration_seconds' "$work/tare.prom"
}

test_tsv() {
    expect_status 'tsv: written' 0 "$TARE" export --format tsv -o "$work/figures" "$work/real.db"
    check 'tsv: a file for each figure that is drawn' "$(ls "$work/figures")" test \
        "$(find "$work/figures" -name '*.tsv' | wc -l)" -ge 4
    check 'tsv: a value in each' "$(grep -Lv '^#' "$work/figures"/*.tsv)" \
        test -z "$(grep -Lv '^#' "$work/figures"/*.tsv)"
    expect_status 'tsv: replaces a former export' 0 \
        "$TARE" export --format tsv -o "$work/figures" "$work/real.db"
    echo mine >"$work/figures/notes"
    expect_status 'tsv: not what is not its own' 1 \
        "$TARE" export --format tsv -o "$work/figures" "$work/real.db"
    check 'tsv: names the file' "$(cat "$work/output")" printed '"notes"'
}

# decoded NAME: the trace as protoc has it.
decoded() {
    protoc --decode=perfetto.protos.Trace -I "$(dirname "$0")" perfetto.proto \
        <"$work/$1.perfetto" >"$work/$1.decoded" 2>"$work/output"
}

# perfetto_events NAME: events in it; ends that have a name are not the trace's.
perfetto_events() {
    awk '/^    type: TYPE_/ { type = $2; named = 0; events++ }
        /^    name_iid: / && type == "TYPE_SLICE_END" { events-- }
        /^      sched_(switch|waking) / { events++ }
        END { print events + 0 }' "$work/$1.decoded"
}

# begun NAME CATEGORY: slices that begin.
begun() {
    awk -v category="\"$2\"" '
        /^    event_categories \{/ { inside = 1 }
        inside && /^      iid: / { iid = $2 }
        inside && /^      name: / {
            inside = 0
            name = $0
            sub(/^ *name: /, "", name)
            if (name == category) wanted = iid
        }
        /^    category_iids: / { of = $2 }
        /^    type: TYPE_SLICE_BEGIN/ { count[of]++ }
        END { print count[wanted] + 0 }' "$work/$1.decoded"
}

test_perfetto() {
    while read -r name bench; do
        expect_status "perfetto: $name: written" 0 \
            "$TARE" export --format perfetto --bench "$bench" -o "$work/$name.perfetto" \
            "$work/$name.db"
        check "perfetto: $name: protoc decodes it" "$(cat "$work/output")" decoded "$name"
        check "perfetto: $name: with no field that is not Perfetto's" \
            "$(grep -nE '^ *[0-9]+(:| \{)' "$work/$name.decoded" | head -n 3)" \
            not grep -qE '^ *[0-9]+(:| \{)' "$work/$name.decoded"
        wanted=$(value "$name" "[.benches[] | select(.name == \"$bench\").accounting.events] | add")
        check "perfetto: $name: each event is there" "$(perfetto_events "$name") of $wanted" \
            test "$(perfetto_events "$name")" -eq "$wanted"
    done <<BENCHES
real process
made lossy
BENCHES
    check 'perfetto: as many begin as end' 'they do not' test \
        "$(grep -c 'type: TYPE_SLICE_BEGIN' "$work/made.decoded")" -eq \
        "$(grep -c 'type: TYPE_SLICE_END' "$work/made.decoded")"
    "$TARE" export --format perfetto --bench nesting "$work/real.db" >"$work/one.perfetto"
    check 'perfetto: one bench' "$(cat "$work/output")" decoded one
    check 'perfetto: its process names the kind of time' "$(grep -m 3 process_name "$work/one.decoded")" \
        grep -q 'nesting (exact time)' "$work/one.decoded"
    "$TARE" export --format ctf --bench nesting -o "$work/kind" "$work/real.db" 2>"$work/output"
    check 'ctf: the environment names the kind of time' "$(grep -ra tare_time "$work/kind")" \
        grep -raq 'tare_time = "exact"' "$work/kind"
    check 'perfetto: its interrupts are those of the accounts' "$(begun one interrupt)" test \
        "$(begun one interrupt)" -eq \
        "$(value real '[.benches[] | select(.name == "nesting").accounting.vectors[].count] | add')"
    check 'perfetto: and its deferred calls' "$(begun one 'deferred call')" test \
        "$(begun one 'deferred call')" -eq \
        "$(value real '[.benches[] | select(.name == "nesting").accounting.dpcs[].count] | add')"
    check 'perfetto: switches are those of the accounts' "$(grep -c sched_switch "$work/one.decoded")" \
        test "$(grep -c 'sched_switch {' "$work/one.decoded")" -eq \
        "$(value real '[.benches[] | select(.name == "nesting").accounting.threads[].switches] | add')"
}

# Running time by thread, from lttng-cputop's shares of the time from the first event to the last, is
# that of the accounts: what a thread ran, and what interrupted it, to 1 ns a switch. The thread that
# began the bench ran before the first event as well.
test_cputop() {
    lttng-cputop-mi "$work/real.ctf/switches" >"$work/cputop.json" 2>"$work/cputop.err"
    lines real switches | sed -n '1p;$p' |
        sed 's/^\[\([0-9]*\)\.\([0-9]*\)\].*/\1\2/' >"$work/ends"
    "$TARE" show --json "$work/real.db" >"$work/json"
    jq -e --slurpfile theirs "$work/cputop.json" --slurpfile ends "$work/ends" '
        ($ends[1] - $ends[0]) as $span | .run.verdict.hz as $hz |
        .benches[] | select(.name == "switches").accounting as $ours |
        ($ours.elapsed * 1e9 / $hz - $span) as $before |
        [$theirs[0].results[] | select(.class == "per-process").data[] |
            {tid: .[0].tid, ran: (.[3].value * $span)} | select(.tid != 0)] as $rows |
        [$ours.threads[] | select(.id != 0 and .running > 0) | . as $thread |
            ((.running + .interrupted) * 1e9 / $hz -
                if .name == "bench" then $before else 0 end) as $ran |
            $rows[] | select(.tid == $thread.id) | {$ran, limit: ($thread.switches + 1)} |
            . + {theirs: ($rows[] | select(.tid == $thread.id).ran)}] as $pairs |
        if ($pairs | length) >= 3 and ($pairs | length) == ($rows | length) and
            all($pairs[]; (.ran - .theirs | fabs) <= .limit)
        then $pairs else error($pairs | tostring) end' "$work/json" >"$work/output" 2>&1
    check 'ctf: lttng-cputop has the running times of the accounts' \
        "$(cat "$work/output" "$work/cputop.err")" test $? -eq 0
}

# closed FORMAT: a pipe whose reader goes away ends it as it ends others, by SIGPIPE (128 + 13) and in silence.
closed() {
    { "$TARE" export --format "$1" "$work/real.db" 2>"$work/printed" && echo 0 || echo $? >"$work/status"; } |
        head -c 10 >"$work/output"
    test "$(cat "$work/status")" -eq 141 &&
        test "$(grep -vc ' more discarded ' "$work/printed")" -eq 0
}

test_file_manners() {
    : >"$work/printed"
    mkdir "$work/kept" && echo old >"$work/kept/file"
    for format in csv csv-summary json openmetrics perfetto csv-events; do
        expect_status "$format: a full disk is reported" 1 \
            "$TARE" export --format $format -o /dev/full "$work/real.db"
        check "$format: in one line" "$(cat "$work/output")" \
            test "$(grep -v ' more discarded ' "$work/output")" = \
            'tare export: cannot write /dev/full: No space left on device'
    done
    for format in csv json perfetto; do
        echo 0 >"$work/status"
        check "$format: a closed pipe is reported once" "$(cat "$work/printed")" closed $format
    done
    expect_status 'a directory that is not there' 1 \
        "$TARE" export --format csv -o "$work/none/x" "$work/real.db"
    check 'a directory that is not there: names it' "$(cat "$work/output")" printed "$work/none/x"
    expect_status 'a directory for a file' 1 \
        "$TARE" export --format csv -o "$work/kept" "$work/real.db"
    expect_status '- is standard output' 0 \
        sh -c "'$TARE' export --format csv -o - '$work/real.db' | cmp - '$work/samples.csv'"
    expect_status 'a damaged file leaves what was there' 1 sh -c "head -c 3000 '$work/real.db' \
        >'$work/cut.db'; '$TARE' export --format csv -o '$work/kept/file' '$work/cut.db'"
    check 'a damaged file: the former is there' "$(ls "$work/kept")" \
        test "$(cat "$work/kept/file") $(ls "$work/kept")" = 'old file'
    expect_status 'an unknown bench' 1 "$TARE" export --format csv --bench none "$work/real.db"
    check 'an unknown bench: names it' "$(cat "$work/output")" printed 'has no bench none'
    expect_status 'tsv needs a directory' 2 "$TARE" export --format tsv "$work/real.db"
    expect_status '--schema takes no run file' 2 "$TARE" export --schema "$work/real.db"
}

test_formats() {
    test_csv
    test_json
    test_openmetrics
    test_tsv
    test_perfetto
    test_cputop
    test_file_manners
}
