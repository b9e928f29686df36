#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Pictures of screens: the pixels of a PNG are those of the screen, by another reader.
set -u

. tools/tests/support/lib.sh

folder=$work/screens

# same NAME A B: two files of the same bytes.
same() {
    check "$1" "$(cmp "$2" "$3" 2>&1)" cmp -s "$2" "$3"
}

test_pixels() {
    expect_status 'screens: written' 0 "$TARE" export --format screens -o "$folder" "$work/drawn.db"
    check 'screens: a file for each phase' "$(ls "$folder")" \
        test "$(ls "$folder")" = 'drawn-in_kernel.hand.png
drawn-server.hand.png'
    for phase in in_kernel.hand server.hand; do
        /usr/bin/python3 tools/export/tests/png_pixels.py "$phase" "$folder/drawn-$phase.png"
    done >"$work/pixels" 2>&1
    same 'screens: the pixels that were drawn' "$work/drawn" "$work/pixels"
    expect_status 'screens: replace former ones' 0 "$TARE" export --format screens -o "$folder" "$work/drawn.db"
}

test_refused() {
    expect_status 'a damaged screen' 1 "$TARE" export --format screens -o "$work/none" "$work/broken.db"
    check 'a damaged screen: its name' "$(cat "$work/output")" \
        grep -qF 'drawn/screen.server.hand describes no screen' "$work/output"
    check 'a damaged screen: nothing is left' 'there is a folder' test ! -e "$work/none"
    expect_status 'a bench without screens' 1 "$TARE" export --format screens -o "$work/none" --bench other \
        "$work/drawn.db"
    cp "$work/drawn.db" "$folder/other.png"
    expect_status 'a folder with other files' 1 "$TARE" export --format screens -o "$folder" "$work/drawn.db"
    check 'a folder with other files: their name' "$(cat "$work/output")" \
        grep -qF '"other.png"' "$work/output"
}

"$TEST_BIN/screen_run" "$work/drawn.db" "$work/broken.db" >"$work/both"
sed '/^broken$/,$d' "$work/both" >"$work/drawn"
test_pixels
test_refused
finish test_screens
