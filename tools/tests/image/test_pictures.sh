#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The pictures in READMEs show what is printed today. With PICTURES=write it writes them (make pictures). All are
# made from boots of profile quick in exact mode. Next to each NAME.png is its text, NAME.txt, whose first line
# has the licence and the checksum of the picture:
#
#     first_run  what make run prints on a terminal
#     report     the first screen of tare report
#     page       the machine's screen at the end of the run
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/support/screen.sh
. tools/tests/support/browser.sh

benches='clock,contextswitch,echo,gap,idle,keystroke,timerlat'

# terminal_page: a terminal's output on standard input as an HTML page.
terminal_page() {
    printf '<meta charset="utf-8"><style>body{margin:0;background:#0d1117;color:#c9d1d9}'
    printf 'pre{margin:16px 24px;font:16px/22px "DejaVu Sans Mono",monospace}</style><pre>'
    esc=$(printf '\033')
    sed -e 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' -e "s/$esc\[0m/<\/span>/g" \
        -e "s/$esc\[1m/<span style=\"font-weight:bold;color:#fff\">/g" \
        -e "s/$esc\[32m/<span style=\"color:#7ee787\">/g; s/$esc\[33m/<span style=\"color:#e3b341\">/g" \
        -e "s/$esc\[31m/<span style=\"color:#ff7b72\">/g"
    printf '</pre>'
}

# photograph PAGE WIDTH HEIGHT PICTURE
photograph() {
    viewport "$2" "$3"
    open_page "$1"
    sleep 1
    shots=$work/shots
    shot picture
    mv "$shots/report-picture.png" "$4"
}

checksum() {
    sha256sum <"$1" | cut -d ' ' -f 1
}

# with_checksum NAME: its text, on standard input, into NAME.txt.
with_checksum() {
    { echo "SPDX-License-Identifier: BSD-2-Clause $(checksum "$1.png")" && cat; } >"$1.txt"
}

make_first_run() {
    mkdir -p "$work/tree/build"
    ln -s "$PWD/build/image" "$PWD/build/tare" "$work/tree/build"
    (cd "$work/tree" && echo '$ make run' &&
        COLUMNS=80 build/tare --color always boot --mode exact --profile quick 2>&1) >"$work/first_run"
    terminal_page <"$work/first_run" >"$work/first_run.html"
    photograph "$work/first_run.html" 860 $(($(wc -l <"$work/first_run") * 22 + 40)) "$1/first_run.png"
    sed "s/$(printf '\033')\[[0-9]*m//g; s/^ *[0-9.]* s  /  N s  /" "$work/first_run" | with_checksum "$1/first_run"
}

make_report() {
    photograph "$work/tree/build/run/run.html" 1280 800 "$1/report.png"
    js 'return document.body.innerText' | with_checksum "$1/report"
}

make_page() {
    no_serial "exit=halt bench=$benches gap.threshold_ns=20000" -device VGA,edid=on,xres=1280,yres=800 \
        -monitor "unix:$work/monitor,server=on,wait=off" &
    page_machine=$!
    wait_for 60 screen_settles 'What this machine did' || return 1
    monitor "screendump $1/page.png -f png" >/dev/null
    wait_for 10 test -s "$1/page.png" || return 1
    monitor quit >/dev/null
    wait $page_machine
    with_checksum "$1/page" <"$work/screen.txt"
}

# make_pictures FOLDER: writes each picture and its text into the folder.
make_pictures() {
    tools/build/mkimage.sh --mib 0 "$work/disk.img" "$image"
    make_first_run "$1" && make_report "$1" && make_page "$1"
}

place_of() {
    case $1 in
    first_run) echo tools/cmd ;;
    report) echo tools/figure/page ;;
    page) echo kernel/screen ;;
    esac
}

start_browser_or_finish
mkdir "$work/pictures"
check 'pictures: made' "made: $(ls "$work/pictures")" make_pictures "$work/pictures"
for name in first_run report page; do
    kept=$(place_of $name)/$name
    [ "${PICTURES-}" != write ] || cp "$work/pictures/$name.png" "$work/pictures/$name.txt" "$(place_of $name)"
    sed 1d "$kept.txt" >"$work/kept"
    sed 1d "$work/pictures/$name.txt" >"$work/new"
    check "$kept.txt is there" 'it is empty' test -s "$work/kept" -a -s "$work/new"
    check "$kept.png shows what is printed today" "run make pictures: $(diff "$work/kept" "$work/new" | head -n 5)" \
        cmp "$work/kept" "$work/new"
    check "$kept.txt is of that picture" 'run make pictures' \
        test "$(sed -n '1s/.* //p' "$kept.txt")" = "$(checksum "$kept.png")"
done
finish
