#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/spleen.sh FOLDER
#
# Prints the glyphs of the screen's font as C (kernel/screen/grid.h): the characters of ASCII and the
# others listed here, from Spleen as console fonts (PSF) in FOLDER. Fails if a size has no glyph for
# one of them.
set -eu

sizes='8x16 12x24 16x32'
# Unicode, decimal: degree, plus-minus, micro, middle dot, times, bullet, ellipsis,
# almost equal, a horizontal line.
others='176 177 181 183 215 8226 8230 8776 9472'
folder=${1:?usage: spleen.sh FOLDER}

# bytes SIZE: prints the bytes of the font, each as a decimal number on a line.
bytes() {
    file=$folder/spleen-$1.psfu.gz
    [ -r "$file" ] || {
        echo "spleen: no $file: install fonts-spleen, or name a folder: SPLEEN=/path" >&2
        exit 1
    }
    gzip -dc "$file" | od -An -v -tu1 | tr -s ' ' '\n' | grep .
}

# PSF 1 has 16-bit code points; FFFFh ends those of a glyph, and FFFEh begins a sequence. PSF 2 uses
# UTF-8, FFh and FEh.
rows() {
    awk -v name="$1" -v others="$others" '
        function word(at) { return b[at] + 256 * (b[at + 1] + 256 * (b[at + 2] + 256 * b[at + 3])) }
        function note(code) { if (!(code in glyph)) glyph[code] = g }
        function read_psf1() {
            glyphs = b[2] % 2 ? 512 : 256
            first = 4; bytes = b[3]; height = bytes; width = 8
            at = first + glyphs * bytes
            for (g = 0; g < glyphs && at < n; at += 2) {
                code = b[at] + 256 * b[at + 1]
                if (code == 65535) { g++; inside = 0 }
                else if (code == 65534) inside = 1
                else if (!inside) note(code)
            }
        }
        function read_psf2() {
            first = word(8); glyphs = word(16); bytes = word(20); height = word(24); width = word(28)
            at = first + glyphs * bytes
            for (g = 0; g < glyphs && at < n; ) {
                c = b[at++]
                if (c == 255) { g++; inside = 0; continue }
                if (c == 254) { inside = 1; continue }
                more = c >= 240 ? 3 : c >= 224 ? 2 : c >= 192 ? 1 : 0
                code = more == 3 ? c - 240 : more == 2 ? c - 224 : more == 1 ? c - 192 : c
                for (; more > 0; more--) code = 64 * code + b[at++] - 128
                if (!inside) note(code)
            }
        }
        function print_glyph(code) {
            if (!(code in glyph)) {
                print "spleen: no glyph " code " in size " name >"/dev/stderr"
                exit bad = 1
            }
            printf "   "
            for (i = 0; i < bytes; i++) printf " %d,", b[first + glyph[code] * bytes + i]
            print ""
        }
        { b[n++] = $1 }
        END {
            if (b[0] == 54 && b[1] == 4) read_psf1()
            else if (b[0] == 114 && b[1] == 181 && b[2] == 74 && b[3] == 134) read_psf2()
            else { print "spleen: size " name " is no PSF font" >"/dev/stderr"; exit 1 }
            if (name != width "x" height || bytes != height * int((width + 7) / 8)) {
                print "spleen: size " name " has glyphs of " width "x" height >"/dev/stderr"
                exit 1
            }
            print "static const uint8_t spleen_" name "[] = {"
            for (code = 32; code <= 126; code++) print_glyph(code)
            count = split(others, other, " ")
            for (k = 1; k <= count; k++) print_glyph(other[k])
            print "};"
        }'
}

echo '/* Made by tools/build/spleen.sh of Spleen (BSD-2-Clause). */'
echo '#include "kernel/screen/grid.h"'
for size in $sizes; do
    all=$(bytes "$size")
    echo "$all" | rows "$size"
done
echo 'const struct glyph_font glyph_fonts[GLYPH_FONTS] = {'
for size in $sizes; do
    echo "    {${size%x*}, ${size#*x}, spleen_$size},"
done
echo '};'
echo "const uint16_t glyph_others[GLYPH_OTHERS] = {$(echo "$others" | tr ' ' ,)};"
