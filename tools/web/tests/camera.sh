# SPDX-License-Identifier: BSD-2-Clause
#
# For the test and the bench of codes read by camera, sourced after lib.sh and browser.sh: a film takes the place of
# Chromium's camera.
#
# shellcheck shell=sh

# shellcheck disable=SC2034 # of those who source this
page=build/web/tare.html
films="--use-fake-ui-for-media-stream --use-fake-device-for-media-stream"

# film NAME LEVEL ROWS LOSS SEED: films the screens that $work/NAME.list names; prints what it filmed.
film() {
    "$TEST_BIN/camera_film" "$2" "$3" "$4" "$5" "$work/$1.mjpeg" <"$work/$1.list"
}

# page_waits SECONDS CONDITION: waits in the page until the condition holds. Returns whether it did.
page_waits() {
    patience=$(($1 + 10))
    in_session POST /timeouts "{\"script\": $((patience * 1000))}" >"$work/js"
    [ "$(in_session POST /execute/async "$(jq -nc --arg condition "$2" --arg ms "$1"000 '{args: [], script:
        "const end = performance.now() + \($ms), done = arguments[0]; const look = () => {
            const holds = Boolean(\($condition));
            if (holds || performance.now() > end) { done(holds); } else { setTimeout(look, 50); } }; look()"}')")" = true ]
}

# camera_reads SECONDS: the page reads the film of the browser's camera. Sets $took to the seconds from the click until the
# log was complete, $said to what the page says.
camera_reads() {
    open_page "$page"
    # The page that is shown, and when its log was complete.
    js 'window.pages = []; const make = URL.createObjectURL; URL.createObjectURL = (blob) => {
            if (blob.type === "text/html") { pages.push(blob); }
            return make(blob);
        };
        new MutationObserver(() => { window.complete ??= logs.length > 0 ? performance.now() : undefined; })
            .observe(element("logs"), {childList: true});
        window.clicked = performance.now();
        element("camera").click()' >"$work/js"
    page_waits "$1" 'pages.length === 1'
    took=$(js 'return ((window.complete - clicked) / 1000).toFixed(1)')
    said=$(js 'return element("say").textContent')
}

has_page() {
    [ "$(js 'return pages.length')" = 1 ]
}

# take_out NAME: writes the log that the page has read to $work/NAME.log, and the page to $work/NAME.page.html.
take_out() {
    js 'return [...logs[0].bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")' | xxd -r -p >"$work/$1.log"
    touch -d "$(js 'return new Date(logs[0].modified).toISOString()')" "$work/$1.log"
    in_session POST /execute/async '{"args": [], "script": "pages[0].text().then(arguments[0])"}' |
        jq -j . >"$work/$1.page.html"
}

# same_page NAME: whether `tare report` of the log makes the same page. Sets $decoded to the status of tare decode, which
# is 1 for a run that is not valid.
same_page() {
    "$TARE" decode "$work/$1.log" -o "$work/$1.db" >"$work/$1.txt" 2>&1
    decoded=$?
    "$TARE" report -o "$work/$1.html" "$work/$1.db" >>"$work/$1.txt" 2>&1 &&
        cmp "$work/$1.page.html" "$work/$1.html" >>"$work/$1.txt" 2>&1
}
