#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/cmd/man.sh TARE FOLDER
#
# Writes manual pages of all commands into FOLDER: tare.1, tare-boot.1, ... help2man makes each page
# from the output of `TARE help` and from tare.h2m, which has the sections that only a page needs.
# SOURCE_DATE_EPOCH sets the date.
set -eu

tare=$(realpath "$1")
folder=$2
include=$(dirname "$0")/tare.h2m
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# page NAME SUMMARY ARGUMENT...: writes a page. A program of that name prints the help in the form
# that help2man needs: its usage lines, and the exit status under a heading.
page() {
    name=$1 summary=$2
    shift 2
    cat >"$work/$name" <<PROGRAM
#!/bin/sh
"$tare" help $* | sed '/^usage: /,/^\$/{s/^usage:/Usage:/; s/^       tare/  or:  tare/;}
    s/^Exit status: /Exit status:\n\n/'
PROGRAM
    chmod +x "$work/$name"
    awk -v page="$name" '$1 == "==" { here = $2 == page; next } here' "$include" >"$work/$name.h2m"
    [ -s "$work/$name.h2m" ] || rm "$work/$name.h2m"
    help2man --no-info --source=tare --version-string="$version" --name="$summary" \
        --opt-include="$work/$name.h2m" --output="$folder/$name.1" "$work/$name"
}

version=$("$tare" --version | sed -n '1s/^tare \([^ ]*\).*/\1/p')
page tare 'weigh the empty machine'
"$tare" help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
    page "tare-$command" "$summary" "$command"
done
