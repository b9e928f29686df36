#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# How long a camera takes to read a log off a screen: the codes are drawn as the image draws them (screen_codes), filmed
# with a camera's faults and a loss of 15 % (camera_film), and read by the page in Chromium. Seconds from the click
# until the log is complete; the page must be that of tare report. test_camera.sh films the machine itself.
set -u

. tools/tests/support/lib.sh
. tools/tests/support/browser.sh
. tools/web/tests/camera.sh

# row LOG LEVEL ROWS SECONDS: films $work/LOG.log for SECONDS, has it read, and prints a line.
row() {
    name=$1-$2-$3
    rm -rf "$work/screens" "$work/profile"
    mkdir "$work/screens"
    # shellcheck disable=SC2086 # several options
    if ! { "$TEST_BIN/screen_codes" "$work/$1.log" "$work/screens" $(($4 * 1000 / 220)) >"$work/$name.list" &&
        film "$name" "$2" "$3" 15 1 >"$work/filmed" &&
        start_browser $films "--use-file-for-fake-video-capture=$work/$name.mjpeg"; } 2>"$work/error"; then
        printf '%-34s failed: %s\n' "$name" "$(tail -n 1 "$work/error")"
        return
    fi
    page_is=none
    if camera_reads $(($4 * 2)) && has_page; then
        take_out "$name"
        page_is=different
        cmp -s "$work/$name.log" "$work/$1.log" && same_page "$name" && page_is=equal
    fi
    in_session DELETE '' >/dev/null
    kill "$driver" && wait "$driver" 2>/dev/null
    printf '%-34s %8s bytes %7s s   page: %s\n' "$name" "$(stat -c %s "$work/$1.log")" "$took" "$page_is"
    rm -f "$work/$name.mjpeg"
}

# log NAME OPTION...
log() {
    log_name=$1
    shift
    "$TARE" boot --timeout 900 --log "$work/$log_name.log" -o "$work/boot.db" --force "$@" >"$work/boot.txt" 2>&1
    # A run in real time under emulation is not valid, and its log is as long.
    [ -s "$work/$log_name.log" ] || echo "$log_name: $(tail -n 1 "$work/boot.txt")"
}

log quick --mode exact
log real --mode real
for mode in real exact; do log "noise4-$mode" --mode "$mode" --profile noise --smp 4; done
row quick usual 720 6
row real usual 720 20
row real bad 720 20
for mode in real exact; do row "noise4-$mode" usual 720 80; done
[ -n "${SHORT:-}" ] || {
    log all --mode exact --profile all
    row all usual 720 60
}
