#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The pictures in READMEs show what is printed today. With PICTURES=write it writes them (make pictures).
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh
. tools/tests/support/screen.sh
. tools/tests/support/browser.sh
. tools/tests/image/pictures.sh

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
