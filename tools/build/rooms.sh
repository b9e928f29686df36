#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/build/rooms.sh [FOLDER]
#
# Checks the table of rooms (tools/build/rooms) in the tree FOLDER, by default this one: a room may use
# only itself and what the table lists for it, by #include and by symbol. A names.h is a word list that
# all rooms may include; in tests/ a room may use more. Symbols are those of the host's objects
# (build/host/obj, of the rooms of tools/) and of the image's (build/image/obj) where these are built. Prints
# each violation; status 1 if there is one.
set -eu

cd "${1:-.}"
table=tools/build/rooms
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# room UNIT FILE for each source; folders that are in no row are not checked.
find boot kernel bench tools -name '*.[chS]' | grep -v /tests/ | LC_ALL=C sort >"$work/sources"

# FILE INCLUDED of each #include of our own.
xargs grep -HoE '#include "[^"]+"' <"$work/sources" | sed 's/:#include "/ /; s/"$//' >"$work/includes"

# FILE U|D SYMBOL of each object: what it needs, what it defines for others.
symbols() {
    sed -n "s|^\(.*\.[cS]\)\$|$1/\1.o|p" "$work/sources" | while read -r object; do
        [ ! -f "$object" ] || echo "$object"
    done >"$work/objects"
    [ ! -s "$work/objects" ] || xargs nm -A <"$work/objects" | sed "s|^$1/||; s|\.o:| |" |
        awk '$(NF - 1) == "U" { print $1, "U", $NF; next } $(NF - 1) ~ /^[TDBRCVW]$/ { print $1, "D", $NF }'
}
symbols build/host/obj | awk '/^tools\//' >"$work/host"
symbols build/image/obj >"$work/image"

{
    sed -n '/^[a-z]/s/^/table /p' "$table"
    sed 's/^/include /' "$work/includes"
    sed 's/^/host /' "$work/host"
    sed 's/^/image /' "$work/image"
} | awk '
    function room(file) { sub(/\/[^\/]*$/, "", file); return file }
    function check(from, to, what) {
        if (from == to || !(from in known) || !(to in known) || (from, to) in allowed) { return }
        if (!seen[from, to, what]++) { print from " uses " to ": " what; bad = 1 }
    }
    $1 == "table" {
        from = $2; sub(/:$/, "", from); known[from] = 1
        for (i = 3; i <= NF; i++) { allowed[from, $i] = 1 }
        next
    }
    $1 == "include" && $3 !~ /(^|\/)names\.h$/ { check(room($2), room($3), $2 " includes " $3); next }
    ($1 == "host" || $1 == "image") && $3 == "D" { defined[$1, $4] = $2; next }
    ($1 == "host" || $1 == "image") && $3 == "U" { used[++uses] = $1 SUBSEP $2 SUBSEP $4 }
    END {
        for (k = 1; k <= uses; k++) {
            split(used[k], part, SUBSEP)
            if ((part[1], part[3]) in defined) {
                check(room(part[2]), room(defined[part[1], part[3]]), part[2] " needs " part[3])
            }
        }
        exit bad
    }'
