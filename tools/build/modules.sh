#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/build/modules.sh [FOLDER]
#
# Checks the table of modules (tools/build/modules) in the tree FOLDER, by default this one: a module may use
# only itself and the modules that the table lists for it, by #include and by symbol. A names.h contains only
# names, and all modules may include it; in tests/ a module may use more. Symbols are those of the host's
# objects (build/host/obj, of the modules of tools/ and of bench/GROUP/host) and of the image's
# (build/image/obj), if these are built. Prints each violation; exit status 1 if there is any.
set -eu

cd "${1:-.}"
table=tools/build/modules
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A line MODULE UNIT FILE for each source; folders that are in no row are not checked.
find boot kernel bench tools -name '*.[chS]' | grep -v /tests/ | LC_ALL=C sort >"$work/sources"

# A line FILE INCLUDED for each #include of our own headers.
xargs grep -HoE '#include "[^"]+"' <"$work/sources" | sed 's/:#include "/ /; s/"$//' >"$work/includes"

# A line FILE U|D SYMBOL for each object: symbols that it needs, and that it defines for others.
symbols() {
    sed -n "s|^\(.*\.[cS]\)\$|$1/\1.o|p" "$work/sources" | while read -r object; do
        [ ! -f "$object" ] || echo "$object"
    done >"$work/objects"
    [ ! -s "$work/objects" ] || xargs nm -A <"$work/objects" | sed "s|^$1/||; s|\.o:| |" |
        awk '$(NF - 1) == "U" { print $1, "U", $NF; next } $(NF - 1) ~ /^[TDBRCVW]$/ { print $1, "D", $NF }'
}
symbols build/host/obj | awk '/^tools\/|^bench\/[^ ]*\/host\//' >"$work/host"
symbols build/image/obj >"$work/image"

{
    sed -n '/^[a-z]/s/^/table /p' "$table"
    sed 's/^/include /' "$work/includes"
    sed 's/^/host /' "$work/host"
    sed 's/^/image /' "$work/image"
} | awk '
    function module(file) { sub(/\/[^\/]*$/, "", file); return file }
    function check(from, to, what) {
        if (from == to || !(from in known) || !(to in known) || (from, to) in allowed) { return }
        if (!seen[from, to, what]++) { print from " uses " to ": " what; bad = 1 }
    }
    $1 == "table" {
        from = $2; sub(/:$/, "", from); known[from] = 1
        for (i = 3; i <= NF; i++) { allowed[from, $i] = 1 }
        next
    }
    $1 == "include" && $3 !~ /(^|\/)names\.h$/ { check(module($2), module($3), $2 " includes " $3); next }
    ($1 == "host" || $1 == "image") && $3 == "D" { defined[$1, $4] = $2; next }
    ($1 == "host" || $1 == "image") && $3 == "U" { used[++uses] = $1 SUBSEP $2 SUBSEP $4 }
    END {
        for (k = 1; k <= uses; k++) {
            split(used[k], part, SUBSEP)
            if ((part[1], part[3]) in defined) {
                check(module(part[2]), module(defined[part[1], part[3]]), part[2] " needs " part[3])
            }
        }
        exit bad
    }'
