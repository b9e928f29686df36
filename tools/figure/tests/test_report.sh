#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare report: the page as a reader meets it, in Chromium, driven over WebDriver: drawn without a
# word on the console and without a request, zoomed and measured with a mouse, printed. Of a page
# with every kind of figure (demo_page), and of the run that $RUN names (build/test/full.db, which
# test_exact leaves there; else of the host's own processor).
#
# Screenshots go to build/test.
set -u

. tools/tests/support/lib.sh
. tools/tests/support/browser.sh

shots=build/test

# ---- what every page must do ----

# A colour within the canvas of an element: how many pixels have it, nearly.
counting='
    const near = (data, at, wanted) => Math.abs(data[at] - wanted[0]) < 26 &&
        Math.abs(data[at + 1] - wanted[1]) < 26 && Math.abs(data[at + 2] - wanted[2]) < 26 &&
        data[at + 3] > 200;
    const rgb = (name) => [1, 3, 5].map((at) => parseInt(tare.colour(name).slice(at, at + 2), 16));
    const copyOf = (canvas) => { // Chromium complains of who reads from where others draw
        const copy = new OffscreenCanvas(canvas.width, canvas.height);
        const context = copy.getContext("2d", {willReadFrequently: true});
        context.drawImage(canvas, 0, 0);
        return context;
    };
    const pixels = (canvas) => copyOf(canvas).getImageData(0, 0, canvas.width, canvas.height).data;
    const count = (data, wanted) => {
        let found = 0;
        for (let at = 0; at < data.length; at += 4) {
            found += near(data, at, wanted);
        }
        return found;
    };
    const hasBar = (view, series) => view.figure.kind !== "bars" || series.y.some((y) => y !== 0);
    const seriesOf = (view) => (view.series || []).map((series, index) => [series, index])
        .filter(([series]) => series.n > 0 && series.shown && !series.reference)
        .filter(([series]) => hasBar(view, series)); // a bar of 0 has no pixels'

# Each canvas that has something to show does so in the colour of a series, of a state, or of the
# highest value of a matrix.
drawn="$counting"'
    const empty = [];
    for (const [id, view] of tare.views()) {
        const canvas = document.querySelector(`#${id}:not([hidden]) canvas`);
        if (!canvas) {
            continue;
        }
        const data = pixels(canvas);
        const wanted = view.values ? [[254, 232, 56]] : view.lanes
            ? ["quiet"].concat(view.figure.states.map((state, i) => "series-" + i % 8)).map(rgb)
            : seriesOf(view).map(([series, index]) => rgb("series-" + index % 8));
        const holds = view.values ? view.max > view.min : view.lanes ? view.begin.length > 0
            : seriesOf(view).length > 0;
        if (holds && !wanted.some((one) => count(data, one) > 3)) {
            empty.push(id);
        }
    }
    return empty.length === 0 ? true : empty.join(" ");'

console_lines() {
    in_session POST /se/log '{"type":"browser"}' | jq -r '.[].message'
}

# requests PAGE: the addresses that this page asked for; a browser also asks for its pages.
requests() {
    in_session POST /se/log '{"type":"performance"}' | jq -r --arg page "$1" '.[].message |
        fromjson.message | select(.method == "Network.requestWillBeSent" and .params.documentURL == $page) |
        .params.request.url' | sort -u
}

# check_page NAME FILE
check_page() {
    viewport 1280
    colours light
    in_session POST /se/log '{"type":"performance"}' >/dev/null
    open_page "$2"
    true_js "$1: all figures are drawn" 'tare.drawAll();
        const all = document.querySelectorAll("figure:not([hidden])").length;
        return all > 5 && tare.views().length === all'
    true_js "$1: each canvas holds pixels of its series" "$drawn"
    shot "$1-light-1280"
    for size in 1280 390; do
        viewport $size
        true_js "$1: nothing beyond the window at $size" 'window.scrollTo(0, 0);
            const beyond = document.documentElement.scrollWidth - window.innerWidth;
            return beyond <= 0 ? true : beyond + " pixels"'
    done
    colours dark
    shot "$1-dark-390"
    true_js "$1: still drawn, dark and narrow" "$drawn"
    asked=$(requests "file://$(realpath "$2")" | grep -v '^data:\|^blob:')
    check "$1: asks for nothing but itself" "$asked" \
        test "$asked" = "file://$(realpath "$2")"
    printed=$(console_lines)
    check "$1: not a word on the console" "$printed" test -z "$printed"
}

# ---- the page with every kind of figure ----

test_demo() {
    "$TEST_BIN/demo_page" "$work/demo.html" || fail 'demo page' 'not made'
    check_page demo "$work/demo.html"
    viewport 1280
    colours light
    open_page "$work/demo.html"
    js 'tare.drawAll()' >/dev/null
    true_js 'each series has pixels, not only one' "$counting"'
        const empty = [];
        for (const [id, view] of tare.views()) {
            const canvas = document.getElementById(id).querySelector("canvas");
            for (const [series, index] of canvas ? seriesOf(view) : []) {
                if (count(pixels(canvas), rgb("series-" + index % 8)) < 4) {
                    empty.push(id + " " + series.name);
                }
            }
        }
        return empty.length === 0 ? true : empty.join(", ");'
    true_js 'ten curves have ten marks' 'const marks = [...document.querySelectorAll("#lines .legend i")]
            .map((one) => one.style.background);
        const shapes = marks.map((one) => /path d=(.*?)fill|path%20d(.*?)%2F/.exec(one)?.[0]);
        return marks.length === 10 && new Set(marks).size === 10 && new Set(shapes.slice(0, 9)).size === 9'
    true_js 'HTML in a log stays text' 'return document.images.length === 0 &&
        document.querySelectorAll("#table td")[12].textContent.startsWith("</script><img src=x")'
    milliseconds=$(js 'return Math.round(tare.view("events").ms)')
    echo "      100000 events are drawn in $milliseconds ms"
    check '100000 events are drawn soon' "in $milliseconds ms" test "$milliseconds" -lt 1500
    true_js 'the greatest of 100000 is seen at its height' "$counting"'
        const view = tare.view("events");
        const canvas = document.querySelector("#events canvas");
        const data = pixels(canvas);
        const at = view.series[0].y.indexOf(view.series[0].y.reduce((a, b) => Math.max(a, b)));
        const [x, y] = [Math.floor(view.mapX(view.series[0].x[at])),
            Math.ceil(view.mapY(view.series[0].y[at]))];
        return near(data, 4 * (y * canvas.width + x), rgb("series-0")) &&
            !near(data, 4 * ((y - 2) * canvas.width + x), rgb("series-0"))'
    true_js 'a nanosecond in ten seconds is seen' "$counting"'
        const view = tare.view("timeline");
        const canvas = document.querySelector("#timeline canvas");
        const x = view.left + Math.floor((view.width() - view.left - 10) / 2);
        const column = copyOf(canvas).getImageData(x - 1, 0, 3, 24).data;
        return count(column, rgb("series-2")) >= 3'
}

# shown_range FIGURE
shown_range() {
    js "return tare.view('$1').range.map(Math.round).join(' ')"
}

test_zoom() {
    place '#events .u-over'
    drag $((left + width / 4)) $((top + 10)) $((left + width / 2)) $((top + 30))
    zoomed=$(shown_range events)
    # shellcheck disable=SC2086
    set -- $zoomed
    check 'a drag zooms' "$zoomed" test "$1" -ge 235 -a "$1" -le 250 -a "$2" -ge 495 -a "$2" -le 505
    double_click $((left + width / 3)) $((top + 20))
    check 'a double click shows all again' "$(shown_range events)" \
        test "$(shown_range events)" = '-10 1010'
    place '#timeline canvas'
    drag $((left + width / 2)) $((top + 10)) $((left + width - 11)) $((top + 12))
    zoomed=$(shown_range timeline)
    # shellcheck disable=SC2086
    set -- $zoomed
    check 'a drag zooms a time line' "$zoomed" test "$1" -ge 3 -a "$1" -le 5 -a "$2" -eq 10
    double_click $((left + width / 2)) $((top + 10))
    check 'and a double click shows all of it' "$(shown_range timeline)" \
        test "$(shown_range timeline)" = '0 10'
    place '#events .u-over'
    move_mouse $((left + width / 2)) $((top + height / 2))
    true_js 'values under the cursor are shown' \
        'return /^\d+(\.\d+)? s: \d+\.\d+ ms$/.test(document.querySelector("#events .tip")
        .textContent) || document.querySelector("#events .tip").textContent'
}

threshold_text() {
    js "return document.querySelector('#$1 .threshold-text').textContent"
}

test_threshold() {
    shown=$(threshold_text events)
    check 'threshold: of 100 ms, as was made' "$shown" test "$shown" != "${shown#threshold 100 ms: \
100 of 100,000 above, with 1.3}" -a "$shown" != "${shown%average interval 10 s, \
deviation 0 s}"
    place '#events .threshold'
    drag $((left + width / 2)) $((top + height / 2)) $((left + width / 2)) $((top + height / 2 + 60))
    moved=$(threshold_text events)
    check 'threshold: dragged it changes' "$moved" test "$moved" != "$shown"
    true_js 'threshold: its counts are right' 'const view = tare.view("events");
        const above = view.series[0].y.filter((y) => y > view.threshold).length;
        const shown = document.querySelector("#events .threshold-text").textContent;
        return above > 100 && shown.includes(": " + above.toLocaleString("en") + " of 100,000 ")
            ? true : above + " " + shown'
    check 'threshold: dragging it does not zoom' "$(shown_range events)" \
        test "$(shown_range events)" = '-10 1010'
    shown=$(threshold_text histogram)
    place '#histogram .threshold'
    drag $((left + width / 2)) $((top + 40)) $((left + width / 2 - 50)) $((top + 40))
    check 'threshold: upright in a histogram' "$shown" test "$(threshold_text histogram)" != "$shown"
}

# Of figures that stand for one place a reader chooses one; intervals are of each series apart.
test_measures() {
    true_js 'measures: the chosen one is seen' 'const seen = (id) => !document.getElementById(id).hidden;
        return seen("variant-response") && !seen("variant-service") &&
            document.querySelector("input.measure:checked").value === "response"'
    shown=$(threshold_text variant-response)
    check 'measures: threshold: of each phase, none of what is aside' "$shown" test "$shown" = \
        "threshold 2.5 ms (0.1 s)phase: 2 of 4 above, with 70 % of all latency; average interval 1 s\
phase: 2 of 4 above, with 70 % of all latency; average interval 1 s"
    true_js 'measures: what is aside is off at first' 'const buttons =
        [...document.querySelectorAll("#variant-response .legend button")];
        return buttons.map((one) => one.getAttribute("aria-pressed")).join(" ") === "true true false"'
    js 'document.querySelector("input.measure").focus()' >/dev/null
    in_session POST /actions '{"actions":[{"type":"key","id":"keys","actions":[
        {"type":"keyDown","value":"\uE015"},{"type":"keyUp","value":"\uE015"}]}]}' >/dev/null
    true_js 'measures: a key shows another' 'tare.drawAll();
        const seen = (id) => !document.getElementById(id).hidden;
        const entry = (id) => document.querySelector(`nav a[href="#${id}"]`).parentNode;
        return !seen("variant-response") && seen("variant-service") && seen("events") &&
            entry("variant-response").hidden && !entry("variant-service").hidden &&
            tare.view("variant-service") !== undefined'
}

# More events than a page holds: counts are of all.
test_reduced() {
    "$TEST_BIN/demo_page" "$work/reduced.html" 500000
    check 'reduced: a page of 6 MB at most' "$(wc -c <"$work/reduced.html") bytes" \
        test "$(wc -c <"$work/reduced.html")" -le 6000000
    open_page "$work/reduced.html"
    js 'tare.drawAll()' >/dev/null
    true_js 'reduced: thresholds are of all events' 'const view = tare.view("events");
        const shown = document.querySelector("#events .threshold-text").textContent;
        const [count, all] = shown.match(/: ([\d,]+) of ([\d,]+) above/).slice(1);
        return view.series[0].n < 120000 && all === "500,000" && Math.abs(count.replace(",", "") -
            500) < 25 ? true : shown'
    true_js 'reduced: each series has pixels' "$drawn"
}

# Means of windows, the last of them shorter, have the same area as what they are means of.
test_average() {
    js 'const input = document.querySelector("#steps .averaging input");
        input.value = "30";
        input.dispatchEvent(new Event("change"));' >/dev/null
    true_js 'average: over any length, of the same area' 'const view = tare.view("steps");
        const area = ({x, y, n}) => y.slice(0, n - 1).reduce((sum, value, i) =>
            sum + value * (x[i + 1] - x[i]), 0);
        const [all, averaged] = view.series;
        return view.series.length === 2 && averaged.name === "over 30 ms" && averaged.n === 8 &&
            averaged.x[1] === 30 && averaged.x[7] === 200 &&
            Math.abs(area(averaged) / area(all) - 1) < 1e-12 ? true
            : [averaged?.name, averaged?.n, area(averaged), area(all)].join(" ")'
    true_js 'average: is drawn, and named' "$counting"'
        return document.querySelectorAll("#steps .legend button")[1]?.textContent === "over 30 ms" &&
            count(pixels(document.querySelector("#steps canvas")), rgb("series-1")) > 100'
    js 'const input = document.querySelector("#steps .averaging input");
        input.value = "";
        input.dispatchEvent(new Event("change"));' >/dev/null
    true_js 'average: of no length goes away' 'return tare.view("steps").series.length === 1'
}

test_buttons() {
    place '#histogram .legend button'
    drag $((left + 8)) $((top + 8)) $((left + 8)) $((top + 8))
    true_js 'legend: hides a series' "$counting"'
        return count(pixels(document.querySelector("#histogram canvas")), rgb("series-0")) === 0'
    js 'document.querySelectorAll("#table th button")[1].click()' >/dev/null
    true_js 'table: sorted by a number' 'return document.querySelector("#table td.right")
        .textContent === "0" && document.querySelectorAll("#table tr")[2].cells[1].textContent
        === "1"'
    js 'document.querySelectorAll("#table th button")[2].click()' >/dev/null
    true_js 'table: sorted with units' 'return document.querySelectorAll("#table tr")[50] ===
        undefined && document.querySelectorAll("#table tr")[3].cells[2].textContent === "4 ns"'
    before=$(js 'return getComputedStyle(document.body).backgroundColor')
    place '#theme'
    drag $((left + 8)) $((top + 8)) $((left + 8)) $((top + 8))
    check 'theme: a button changes it' "$before" \
        test "$(js 'return getComputedStyle(document.body).backgroundColor')" != "$before"
    true_js 'theme: figures follow' "$drawn"
}

test_print() {
    open_page "$work/demo.html"
    in_session POST /print '{}' | jq -r . | base64 -d >"$work/demo.pdf"
    check 'print: a document with pages' "$(head -c 20 "$work/demo.pdf")" \
        test "$(head -c 4 "$work/demo.pdf")" = %PDF -a "$(wc -c <"$work/demo.pdf")" -gt 50000
    true_js 'print: draws what was not seen' \
        'return tare.views().length === document.querySelectorAll("figure:not([hidden])").length'
}

# ---- the command ----

test_command() {
    run=${RUN:-build/test/full.db}
    if [ ! -f "$run" ]; then
        run=$work/run.db
        "$TARE" host --bench loop,call,clockread,chase --set chase.max_kib=64 -o "$run" \
            >/dev/null 2>&1
    fi
    cp "$run" "$work/run.db" 2>/dev/null
    expect_status 'report: writes' 0 "$TARE" report "$work/run.db"
    check_page run "$work/run.html"
    "$TARE" report -o - "$work/run.db" >"$work/stdout.html" 2>/dev/null
    check 'report: the same to standard output' 'it differs' \
        cmp -s "$work/stdout.html" "$work/run.html"
    expect_status 'report: figures as files' 0 "$TARE" report --svg "$work/svg" "$work/run.db"
    figures=$(($(grep -c '"kind": ' "$work/run.html") - $(grep -c '"beside": true' "$work/run.html")))
    check 'report: a file for each figure' "$(find "$work/svg" -name '*.svg' | wc -l) of $figures" \
        test "$(find "$work/svg" -name '*.svg' | wc -l)" -eq "$figures"
    mkdir "$work/bad"
    expect_status 'report: a full disk' 1 "$TARE" report -o /dev/full "$work/run.db"
    check 'report: the reason is printed' "$(cat "$work/output")" grep -q 'No space left on device' "$work/output"
    expect_status 'report: no such folder' 1 "$TARE" report -o "$work/none/a.html" "$work/run.db"
    echo 'no run' >"$work/bad/foreign.db"
    expect_status 'report: a foreign file' 1 "$TARE" report "$work/bad/foreign.db"
    check 'report: the reason is one line' "$(cat "$work/output")" test "$(wc -l <"$work/output")" -eq 1
    check 'report: nothing is left' "$(ls "$work/bad")" test "$(ls "$work/bad")" = foreign.db
    expect_status 'report: no file named' 2 "$TARE" report
}

start_browser_or_finish
test_demo
test_zoom
test_threshold
test_average
test_measures
test_buttons
test_print
test_reduced
test_command
in_session DELETE '' >/dev/null
finish
