#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/build/counts.sh           checks the measures of the project, and prints them
#     tools/build/counts.sh --lower   lowers each bound in tools/build/bounds to the current value
#
# A measure that is above its bound (tools/build/bounds), or has no bound, is an error. `make bounds`
# only lowers bounds; they are raised only by hand. Needs a git checkout and pmccabe.
#
# Product lines are the lines of all files except tests, corpora, READMEs, pictures, the licence and *.txt.
set -eu

cd "$(dirname "$0")/../.."
bounds=tools/build/bounds
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files 2>/dev/null | while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$work/files"
if [ ! -s "$work/files" ]; then
    echo 'skip  counts: not a git checkout'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
grep '\.c$' "$work/files" >"$work/sources"
grep -vE '(^|/)tests/|(^|/)README\.md$|\.png$|corpus|^LICENSE$|\.txt$' "$work/files" >"$work/product"
grep -E '(^|/)tests/' "$work/files" | grep -vE '(^|/)README\.md$|\.png$|corpus' >"$work/tests"

# lines LIST: LINES FILE of each file of LIST.
lines() {
    xargs wc -l <"$1" | awk '$2 != "total" { print }'
}
lines "$work/product" >"$work/product-lines"

# measure NAME VALUE [DETAIL]: the name contains no blank.
measure() {
    echo "$1 $2 ${3-}" >>"$work/measures"
}

total() {
    awk '{ sum += $1 } END { print sum + 0 }' "$1"
}

measure product-lines "$(total "$work/product-lines")"
awk '{ n = split($2, part, "/"); top = n > 1 ? part[1] : "files"; sum[top] += $1 }
    END { for (top in sum) { print "product-lines:" top, sum[top] } }' "$work/product-lines" |
    LC_ALL=C sort >>"$work/measures"

# Lines by module: a file belongs to the longest module path that its own path begins with.
awk 'NR == FNR { if (/^[a-z]/) { sub(/:$/, "", $1); if ($1 !~ /\/tests/) { module[$1] = 1 } } next }
    { folder = $2
      while (sub(/\/[^\/]*$/, "", folder)) { if (folder in module) { sum[folder] += $1; break } } }
    END { for (name in sum) { print "module-lines:" name, sum[name] } }' tools/build/modules \
    "$work/product-lines" | LC_ALL=C sort >>"$work/measures"

lines "$work/tests" >"$work/test-lines"
measure test-lines "$(total "$work/test-lines")"
measure files "$(wc -l <"$work/files")"
fullest=$(sed 's|/[^/]*$||' "$work/files" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1, $2 }')
measure files-in-a-folder "${fullest% *}" "${fullest#* }"

# A part of a module, such as bench/GROUP/host, has a row in the table but is not a module.
awk '/^[a-z]/ && $1 !~ /\/tests/ { sub(/:$/, "", $1); n = gsub(/\//, "/", $1)
        if (n < 2) { modules++ } else { parts++ } }
    END { print "modules", modules; print "parts-of-modules", parts }' tools/build/modules >>"$work/measures"
# The -l options of the host program, and the sources that the build downloads.
libraries=$(awk '/^[a-z]/ { module = $1 } $1 == "libs:" && module !~ /^tools\/tests\// { print }' tools/build/modules |
    grep -oE -- '-l[a-z0-9]+' | sort -u | wc -l)
measure libraries "$((libraries + 3))" 'with picolibc, lwIP, uPlot'

readme=$(grep -E '(^|/)README\.md$' "$work/files" | xargs wc -l | grep -v ' total$' | sort -rn |
    awk 'NR == 1 { print $1, $2 }')
measure lines-of-a-README "${readme% *}" "${readme#* }"
xargs pmccabe <"$work/sources" 2>/dev/null | sort -k1,1nr | awk 'NR == 1 { print "complexity-of-a-function", $1, $NF }' \
    >>"$work/measures"

# A source without a header must begin with its purpose: a comment below the licence line.
grep -v /tests/ "$work/sources" | while read -r file; do
    [ -f "${file%.c}.h" ] || sed -n 2p "$file" | grep -q '^/\*' || echo "$file"
done >"$work/silent"
measure sources-without-header-or-opening-comment "$(wc -l <"$work/silent")" "$(head -n 3 "$work/silent" | paste -sd ' ')"

grep '^tools/' "$work/files" | grep -v '/README\.md$' | sed 's|.*/||' | sort | uniq -d >"$work/twins"
measure file-names-that-occur-twice-in-tools "$(wc -l <"$work/twins")" "$(head -n 3 "$work/twins" | paste -sd ' ')"

words=$(grep -v '^#' tools/build/words | grep -v '^[0-9]' | paste -sd '|')
grep -vE 'corpus/|\.(js|css|png)$|^tools/build/words$' "$work/files" |
    xargs grep -owihE "$words" | wc -l >"$work/words"
measure words-of-tools/build/words "$(cat "$work/words")"

# Hits of tools/build/phrases by class of text; the goal is 0.5 in 1,000 words of each, and 60 in all.
tools/build/phrases.sh --count >"$work/phrases"
awk '{ sum += $2; printf "phrases:%s %d %.2f in 1,000 words\n", $1, $2, $2 * 1000 / $3 }
    END { print "phrases", sum, "tools/build/phrases.sh prints them" }' "$work/phrases" >>"$work/measures"

if [ "${1-}" = --lower ]; then
    {
        grep '^#' "$bounds"
        awk 'NR == FNR { bound[$1] = $2; next }
            { print $1, $1 in bound && bound[$1] < $2 ? bound[$1] : $2 }' "$bounds" "$work/measures"
    } >"$work/bounds"
    cp "$work/bounds" "$bounds"
fi
awk 'NR == FNR { bound[$1] = $2; next }
    {
        detail = $0
        sub(/^[^ ]+ [^ ]+ ?/, "", detail)
        printf "%-52s %7d  %s%s\n", $1, $2, $1 in bound ? "at most " bound[$1] : "no bound", \
            detail == "" ? "" : "  (" detail ")"
        if (!($1 in bound)) {
            printf "FAIL  %s: expected a bound in tools/build/bounds, found none; run make bounds\n", $1
            bad = 1
        } else if ($2 > bound[$1]) {
            printf "FAIL  %s: expected at most %d, got %d\n", $1, bound[$1], $2
            bad = 1
        }
    }
    END { exit bad }' "$bounds" "$work/measures"
