#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare report: the page's first screen and its tabs, in Chromium. The first screen holds findings and a
# figure; no tab opens longer than six screens; a keyboard reaches all of them; an address opens the tab
# of its figure; axe-core finds no violation on any tab, light or dark; without script all figures are
# seen; a reader can save each; and all of it prints on few pages. Of the run that $RUN names
# (build/test/full.db, which test_exact leaves there; else of the host's own processor).
set -u

. tools/tests/support/lib.sh
. tools/tests/support/browser.sh

shots=build/test
screen=800   # pixels high, 1280 wide
pages_max=12 # of paper

start_browser_or_finish

run=${RUN:-build/test/full.db}
if [ ! -f "$run" ]; then
    run=$work/run.db
    "$TARE" host --bench loop,call,clockread,chase --set chase.max_kib=64 -o "$run" >/dev/null 2>&1
fi
expect_status 'page: written' 0 "$TARE" report -o "$work/page.html" "$run"

test_first_screen() {
    viewport 1280 $screen
    colours light
    open_page "$work/page.html"
    true_js 'first screen: findings are whole' "const box =
        document.querySelector('.findings ' +
        (document.querySelector('.findings li') ? 'ol' : 'p')).getBoundingClientRect();
        return box.top > 0 && box.bottom <= $screen && box.height > 15 ? true : box.bottom"
    true_js 'first screen: with a figure, where the run has one' "const all =
        [...document.querySelectorAll('.first figure')];
        return all.length === 0 || all.some((figure) =>
            figure.getBoundingClientRect().bottom <= $screen)"
    true_js 'first screen: the verdict' \
        'return /VALID$/.test(document.querySelector(".verdict").textContent)'
    true_js 'first screen: no checksum' 'return ![...document.querySelectorAll("dd")].some((one) =>
        /[0-9a-f]{64}/.test(one.textContent) && one.checkVisibility())'
    shot page-first
}

test_lengths() {
    true_js 'first screen: four key figures, or why not' \
        'return document.querySelectorAll(".first figure").length >= 4'
    js 'tare.drawAll()()' >/dev/null # so that each figure has its height
    tabs=$(js 'return tare.tabs()')
    tab=0
    while [ "$tab" -lt "$tabs" ]; do
        for width in 1280 400; do
            viewport $width $screen
            js "tare.choose($tab)" >/dev/null
            true_js "tab $tab: nothing beyond the window at $width" \
                'const beyond = document.documentElement.scrollWidth - window.innerWidth;
                return beyond <= 0 ? true : beyond + " pixels"'
        done
        viewport 1280 $screen
        true_js "tab $tab: six screens at most, unless it is a document" "const screens =
            document.documentElement.scrollHeight / $screen;
            return screens <= 6 || document.querySelector('.in-order:not([hidden])') ? true : screens"
        tab=$((tab + 1))
    done
}

# A figure on a tab that is hidden while the colours change is drawn again when it is shown.
test_hidden() {
    js "tare.choose($((tabs - 1)))" >/dev/null
    colours dark
    js 'return tare.colour("ground")' >/dev/null
    colours light
    js 'tare.choose(0); return innerWidth' >/dev/null
    in_session POST /execute/async '{"args": [], "script": "requestAnimationFrame(() =>
        requestAnimationFrame(arguments[0]))"}' >/dev/null
    true_js 'colours: a hidden figure follows too' 'const all = [...document.querySelectorAll(".first canvas")];
        return all.every((one) => one.width > 0)'
}

key() {
    in_session POST /actions "{\"actions\":[{\"type\":\"key\",\"id\":\"keys\",\"actions\":[
        {\"type\":\"keyDown\",\"value\":\"$1\"},{\"type\":\"keyUp\",\"value\":\"$1\"}]}]}" >/dev/null
}

test_keyboard() {
    open_page "$work/page.html"
    js 'document.querySelector("[role=tab]").focus()' >/dev/null
    key '\uE015' # down
    seen='const shown = [...document.querySelectorAll("[role=tabpanel]")].filter((one) => !one.hidden);
        const tab = document.activeElement;'
    true_js 'keyboard: an arrow chooses the next tab' "$seen"'
        return shown.length === 1 && shown[0].id === tab.getAttribute("aria-controls") &&
            tab === document.querySelectorAll("[role=tab]")[1] && tab.ariaSelected === "true"'
    key '\uE010' # end
    true_js 'keyboard: End chooses the last' "$seen"'
        return shown.length === 1 && shown[0].id === tab.getAttribute("aria-controls") &&
            tab === [...document.querySelectorAll("[role=tab]")].pop()'
    true_js 'keyboard: one tab is in the order of Tab' \
        'return document.querySelectorAll("[role=tab][tabindex=\"0\"]").length === 1'
}

test_address() {
    id=statistics
    in_session POST /url "$(jq -nc --arg url "file://$(realpath "$work/page.html")#$id" \
        '{url: $url}')" >/dev/null
    true_js 'address: opens the tab and the group of its figure' "const element =
        document.getElementById('$id');
        return element.checkVisibility() && tare.view('$id') !== undefined || tare.views().length > 0"
    true_js 'address: and shows it' "const box = document.getElementById('$id').getBoundingClientRect();
        return box.top >= -1 && box.top < $screen ? true : box.top"
}

test_print() {
    open_page "$work/page.html"
    # All figures at once take a while on a busy machine; WebDriver's own print command ends after 10 s.
    patience=280
    in_session POST /goog/cdp/execute '{"cmd":"Page.printToPDF","params":{}}' | jq -r .data |
        base64 -d >"$work/page.pdf"
    patience=
    check 'print: makes a document' "$(cat "$work/curl") $(head -c 200 "$work/page.pdf")" \
        grep -qa '^%PDF-' "$work/page.pdf"
    pages=$(grep -ac '/Type /Page$' "$work/page.pdf")
    check "print: $pages_max pages at most" "$pages" test "$pages" -ge 1 -a "$pages" -le "$pages_max"
    true_js 'print: afterwards the tab is as it was' \
        'return [...document.querySelectorAll("[role=tabpanel]")].filter((one) => !one.hidden)
            .map((one) => one.id).join() === "panel-0"'
    js 'window.dispatchEvent(new Event("beforeprint"))' >/dev/null
    true_js 'print: has every figure of an open group' 'const all = [...document.querySelectorAll("figure")]
            .filter((one) => one.checkVisibility());
        return all.length > 3 && !all.some((one) => one.closest("details:not([open])")) &&
            (all.filter(({id}) => tare.view(id) === undefined).map((one) => one.id).join() || true)'
    cdp Emulation.setEmulatedMedia '{"media":"print"}'
    viewport 1240 1754
    true_js 'print: no figure is wider than its place' 'return [...document.querySelectorAll("figure")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.id).join() || true'
    shot page-print
    viewport 1280 $screen
    cdp Emulation.setEmulatedMedia '{"media":""}'
    js 'window.dispatchEvent(new Event("afterprint"))' >/dev/null
}

# Tab "Paper" is printed alone, and no item is higher than a page of A4. Between the margins a page is 703 pixels wide
# and 1032 high; the tab, 748 pixels wide, is printed that much smaller.
test_print_paper() {
    open_page "$work/page.html"
    if [ "$(js 'return document.querySelector(".in-order") !== null')" = false ]; then
        skip 'print: tab Paper' 'the run has none of its benches'
        return
    fi
    viewport 1280 $screen
    cdp Emulation.setEmulatedMedia '{"media":"print"}'
    js 'document.querySelectorAll("[role=tab]").forEach((tab) => /^Paper/.test(tab.textContent) && tab.click());
        window.dispatchEvent(new Event("beforeprint"))' >/dev/null
    true_js 'print: only tab Paper' 'return [...document.querySelectorAll("[role=tabpanel]")]
        .every((one) => one.hidden !== one.classList.contains("in-order"))'
    true_js 'print: 14 items, each on one page' 'const items = [...document.querySelectorAll(".in-order section")]
            .filter((one) => /^(Figure|Table) /.test(one.textContent));
        const high = items.map((one) => Math.round(one.getBoundingClientRect().height));
        return items.length === 14 && high.every((one) => one * 703 / 748 <= 1032) ? true : high.join()'
    true_js 'print: no controls' 'return [...document.querySelectorAll(".measures, .averaging, #theme")]
        .every((one) => !one.checkVisibility())'
    js 'window.dispatchEvent(new Event("afterprint"))' >/dev/null
    cdp Emulation.setEmulatedMedia '{"media":""}'
}

# Without script the page has everything too: findings, tables, and figures as SVG.
test_without_script() {
    open_page "$work/page.html"
    seen=$(js 'return document.querySelectorAll("script.figure").length')
    cdp Emulation.setScriptExecutionDisabled '{"value":true}'
    open_page "$work/page.html"
    true_js 'no script: each figure is a table or a picture, and is seen' "const all =
            [...document.querySelectorAll('.figures figure')];
        const shown = all.filter((one) => one.checkVisibility() && one.querySelector('table, svg text') &&
            one.getBoundingClientRect().height > 20);
        return all.length === $seen && shown.length === all.length ? true : [shown.length, all.length].join()"
    true_js 'no script: findings are seen' 'const all = [...document.querySelectorAll(".findings")];
        return all.length === 1 && all[0].checkVisibility() && all[0].innerText.length > 50'
    true_js 'no script: nothing beyond the window, no button without effect' 'return document.documentElement
        .scrollWidth <= window.innerWidth && ![...document.querySelectorAll("button")].some((one) => one.checkVisibility())'
    shot page-no-script
    cdp Emulation.setScriptExecutionDisabled '{"value":false}'
}

saved() {
    [ -s "$work/saved/$1" ]
}

# press NAME SELECTOR: clicks a button that saves file NAME, and waits for the file.
press() {
    true_js "save: a button for $1" "const one = document.querySelector('$2'); one?.click(); return one !== null"
    wait_for 20 saved "$1" || fail "save: $1" 'no such file'
}

# Each figure has a link; a picture and its values can be saved.
test_copies() {
    mkdir -p "$work/saved"
    cdp Browser.setDownloadBehavior "$(jq -nc --arg to "$work/saved" '{behavior: "allow", downloadPath: $to}')"
    open_page "$work/page.html"
    true_js 'save: each figure has its own link' 'const all = [...document.querySelectorAll("figure")];
        return all.length > 0 && all.every((one) => one.querySelector(".copies a").hash === "#" + one.id)'
    id=$(js 'const {figure} = tare.views().map(([, view]) => view).find(({series}) => series?.length > 0 &&
        series[0].n > 0); return figure.id')
    for name in PNG SVG CSV; do
        press "$id.$(echo $name | tr PNGSVC pngsvc)" "#$id .copies [aria-label^=\"$name\"]"
    done
    check 'save: PNG' "$(file "$work/saved/$id.png")" grep -q PNG "$work/saved/$id.png"
    check 'save: SVG is XML' "$(head -c 200 "$work/saved/$id.svg")" \
        python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1]).getElementsByTagName("svg")[0]' "$work/saved/$id.svg"
    points=$(js "return tare.view('$id').series.reduce((sum, one) => sum + one.n, 0)")
    check 'save: CSV has a row for each point' "$(head -n 3 "$work/saved/$id.csv")" \
        test "$(wc -l <"$work/saved/$id.csv")" -eq $((points + 1))
    press statistics.csv '#statistics .copies [aria-label^="CSV"]'
    rows=$(js 'return tare.view("statistics").rows.length')
    read=$(python3 -c 'import csv, sys; rows = list(csv.reader(open(sys.argv[1], newline=""))); print(
        len(rows) - 1 if len({len(row) for row in rows}) == 1 else "ragged")' "$work/saved/statistics.csv")
    check 'save: CSV of a table has its rows' "$read of $rows" test "$read" = "$rows"
}

# axe TAB SCHEME RULES: RULES is an option of axe.run()
axe() {
    js "tare.choose($1); window.scrollTo(0, 0)" >/dev/null
    found=$(in_session POST /execute/async "$(jq -nc --arg rules "$3" '{args: [], script:
        "const done = arguments[0]; axe.run(document, {resultTypes: [\"violations\"]\($rules)})
            .then((result) => done(result.violations.map((one) =>
                one.id + \" (\" + one.nodes.length + \"): \" + one.nodes[0].html.slice(0, 90))),
                (error) => done([String(error)]))"}')" | jq -r 'join("; ")')
    check "axe: tab $1, $2: no violation" "$found" test -z "$found"
}

test_axe() {
    script=$(tools/build/npm.sh axe)/axe.min.js && [ -f "$script" ] || {
        skip 'axe' 'axe-core cannot be fetched'
        return
    }
    for scheme in light dark; do
        viewport 1280 $screen
        colours $scheme
        open_page "$work/page.html"
        jq -nc --rawfile script "$script" '{script: $script, args: []}' >"$work/axe.json"
        in_session POST /execute/sync "@$work/axe.json" >/dev/null
        # Light: what is closed too, by all rules. Dark: only colours differ.
        rules=
        if [ "$scheme" = light ]; then
            js 'tare.drawAll()' >/dev/null
        else
            rules=', runOnly: ["color-contrast"]'
        fi
        tab=0
        while [ "$tab" -lt "$tabs" ]; do
            axe "$tab" $scheme "$rules"
            tab=$((tab + 1))
        done
    done
}

# A page without tabs.
test_comparison() {
    cp "$run" "$work/again.db"
    tabs=1
    "$TARE" compare --html "$work/page.html" --force "$run" "$work/again.db" >/dev/null 2>&1
    check 'comparison: written' 'it is not' test -s "$work/page.html"
    test_axe
}

test_first_screen
test_lengths
test_hidden
test_keyboard
test_address
test_print
test_print_paper
test_without_script
test_copies
test_axe
test_comparison
in_session DELETE '' >/dev/null
finish
