#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The screen as a line, from end to end: a machine without a serial port shows its log as QR codes. Its screen is
# filmed with the faults of a camera and a loss of 15 % (camera_film); the film is Chromium's camera; the page reads
# the log, and shows what tare report makes of it, byte for byte. Also the same codes dropped as pictures, and what
# the page says without a camera.
set -u

. tools/tests/support/lib.sh
. tools/tests/support/browser.sh
. tools/tests/image/boot.sh
. tools/tests/support/screen.sh
. tools/web/tests/camera.sh

SCREENS=20
machine=
trap '[ -z "$driver" ] || kill "$driver" 2>/dev/null; [ -z "$machine" ] || kill "$machine" 2>/dev/null
    rm -rf "$work"' EXIT
machine_or_finish 'camera'

# shoot: a screenshot of the stopped machine, which counts if it shows another code than the last; a code that is only
# partly painted is one that the camera does not read. Returns whether there are enough.
shots=0
shoot() {
    printf 'stop\nscreendump %s -f png\n' "$work/shot.png" | socat - "unix-connect:$work/monitor" >"$work/monitor.out" 2>&1
    printf 'cont\n' | socat - "unix-connect:$work/monitor" >"$work/monitor.out" 2>&1
    if ! cmp -s "$work/shot.png" "$work/screens/$shots.png"; then
        shots=$((shots + 1))
        mv "$work/shot.png" "$work/screens/$shots.png"
    fi
    [ "$shots" -ge "$SCREENS" ]
}

# The quick profile.
show_codes() {
    printf 'bench=clock,contextswitch,echo,gap,idle,keystroke,timerlat idle.ms=1000\n' >"$work/plan"
    without_tpm "$firmware" "$work/firmware"
    qemu-system-x86_64 -machine q35,smm=off -m 256 -bios "$work/firmware" -kernel "$image" -nodefaults \
        -vga std -display none -net none -serial none -monitor "unix:$work/monitor,server=on,wait=off" \
        -accel tcg,thread=single -cpu max,-rdrand,-rdseed,-monitor -icount "shift=3,sleep=off" \
        -rtc base=2024-01-01T00:00:00,clock=vm -fw_cfg "name=opt/tare/plan,file=$work/plan" 2>"$work/qemu.err" &
    machine=$!
    wait_for 60 screen_shows 'log of this run as QR'
}

mkdir "$work/screens"
show_codes && wait_for 20 shoot
check 'screen: a machine without a serial port shows codes' "$shots of $SCREENS screens: $(head -n 20 "$work/screen.txt")" \
    test "$shots" -ge "$SCREENS"
kill "$machine"
machine=
for shot in "$work"/screens/*.png; do
    echo "220 $shot"
done | sort -t / -k 5 -V >"$work/camera.list"

filmed=$(film camera usual 720 15 1)
check 'film: some codes are lost' "$filmed" test "${filmed#*screens, 0}" = "$filmed"
# shellcheck disable=SC2086 # several options
start_browser_or_finish $films "--use-file-for-fake-video-capture=$work/camera.mjpeg"
camera_reads 15
if ! has_page; then
    fail 'camera: the log is read' "$filmed; the page says: $said"
    finish
    exit 1
fi
pass 'camera: the log is read'
echo "it took $took s: $filmed"
take_out camera
same_page camera
same=$?
check 'camera: the page is that of tare report' "$(cat "$work/camera.txt")" test "$same" = 0
check 'camera: the run is valid' "$(cat "$work/camera.txt")" test "$decoded" = 0
check 'camera: the run has all benches' "$(cat "$work/camera.txt")" \
    test "$(sqlite3 "$work/camera.db" 'SELECT count(*) FROM bench')" = 7

# drop FILE...: chooses files as a person does; $said is what the page says then.
drop() {
    field=$(in_session POST /element '{"using":"css selector","value":"#file"}' | jq -r '.[]')
    in_session POST "/element/$field/value" "$(printf '%s\n' "$@" | jq -sR '{text: rtrimstr("\n")}')" >/dev/null
    page_waits 20 "/$wanted/.test(element('say').textContent)"
    said=$(js 'return element("say").textContent')
}

says() {
    js 'return element("say").textContent' | grep -q "$1"
}

# Pictures: not a log's code first, then some, then the rest.
open_page "$page"
head -c 5000 "$work/camera.log" >"$work/other.log"
mkdir "$work/others"
"$TEST_BIN/screen_codes" "$work/other.log" "$work/others" 1 >/dev/null
printf 'no picture' >"$work/bad.png"
wanted='of 7 blocks'
drop "$work/screens/1.png" "$work/screens/2.png" "$work/bad.png"
check 'pictures: how many are missing' "$said" says '^[1-3] of 7 blocks: drop pictures of more codes$'
check 'pictures: one that is none' "$said" says '^bad.png: expected a picture, got what this browser cannot read'
wanted='another log'
drop "$work/others/0000.png"
check 'pictures: the code of another log' "$said" says '^0000.png: its code belongs to another log than the first'
wanted='screen.log: '
drop "$work"/screens/*.png
js 'return [...logs[0].bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")' | xxd -r -p >"$work/drop.log"
check 'pictures: the same log' "$said" cmp -s "$work/drop.log" "$work/camera.log"
check 'pictures: more than needed are no second log' "$said" test "$(js 'return logs.length')" = 1

# camera_says NAME SCRIPT PATTERN: without a camera that can be used.
camera_says() {
    open_page "$page"
    js "$2; element('camera').click()" >/dev/null
    page_waits 5 "/$3/.test(element('say').textContent)"
    check "$1" "$(js 'return element("say").textContent')" says "$3"
}

refuse='navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NAME"))'
camera_says 'camera: refused' "$(echo "$refuse" | sed s/NAME/NotAllowedError/)" 'refused the camera; allow it'
camera_says 'camera: none' "$(echo "$refuse" | sed s/NAME/NotFoundError/)" 'no camera; drop screenshots'
camera_says 'camera: a page that may have none' 'Object.defineProperty(navigator, "mediaDevices", {value: undefined})' \
    'open this page from an https'
finish
