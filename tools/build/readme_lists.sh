#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/build/readme_lists.sh           compares the lists in READMEs with the code (make lint-lists)
#     tools/build/readme_lists.sh --write   writes them (make lists)
#
# A list is between the lines `<!-- list: NAME -->` and `<!-- end of list -->` of a README.md.
# NAME is one of:
#
#     folders     each folder in the README's folder that has a README, and its title
#     modules     the same, in the order of tools/build/modules, with the modules that each uses
#     benches     each folder of benches, the title of its README, and its benches
#     on-request  the benches that run only on request
#     run-keys    the plan keys of a run as a whole
#     claims      what the paper says (bench/interactive/claims), each with its verdict
#
# Exit status 1 if a list differs, or a name is not one of these.
set -eu

cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# title FOLDER: prints the title of its README, without the path.
title() {
    sed -n '/^# /{ s/^# //; s/^[a-z_/]*: //; p; q }' "$1/README.md"
}

list_folders() {
    printf '| folder | what it is |\n|---|---|\n'
    for entry in "$1"/*/README.md; do
        entry=${entry%/README.md}
        echo "| [${entry##*/}/](${entry##*/}/README.md) | $(title "$entry") |"
    done
}

# A module of several parts has one row, with the modules that its parts use.
list_modules() {
    printf '| module | what it is | uses |\n|---|---|---|\n'
    awk -v top="$1/" '
        function module(name) { sub(/:$/, "", name); name = substr(name, length(top) + 1); sub(/\/.*/, "", name); return name }
        /^[a-z]/ && index($1, top) == 1 && $1 !~ /\/tests/ {
            from = module($1)
            if (!(from in uses)) { order[++n] = from; uses[from] = "" }
            for (i = 2; i <= NF; i++) {
                to = index($i, top) == 1 ? module($i) : ""
                if (to != "" && to != from && !seen[from, to]++) { uses[from] = uses[from] " " to }
            }
        }
        END { for (i = 1; i <= n; i++) { print order[i] uses[order[i]] } }' tools/build/modules |
        while read -r entry used; do
            [ -f "$1/$entry/README.md" ] || continue
            echo "| [$entry]($entry/README.md) | $(title "$1/$entry") | ${used:-–} |"
        done
}

# A line FOLDER NAME ON_REQUEST for each bench.
benches() {
    [ -s "$work/benches" ] || tools/build/lists.sh --benches >"$work/benches"
    cat "$work/benches"
}

list_benches() {
    printf '| folder | what it measures | benches |\n|---|---|---|\n'
    for entry in bench/*/README.md; do
        entry=${entry%/README.md}
        names=$(benches | awk -v folder="${entry##*/}" \
            '$1 == folder { printf "%s`%s`%s", n++ ? " " : "", $2, $3 == 1 ? "*" : "" }')
        echo "| [${entry##*/}/](${entry##*/}/README.md) | $(title "$entry") | ${names:-–} |"
    done
    printf '\n`*` runs on request only.\n'
}

list_on_request() {
    benches | awk '$3 == 1 { printf "%s`%s`", n++ ? ", " : "", $2 } END { print "." }' | fold -s -w 115 | sed 's/ *$//'
}

list_run_keys() {
    printf '| of | keys |\n|---|---|\n'
    tools/build/lists.sh --run-keys-by-title
}

list_claims() {
    printf '| of the paper | what it says | verdict | why |\n|---|---|---|---|\n'
    awk -F ' [|] ' '
        function put() { if (item) { printf "| %s | %s | %s | %s |\n", item, says, verdict, because } }
        /^[^ #]/ { put(); item = $2; verdict = $3; says = $4; because = "" }
        /^  because / { because = substr($0, 11) }
        END { put() }' bench/interactive/claims
}

# renew README: prints it with its lists updated to the current code.
renew() {
    renew_folder=$(dirname "$1")
    while IFS= read -r line; do
        case $line in
        '<!-- list: '*' -->')
            name=${line#<!-- list: }
            name=${name% -->}
            printf '%s\n\n' "$line"
            case $name in
            folders | modules) "list_$name" "$renew_folder" ;;
            benches | claims | on-request | run-keys) "list_$(echo "$name" | tr - _)" ;;
            *) echo "$1: no list is named '$name'" >&2 && return 1 ;;
            esac
            while IFS= read -r line && [ "$line" != '<!-- end of list -->' ]; do :; done
            [ "$line" = '<!-- end of list -->' ] || { echo "$1: list $name has no end" >&2 && return 1; }
            printf '\n%s\n' "$line"
            ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$1"
}

status=0
for readme in $(find boot kernel bench tools -name README.md | LC_ALL=C sort) README.md; do
    grep -q '^<!-- list: ' "$readme" || continue
    renew "$readme" >"$work/new" || { status=1 && continue; }
    cmp -s "$readme" "$work/new" && continue
    if [ "${1-}" = --write ]; then
        cat "$work/new" >"$readme"
        echo "  LISTS   $readme"
    else
        echo "FAIL  $readme: a list differs from the code; run make lists"
        diff "$readme" "$work/new" || :
        status=1
    fi
done
exit $status
