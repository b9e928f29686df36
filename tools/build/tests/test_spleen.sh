#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The glyphs that the build makes of the installed font: each byte is that of the font's file; and
# what is no such font is refused with its reason.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh

fonts=${SPLEEN:-/usr/share/consolefonts}
spleen=tools/build/spleen.sh

# refused TEXT FOLDER: does it fail, with that text?
refused() {
    ! "$spleen" "$2" >"$work/refused.c" 2>"$work/refused.err" && grep -q "$1" "$work/refused.err"
}

# glyph SIZE NUMBER: bytes of the glyph in what was made, from 0.
made() {
    sed -n "/spleen_$1\[\]/,/};/p" "$work/glyphs.c" | sed -n "$((2 + $2))p" | tr -d ' '
}

# Glyph 67h, 'g', is number 67h in all three files. Their headers are of 4 and of 32 bytes.
in_font() {
    gzip -dc "$fonts/spleen-$1.psfu.gz" | od -An -v -tu1 -j "$(($2 + 103 * $3))" -N "$3" |
        tr -s ' \n' ',' | sed 's/^,//'
}

if [ ! -r "$fonts/spleen-8x16.psfu.gz" ]; then
    skip 'the font of the screen' 'fonts-spleen is not installed'
    finish
    exit
fi
: >"$work/refused.err"
"$spleen" "$fonts" >"$work/glyphs.c"
check '8x16: g' "$(made 8x16 71)" test "$(made 8x16 71)" = "$(in_font 8x16 4 16)"
check '12x24: g' "$(made 12x24 71)" test "$(made 12x24 71)" = "$(in_font 12x24 32 48)"
check '16x32: g' "$(made 16x32 71)" test "$(made 16x32 71)" = "$(in_font 16x32 32 64)"
check 'no font there: what to do' "$(cat "$work/refused.err")" \
    refused 'install fonts-spleen, or name a folder' "$work"
for size in 8x16 12x24 16x32; do
    cp "$fonts/spleen-16x32.psfu.gz" "$work/spleen-$size.psfu.gz"
done
check 'a font of another size' "$(cat "$work/refused.err")" \
    refused 'size 8x16 has glyphs of 16x32' "$work"
echo junk | gzip >"$work/spleen-8x16.psfu.gz"
check 'another file' "$(cat "$work/refused.err")" refused 'is no PSF font' "$work"
gzip -dc "$fonts/spleen-8x16.psfu.gz" | head -c 9000 | gzip >"$work/spleen-8x16.psfu.gz"
check 'a font whose table is cut off' "$(cat "$work/refused.err")" refused 'no glyph' "$work"
finish
