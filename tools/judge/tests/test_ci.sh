#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What CI servers are given: JUnit by python3-junitparser, TAP by Perl's TAP::Parser, histories,
# exports, and the recipes of tools/cmd/README.md.
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

python=/usr/bin/python3

# suites FILE: what a reader of JUnit finds: "SUITE tests failures errors skipped", and a line for each
# case that did not pass, "CLASS NAME KIND".
suites() {
    "$python" - "$1" <<'PYTHON'
import sys
from junitparser import JUnitXml

for suite in JUnitXml.fromfile(sys.argv[1]):
    results = [(case, result) for case in suite for result in case.result]
    kinds = [type(result).__name__ for _, result in results]
    counts = len(list(suite)), kinds.count("Failure"), kinds.count("Error"), kinds.count("Skipped")
    assert counts == (suite.tests, suite.failures, suite.errors, suite.skipped), (counts, suite.name)
    names = {p.name for p in suite.properties()}
    assert not names or names > {"tare", "time"}, names
    print("suite", *counts)
    for case, result in results:
        print(case.classname, case.name, type(result).__name__)
PYTHON
}

# junit NAME FILE LINE...: the reader finds these lines.
junit() {
    junit_name=$1
    suites "$2" >"$work/suites" 2>&1
    shift 2
    for junit_line in "$@"; do
        check "$junit_name: $junit_line" "$(cat "$work/suites")" grep -qxF -- "$junit_line" "$work/suites"
    done
}

# tap NAME STATUS FILE TEXT: TAP::Parser finds the file well-formed, passed (0) or not (1), and prints TEXT.
tap() {
    tap_status=0
    prove --exec cat "$3" >"$work/output" 2>&1 || tap_status=$?
    check "$1: TAP::Parser" "$(cat "$work/output")" test "$tap_status" -eq "$2"
    check "$1: no parse error" "$(cat "$work/output")" sh -c '! grep -q "Parse errors" "$1"' sh "$work/output"
    check "$1: $4" "$(cat "$work/output")" grep -qF -- "$4" "$work/output"
}

# holds NAME FILTER FILE: jq's filter is true of the file.
holds() {
    check "$1" "$(head -n 30 "$3")" sh -c 'jq -e "$1" "$2" >/dev/null 2>&1' sh "$2" "$3"
}

# compare STATUS NAME ARGUMENT...
compare() {
    compare_status=$1
    compare_name=$2
    shift 2
    expect_status "$compare_name: status $compare_status" "$compare_status" "$TARE" compare "$@"
}

# ---- boots ----

set -- --mode exact --shift 6 --bench paths,ipi,echo --set paths.samples=100
for letter in a b; do
    work_us=2000
    [ "$letter" = a ] || work_us=2100
    expect_status "boot $letter" 0 "$TARE" boot "$@" --set "echo.work_us=$work_us" \
        --log "$work/$letter.log" -o "$work/$letter.db" --junit "$work/$letter.xml" --tap "$work/$letter.tap"
done
junit 'a boot' "$work/a.xml" 'suite 4 0 0 1' 'tare.bench.system ipi Skipped'
tap 'a boot' 0 "$work/a.tap" 'Tests=4'
head -c 4000 "$work/a.log" >"$work/part.log"
expect_status 'a log that is cut off' 1 "$TARE" decode "$work/part.log" -o "$work/part.db" \
    --junit "$work/part.xml" --tap "$work/part.tap"
junit 'an INVALID run' "$work/part.xml" 'tare.run valid Failure'
tap 'an INVALID run' 1 "$work/part.tap" 'Result: FAIL'
expect_status 'no boot at all' 1 "$TARE" boot --mode exact --qemu false --log "$work/x.log" -o "$work/x.db" \
    --junit "$work/x.xml"
junit 'no boot at all' "$work/x.xml" 'suite 1 0 1 0' 'tare.command tare boot Error'

# ---- comparisons and limits ----

printf 'median paths.switch 104 instructions\nmax paths.nothing 1s\n' >"$work/limits"
compare 1 'worse, and a limit broken' --limits "$work/limits" --junit "$work/c.xml" --tap "$work/c.tap" \
    "$work/a.db" "$work/b.db"
junit 'worse' "$work/c.xml" 'tare.compare.echo echo.service.key_down Failure' 'suite 2 1 0 0' \
    'tare.limits line 2: max paths.nothing <= 1 s Failure'
tap 'worse' 1 "$work/c.tap" 'Result: FAIL'
compare 0 'better' --junit "$work/d.xml" --tap "$work/d.tap" "$work/b.db" "$work/a.db"
check 'better: no failure' "$(cat "$work/d.xml")" grep -q 'failures="0" errors="0"' "$work/d.xml"
tap 'better' 0 "$work/d.tap" 'Result: PASS'
"$TARE" compare --tap - "$work/b.db" "$work/a.db" >"$work/e.tap"
check '--tap -: the same, and nothing else' "$(diff "$work/d.tap" "$work/e.tap")" cmp -s "$work/d.tap" "$work/e.tap"
compare 2 'both to standard output' --tap - --junit - "$work/a.db" "$work/b.db"
"$TARE" host --bench loop -o "$work/host.db" >"$work/output" 2>&1
compare 2 'two kinds of time' --junit "$work/f.xml" "$work/a.db" "$work/host.db"
junit 'two kinds of time' "$work/f.xml" 'tare.command tare compare Error'

# ---- histories ----

mkdir "$work/runs"
for n in 8 9 10; do
    cp "$work/a.db" "$work/runs/$n.db"
done
cp "$work/host.db" "$work/runs/host.db"
compare 0 'a history without a change' --history "$work/runs"
for n in 11 12; do
    cp "$work/b.db" "$work/runs/$n.db"
done
compare 1 'a history with one' --history "$work/runs" --json --junit "$work/h.xml"
holds 'the run is named: 11 is behind 9' '
    [.groups[] | select(.exact) | .changes[] | select(.metric == "echo.service.key_down") |
        .at == "11.db" and .from == "10.db" and .verdict == "worse" and .also == ["plan"]] == [true] and
    (.groups | length) == 2 and .summary.failing == .summary.worse' "$work/output"
junit 'a history' "$work/h.xml" 'tare.history echo.service.key_down Failure' 'tare.history loop.register Skipped'
compare 0 'an older change is known' --history "$work/runs" --recent 1
compare 0 'a threshold above it' --history "$work/runs" --threshold 10
cp "$work/a.db" "$work/runs/13.db"
compare 0 'undone by a later change' --history "$work/runs"
check 'which is shown' "$(cat "$work/output")" grep -q 'echo.service.key_down *undone' "$work/output"
"$TARE" db add "$work/fleet.db" "$work/a.db" "$work/b.db" >"$work/output" 2>&1
compare 1 'the history of a fleet' --history "$work/fleet.db"
compare 2 'a history and a run' --history "$work/runs" "$work/a.db"
compare 1 'a history of nothing' --history "$work"/none

# ---- exports ----

cat >"$work/bmf.json" <<'JSON'
{"type": "object", "minProperties": 1, "patternProperties": {".{1,1024}": {"type": "object",
    "minProperties": 1, "maxProperties": 3, "patternProperties": {"^[a-z0-9-]{1,64}$": {"type": "object",
    "properties": {"value": {"type": "number"}, "lower_value": {"type": "number"},
    "upper_value": {"type": "number"}}, "required": ["value"], "additionalProperties": false}},
    "additionalProperties": false}}}
JSON
for files in "$work/a.db" "$work/a.db $work/b.db" "$work/host.db"; do
    # shellcheck disable=SC2086 # words
    expect_status "Bencher, of $(echo "$files" | wc -w)" 0 "$TARE" export --format bencher -o "$work/b.json" $files
    check 'Bencher: as its schema has it' "$(head -n 20 "$work/b.json")" "$python" -c '
import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' "$work/b.json" "$work/bmf.json"
done
holds 'Bencher: a length in real time' '."loop.register".latency.value > 0' "$work/b.json"
expect_status 'two kinds of time' 1 "$TARE" export --format bencher "$work/a.db" "$work/host.db"

# ---- recipes ----

# recipe NAME: the commands of a recipe that do not install, as a script.
recipe() {
    sed -n "/^\`\`\`yaml $1\$/,/^\`\`\`\$/p" tools/cmd/README.md | sed '1d;$d' >"$work/$1.yaml"
    "$python" - "$1" "$work/$1.yaml" <<'PYTHON'
import sys, yaml

recipe = yaml.safe_load(open(sys.argv[2]))
if sys.argv[1] == "github":
    steps = recipe["jobs"]["exact"]["steps"]
    assert all(("run" in step) != ("uses" in step) for step in steps)
    lines = [step["run"] for step in steps if "run" in step and not step["name"].startswith("Install")]
else:
    assert recipe["tare"]["artifacts"]["reports"]["junit"]
    lines = recipe["tare"]["script"]
print("set -e", *lines, sep="\n")
PYTHON
}

firmware=$(find /usr/share/ovmf /usr/share/OVMF -name OVMF.fd 2>/dev/null | head -n 1)
tare=$(realpath "$TARE")
image=$(realpath build/image/tare.efi)
expect_status 'a reference' 0 "$TARE" boot --mode exact --shift 6 --bench paths --log "$work/reference.log" \
    -o "$work/reference.db"
for server in github gitlab; do
    mkdir -p "$work/$server/bin" "$work/$server/build/image"
    ln -s "$tare" "$work/$server/bin/tare"
    ln -s "$image" "$work/$server/build/image/tare.efi"
    printf 'median paths.switch 104 instructions\n' >"$work/$server/limits.txt"
    recipe "$server" >"$work/$server/script"
    benches=$(sed -n 's/^ *BENCHES: //p' "$work/$server.yaml")
    expect_status "$server: the image has the benches $benches" 1 "$TARE" boot --mode exact --qemu false \
        --bench "$benches" --log "$work/x.log" -o "$work/x.db"
    (
        cd "$work/$server" || exit 1
        export PATH="$PWD/bin:$PATH" BENCHES=paths QEMU=qemu-system-x86_64 FIRMWARE="$firmware" \
            GITHUB_RUN_NUMBER=1 GITHUB_SHA=abc CI_PIPELINE_IID=1 CI_COMMIT_SHORT_SHA=abc
        cp ../reference.db . && sh script
    ) >"$work/output" 2>&1
    check "the recipe for $server runs" "$(tail -n 5 "$work/output")" test -f "$work/$server/history.xml"
    for report in boot compare history; do
        check "$server: $report" "$(ls "$work/$server")" grep -q 'failures="0" errors="0"' \
            "$work/$server/$report.xml"
    done
done

finish
