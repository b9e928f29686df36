#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: cycles.sh [--folders] [--graph] FOLDER...
#
# Finds circles of #include in FOLDERs and the folders in them, in the working directory. A unit is
# the files of one folder with one name before the last dot: its header, source and assembly.
# A unit uses another if one of its files includes a file of the other.
#
#   --folders  a unit is a folder; a names.h, which holds nothing but names, is in none
#   --graph    prints the units that each unit uses, and not the circles
#
# For each circle, prints the units, and each include that leads from one of them to another.
# Exit status: 0 no circle, 1 a circle, 2 wrong usage.
set -eu

usage() {
    echo 'usage: cycles.sh [--folders] [--graph] FOLDER...' >&2
    exit 2
}
by_folder=0
graph=0
while [ $# -gt 0 ]; do
    case $1 in
    --folders) by_folder=1 ;;
    --graph) graph=1 ;;
    -*) usage ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || usage
for folder in "$@"; do
    [ -d "$folder" ] || {
        echo "cycles.sh: $folder is not a folder" >&2
        exit 2
    }
done

skipped='^$'
[ "$by_folder" = 0 ] || skipped='/names[.]h"'

# The files first, then their includes: FILE, or FILE:LINE:#include "PATH".
find "$@" -type f \( -name '*.[chS]' -o -name '*.inc' -o -name '*.def' \) | LC_ALL=C sort | {
    files=$(cat)
    echo "$files"
    # shellcheck disable=SC2086 # no name of a source has a blank
    grep -Hn '^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*"' $files /dev/null | grep -v "$skipped" || :
} | awk -v by_folder="$by_folder" -v graph="$graph" '
function unit(path) {
    if (by_folder) {
        sub("/[^/]*$", "", path)
    } else {
        sub("[.][^./]*$", "", path)
    }
    return path
}

# Algorithm of Tarjan: the units that reach each other form the circle of the first one.
function visit(u, n, i, list, v) {
    order[u] = low[u] = ++count
    stack[++depth] = u
    on_stack[u] = 1
    n = split(uses[u], list, " ")
    for (i = 1; i <= n; i++) {
        v = list[i]
        if (!(v in order)) {
            visit(v)
            if (low[v] < low[u]) {
                low[u] = low[v]
            }
        } else if (on_stack[v] && order[v] < low[u]) {
            low[u] = order[v]
        }
    }
    if (low[u] == order[u]) {
        do {
            v = stack[depth--]
            on_stack[v] = 0
            circle[v] = u
            size[u]++
        } while (v != u)
    }
}

!/:/ {
    known[$0] = 1
    if (!(unit($0) in seen)) {
        seen[unit($0)] = 1
        units[++total] = unit($0)
    }
    next
}

{
    file = $0
    sub(":.*", "", file)
    line = $0
    sub("^[^:]*:", "", line)
    sub(":.*", "", line)
    path = $0
    sub("^[^\"]*\"", "", path)
    sub("\".*", "", path)
    if (!(path in known)) {
        beside = file
        sub("[^/]*$", "", beside)
        path = beside path
    }
    if (!(path in known) || unit(path) == unit(file)) {
        next
    }
    edge = unit(file) " " unit(path)
    if (!(edge in edges)) {
        edges[edge] = 1
        uses[unit(file)] = uses[unit(file)] " " unit(path)
    }
    includes[++last] = edge " " file ":" line " includes " path
}

END {
    for (i = 1; i <= total; i++) {
        if (graph) {
            print units[i] ":" uses[units[i]]
        } else if (!(units[i] in order)) {
            visit(units[i])
        }
    }
    for (i = 1; i <= total; i++) {
        first = circle[units[i]]
        if (size[first] < 2 || printed[first]++) {
            continue
        }
        found = 1
        names = ""
        for (j = 1; j <= total; j++) {
            if (circle[units[j]] == first) {
                names = names " " units[j]
            }
        }
        print "circle of " size[first] ":" names
        for (j = 1; j <= last; j++) {
            split(includes[j], ends, " ")
            if (circle[ends[1]] == first && circle[ends[2]] == first) {
                print "    " substr(includes[j], length(ends[1] ends[2]) + 3)
            }
        }
    }
    exit found
}'
