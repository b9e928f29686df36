# SPDX-License-Identifier: BSD-2-Clause
#
# Functions for the mutants of the image, sourced after lib.sh and boot.sh. A mutant is a falsified
# figure: one changed line of a bench (README.md). Mutants of different benches do not disturb each
# other, so a round damages each bench once and boots once.
#
# shellcheck shell=sh

mutants=tools/tests/mutants
tree=$work/tree

# catalogue FOLDER: prints a line for each mutant of image or host, with tabs: number, bench or
# module, what is falsified, file, the line there, its replacement.
catalogue() {
    for catalogue_file in "$mutants/$1"/*; do
        grep -v '^#' "$catalogue_file"
    done | awk -v OFS='\t' '
        NR % 4 == 1 { what = $0; of = $0; sub(/:.*/, "", of); sub(/^[^:]*: /, "", what) }
        NR % 4 == 2 { file = $0 }
        NR % 4 == 3 { from = $0 }
        NR % 4 == 0 { print ++n, of, what, file, from, $0 }'
}

# in_rounds: reads the catalogue of the image, and prints each line with the number of its round
# before it. Mutants of a round neither share a bench nor disturb another's bench.
in_rounds() {
    awk -F'\t' -v OFS='\t' '
        NR == FNR { if ($0 !~ /^#/) { split($0, word, " "); users[word[1]] = substr($0, length(word[1]) + 2) }; next }
        {
            count = split($4 in users ? users[$4] : $2, bench, " ")
            for (round = 1; ; round++) {
                taken = 0
                for (i = 1; i <= count; i++) { taken += (round, bench[i]) in used }
                if (!taken && !((round, $2) in used)) { break }
            }
            for (i = 1; i <= count; i++) { used[round, bench[i]] = 1 }
            used[round, $2] = 1
            print round, $0
        }' "$mutants/shared" -
}

# change FILE FROM TO: replaces the one line FROM of the file in the tree.
change() {
    from=$2 to=$3 awk '
        $0 == ENVIRON["from"] { $0 = ENVIRON["to"]; found++ }
        { print }
        END { exit found != 1 }' "$tree/$1" >"$work/changed" && cat "$work/changed" >"$tree/$1"
}

# each_mutant COMMAND: runs the command with number, bench, what, file, line and replacement of each
# mutant that is read. IFS cannot split at tabs, because lines begin with blanks.
each_mutant() {
    while IFS= read -r each_line; do
        each_from=$(printf '%s\n' "$each_line" | cut -f 5)
        each_to=$(printf '%s\n' "$each_line" | cut -f 6)
        # shellcheck disable=SC2046 # numbers and names
        "$1" $(printf '%s\n' "$each_line" | cut -f 1-2) "$(printf '%s\n' "$each_line" | cut -f 3)" \
            "$(printf '%s\n' "$each_line" | cut -f 4)" "$each_from" "$each_to"
    done
}

damage() {
    change "$4" "$5" "$6" || printf '%s\tits line does not stand once in %s\n' "$1" "$4" >>"$work/broken"
}

undamage() {
    cmp -s "$4" "$tree/$4" || cat "$4" >"$tree/$4"
}

# Notes the mutants whose file does not compile.
blame() {
    grep -q "^$4:.*error" "$work/make.txt" || return 0
    printf '%s\tit does not compile\n' "$1" >>"$work/broken"
    undamage "$@"
}

# build_round: damages the tree by the mutants that are read, and builds its image. Those that cannot
# be built are left out, with the reason in $work/broken.
build_round() {
    cat >"$work/round"
    : >"$work/broken"
    each_mutant damage <"$work/round"
    while ! inner_make -k -j2 build/image/tare.efi; do
        cp "$work/broken" "$work/broken_before"
        each_mutant blame <"$work/round"
        cmp -s "$work/broken" "$work/broken_before" && return 1
    done
    return 0
}

mend_round() {
    each_mutant undamage <"$work/round"
}

# all_benches: all benches of tare.efi but those that run only on request, and exec, from the list in bench/README.md, which is
# generated.
all_benches() {
    sed -n '/^<!-- list: benches -->$/,/^<!-- end of list -->$/p' bench/README.md | grep -v '^| \[smp/\]' | grep -o '`[a-z_]*`\*\?' |
        awk '!/\*$/ { gsub(/`/, ""); printf "%s,", $0 } END { print "exec" }'
}

# figures RUN_FILE: prints what a run published, with tabs: bench, kind, name, unit, number of
# samples, minimum, median, maximum, checksum of the samples. Facts of threads are left out: their names
# have numbers that depend on the benches before. So do rates of the clocks that prove the time base.
figures() {
    sqlite3 -separator '	' "$1" "
        SELECT bench, 'series', name, unit, n, ifnull(min, ''), ifnull(median, ''), ifnull(max, ''), crc FROM series
        UNION ALL SELECT bench, 'fact', name, unit, 1, value, value, value, '' FROM fact
            WHERE name NOT GLOB '*_thread_*' AND name NOT GLOB '*_dpc_*' AND name NOT GLOB 'proof.[hp]*' AND name NOT GLOB 'dead_smallest.*'
        UNION ALL SELECT bench, 'trace', part || '.' || mode, 'record', kept, discarded, overwritten, '', '' FROM trace
        UNION ALL SELECT bench, 'absent', name, '', 0, '', '', '', '' FROM absent
        ORDER BY 1, 2, 3"
}

# unlike RUN_FILE: prints the benches whose figures differ from the known answers, and the first figure
# that does, with a tab between them.
unlike() {
    figures "$1" | awk -F'\t' '
        function differs(bench, name) { if (!(bench in seen)) { seen[bench] = 1; print bench "\t" name } }
        /^#/ { next }
        NR == FNR { known[$1, $2, $3] = $0; bench_of[$1, $2, $3] = $1; next }
        !(($1, $2, $3) in known) { if ($2 != "fact") { differs($1, $2 " " $3) }; next }
        {
            split(known[$1, $2, $3], want, FS)
            delete known[$1, $2, $3]
            for (i = 4; i <= NF; i++) { if (want[i] != "-" && want[i] != $i) { differs($1, $2 " " $3) } }
        }
        END {
            for (key in known) {
                split(known[key], want, FS)
                if (want[2] != "fact" || want[6] != "-") { differs(want[1], want[2] " " want[3] " (missing)") }
            }
        }' "$mutants/answers" -
}

# refused RUN_FILE: prints the benches that the run itself does not call OK, with the reason.
refused() {
    "$TARE" show --json "$1" 2>/dev/null | jq -r '.benches[] | select(.status != "OK") | .name + "\t" + .status + ": " + .reason'
}
