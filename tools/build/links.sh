#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Checks every README.md of the tree:
#
#   - each relative link leads to a file or folder of the tree, and its #anchor to a heading there;
#   - each path in backticks that begins with boot/, kernel/, bench/ or tools/ exists;
#   - each name of a source in backticks, such as `name.c`, is a file in that folder;
#   - each folder with sources has a README.md, except tests/ of a module and the corpora.
#
# Usage: links.sh [TOP]; links.sh --links TOP checks only the links. Prints each fault as FILE:LINE: MESSAGE; exit status 1 if there is any.
set -eu

only_links=
[ "${1-}" != --links ] || { only_links=1 && shift; }
cd "${1:-.}"
work=$(mktemp -d "${TMPDIR:-/tmp}/links.XXXXXX")
trap 'rm -rf "$work"' EXIT

find . \( -name .git -o -name build -o -name corpus \) -prune -o -name README.md -print |
    sed 's|^\./||' | sort >"$work/readmes"
# build/ at the top contains build results; tools/build is a module.
[ ! -d tools/build ] || find tools/build -name README.md >>"$work/readmes"

# Lines "KIND<tab>FILE:LINE<tab>TARGET": each link and each path outside code blocks.
mentions() {
    awk -v OFS='\t' '
        /^(```|~~~)/ { fenced = !fenced; next }
        fenced || /^    / { next }
        {
            rest = $0
            while (match(rest, /`[^`]+`/)) {
                word = substr(rest, RSTART + 1, RLENGTH - 2)
                if (word ~ /^(boot|kernel|bench|tools)\/[A-Za-z0-9_.\/*-]*$/)
                    print "path", FILENAME ":" FNR, word
                if (word ~ /^[a-z_0-9*]+\.(c|h|S|sh|awk|js|css|mk|def)$/)
                    print "name", FILENAME ":" FNR, word
                rest = substr(rest, RSTART + RLENGTH)
            }
            rest = $0
            while (match(rest, /\]\([^) ]+\)/)) {
                print "link", FILENAME ":" FNR, substr(rest, RSTART + 2, RLENGTH - 3)
                rest = substr(rest, RSTART + RLENGTH)
            }
        }' "$1"
}

# The anchors that a browser generates for a file: headings in lower case, blanks as hyphens.
anchors() {
    awk '
        /^(```|~~~)/ { fenced = !fenced }
        !fenced && /^#+ / {
            sub(/^#+ +/, "")
            gsub(/[][`*_()]/, "")
            heading = tolower($0)
            gsub(/[^a-z0-9 _-]/, "", heading)
            gsub(/ /, "-", heading)
            print heading (seen[heading]++ ? "-" seen[heading] - 1 : "")
        }' "$1"
}

fault() {
    printf '%s: %s\n' "$1" "$2" >>"$work/faults"
}

check_path() {
    # shellcheck disable=SC2086 # a pattern stands for what it matches
    for match in $2; do
        [ -e "$match" ] || fault "$1" "no such file or folder: $2"
        return 0
    done
}

check_name() {
    check_path "$1" "$(dirname "${1%:*}")/$2"
}

check_link() {
    link_file=${1%:*}
    case $2 in *://* | mailto:*) return 0 ;; esac
    link_path=${2%%#*}
    link_target=$link_file
    [ -z "$link_path" ] || link_target=$(dirname "$link_file")/$link_path
    if [ ! -e "$link_target" ]; then
        fault "$1" "the link leads nowhere: $2"
        return 0
    fi
    case $2 in *'#'*) ;; *) return 0 ;; esac
    [ ! -d "$link_target" ] || link_target=$link_target/README.md
    anchors "$link_target" >"$work/anchors"
    grep -qxF -- "${2#*#}" "$work/anchors" || fault "$1" "no heading for the anchor: $2"
}

: >"$work/faults"
while read -r readme; do
    mentions "$readme" >"$work/mentions"
    while IFS='	' read -r kind place target; do
        [ -n "$only_links" ] && [ "$kind" != link ] || "check_$kind" "$place" "$target"
    done <"$work/mentions"
done <"$work/readmes"

find boot kernel bench tools \( -name tests -path 'tools/tests' \) -o \
    \( -name tests -o -name corpus \) -prune -o -type f \
    \( -name '*.[chS]' -o -name '*.sh' -o -name '*.awk' -o -name '*.js' -o -name '*.in' \) -print |
    sed 's|/[^/]*$||' | sort -u >"$work/folders"
# The README of a group of benches also covers the parts of the group.
while read -r folder && [ -z "$only_links" ]; do
    case $folder in bench/*/*) folder=$(echo "$folder" | cut -d / -f 1-2) ;; esac
    [ -f "$folder/README.md" ] || fault "$folder" 'the folder has sources and no README.md'
done <"$work/folders"

cat "$work/faults"
echo "links.sh: $(wc -l <"$work/readmes") READMEs, $(wc -l <"$work/faults") faults" >&2
[ ! -s "$work/faults" ]
