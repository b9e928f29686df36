#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/cmd/man.sh TARE FOLDER
#
# Writes manual pages into FOLDER. help2man makes those of commands (tare.1, tare-boot.1, ...) and of benches
# (tare-gap.7, ...) from what `TARE help` prints, from tare.h2m, which has what only a page needs, and from
# `examples`. lowdown makes those of the table `pages` from sections of READMEs. Dates are those of
# SOURCE_DATE_EPOCH. Run it in the top folder of the tree.
set -eu

tare=$(realpath "$1")
folder=$2
here=$(dirname "$0")
include=$here/tare.h2m
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# examples NAME: prints those of a page, as help2man includes them.
examples() {
    awk -v page="$1" '
        /^#/ { next }
        $1 == "==" { here = page == "tare" ? $2 == "tare" : page == "tare-" $2; next }
        !here || /^$/ { next }
        { command = sub(/^    /, ""); gsub(/\\/, "\\e"); gsub(/-/, "\\-") }
        !begun++ { print "[examples]" }
        command && !inside { print ".PP\n.nf" }
        !command && inside { print ".fi\n.PP" }
        { inside = command; print (command ? "    " : "") $0 }
        END { if (inside) print ".fi" }' "$here/examples"
}

# page SECTION NAME SUMMARY ARGUMENT...: writes a page. A program of that name prints the help in the form
# that help2man needs: its usage lines, and the exit status under a heading.
page() {
    section=$1 name=$2 summary=$3
    shift 3
    cat >"$work/$name" <<PROGRAM
#!/bin/sh
"$tare" help $* | sed '/^usage: /,/^\$/{s/^usage:/Usage:/; s/^       tare/  or:  tare/;}
    s/^Exit status: /Exit status:\n\n/'
PROGRAM
    chmod +x "$work/$name"
    { awk -v page="$name" '$1 == "==" { here = $2 == page; next } here' "$include" && examples "$name"; } \
        >"$work/$name.h2m"
    [ -s "$work/$name.h2m" ] || rm "$work/$name.h2m"
    help2man --no-info --section="$section" --source=tare --version-string="$version" --name="$summary" \
        --opt-include="$work/$name.h2m" --output="$folder/$name.$section" "$work/$name"
}

version=$("$tare" --version | sed -n '1s/^tare \([^ ]*\).*/\1/p')
page 1 tare 'weigh the empty machine'
"$tare" help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
    page 1 "tare-$command" "$summary" "$command"
done
"$tare" complete boot --bench '' | grep -vxE 'all|none' | while read -r bench; do
    page 7 "tare-$bench" "$("$tare" help "$bench" | sed -n '3s/^ *//p')" "$bench"
done

# sections README HEADINGS: those sections, with links as their texts.
sections() {
    awk -v wanted="$2;" '
        /^```/ { inside = !inside }
        /^## / && !inside { name = substr($0, 4); here = index("; " wanted, "; " name ";") > 0 }
        here && !/^<!--/ { sub(/^##/, "#"); print }' "$1" | sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/!\[[^]]*\]([^)]*)//g'
}

date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
grep -v '^#' "$here/pages" | while IFS='|' read -r file summary readme headings; do
    file=${file% } summary=${summary# } summary=${summary% } readme=$(echo $readme)
    name=${file%.*}
    [ -z "$summary" ] || printf '# NAME\n\n%s - %s\n\n' "$name" "$summary" >"$work/$file"
    sections "$readme" "${headings# }" >>"$work/$file"
done
for file in "$work"/tare-*.[57]; do
    name=${file##*/}
    lowdown -s -Tman --out-no-smarty -M title="${name%.*}" -M section="${name##*.}" -M source="tare $version" \
        -M date="$date" "$file" | sed 's/\\fC/\\fB/g' >"$folder/$name"
done
