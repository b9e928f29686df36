#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The serial line of build/web/tare.html, in Chromium: fake_image on a pseudo terminal behind a line that changes or
# loses a byte in a thousand both ways; the page gets the whole run, and its report is that of a clean line.
# Chromium lists no pseudo terminal as a port: navigator.serial is replaced by one that passes the bytes of the
# terminal (line_bridge.py). The streams, the session and its repair are the page's.
set -u

. tools/tests/support/lib.sh
. tools/tests/support/browser.sh

start_browser_or_finish
"$TEST_BIN/fake_image" --timeout 200 --pty "$work/tty" >"$work/fake" 2>&1 &
fake=$!
wait_for 20 test -e "$work/tty"
"$TEST_BIN/lossy_proxy" --timeout 200 --flip 0.0005 --drop 0.0005 "$work/tty" "$work/socket" >"$work/proxy" 2>&1 &
proxy=$!
wait_for 20 test -S "$work/socket"
python3 tools/web/tests/line_bridge.py "$work/socket" >"$work/port" 2>"$work/bridge" &
bridge=$!
trap 'kill $fake $proxy $bridge "$driver" 2>/dev/null; rm -rf "$work"' EXIT
wait_for 20 test -s "$work/port"

cdp Page.setBypassCSP '{"enabled":true}'
open_page build/web/tare.html
true_js 'the page offers a serial line' 'return element("capture") !== null && WebAssembly.Suspending !== undefined'
js "const address = 'http://127.0.0.1:$(cat "$work/port")/';"'
    let over = false;
    window.port = {
        open: async () => {
            port.readable = new ReadableStream({pull: async (to) => {
                while (!over) {
                    const answer = await fetch(address);
                    const bytes = new Uint8Array(await answer.arrayBuffer());

                    if (answer.status === 410) { port.readable = null; return to.close(); }
                    if (bytes.length > 0) { return to.enqueue(bytes); }
                }
            }, cancel: () => { over = true; }});
            port.writable = new WritableStream({write: (bytes) => fetch(address, {method: "POST", body: bytes})
                .catch((error) => { window.refused = String(error); throw error; })});
        },
        close: async () => { window.closed_port = true; },
    };
    Object.defineProperty(navigator, "serial", {value: {requestPort: async () => port}});
    element("serial").hidden = false;
    element("capture").click()' >/dev/null

in_session POST /timeouts '{"script":200000}' >/dev/null
patience=200 in_session POST /execute/async '{"args":[],"script":"const done = arguments[0], look = () =>
    logs.length === 1 && !document.body.hasAttribute(\"aria-busy\") ? done() : setTimeout(look, 50); look()"}' >/dev/null
says=$(js 'return element("say").textContent')
case $says in *'the run is complete'*) complete=0 ;; *) complete=1 ;; esac
check "the run is complete" "$says; $(js "return window.refused"); $(cat "$work/bridge")" test $complete -eq 0
wait_for 10 grep -q bye= "$work/fake"
check 'frames were requested again, and bye was sent' "$(cat "$work/fake")" \
    grep -q '^get=[1-9].* bye=[1-9]' "$work/fake"
true_js 'the port is closed again' 'return window.closed_port === true'

# The report is that of a clean line, except for what the line itself did.
"$TEST_BIN/fake_image" --stdout >"$work/clean.log"
"$TARE" decode "$work/clean.log" -o "$work/clean.db" >/dev/null 2>&1
"$TARE" export --format csv -o "$work/clean.csv" "$work/clean.db" 2>/dev/null
got=$(in_session POST /execute/async '{"args":[],"script":"const done = arguments[0];
    run([\"csv\", logs[0].name], [logs[0]]).then((result) => crypto.subtle.digest(\"SHA-256\", result.content(\"-\")))
        .then((hash) => done([...new Uint8Array(hash)].map((one) => one.toString(16).padStart(2, \"0\")).join(\"\")),
            (error) => done(String(error)))"}' | jq -r .)
check 'every sample is that of a clean line' "$got" test "$got" = "$(sha256sum <"$work/clean.csv" | cut -d ' ' -f 1)"
in_session DELETE '' >/dev/null
finish
