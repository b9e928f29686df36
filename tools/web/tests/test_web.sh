#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# build/web/tare.html in Chromium: for ten logs, whole and damaged, the page that it shows is that of tare report,
# byte for byte; so are CSV, JSON and the comparison of two groups. What is no log is refused in words. It is not
# larger than 700 kB, reaches no network, and axe-core finds nothing in it.
set -u

. tools/tests/support/lib.sh
. tools/tests/support/browser.sh

page=build/web/tare.html
size=$(stat -c %s "$page")
check 'page: at most 700 kB' "$size bytes" test "$size" -le 700000

# boot NAME OPTION...: makes the log $work/NAME.log
boot() {
    name=$1
    shift
    "$TARE" boot --timeout 120 --log "$work/$name.log" -o "$work/boot.db" "$@" >"$work/$name.txt" 2>&1
    check "$name: booted" "$(tail -n 3 "$work/$name.txt")" test -s "$work/$name.log"
}
boot quick --mode exact
boot noise --mode exact --profile noise
boot processors --mode exact --bench gap,clock --smp 4
boot exec --mode exact --exec 'add %rax, %rbx'
boot real --mode real --bench clock,loop

head -c 4000 "$work/quick.log" >"$work/cut.log"
LC_ALL=C sed 's/$/\r/' "$work/noise.log" >"$work/crlf.log"
iconv -f latin1 -t utf-8 "$work/quick.log" >"$work/recoded.log"
"$TEST_BIN/time_log" exact 1000 0 >"$work/time.log"
{ printf 'BIOS 1.0\r\nPress F2\r\n' && cat "$work/exec.log" "$work/exec.log"; } >"$work/twice.log"
perl -e 'undef $/; $_ = <STDIN>; my $n = 0; s/(.)/$n++ % 1009 == 500 ? chr(ord($1) ^ 16) : $1/ges; print' \
    <"$work/quick.log" >"$work/damaged.log"
printf 'no log at all\n' >"$work/none.log"

start_browser_or_finish
open_page "$page"

# wait_js SCRIPT: runs a script in the page that calls done(TEXT); prints the text.
in_session POST /timeouts '{"script":200000}' >/dev/null
wait_js() {
    patience=200 in_session POST /execute/async "$(jq -nc --arg script "const done = arguments[0]; $1" \
        '{args: [], script: $script}')" | jq -r .
}

# choose FILE...: as a person chooses files, and waits for the last report.
count=0
choose() {
    count=$((count + $#))
    field=$(in_session POST /element '{"using":"css selector","value":"#file"}' | jq -r '.[]')
    in_session POST "/element/$field/value" "$(printf '%s\n' "$@" | jq -Rsc '{text: .[:-1]}')" >/dev/null
    wait_js "const look = () => logs.length === $count && !document.body.hasAttribute('aria-busy')
        ? done('') : setTimeout(look, 20); look()" >/dev/null
}

# same NAME EXPRESSION FILE: are these bytes in the page those of the file?
same() {
    got=$(wait_js "(async () => crypto.subtle.digest('SHA-256', await ($2)))().then((hash) => done(
        [...new Uint8Array(hash)].map((one) => one.toString(16).padStart(2, '0')).join('')), (error) => done(String(error)))")
    check "$1: same bytes" "$got" test "$got" = "$(sha256sum <"$3" | cut -d ' ' -f 1)"
}

# output ARGUMENTS LOG: the program's output, as an expression
output() {
    echo "run([$1, '$2'], logs.filter((log) => log.name === '$2')).then((result) => result.content('-'))"
}

all='quick noise processors exec real cut crlf recoded time twice damaged'
# shellcheck disable=SC2046 # one word a file
choose $(for name in $all; do echo "$(realpath "$work")/$name.log"; done)
for name in $all; do
    rm -f "$work/$name.db"
    "$TARE" decode "$work/$name.log" -o "$work/$name.db" >/dev/null 2>&1
    "$TARE" report -o "$work/$name.html" "$work/$name.db" >/dev/null 2>&1
    same "report of $name" "$(output "'report', '-o', '-'" $name.log)" "$work/$name.html"
done
same 'the page shows the last one' 'shown.arrayBuffer()' "$work/$name.html"
check 'the damaged log is damaged' '' sh -c "! cmp -s $work/damaged.html $work/quick.html"

for format in csv json; do
    "$TARE" export --format $format -o "$work/quick.$format" "$work/quick.db" 2>/dev/null
    same "quick as $format" "$(output "'$format'" quick.log)" "$work/quick.$format"
done

choose "$work/none.log"
true_js 'no log: refused in words' 'const text = element("say").textContent;
    return /none\.log: expected a log of tare, got 14 bytes/.test(text) ? true : text'

boot a-1 --mode exact --bench loop,call
boot b-1 --mode exact --bench loop,call --set loop.trials=40
for name in a-1 b-1; do
    "$TARE" decode "$work/$name.log" -o "$work/$name.db" >/dev/null 2>&1
done
choose "$work/a-1.log" "$work/b-1.log"
wait_js 'compare().then(done)' >/dev/null
true_js 'compare: a page is shown' 'return element("result").title === "comparison" ? true : element("say").textContent'
here=$(pwd)
(cd "$work" && mkdir logs && for name in a-1 b-1; do cp $name.db logs/$name.log; done && cd logs &&
    "$here/$TARE" compare --html ../compare.html a-1.log -- b-1.log >/dev/null 2>&1)
same 'compare of two groups' 'shown.arrayBuffer()' "$work/compare.html"

true_js 'network: the page asks for nothing' 'const asked = performance.getEntriesByType("resource")
    .map((one) => one.name).filter((name) => !/^(blob|data):/.test(name)); return asked.join() || true'
true_js 'network: and may not' 'return /default-src .none/.test(document.querySelector("meta[http-equiv]").content) &&
    !/https?:/.test(document.querySelector("meta[http-equiv]").content)'

# Keyboard: each control of the page is reached by Tab, in the order of the page.
true_js 'keyboard: every control takes the focus' 'const controls = [...document.querySelectorAll(
        "header button, header select, header input, header a")].filter((one) => one.checkVisibility());
    return controls.length > 30 && controls.every((one) => (one.focus(), document.activeElement === one || one.disabled))'

script=$(tools/build/npm.sh axe)/axe.min.js && {
    jq -nc --rawfile script "$script" '{script: $script, args: []}' >"$work/axe.json"
    for scheme in light dark; do
        colours $scheme
        in_session POST /execute/sync "@$work/axe.json" >/dev/null
        found=$(in_session POST /execute/async '{"args": [], "script":
            "const done = arguments[0]; axe.run({include: [[\"header\"], [\"main\"]]}, {iframes: false, resultTypes: [\"violations\"]})
                .then((result) => done(result.violations.map((one) => one.id + \" \" + one.nodes[0].html)), (error) => done([String(error)]))"}' |
            jq -r 'join("; ")')
        check "axe: $scheme: no violation" "$found" test -z "$found"
    done
} || skip 'axe' 'axe-core cannot be fetched'
shots=build/test
shot web
in_session DELETE '' >/dev/null
finish
