#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# SVG files of each kind of figure (unit_svg draws them), by other programs: an XML parser takes
# them, and what a renderer makes of them has pixels where values are, and none where none are.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh

# look FIGURE: at parts of its frame, a line each: dark or blank, left, top, width and height in
# hundredths of it, and what should be there, or not. Lines of ticks are not dark.
look() {
    cat >"$work/parts"
    sed -n 's/^<rect x="\([^"]*\)" y="\([^"]*\)" width="\([^"]*\)" height="\([^"]*\)" fill="none" stroke="#999"\/>/\1 \2 \3 \4/p' \
        "$work/$1.svg" | head -n 1 >"$work/frame"
    awk 'NR == FNR { x = $1; y = $2; width = $3 / 100; height = $4 / 100; next } {
        printf "%d %d %d %d\n", x + width * $2, y + height * $3, width * $4, height * $5
    }' "$work/frame" "$work/parts" |
        xargs "$TEST_BIN/png_grey" "$work/$1.png" >"$work/greys"
    paste -d ' ' "$work/greys" "$work/parts" >"$work/seen"
    while read -r grey wanted _ _ _ _ what; do
        case $wanted in
        dark) check "$1: $what" "the darkest is $grey" test "$grey" -lt 150 ;;
        *) check "$1: $what" "the darkest is $grey" test "$grey" -gt 170 ;;
        esac
    done <"$work/seen"
}

test_files() {
    expect_status 'figures of each kind are drawn' 0 "$TEST_BIN/unit_svg" "$work"
    expect_status 'an XML parser takes all of them' 0 xmllint --noout "$work"/*.svg
    for file in "$work"/*.svg; do
        name=$(basename "$file" .svg)
        rsvg-convert -o "$work/$name.png" "$file" 2>"$work/output" ||
            fail "$name is rendered" "$(tail -n 1 "$work/output")"
    done
    check 'all of them are rendered' "$(ls "$work")" test "$(find "$work" -name '*.png' | wc -l)" -eq 10
}

# Three series of 10 to 30, 20 to 40 and 30 to 50 by x of 0 to 20, without a point at 10; y goes
# to 60.
test_series() {
    look lines <<'END'
dark 10 76 8 8 the lowest series, at the left
dark 80 15 8 12 the highest series, at the right
blank 5 2 20 12 nothing above them
blank 49 35 2 12 a gap at the missing point
END
    look steps <<'END'
dark 85 15 8 12 the highest series
END
    look points <<'END'
dark 5 74 8 12 the lowest series
blank 49 35 2 12 no point where none is
END
    look sticks <<'END'
dark 24 88 3 8 down to the axis
blank 46 88 3 8 none where no point is
END
    look histogram <<'END'
dark 85 0 8 9 the outline of the highest
blank 3 2 30 10 nothing above it
END
}

# Of two groups, 40 and 80 in the first, nothing and 100 in the second.
test_bars() {
    look bars <<'END'
dark 18 62 3 10 the first to its height
blank 16 30 3 10 and not above it
dark 75 1 5 3 the last to the top
END
}

# A moment in the middle of one lane.
test_timeline() {
    look timeline <<'END'
dark 49 10 2 80 a moment is seen
blank 20 30 10 30 and does not hide what is around it
END
}

test_files
test_series
test_bars
test_timeline
finish
