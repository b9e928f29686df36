# SPDX-License-Identifier: BSD-2-Clause
#
# For shell tests of pages, which source it after lib.sh: controls Chromium by WebDriver. Screenshots
# are written to $shots.
#
# shellcheck shell=sh

driver=
trap '[ -z "$driver" ] || kill "$driver" 2>/dev/null; rm -rf "$work"' EXIT

# wd METHOD PATH [BODY]: prints the answer's value as JSON, if it arrives within $patience seconds (default 30).
wd() {
    curl -sS --max-time "${patience:-30}" -X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} \
        "http://127.0.0.1:$port$2" 2>"$work/curl" | jq -c .value
}

in_session() {
    wd "$1" "/session/$session$2" "${3-}"
}

cdp() {
    in_session POST /goog/cdp/execute "{\"cmd\":\"$1\",\"params\":$2}" >/dev/null
}

# js SCRIPT: prints its return value; a string without quotes.
js() {
    in_session POST /execute/sync "$(jq -nc --arg script "$1" '{script: $script, args: []}')" |
        jq -r 'if type == "string" then . else tojson end'
}

has_port() {
    port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$work/driver")
    [ -n "$port" ]
}

# start_browser OPTION...: with more options of Chromium, without blanks.
start_browser() {
    : >"$work/driver"
    chromedriver --port=0 >"$work/driver" 2>&1 &
    driver=$!
    wait_for 20 has_port || return 1
    session=$(wd POST /session "$(jq -nc --arg folder "$work/profile" --arg more "$*" '{capabilities: {alwaysMatch: {
        "goog:loggingPrefs": {browser: "ALL", performance: "ALL"},
        "goog:chromeOptions": {args: (["--headless=new", "--no-sandbox", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--user-data-dir=\($folder)",
            "--window-size=1280,1000"] + ($more | split(" ")))}}}}')" | jq -r .sessionId)
    [ -n "$session" ] && [ "$session" != null ]
}

# open_page FILE: opens the file as a page.
open_page() {
    in_session POST /url "$(jq -nc --arg url "file://$(realpath "$1")" '{url: $url}')" >/dev/null
}

# drag X Y X Y: drags the mouse from one point of the window to another.
drag() {
    in_session POST /actions "{\"actions\":[{\"type\":\"pointer\",\"id\":\"mouse\",
        \"parameters\":{\"pointerType\":\"mouse\"},\"actions\":[
        {\"type\":\"pointerMove\",\"duration\":0,\"x\":$1,\"y\":$2},
        {\"type\":\"pointerDown\",\"button\":0},
        {\"type\":\"pointerMove\",\"duration\":60,\"x\":$3,\"y\":$4},
        {\"type\":\"pointerUp\",\"button\":0}]}]}" >/dev/null
}

# double_click X Y
double_click() {
    in_session POST /actions "{\"actions\":[{\"type\":\"pointer\",\"id\":\"mouse\",
        \"parameters\":{\"pointerType\":\"mouse\"},\"actions\":[
        {\"type\":\"pointerMove\",\"duration\":0,\"x\":$1,\"y\":$2},
        {\"type\":\"pointerDown\",\"button\":0},{\"type\":\"pointerUp\",\"button\":0},
        {\"type\":\"pointerDown\",\"button\":0},{\"type\":\"pointerUp\",\"button\":0}]}]}" >/dev/null
}

move_mouse() {
    in_session POST /actions "{\"actions\":[{\"type\":\"pointer\",\"id\":\"mouse\",
        \"parameters\":{\"pointerType\":\"mouse\"},\"actions\":[
        {\"type\":\"pointerMove\",\"duration\":0,\"x\":$1,\"y\":$2}]}]}" >/dev/null
}

# place SELECTOR: scrolls to an element, and sets $left, $top, $width and $height to its place.
place() {
    # shellcheck disable=SC2046
    set -- $(js "const element = document.querySelector('$1');
        element.scrollIntoView({block: 'center'});
        const box = element.getBoundingClientRect();
        return [box.left, box.top, box.width, box.height].map(Math.round).join(' ');")
    left=$1 top=$2 width=$3 height=$4
}

# shot NAME: takes a screenshot of the window.
shot() {
    mkdir -p "$shots"
    in_session GET /screenshot | jq -r . | base64 -d >"$shots/report-$1.png"
}

# viewport WIDTH [HEIGHT]
viewport() {
    cdp Emulation.setDeviceMetricsOverride \
        "{\"width\":$1,\"height\":${2:-1000},\"deviceScaleFactor\":1,\"mobile\":false}"
}

colours() {
    cdp Emulation.setEmulatedMedia \
        "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"$1\"}]}"
}

# true_js NAME SCRIPT: passes if the script returns true; otherwise prints its return value.
true_js() {
    true_got=$(js "$2")
    check "$1" "$true_got" test "$true_got" = true
}

# start_browser_or_finish OPTION...: without Chromium the test cannot run: it ends with the reason.
start_browser_or_finish() {
    for program in chromium chromedriver jq; do
        command -v "$program" >/dev/null 2>&1 || {
            skip 'browser' "no $program on this machine: see tools/build/setup.sh test"
            finish
            exit
        }
    done
    start_browser "$@" && return
    fail 'browser' "it does not start: $(tail -n 3 "$work/driver")"
    finish
    exit
}
