#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/build/counts.sh
#
# The measures of the house, each with its bound; status 1 if one is broken. Needs a git checkout and
# pmccabe. The bound of listed words (tools/build/words) may only fall.
set -eu

cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files 2>/dev/null | while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$work/files"
if [ ! -s "$work/files" ]; then
    echo 'skip  counts: not a git checkout'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
grep '\.c$' "$work/files" >"$work/sources"
bad=0

# at_most WHAT COUNT BOUND DETAIL
at_most() {
    printf '%-44s %6s  at most %s%s\n' "$1" "$2" "$3" "${4:+  ($4)}"
    [ "$2" -le "$3" ] || bad=1
}

# most COLUMN: the largest number of that column, and what follows it.
fullest=$(sed 's|/[^/]*$||' "$work/files" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1, $2 }')
at_most 'files in a folder' "${fullest% *}" 48 "${fullest#* }"
at_most 'files' "$(wc -l <"$work/files")" 2300
readme=$(grep -E '(^|/)README\.md$' "$work/files" | xargs wc -l | grep -v ' total$' | sort -rn |
    awk 'NR == 1 { print $1, $2 }')
at_most 'lines of a README' "${readme% *}" 400 "${readme#* }"

xargs pmccabe <"$work/sources" >"$work/functions" 2>/dev/null
longest=$(sort -k5,5nr "$work/functions" | awk 'NR == 1 { print $5, $NF }')
at_most 'lines of a function' "${longest% *}" 60 "${longest#* }"
complex=$(sort -k1,1nr "$work/functions" | awk 'NR == 1 { print $1, $NF }')
at_most 'complexity of a function' "${complex% *}" 20 "${complex#* }"

# Sources without a header open with what they are for: a comment below the licence line.
grep -v /tests/ "$work/sources" | while read -r file; do
    [ -f "${file%.c}.h" ] || sed -n 2p "$file" | grep -q '^/\*' || echo "$file"
done >"$work/silent"
at_most 'sources without header or opening comment' "$(wc -l <"$work/silent")" 0 \
    "$(head -n 3 "$work/silent" | tr '\n' ' ')"

grep '^tools/' "$work/files" | grep -vE '/(README\.md|rules\.mk)$' | sed 's|.*/||' | sort | uniq -d \
    >"$work/twins"
at_most 'file names that occur twice in tools/' "$(wc -l <"$work/twins")" 0 \
    "$(head -n 3 "$work/twins" | tr '\n' ' ')"

words=$(grep -v '^#' tools/build/words | grep -v '^[0-9]' | paste -sd '|')
grep -vE 'corpus/|\.(js|css|png)$|^tools/build/words$' "$work/files" |
    xargs grep -owihE "$words" | wc -l >"$work/words"
at_most 'words of tools/build/words' "$(cat "$work/words")" "$(grep '^[0-9]' tools/build/words)"
exit $bad
