#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Lists that are generated from the code, so that none is written by hand:
#
#     lists.sh DIR               writes plan.md, options.md, events.md, counters.md, rules.md, exits.md
#                                and fields.md to DIR (make docs)
#     lists.sh --keys            prints each parameter of a bench as "BENCH.KEY DEFAULT"
#     lists.sh --run-keys        prints each plan key of the run as a whole
#     lists.sh --fields          prints fields.md
#     lists.sh --run-keys-by-title   prints them as rows of a table, one for each title
#     lists.sh --benches         prints each bench as "FOLDER NAME ON_REQUEST"; ON_REQUEST is 0 or 1
#
# Run it in the top folder of the tree. CC is the compiler whose preprocessor reads the benches; TARE is
# the host program whose help is printed.
set -eu

here=$(dirname "$0")
tab=$(printf '\t')
# As FOREIGN_INCLUDES of the Makefile.
lwip='-isystem kernel/net/port -isystem build/lwip/src/include -isystem build/lwip/src'

# Each bench and its parameters: lines as lists_bench.awk prints them.
benches() {
    for benches_source in $(grep -l '^BENCH_REGISTER' bench/*.c bench/*/*.c 2>/dev/null); do
        # shellcheck disable=SC2086 # words
        "${CC:-cc}" -E -P -I. $lwip "$benches_source" |
            awk -v folder="$(basename "$(dirname "$benches_source")")" -f "$here/lists_bench.awk"
    done | awk -F '\t' -v OFS='\t' '
        $1 == "bench" { name = $3; group[name] = $2 }
        { print group[$1 == "bench" ? $3 : $2], name, NR, $0 }' |
        sort -t "$tab" -k 1,1 -k 2,2 -k 3,3n | cut -f 4-
}

# The plan keys of a run: KEY, DEFAULT, TYPE, ALLOWED, MEANING, separated by tabs; a heading is a line
# "#TITLE".
run_keys() {
    "${CC:-cc}" -E -P -I. kernel/run/settings.c | awk -v table=settings_keys -f "$here/lists_bench.awk" |
        awk '
            NR == FNR { row[NR] = $0; next }
            /^\/\* / && /\*\/$/ && !/SPDX/ { gsub(/^\/\* | \*\/$/, ""); print "#" $0 }
            /^RUN_KEY\(/ { print row[++rows] }' - kernel/run/run_keys.def
}

head_of() {
    printf '<!-- SPDX-License-Identifier: BSD-2-Clause -->\n# %s\n\n' "$1"
    printf 'Made by `make docs` from %s. Do not edit.\n' "$2"
}

# A cell of a table: vertical bars are escaped, because a bar would end the cell.
cells='function cell(text) { gsub(/\|/, "\\|", text); return text }
    function code(text) { return text == "" ? "" : "`" cell(text) "`" }
    function head() { print "| key | default | type | allowed | meaning |\n|---|---|---|---|---|" }
    function line(key, default_text, type, allowed, meaning) {
        printf "| %s | %s | %s | %s | %s |\n", code(key), code(default_text), type, cell(allowed), cell(meaning)
    }'

plan_list() {
    head_of 'Plan keys' '`kernel/run/run_keys.def` and the parameters of each bench'
    printf '\nA list (numbers, words) separates its items by commas, or by blanks within braces: `key={a b}`.\n'
    printf '`all` stands for each word of a list of words. A time is a number in the unit that its key\n'
    printf 'ends in, or one with a unit: ns, us, ms, s, min, h or d.\n'
    run_keys | awk -F '\t' "$cells"'
        /^#/ { printf "\n## %s\n\n", substr($0, 2); head(); next }
        { line($1, $2, $3, $4, $5) }'
    benches | awk -F '\t' "$cells"'
        $1 == "bench" && $2 != group { group = $2; printf "\n## Benches of bench/%s\n", group }
        $1 == "bench" {
            printf "\n### %s\n\n%s%s\n", $3, cell($5), ($4 ? " (on request only)" : "")
            rows = 0
        }
        $1 == "param" && !rows++ { print ""; head() }
        $1 == "param" { line($2 "." $3, $4, $5, $6, $7) }'
}

options_list() {
    head_of 'Commands and options' '`tare help`'
    printf '\n```\n'
    "${TARE:-build/tare}" help
    printf '```\n'
    for command in $("${TARE:-build/tare}" help | awk '/^  [a-z]+  / { print $1 }'); do
        printf '\n## tare %s\n\n```\n' "$command"
        "${TARE:-build/tare}" help "$command"
        printf '```\n'
    done
}

events_list() {
    head_of 'Trace events' '`kernel/trace/events.def`, which describes them'
    printf '\n| id | event | fields |\n|---|---|---|\n'
    awk '
        /^TRACE_EVENT[0-5]\(/, /\)$/ {
            entry = entry " " $0
            if (!/\)$/)
                next
            sub(/^ *TRACE_EVENT[0-5]\(/, "", entry)
            sub(/\)$/, "", entry)
            n = split(entry, word, /, */)
            gsub(/ /, "", word[1])
            printf "| %s | `%s` |", word[1], word[2]
            for (i = 3; i < n; i += 2)
                printf "%s `%s` %s", (i > 3 ? "," : ""), word[i + 1], word[i]
            print " |"
            entry = ""
        }' kernel/trace/events.def
}

counters_list() {
    head_of 'Portable events of the counters' '`tare events --table`'
    printf '\n'
    "${TARE:-build/tare}" events --table
}

fields_list() {
    head_of 'Fields of a run' '`kernel/link/records.def`'
    printf '\nA field of a record, and the column of the run file and the member of `tare show --json` that hold it.\n'
    awk "$cells"'
        function part(text, n) { split(text, word, /, */); return word[n] }
        /^\/\* RECORD\(/ {
            split($0, quoted, "\"")
            sub(/^.*RECORD\(/, "", $0)
            printf "\n## Record %s, table %s\n\nA row: %s.\n\n", part($0, 1), part($0, 2), quoted[2]
            print "| field | column | type | | meaning |\n|---|---|---|---|---|"
        }
        /^ *FIELD\(/ {
            split($0, quoted, "\"")
            sub(/^ *FIELD\(/, "", $0)
            printf "| %s | %s | %s | %s | %s |\n", code(part($0, 2)), code(part($0, 3)),
                tolower(part($0, 4)), tolower(part($0, 5)), cell(quoted[2])
        }' kernel/link/records.def
}

rules_list() {
    head_of 'Rules of findings' '`tare show --rules`'
    printf '\n    '
    COLUMNS=100 "${TARE:-build/tare}" show --rules | sed '2,$ s/^/    /'
}

exits_list() {
    head_of 'Operations of bench exits' '`bench/system/exit_operations.def`'
    printf '\nEstimates in cycles: on bare metal, and under KVM on AMD and Intel. In instructions: under KVM of\n'
    printf 'Linux 6.1 on AMD and Intel, and of the operation alone.\n'
    printf '\n| series | what | bare metal | KVM-AMD | KVM-Intel | AMD path | Intel path | instructions |\n'
    printf '|---|---|---|---|---|---|---|---|\n'
    {
        printf '#define EXIT_OPERATION(name, label, meaning, bare, amd, intel, amd_path, intel_path, instructions, ...) '
        printf '| `name` | meaning | bare | amd | intel | amd_path | intel_path | instructions |\n'
        printf '#include "bench/system/exit_operations.def"\n'
    } | "${CC:-cc}" -E -P -I. - | sed 's/"//g; s/NONE/-/g'
}

case "${1:-}" in
--keys)
    benches | awk -F '\t' '$1 == "param" { print $2 "." $3 " " $4 }'
    ;;
--run-keys-by-title)
    run_keys | awk -F '\t' '
        function flush() { if (title != "") { print "| " title " | " keys " |" } keys = "" }
        /^#/ { flush(); title = substr($0, 2); next }
        { keys = keys (keys == "" ? "" : ", ") "`" $1 "`" }
        END { flush() }'
    ;;
--benches)
    benches | awk -F '\t' '$1 == "bench" { print $6, $3, $4 + 0 }'
    ;;
--run-keys)
    run_keys | awk -F '\t' '!/^#/ { print $1 }'
    ;;
--fields)
    fields_list
    ;;
'' | -*)
    echo "usage: $0 DIR | --keys | --run-keys | --run-keys-by-title | --benches | --fields" >&2
    exit 2
    ;;
*)
    mkdir -p "$1"
    plan_list >"$1/plan.md"
    options_list >"$1/options.md"
    events_list >"$1/events.md"
    counters_list >"$1/counters.md"
    rules_list >"$1/rules.md"
    exits_list >"$1/exits.md"
    fields_list >"$1/fields.md"
    ;;
esac
