#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# How long the report's page takes to draw: a figure of 10^5 points, and each figure of a run of 10^5
# input events, in Chromium. Wall-clock, from the figure's data in the page to what is drawn; the
# median of five loads counts.
set -u

. tools/tests/support/lib.sh
. tools/tests/support/browser.sh

pages() {
    "$TEST_BIN/demo_page" "$work/demo.html" &&
        "$TEST_BIN/big_log" 1000000 1000000 >"$work/log" &&
        "$TARE" decode "$work/log" -o "$work/run.db" 2>"$work/error" &&
        "$TARE" report -o "$work/run.html" "$work/run.db" 2>"$work/error"
}

# load PAGE SCRIPT: draws all figures; what the script returns.
load() {
    open_page "$1"
    js "tare.drawAll(); $2"
}

for program in chromium chromedriver; do
    command -v "$program" >/dev/null || {
        bench_row 'drawing of the page' none "there is no $program"
        exit 0
    }
done
if ! pages || ! start_browser; then
    bench_row 'drawing of the page' none "failed: $(tail -n 1 "$work/error")"
    exit 1
fi
viewport 1280
for _ in 1 2 3 4 5; do
    load "$work/demo.html" 'return tare.view("events").ms' >>"$work/events"
    load "$work/run.html" 'return Math.max(...[...tare.views()].map(([id, view]) => view.ms))' \
        >>"$work/slowest"
done
bench_row 'page: figure of 10^5 points' "$(median_of "$work/events" | cut -d . -f 1) ms" 'bar: 200 ms'
bench_row 'page: slowest figure of a run of 10^5 input events' \
    "$(median_of "$work/slowest" | cut -d . -f 1) ms" 'bar: 200 ms'
